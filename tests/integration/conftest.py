"""One broker for all integration tests; a laboratory for each."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.support.fleet_lab import FleetLab, lake_conf
from tests.support.lab import Lab, wait_until
from tests.support.spark import spark_session

from frazil.cli.broker import Broker
from frazil.cli.ports import answers, free_ports
from frazil.runtime.child import Child
from frazil.runtime.jars import JarStore
from frazil.runtime.java import find_java
from frazil.runtime.settings import FrazilSettings

_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.integration)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def bootstrap_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = FrazilSettings()
    folder = tmp_path_factory.mktemp("broker")
    ports = free_ports()
    java = find_java(settings.java_home)
    broker = Broker(java, JarStore(settings.home).folder("broker"), folder, ports)
    broker.prepare()
    child = Child(folder / "process")
    child.start(broker.command(), environment={}, log=folder / "broker.log")
    try:
        wait_until("the broker answers", lambda: answers(ports.kafka), 60)
        yield ports.bootstrap_servers
    finally:
        child.stop(20)


@pytest.fixture
def lab(tmp_path: Path, bootstrap_servers: str) -> Iterator[Lab]:
    laboratory = Lab(tmp_path, bootstrap_servers, topic=f"lab-{next(_numbers)}")
    yield laboratory
    laboratory.close()


@pytest.fixture(scope="module")
def lake_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    with spark_session(lake_conf(tmp_path_factory.mktemp("warehouse"))) as session:
        session.sparkContext.setLogLevel("OFF")
        yield session


@pytest.fixture
def lake(lake_session: SparkSession, tmp_path: Path) -> FleetLab:
    made = FleetLab(lake_session, f"n{next(_numbers)}", tmp_path)
    made.sql("CREATE NAMESPACE NS")
    return made
