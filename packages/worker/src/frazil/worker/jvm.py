"""The JVM of a driver: started by ourselves, so that class path, flags and archive are ours.

PySpark's own way (`spark-submit`, a launcher JVM and three shell scripts) costs a second, and it
names a Java module that slim Java builds do not have.
"""

import os
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from py4j.clientserver import ClientServer
from py4j.protocol import Py4JNetworkError
from pyspark.java_gateway import launch_gateway

from frazil.contracts.plugins.bounds import in_bytes
from frazil.runtime.hiding import Hiding
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.private import private_folder
from frazil.worker.archive import archive_flags
from frazil.worker.callbacks import serve_callbacks
from frazil.worker.errors import DriverEndedError, UnavailableError
from frazil.worker.jvm_errors import JAVA_ERRORS, in_words
from frazil.worker.settings import WorkerSettings

_START_SECONDS = 60
_STOP_SECONDS = 60
_RELAY_SECONDS = 5
_DEATH_SECONDS = 5
_OUT_OF_MEMORY = 3
# What a call to a JVM raises that is no more.
_GONE = (Py4JNetworkError, ConnectionError)

# Spark needs these doors open; the list is that of its own launcher.
_OPEN_MODULES = (
    *(
        f"java.base/{package}"
        for package in (
            "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio",
            "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref",
            "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar",
        )
    ),
    "java.security.jgss/sun.security.krb5",
)  # fmt: skip

# Of PySpark's jars a streaming driver never opens these. A short class path starts faster. Of
# lz4-java we bring another version (see ivy.xml).
_UNUSED_JARS = (
    "algebra", "arpack", "blas", "breeze", "cats-kernel", "curator-", "datanucleus", "derby",
    "hive-beeline", "hive-cli", "hive-common", "hive-exec", "hive-jdbc", "hive-llap",
    "hive-metastore", "hive-serde", "hive-service", "hive-shims", "JTransforms", "kubernetes-",
    "lapack", "libthrift", "lz4-java", "netty-codec-native-quic", "netty-tcnative-boringssl",
    "pmml", "rocksdbjni", "scala-compiler", "spark-connect_", "spark-graphx", "spark-hive",
    "spark-kubernetes", "spark-mllib", "spark-repl", "spark-yarn", "spire", "vertx", "zookeeper",
)  # fmt: skip

# The full compiler is for what goes through many rows, such as MERGE and maintenance: it begins ten
# times later than by itself, for records are Python's, and a batch is a few calls a second.
_LATE_COMPILER = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
# A heap grows to what it has to be; by itself it begins with a 64th of the machine.
_FIRST_HEAP = "96m"
_FLAGS = (
    "-XX:+UseSerialGC",
    *_LATE_COMPILER,
    "-XX:MetaspaceSize=64m",
    "-XX:MaxMetaspaceSize=256m",
    "-XX:ReservedCodeCacheSize=240m",
    # The archive at the address that it was made for, or all of its pages are written anew.
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:ArchiveRelocationMode=0",
    # Without memory nothing works any more, and what still runs may take minutes to fail.
    "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties')}",
)


def spark_home() -> Path:
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise UnavailableError("PySpark is not installed. Run `make install`.")
    return Path(spec.origin).parent


def class_path(extra: Path) -> list[Path]:
    """List our jars first, then PySpark's, in an order that never changes (the archive's key)."""
    return [*sorted(extra.glob("*.jar")), *_used_jars()]


def unused_jars() -> list[Path]:
    """List those of PySpark's jars that an image can do without: 280 MB."""
    used = set(_used_jars())
    return [jar for jar in _spark_jars().rglob("*.jar") if jar not in used]


def _used_jars() -> list[Path]:
    found = sorted(_spark_jars().glob("*.jar"))
    return [jar for jar in found if not jar.name.startswith(_UNUSED_JARS)]


def _spark_jars() -> Path:
    return spark_home() / "jars"


def java_command(java: Path, jars: Sequence[Path], memory: str, *extra: str) -> list[str]:
    return [
        str(java),
        f"-Xmx{memory}",
        f"-Xms{min(memory, _FIRST_HEAP, key=in_bytes)}",
        *_FLAGS,
        *(f"--add-opens={module}=ALL-UNNAMED" for module in _OPEN_MODULES),
        *extra,
        "-cp",
        os.pathsep.join(map(str, jars)),
        "org.apache.spark.api.python.PythonGatewayServer",
    ]


