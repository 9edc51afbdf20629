"""Routes beside the genuine sink's: which texts of values patterns match, and which names."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pytest
from tests.nightly.genuine.case import NAMESPACE, Case, SourceRecord
from tests.nightly.genuine.peer import Peer, running
from tests.support.plain_records import record_of
from tests.support.sink_configs import PLUGIN, changed

from frazil.spark_sink.records.routes import route_of, router_of
from frazil.spark_sink.records.texts import text_of

VALUES: list[Any] = [
    *("x", "", " x", "Ünï", "a.b", "multi\nline"),
    *(0, -5, 2**53 + 1, 0.0, -0.0, 1.5, 1e10, 1e7, 9999999.0, 1e-3, 9.9e-4, 1e300, 0.1),
    *(True, False, None),
    *([], [1, 2], ["a", None], [[1.0]], {}, {"a": 1}, {"a": {"b": [True]}}),
]
JSON = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
IDS = {"id": pa.int64()}
FIELD = "iceberg.tables.route-field"


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with running(tmp_path_factory.mktemp("genuine")) as started:
        yield started


def routed(peer: Peer, name: str, config: Mapping[str, str]) -> tuple[list[int], list[int]]:
    """Return the ids that the genuine sink writes into a table, and those that we would."""
    table = f"{NAMESPACE}.{name}"
    # The last one always matches, so that there is a commit.
    kinds = [*VALUES, table]
    values = [{"id": number, "at": {"kind": kind}} for number, kind in enumerate(kinds)]
    keys = {**JSON, "iceberg.tables.evolve-schema-enabled": "false", FIELD: "at.kind", **config}
    records = tuple(SourceRecord(json.dumps(value).encode()) for value in values)
    (trial,) = peer.trials([Case(name, keys, records, columns=IDS)])
    assert not trial.outcome.died
    genuine = [int(row.removeprefix("{id: ").removesuffix("}")) for row in trial.outcome.rows]
    route = route_of(PLUGIN.parse(changed({"iceberg.tables": table, **config, FIELD: "at.kind"})))
    assert route is not None
    tables = router_of(route)
    ours = [number for number, value in enumerate(values) if table in tables(record_of(value))]
    return sorted(genuine), ours


def test_texts_of_values_are_those_that_patterns_match(peer: Peer) -> None:
    texts = [text_of(value) for value in VALUES if value is not None]
    pattern = "|".join(map(re.escape, [*texts, f"{NAMESPACE}.texts"]))
    genuine, ours = routed(peer, "texts", {f"iceberg.table.{NAMESPACE}.texts.route-regex": pattern})
    assert genuine == ours
    assert len(genuine) == len(texts) + 1


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("digits", r"\d+|-\d"),
        ("posix", r"\p{Alpha}|\p{Punct}\p{Digit}"),
        ("dots", r".*1.*"),
        ("quoted", r"\Q[1, 2]\E|\w+"),
        ("blanks", r"\h?x"),
        ("flags", r"(?i)TRUE|ünï"),
        ("lines", r"(?s)multi.line"),
    ],
)
def test_patterns_match_as_in_java(peer: Peer, name: str, pattern: str) -> None:
    key = f"iceberg.table.{NAMESPACE}.{name}.route-regex"
    genuine, ours = routed(peer, name, {key: f"{pattern}|{NAMESPACE}.{name}"})
    assert genuine == ours
    assert len(genuine) > 1
