"""Where to begin, and what is said when that would lose or repeat records."""

import pytest
from tests.support.ledgers import ledger

from frazil.contracts.offsets import Offsets, Rewind
from frazil.spark_sink.core.position import (
    TopicFacts,
    first_position,
    next_position,
    rewound_position,
)
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


def rewound(
    rewind: Rewind,
    *,
    facts: dict[str, TopicFacts] | None = None,
    offset_reset: str = "earliest",
    on_data_loss: str = "fail",
) -> Offsets:
    return rewound_position(
        DONE, facts or topic(), rewind, offset_reset=offset_reset, on_data_loss=on_data_loss
    )


def test_a_rewind_moves_the_named_partition_and_no_other() -> None:
    assert rewound(Rewind(number=1, offsets={"t": {0: 5}})) == {"t": {0: 5, 1: 70}}


def test_a_rewind_to_the_very_first_record_is_one() -> None:
    assert rewound(Rewind(number=1, offsets={"t": {0: 0}})) == {"t": {0: 0, 1: 70}}


def test_a_fresh_partition_begins_where_a_new_connector_would() -> None:
    wish = Rewind(number=1, fresh={"t": [1]})
    assert rewound(wish) == {"t": {0: 50, 1: 0}}
    assert rewound(wish, offset_reset="latest") == {"t": {0: 50, 1: 100}}


def test_a_reset_forgets_all_but_what_was_named_after_it() -> None:
    wish = Rewind(number=1, everything=True, offsets={"t": {1: 9}})
    assert rewound(wish) == {"t": {0: 0, 1: 9}}


def test_a_rewind_of_a_connector_that_never_wrote_counts_too() -> None:
    wish = Rewind(number=1, offsets={"t": {0: 5}})
    begin = rewound_position(None, topic(), wish, offset_reset="latest", on_data_loss="fail")
    assert begin == {"t": {0: 5, 1: 100}}


def test_a_rewind_of_a_topic_or_partition_that_is_not_read_changes_nothing() -> None:
    wish = Rewind(number=1, offsets={"t": {9: 5}, "other": {0: 5}}, fresh={"other": [0]})
    assert rewound(wish) == {"t": {0: 50, 1: 70}}


def test_a_reset_is_a_way_out_of_data_loss() -> None:
    recreated = topic(topic_id="new")
    assert rewound(Rewind(number=1, everything=True), facts=recreated) == {"t": {0: 0, 1: 0}}
    with pytest.raises(DataLossError, match="deleted and made anew"):
        rewound(Rewind(number=1, offsets={"t": {0: 5}}), facts=recreated)


@pytest.mark.parametrize("offset", [3, 101])
def test_an_offset_that_the_topic_does_not_hold_is_refused_unless_told_otherwise(
    offset: int,
) -> None:
    facts = topic(earliest={0: 10, 1: 0})
    wish = Rewind(number=1, offsets={"t": {0: offset}})
    with pytest.raises(DataLossError, match=f"Offset {offset} of t-0 .* holds 10 to 100"):
        rewound(wish, facts=facts)
    assert rewound(wish, facts=facts, on_data_loss="earliest") == {"t": {0: 10, 1: 70}}
    assert rewound(wish, facts=facts, on_data_loss="latest") == {"t": {0: 100, 1: 70}}
