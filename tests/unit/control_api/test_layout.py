"""Back to an earlier schema, where no row stands in the way; what it lacks is refused then."""

import pytest

from frazil.contracts.schema_change import ChangeKind, SchemaChange, SchemaRules, SchemaUndo
from frazil.control_api.core.errors import NotFoundError, NotUndoneError
from frazil.control_api.core.layout import Column, TableLayout, undo

ID = Column("id", "long", required=True)
OLD = {1: ID, 2: Column("who", "", required=False), 3: Column("who.a", "int", required=False)}
NEW = {
    **OLD,
    4: Column("who.b", "string", required=False),
    5: Column("more", "string", required=False),
}
MORE = SchemaChange(kind=ChangeKind.ADD, path="more", type="string")


def layout(
    present: dict[int, Column], *, earlier: dict[int, Column] = OLD, bound: tuple[int, ...] = ()
) -> TableLayout:
    return TableLayout("ns.t", 1, {0: earlier, 1: present}, frozenset(bound))


def test_what_an_earlier_schema_lacks_is_refused_from_then_on() -> None:
    rules = undo(layout(NEW), 0)(SchemaRules(approved=(MORE,), refused=("x",)))
    assert rules.undo == SchemaUndo(before=1, after=0)
    assert (rules.approved, rules.refused) == ((), ("x", "who.b", "more"))


def test_to_undo_what_was_undone_lets_its_columns_in_again() -> None:
    again = undo(TableLayout("ns.t", 0, {0: OLD, 1: NEW}, frozenset()), 1)
    rules = again(SchemaRules(refused=("x", "who.b", "more")))
    assert (rules.undo, rules.refused) == (SchemaUndo(before=0, after=1), ("x",))


def test_a_column_that_was_renamed_since_is_refused_by_its_later_name() -> None:
    renamed = {
        1: ID,
        2: Column("one", "", required=False),
        3: Column("one.a", "int", required=False),
    }
    approved = SchemaChange(kind=ChangeKind.ADD, path="one", type="struct<a:int>")
    made = layout(renamed, bound=(1, 2))
    rules = undo(made, 0)(SchemaRules(approved=(approved,)))
    assert (rules.approved, rules.refused) == ((), ("one", "one.a"))
    again = undo(TableLayout("ns.t", 0, made.schemas, frozenset()), 1)(rules)
    assert not {"one", "one.a"} & {*again.refused}


def test_there_is_nothing_to_do_for_the_schema_that_is_current() -> None:
    assert undo(layout(NEW), 1)(SchemaRules()) == SchemaRules()


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (layout(NEW, bound=(1, 5)), "its partitions, order or key stand on column more"),
        (
            layout({**NEW, 1: Column("id", "long", required=False)}),
            "column id was required then, and by now rows may have none",
        ),
        (layout({5: NEW[5]}), "column id was required then, and by now rows may have none"),
        (
            layout({**NEW, 3: Column("who.a", "long", required=False)}),
            "column who.a was int then and is long",
        ),
    ],
    ids=["bound", "relaxed", "dropped", "widened"],
)
def test_what_stands_in_the_way_is_named(made: TableLayout, sentence: str) -> None:
    with pytest.raises(NotUndoneError, match=f"cannot go back to schema 0: {sentence}"):
        undo(made, 0)


def test_a_schema_that_the_table_never_had_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="no schema 7; it has 0, 1"):
        undo(layout(NEW), 7)
