"""Names that columns are to have, and those by which records still call them."""

from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.column_names import ColumnNames

NAMES = ColumnNames.of(
    {("who",): "person", ("who", "a"): "age", ("person", "b"): "size", ("all", "element", "x"): "y"}
)
WORDS = st.sampled_from("abcd")
RENAMES = st.dictionaries(WORDS, st.sampled_from("wxyz"), max_size=3)


def test_a_path_is_read_by_the_names_of_now_whichever_it_has() -> None:
    for path in (("who", "a"), ("person", "a"), ("who", "age"), ("person", "age")):
        assert NAMES.now(path) == ("person", "age")
    assert NAMES.now(("who", "b", "c")) == ("person", "size", "c")
    assert NAMES.now(("a",)) == ("a",)
    assert NAMES.spelled("all.element.x") == "all.element.y"


def test_records_may_have_any_of_the_names() -> None:
    assert NAMES.spellings(("person", "age")) == [
        ("person", "age"),
        ("person", "a"),
        ("who", "age"),
        ("who", "a"),
    ]
    assert NAMES.spellings(()) == [()]
    assert NAMES.former((), "other") == []


def test_names_for_one_column_are_found_together() -> None:
    assert NAMES.grouped((), ["who", "x", "person"]) == {"person": ["who", "person"], "x": ["x"]}
    ignoring = ColumnNames({("Old",): "New"}, ignore_case=True)
    assert ignoring.grouped((), ["old", "ID", "NEW", "id"]) == {
        "new": ["old", "NEW"],
        "id": ["ID", "id"],
    }
    assert ColumnNames().grouped((), ["ID", "id"]) == {"ID": ["ID"], "id": ["id"]}


def test_a_name_that_is_refused_is_not_given_and_what_is_inside_may_be() -> None:
    wanted = {("who",): "person", ("who", "a"): "age"}
    names = ColumnNames.of(wanted, refuses=lambda path: path == ("person",))
    assert names.now(("who", "a")) == ("who", "age")
    assert not ColumnNames.of(wanted, refuses=lambda _: True)


@given(RENAMES, st.lists(st.sampled_from("abcdwxyz"), max_size=4).map(tuple))
def test_each_spelling_leads_to_the_name_of_now(
    wanted: dict[str, str], path: tuple[str, ...]
) -> None:
    names = ColumnNames.of({(old,): new for old, new in wanted.items()})
    now = names.now(path)
    assert names.now(now) == now
    assert path in names.spellings(now)
    assert {names.now(one) for one in names.spellings(now)} == {now}
