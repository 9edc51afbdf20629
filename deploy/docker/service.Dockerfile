# The image of one service without Spark. `make images` builds each, from the repository's root.
FROM debian:trixie-slim AS base
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin frazil
ENV PATH=/opt/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1

FROM base AS packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends binutils python3-pip python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv --without-pip /opt/venv
ARG SERVICE
COPY deploy/docker/${SERVICE}.txt /requirements.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    /usr/bin/pip --python /opt/venv/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r /requirements.txt
COPY deploy/docker/slim.sh /
RUN /slim.sh "$(echo /opt/venv/lib/python3*/site-packages)"
COPY packages/contracts/src packages/runtime/src packages/iceberg/src services/${SERVICE}/src /opt/frazil/python/
RUN echo /opt/frazil/python > "$(echo /opt/venv/lib/python3*/site-packages)/frazil.pth" \
 && chmod -R a+rX /opt/frazil/python \
 && /opt/venv/bin/python -m compileall -q /opt/venv /opt/frazil/python

FROM base
COPY --from=packages /opt/venv /opt/venv
COPY --from=packages /opt/frazil/python /opt/frazil/python
COPY --chmod=755 deploy/docker/healthy /usr/local/bin/
# Volumes for the control API's first credentials and its table reader's socket take their owner
# from here.
RUN install -d -o 10001 -g 10001 -m 700 /run/connect /run/table-reader
USER frazil
ENTRYPOINT ["python", "-m"]
