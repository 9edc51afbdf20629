# The image of all Spark workers. `make images` builds it, from the repository's root.
FROM debian:trixie-slim AS base
# Without the folder for manuals the JRE's package does not install on a slim image.
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates openjdk-21-jre-headless python3 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin frazil
ENV PATH=/opt/venv/bin:$PATH FRAZIL_HOME=/opt/frazil

FROM base AS packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/venv
COPY requirements/build.txt deploy/docker/worker.txt /requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --require-hashes -r /requirements/build.txt \
 && pip install --require-hashes --no-build-isolation -r /requirements/worker.txt

FROM packages AS jars
COPY packages/runtime/src /python
COPY deploy/docker/load_jars.py /
RUN PYTHONPATH=/python python /load_jars.py

# Our own code needs no build: its rooms share one namespace, so one folder holds them all.
FROM packages AS worker
COPY packages/contracts/src packages/runtime/src packages/worker/src \
     services/spark-sink/src services/spark-source/src /opt/frazil/python/
RUN echo /opt/frazil/python > "$(echo /opt/venv/lib/python3*/site-packages)/frazil.pth" \
 && chmod -R a+rX /opt/frazil/python \
 && python -m compileall -q /opt/frazil/python \
 && python -m frazil.worker unused-jars | xargs rm

# `frazil setup` trains the class-data archive by one real sink on a broker of its own. The archive
# is bound to the very files of the class path, hence the same paths here and below.
FROM worker AS trained
COPY requirements/lock.txt /requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --require-hashes --no-build-isolation -r /requirements/lock.txt
COPY --from=jars /opt/frazil/jars /opt/frazil/jars
COPY packages /repository/packages
COPY services /repository/services
COPY deploy/local /repository/deploy/local
COPY schemas /repository/schemas
RUN cd /repository \
 && PYTHONPATH="$(printf "$PWD/%s:" packages/*/src services/*/src)" python -m frazil.cli setup \
 && ls /opt/frazil/archives/*.jsa \
 && rm -rf /opt/frazil/jars/*/broker

FROM base
COPY --from=worker /opt/venv /opt/venv
COPY --from=trained /opt/frazil/jars /opt/frazil/jars
COPY --from=trained /opt/frazil/archives /opt/frazil/archives
COPY --from=worker /opt/frazil/python /opt/frazil/python
USER frazil
ENTRYPOINT ["python", "-m"]
