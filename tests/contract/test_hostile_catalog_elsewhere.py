"""What a hostile catalog answers chooses nothing in the command and in the provisioner either."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.hostile_catalog import (
    CONFIG,
    TABLE,
    Hostile,
    answers,
    authentication,
    command,
    honest_metadata,
    served,
)
from tests.support.local_state import local_state

from frazil.cli.containers.gather import _catalog
from frazil.cli.containers.project import Project
from frazil.cli.containers.seen import Container
from frazil.cli.folder import StackFolder
from frazil.cli.tables import Tables
from frazil.provisioner.steps.catalog import CatalogSystem

KEY = SimpleNamespace(access_key="a", secret="b")  # noqa: S106
ROOT = "/_iceberg"


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Hostile]:
    with served(answers(honest_metadata(tmp_path))) as hostile:
        yield hostile


def command_reads(url: str) -> None:
    """Load a table as `frazil query` does."""
    state = SimpleNamespace(ports=SimpleNamespace(catalog_url=url))
    folder = SimpleNamespace(
        name="dev",
        catalog_key=KEY,
        read_state=lambda: state,
        service=lambda _: SimpleNamespace(is_alive=lambda: True),
    )
    assert Tables(cast("StackFolder", folder)).rows("rows") == 0


def doctor_looks(url: str) -> None:
    """Ask for the configuration as `frazil doctor` does."""
    front = Container("1", "minio", ports={9000: int(url.rpartition(":")[2])})
    project = SimpleNamespace(key=KEY, warehouse="w")
    assert _catalog([front], {}, project=cast("Project", project)) is None


def provisioner_plans(url: str) -> None:
    """Compare the tables that are there with those that are wanted."""
    catalog = local_state().catalog
    assert catalog
    (table, *_) = catalog.tables
    properties = {"type": "rest", "uri": f"{url}{ROOT}"}
    wanted = catalog.model_copy(update={"properties": properties, "tables": [table]})
    asyncio.run(CatalogSystem(wanted, None).plan())


@pytest.mark.parametrize("use", [command_reads, doctor_looks, provisioner_plans])
def test_nothing_that_a_server_names_is_loaded(
    hostile: Hostile, tmp_path: Path, use: Callable[[str], None]
) -> None:
    marker = tmp_path / "marker"
    table: dict[str, Any] = hostile.answers[TABLE]
    table["config"] = table["metadata"]["properties"] = {"py-io-impl": "subprocess.Popen"}
    honest = dict(hostile.answers)
    for config in (
        {"defaults": dict.fromkeys(command(marker), ""), "overrides": {}},
        {"defaults": {}, "overrides": {"auth": authentication(marker)}},
    ):
        hostile.answers = {f"{ROOT}{path}": body for path, body in honest.items()}
        hostile.answers |= {
            f"{ROOT}{CONFIG}": config,
            f"{ROOT}/v1/namespaces/streaming": {"namespace": ["streaming"], "properties": {}},
            f"{ROOT}/v1/namespaces/streaming/tables/apilogs": table,
        }
        use(hostile.url)
        assert hostile.requests
    assert not marker.exists()
