"""What may be tried again, and that nothing which was asked for is forgotten."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.redrive import Pick
from frazil.control_api.core.errors import BadRequestError
from frazil.control_api.core.redrive import following, require_redrivable

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
LETTERS: dict[str, str | None] = {
    "errors.tolerance": "all",
    "frazil.dead.letters.table": "streaming.dead",
}
CHANGES: dict[str, str | None] = {"iceberg.tables.upsert-mode-enabled": "true"}


def test_numbers_grow_also_within_a_second() -> None:
    first = following(None, Pick(before=NOW))
    assert first.number == int(NOW.timestamp())
    second = following(first, Pick(before=NOW))
    assert second.number == first.number + 1
    later = following(second, Pick(before=NOW + timedelta(hours=1)))
    assert later.number == first.number + 3600


def test_what_was_asked_for_before_is_still_asked_for() -> None:
    rows, broken = Pick(before=NOW, reason="row"), Pick(before=NOW, reason="converter")
    assert following(following(None, rows), broken).picks == (rows, broken)


def test_the_past_does_not_grow_for_ever() -> None:
    order = following(None, Pick(before=NOW))
    for number in range(100):
        order = following(order, Pick(before=NOW, table=str(number)))
    assert len(order.picks) == 20
    assert order.picks[-1].table == "99"


def test_without_a_table_of_letters_there_is_nothing_to_read() -> None:
    with pytest.raises(BadRequestError, match=r"frazil\.dead\.letters\.table"):
        require_redrivable(PLUGIN.read(changed({})))
    require_redrivable(PLUGIN.read(changed(LETTERS)))


def test_changes_need_to_be_told_from_newer_ones() -> None:
    with pytest.raises(BadRequestError, match=r"frazil\.tables\.sequence-field"):
        require_redrivable(PLUGIN.read(changed(LETTERS | CHANGES)))
    ordered = LETTERS | CHANGES | {"frazil.tables.sequence-field": "n"}
    require_redrivable(PLUGIN.read(changed(ordered)))
