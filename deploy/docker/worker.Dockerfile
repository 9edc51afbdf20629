# The image of all Spark workers. `make images` builds it, from the repository's root.
FROM debian:trixie-slim AS java
# Without the folder for manuals the JDK's package does not install on a slim image.
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates-java openjdk-21-jdk-headless \
 && rm -rf /var/lib/apt/lists/*
# Spark wants all of Java SE, its unsafe parts and, to reach S3 and Kafka, TLS and Kerberos.
RUN jlink --output /opt/java --compress zip-6 --no-header-files --no-man-pages \
      --generate-cds-archive --add-modules "java.se,jdk.charsets,jdk.crypto.cryptoki,\
jdk.crypto.ec,jdk.jfr,jdk.localedata,jdk.management,jdk.naming.dns,jdk.net,jdk.nio.mapmode,\
jdk.security.auth,jdk.security.jgss,jdk.unsupported,jdk.zipfs" \
 && rm /opt/java/lib/server/classes_nocoops.jsa \
 && cp -L /etc/ssl/certs/java/cacerts /opt/java/lib/security/cacerts

FROM debian:trixie-slim AS base
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin frazil
COPY --from=java /opt/java /opt/java
ENV PATH=/opt/venv/bin:/opt/java/bin:$PATH FRAZIL_HOME=/opt/frazil

FROM base AS packages
RUN apt-get update \
 && apt-get install -y --no-install-recommends binutils python3-venv \
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

# What builds packages has no place in the image; the training above still wants it.
FROM worker AS slim
COPY deploy/docker/slim.sh /
RUN /slim.sh "$(echo /opt/venv/lib/python3*/site-packages)" \
 && pip uninstall --yes --quiet setuptools wheel pip

# The archive first: it knows the times of all jars, and layers of an earlier build, which are taken
# again for what they hold, may have others. Behind a new archive nothing is taken again.
FROM base
COPY --from=trained /opt/frazil/archives /opt/frazil/archives
COPY --from=trained /opt/frazil/jars /opt/frazil/jars
COPY --from=slim /opt/venv /opt/venv
COPY --from=worker /opt/frazil/python /opt/frazil/python
USER frazil
ENTRYPOINT ["python", "-m"]
