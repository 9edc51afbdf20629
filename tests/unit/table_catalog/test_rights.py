import pytest

from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.rights import Action, Grant, Principal

READ, WRITE, ADMIN = Action


def principal(*rights: tuple[Action, str], admin: bool = False) -> Principal:
    return Principal("somebody", tuple(Grant.parse(*right) for right in rights), admin)


@pytest.mark.parametrize(
    ("pattern", "warehouse", "namespace", "fits"),
    [
        ("lake", "lake", ("logs",), True),
        ("lake", "lakes", ("logs",), False),
        ("lake/logs", "lake", ("logs",), True),
        ("lake/logs", "lake", ("logs", "raw"), True),
        ("lake/logs", "lake", ("logs2",), False),
        ("lake/logs*", "lake", ("logs2", "raw"), True),
        ("lake/logs.raw", "lake", ("logs",), False),
        ("lake/logs.raw", "lake", ("logs", "raw"), True),
        ("lake/logs.raw", "lake", ("logs.raw",), False),
        ("lake/*", "lake", ("a", "b", "c"), True),
        ("*/logs", "pond", ("logs",), True),
        ("l?ke/Logs", "lake", ("logs",), False),
        ("lake/logs", "lake", ("logs\n",), False),
    ],
)
def test_a_right_is_for_what_fits_and_all_below(
    pattern: str, warehouse: str, namespace: tuple[str, ...], fits: bool
) -> None:
    assert principal((READ, pattern)).may(READ, warehouse, namespace) is fits


def test_who_may_write_may_read_and_not_the_other_way_round() -> None:
    writer, reader = principal((WRITE, "lake")), principal((READ, "lake"))
    assert writer.may(READ, "lake", ("logs",))
    assert not reader.may(WRITE, "lake", ("logs",))


def test_without_a_namespace_a_right_anywhere_in_the_warehouse_is_enough() -> None:
    reader = principal((READ, "lake/logs"))
    assert reader.may(READ, "lake")
    assert not reader.may(READ, "pond")


def test_warehouses_are_for_administrators_who_have_no_other_right_by_that() -> None:
    assert principal(admin=True).may(ADMIN, "lake")
    assert not principal(admin=True).may(READ, "lake", ("logs",))
    assert not principal((WRITE, "*")).may(ADMIN, "lake")


def test_a_refusal_says_who_lacks_what_and_where() -> None:
    with pytest.raises(ForbiddenError, match=r"^somebody has no right to write lake/logs\.raw$"):
        principal((READ, "lake")).require(WRITE, "lake", ("logs", "raw"))


def test_everybody_may_do_everything_where_all_is_open() -> None:
    for action in Action:
        Principal.everything().require(action, "lake", ("logs",))
