"""What other users of the machine get from the ports of a worker: nothing."""

import socket
import struct
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from tests.support.other_users import NEEDS_ROOT, as_nobody
from tests.support.spark import own_jvm

from frazil.runtime.hiding import Hiding
from frazil.worker.session import open_session

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120), NEEDS_ROOT]

CONF = {"spark.app.name": "ports", "spark.master": "local[1]", "spark.authenticate": "false"}
SECONDS = 5
# A request to Spark's RPC: its length, kind and number, then a body that makes no sense.
BODY = b"\x00\x01\x00\x09localhost\x00\x00\x00\x01\x00\x01xrO0AB"
REQUEST = struct.pack(">QbQI", 8 + 1 + 8 + 4 + len(BODY), 3, 7, len(BODY)) + BODY


def ask(port: int, request: bytes) -> bytes:
    with socket.socket() as connection:
        connection.settimeout(SECONDS)
        connection.connect(("127.0.0.1", port))
        connection.sendall(request)
        return connection.recv(65536)


class Counter:
    """A Python object that Java may call."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self) -> None:
        self.calls += 1

    class Java:
        implements = ("java.lang.Runnable",)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with own_jvm(Hiding()) as gateway, open_session(gateway, CONF) as spark:
        yield spark


def test_spark_s_ports_answer_only_those_that_know_its_secret(spark: Any) -> None:
    block_manager = spark._jvm.org.apache.spark.SparkEnv.get().blockManager().blockManagerId()
    for port in (int(spark.conf.get("spark.driver.port")), block_manager.port()):
        assert b"AuthRpcHandler" in as_nobody(partial(ask, port, REQUEST))


def test_the_gateway_to_java_is_closed(spark: Any) -> None:
    port = spark.sparkContext._gateway.java_parameters.port
    answer = as_nobody(partial(ask, port, b"c\nz:java.lang.System\nexit\ni0\ne\n"))
    assert b"Authentication error" in answer
    assert spark.range(1).count() == 1


def test_only_our_own_java_calls_python(spark: Any) -> None:
    gateway = spark.sparkContext._gateway
    counter = Counter()
    thread = gateway.jvm.java.lang.Thread(counter)
    thread.start()
    thread.join()
    assert counter.calls == 1
    known = gateway.gateway_property.pool.dict.items()
    (name,) = [name for name, one in known if one is counter]
    call = f"c\n{name}\nrun\ne\n".encode()
    answer = as_nobody(partial(ask, gateway._python_proxy_port, call))
    assert answer in {b"", b"ConnectionResetError"}
    assert counter.calls == 1