def kafka_flags(oauthbearer_urls: Sequence[str]) -> Iterator[str]:
    """Keep Kafka's clients from addresses and files that a connector's settings may name."""
    yield f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={','.join(oauthbearer_urls)}"
    yield "-Dorg.apache.kafka.automatic.config.providers=none"


@dataclass(frozen=True)
class Jvm:
    """A JVM that runs, and the gateway to it."""

    gateway: ClientServer
    _process: "subprocess.Popen[bytes]"
    _memory: str

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise errors that outlive the JVM, and say so where it has ended by itself."""
        try:
            yield
        except JAVA_ERRORS as error:
            raise in_words(error) from None
        except _GONE as error:
            code = _ended(self._process)
            if code is None:
                raise
            raise DriverEndedError(_last_words(code, self._memory)) from error


@contextmanager
def running_jvm(
    settings: WorkerSettings, folder: Path, memory: str, *, hiding: Hiding
) -> Iterator[Jvm]:
    """Give a new JVM that ends with the block, or with this process if it is killed.

    What Spark writes to disk, such as shuffled rows, is below the folder. The JVM watches its
    standard input: when our end of the pipe is gone, it exits. What it has to say goes through our
    hands, for Java's errors may hold the configuration that they are about.
    """
    java = find_java(settings.java_home)
    jars = class_path(JarStore(settings.home).folder("spark"))
    flags = (*kafka_flags(settings.oauthbearer_urls), *archive_flags(settings, java, jars))
    command = java_command(java, jars, memory, *flags)
    with _scratch(folder) as scratch:
        contact = scratch / "gateway"
        environment = {
            **os.environ,  # noqa: TID251 (handed on as it is, nothing is read from it)
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(contact),
            "SPARK_HOME": str(spark_home()),
            "SPARK_LOCAL_DIRS": str(scratch),
            "SPARK_LOCAL_HOSTNAME": "localhost",
        }
        # A group of its own, so that Ctrl-C in a terminal reaches the JVM only through us.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            process_group=0,
        )
        relay = threading.Thread(target=_relay, args=(process.stdout, hiding), daemon=True)
        relay.start()
        try:
            yield Jvm(_connect(process, contact), process, memory)
        finally:
            _end(process)
            relay.join(_RELAY_SECONDS)


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Give an empty folder for the time of one JVM; one that was killed may have left its own."""
    scratch = folder / "spark"
    shutil.rmtree(scratch, ignore_errors=True)
    private_folder(scratch)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _relay(output: IO[bytes], hiding: Hiding) -> None:
    """Pass on line by line what the JVM says, until it has ended."""
    with output:
        for line in output:
            sys.stderr.write(hiding(line.decode(errors="replace")))
            sys.stderr.flush()


def _connect(process: "subprocess.Popen[bytes]", contact: Path) -> ClientServer:
    deadline = time.monotonic() + _START_SECONDS
    while not contact.exists():
        if process.poll() is not None:
            raise UnavailableError(f"The JVM ended at once, with code {process.returncode}.")
        if time.monotonic() > deadline:
            raise UnavailableError(f"The JVM did not answer within {_START_SECONDS} s.")
        time.sleep(0.02)
    port, secret_length = struct.unpack_from(">ii", data := contact.read_bytes())
    secret = data[8 : 8 + secret_length].decode()
    # PySpark takes a gateway that already runs by these two variables only.
    variables = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(variables)  # noqa: TID251
    try:
        gateway: ClientServer = launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        # A child that uses Spark too would take our JVM for its own.
        for name in variables:
            del os.environ[name]  # noqa: TID251
    serve_callbacks(gateway)
    return gateway


def _ended(process: "subprocess.Popen[bytes]") -> int | None:
    """Return the code of a JVM that has ended by itself: its connections are gone before it is."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(_DEATH_SECONDS)
    return None


def _last_words(code: int, memory: str) -> str:
    if code == _OUT_OF_MEMORY:
        return (
            f"The driver ran out of memory: its heap is {memory}. Raise `frazil.driver.memory`, or "
            "lower `frazil.max.records.per.commit`, then restart."
        )
    return f"The driver's JVM ended with code {code}; its last words are in the log."


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
