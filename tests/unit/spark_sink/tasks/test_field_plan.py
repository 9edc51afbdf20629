"""Fields that transforms add, drop or rename are decoded under their new names."""

import pytest

from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.tasks.fast_decoder import FastDecoder, fast_decoder
from frazil.spark_sink.tasks.field_plan import FieldPlan, NotServedError

_LONG = Primitive("long")
_AB = Struct((Column("a", _LONG), Column("b", _LONG)))


def _decoder(plan: FieldPlan, *, evolves: bool = False) -> FastDecoder:
    decoder = fast_decoder(_AB, evolves=evolves, plan=plan)
    assert decoder is not None
    return decoder


@pytest.mark.parametrize("evolves", [False, True])
@pytest.mark.parametrize(
    ("plan", "value", "row"),
    [
        (FieldPlan(renames={"x": "a"}), b'{"x": 1, "b": 2}', (1, 2)),
        (FieldPlan(renames={"x": "a"}), b'{"b": 2}', (None, 2)),
        (FieldPlan(renames={"x": "a"}), b'{"x": 1, "a": 2}', None),
        (FieldPlan(renames={"x": "a"}), b'{"a": 2}', None),
        (FieldPlan(renames={"x": "a"}, drops={"a"}), b'{"x": 1, "a": "y"}', (1, None)),
        (FieldPlan(renames={"a": "b", "b": "a"}), b'{"a": 1, "b": 2}', (2, 1)),
        (FieldPlan(renames={"a": "b"}), b'{"a": 1}', (None, 1)),
        (FieldPlan(drops={"a", "y"}), b'{"a": [null], "b": 2, "y": {"z": 1}}', (None, 2)),
        (FieldPlan(drops={"y"}), b'{"a": 1, "y": "\xff"}', None),
        (FieldPlan(inserts={"b"}), b'{"a": 1, "b": "x"}', (1, 7)),
    ],
)
def test_a_plan_says_which_field_fills_a_column(
    plan: FieldPlan, value: bytes, row: tuple[int | None, ...] | None, evolves: bool
) -> None:
    decoder = _decoder(plan, evolves=evolves)

    batch, odd = decoder.decode([b"[]", value], {name: [6, 7] for name in plan.inserts})

    rows = [tuple(record.values()) for record in batch.to_pylist()]
    assert (rows, odd) == (([], [0, 1]) if row is None else ([row], [0]))


def test_dropped_fields_do_not_evolve_the_schema_and_others_do() -> None:
    decoder = _decoder(FieldPlan(drops={"x"}, renames={"a": "c"}), evolves=True)

    assert decoder.decode([b'{"x": 1}', b'{"y": 1}', b'{"a": 1}', b'{"c": 1}']).odd == [1, 2, 3]


@pytest.mark.parametrize(
    "plan", [FieldPlan(drops={"a"}), FieldPlan(renames={"a": "x"}), FieldPlan(inserts={"b"})]
)
def test_a_required_column_needs_its_field(plan: FieldPlan) -> None:
    schema = Struct((Column("a", _LONG, required=True), Column("b", _LONG)))

    decoder = fast_decoder(schema, evolves=False, plan=plan)

    assert (decoder is None) == ("a" in plan.drops | plan.renames.keys())


def test_what_depends_on_the_order_of_transforms_is_not_served() -> None:
    with pytest.raises(NotServedError):
        FieldPlan(renames={"a": "x", "b": "x"})
    with pytest.raises(NotServedError):
        FieldPlan(renames={"a": "x"}, drops={"a"})
    with pytest.raises(NotServedError):
        FieldPlan(renames={"a": "x"}, inserts={"x"})
