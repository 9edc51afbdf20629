"""How much is measured of each column."""

import pytest

from frazil.spark_sink.records.schema.types import Column, List, Map, Primitive, Struct
from frazil.spark_sink.tasks.files.metrics_modes import COUNTS, FULL, NONE, Mode, metrics_modes

INT = Primitive("int")
DEFAULT = "write.metadata.metrics.default"
COLUMN = "write.metadata.metrics.column."
LIMIT = "write.metadata.metrics.max-inferred-column-defaults"
SCHEMA = Struct(
    (
        Column("a", INT, id=1),
        Column("s", Struct((Column("b", INT, id=5), Column("c", INT, id=6))), id=2),
        Column("l", List(INT, element_id=7), id=3),
        Column("m", Map(INT, INT, key_id=8, value_id=9), id=4),
        Column("z", INT, id=10),
    )
)
LEAVES = (1, 5, 6, 7, 8, 9, 10)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, (16,) * 7),
        ({DEFAULT: "full"}, (FULL,) * 7),
        ({DEFAULT: "COUNTS"}, (COUNTS,) * 7),
        ({DEFAULT: "none"}, (NONE,) * 7),
        ({DEFAULT: "truncate(3)"}, (3,) * 7),
        ({DEFAULT: "truncate(0)"}, (16,) * 7),
        ({DEFAULT: "everything"}, (16,) * 7),
        ({f"{COLUMN}s.c": "none", f"{COLUMN}l.element": "counts"}, (16, 16, None, 0, 16, 16, 16)),
        ({DEFAULT: "none", f"{COLUMN}m.value": "full"}, (*(None,) * 5, FULL, None)),
        ({DEFAULT: "counts", f"{COLUMN}a": "nonsense"}, (COUNTS,) * 7),
        ({f"{COLUMN}gone": "none"}, (16,) * 7),
        ({LIMIT: "8"}, (16,) * 7),
        ({LIMIT: "3"}, (16, 16, None, None, None, None, 16)),
        ({LIMIT: "0"}, (None,) * 7),
        ({LIMIT: "-1"}, (16,) * 7),
        ({LIMIT: "1", f"{COLUMN}z": "counts"}, (16, None, None, None, None, None, 0)),
        ({LIMIT: "1", f"{COLUMN}z": "nonsense"}, (16, *(None,) * 6)),
        ({LIMIT: "0", DEFAULT: "counts"}, (COUNTS,) * 7),
    ],
)
def test_properties_choose_the_mode_of_each_column(
    properties: dict[str, str], expected: tuple[Mode, ...]
) -> None:
    assert metrics_modes(SCHEMA, properties) == dict(zip(LEAVES, expected, strict=True))


@pytest.mark.parametrize(
    ("properties", "expected"),
    [({}, 16), ({DEFAULT: "none"}, 16), ({DEFAULT: "counts"}, 16), ({DEFAULT: "full"}, FULL)],
)
def test_columns_of_the_sort_order_have_bounds(properties: dict[str, str], expected: Mode) -> None:
    assert metrics_modes(SCHEMA, properties, ("s.b",))[5] == expected
    assert metrics_modes(SCHEMA, {**properties, f"{COLUMN}s.b": "none"}, ("s.b",))[5] is NONE
