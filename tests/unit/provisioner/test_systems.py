"""The systems of a file: opened in the order of need, without a word to any of them."""

from typing import Any

from frazil.provisioner.desired import DesiredState, Part
from frazil.provisioner.systems import open_systems

# Nobody is at these addresses.
WHOLE: dict[str, Any] = {
    "trino": {"url": "http://t:1", "catalogs": []},
    "connect": {"url": "http://c:1", "connectors": []},
    "catalog": {"name": "n", "properties": {"uri": "http://i:1"}, "namespaces": [], "tables": []},
    "kafka": {"bootstrap.servers": "k:1", "topics": []},
    "clusters": [{"name": name, "url": "http://s:1"} for name in ("source", "destination")],
}
ALL = [
    "Cluster source at http://s:1/minio/health/cluster",
    "Cluster destination at http://s:1/minio/health/cluster",
    "Kafka at k:1",
    "The catalog at http://i:1",
    "Kafka Connect at http://c:1/",
    "Trino at http://t:1/",
]


async def titles(**sections: Any) -> list[str]:
    async with open_systems(DesiredState.model_validate(sections), 1, {}) as systems:
        return [system.title for system in systems]


async def test_each_comes_after_those_that_it_needs() -> None:
    assert await titles(**WHOLE) == ALL
    assert len(Part) == len(WHOLE)


async def test_a_login_in_an_address_is_not_told() -> None:
    connect = {"url": "http://me:hush@c:1", "connectors": []}
    assert await titles(connect=connect) == ["Kafka Connect at http://c:1/"]


async def test_a_section_that_is_not_there_opens_nothing() -> None:
    assert await titles() == []
    assert await titles(trino=WHOLE["trino"]) == ALL[-1:]
