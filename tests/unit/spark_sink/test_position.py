"""Where to begin, and what is said when that would lose or repeat records."""

import pytest
from tests.support.ledgers import ledger

from frazil.spark_sink.core.position import TopicFacts, first_position, next_position
from frazil.worker.errors import DataLossError

DONE = ledger(start={"t": {0: 0, 1: 0}}, end={"t": {0: 50, 1: 70}})


def topic(
    *, topic_id: str = "id-t", earliest: dict[int, int] | None = None, latest: int = 100
) -> dict[str, TopicFacts]:
    first = earliest or {0: 0, 1: 0}
    return {"t": TopicFacts(topic_id, first, dict.fromkeys(first, latest))}


def test_a_new_connector_begins_at_the_earliest_record() -> None:
    assert first_position(topic(earliest={0: 3, 1: 4}), "earliest") == {"t": {0: 3, 1: 4}}


def test_a_new_connector_may_skip_what_is_there() -> None:
    assert first_position(topic(), "latest") == {"t": {0: 100, 1: 100}}


def test_a_connector_goes_on_where_its_ledger_ends() -> None:
    assert next_position(DONE, topic(), "fail") == {"t": {0: 50, 1: 70}}


def test_a_new_partition_begins_at_its_earliest_record() -> None:
    assert next_position(DONE, topic(earliest={0: 0, 1: 0, 2: 7}), "fail") == {
        "t": {0: 50, 1: 70, 2: 7}
    }


def test_a_topic_at_its_very_end_is_no_loss() -> None:
    assert next_position(DONE, topic(earliest={0: 50, 1: 70}, latest=70), "fail") == {
        "t": {0: 50, 1: 70}
    }


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        pytest.param(topic(earliest={0: 60, 1: 0}), "Offsets 50 to 59 of t-0 are gone", id="gone"),
        pytest.param(topic(latest=60), "the topic ends at 60", id="shorter"),
        pytest.param(topic(topic_id="new"), "deleted and made anew", id="recreated"),
    ],
)
def test_loss_fails_with_the_ways_out_unless_one_was_chosen(
    facts: dict[str, TopicFacts], sentence: str
) -> None:
    with pytest.raises(DataLossError, match=sentence) as failure:
        next_position(DONE, facts, "fail")
    assert "frazil.on.data.loss" in str(failure.value)
    assert next_position(DONE, facts, "latest")["t"][0] in (50, 60, 100)
    assert next_position(DONE, facts, "earliest")["t"][0] in (0, 50, 60)
