"""Templates of tables' names, and the words for partitions."""

import pytest

from frazil.contracts.partitioning import BadPartitionError, PartitionPart, parse_partitioning
from frazil.contracts.table_template import (
    BadTemplateError,
    Hole,
    Source,
    parse_template,
    table_template,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("lake.${topic}", ("lake.", Hole(Source.TOPIC))),
        ("${key}", (Hole(Source.KEY),)),
        ("${key.shop.id}_x", (Hole(Source.KEY, ("shop", "id")), "_x")),
        (
            "${value.a}.${header.the.kind}",
            (Hole(Source.VALUE, ("a",)), ".", Hole(Source.HEADER, ("the.kind",))),
        ),
        ("plain", ("plain",)),
        ("", ()),
    ],
)
def test_a_template_is_texts_and_holes(text: str, parts: tuple[str | Hole, ...]) -> None:
    assert parse_template(text) == parts


@pytest.mark.parametrize("text", ["${}", "${value}", "${header}", "${topic.x}", "${key.}", "${x}"])
def test_a_hole_that_nothing_fills_is_refused(text: str) -> None:
    with pytest.raises(BadTemplateError, match="is none of"):
        parse_template(text)


def test_a_template_without_a_hole_is_the_name_of_one_table() -> None:
    assert table_template("k", "lake.t") == (
        "Invalid value lake.t for configuration k: It names one table only; set iceberg.tables "
        "instead"
    )
    assert table_template("k", None) is None
    assert table_template("k", "lake.${topic}") is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ()),
        ("  ", ()),
        ("a", (PartitionPart("identity", "a"),)),
        ("days(t), Hour(u)", (PartitionPart("day", "t"), PartitionPart("hour", "u"))),
        (
            "bucket(id, 8),truncate(name,4)",
            (PartitionPart("bucket", "id", 8), PartitionPart("truncate", "name", 4)),
        ),
        ("year(a.b)", (PartitionPart("year", "a.b"),)),
    ],
)
def test_partitions_are_read(text: str | None, parts: tuple[PartitionPart, ...]) -> None:
    assert parse_partitioning(text) == parts


@pytest.mark.parametrize("text", ["bucket(id)", "bucket(id, x)", "truncate(a, 0)", "week(t)"])
def test_what_is_no_partition_is_refused(text: str) -> None:
    with pytest.raises(BadPartitionError, match="is no partition"):
        parse_partitioning(text)
