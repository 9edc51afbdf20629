"""The records of `make bench-sink`, and the tables for them."""

import json
from itertools import islice

import pytest
from bench.iceberg_sink import records
from bench.iceberg_sink.cases import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_records_are_objects_of_fields_that_are_columns(case: Case) -> None:
    columns = {field.name for field in case.payload.schema.fields}
    fields = {key for value in islice(case.payload.values(), 300) for key in json.loads(value)}
    changed = {"transforms": {"origin"}, "evolve": {"node"}}
    assert fields - columns == changed.get(case.name, set())


def test_one_record_in_a_hundred_is_odd() -> None:
    versions = [json.loads(value)["version"] for value in islice(records.odd(), 1000)]
    assert versions.count(1) == 10
    assert versions.count("1") == 990


def test_records_go_to_each_table_in_turn() -> None:
    routed = [json.loads(value) for value in islice(records.routed(["n.a", "n.b"]), 4)]
    assert [record["table"] for record in routed] == ["n.a", "n.b", "n.a", "n.b"]
    assert len({record["id"] for record in routed}) == 4
