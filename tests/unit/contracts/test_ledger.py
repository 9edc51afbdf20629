"""The ledger in a snapshot's summary: what goes in comes out, and dashboards find their keys."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.ledger import Ledger

_OFFSETS = st.dictionaries(st.text(), st.dictionaries(st.integers(0), st.integers(0)))
_TIMES = st.none() | st.datetimes(timezones=st.just(UTC))
_LEDGERS = st.builds(
    Ledger,
    connector=st.text(),
    epoch=st.integers(0),
    start=_OFFSETS,
    end=_OFFSETS,
    min_time=_TIMES,
    max_time=_TIMES,
    valid_through=_TIMES,
)


def a_ledger(connector: str = "logs", valid_through: datetime | None = None) -> Ledger:
    return Ledger(
        connector=connector,
        epoch=3,
        run="r",
        commit_id="id-1",
        cluster_id="c",
        topic_ids={"apilogs": "t"},
        start={"apilogs": {0: 5}},
        end={"apilogs": {0: 9}},
        valid_through=valid_through,
    )


@given(ledger=_LEDGERS)
def test_a_ledger_is_read_back_as_it_was_written(ledger: Ledger) -> None:
    summary = ledger.to_summary(control_topic="control")
    assert Ledger.from_summary(summary, ledger.connector) == ledger


def test_connectors_that_share_a_table_do_not_read_each_others_ledgers() -> None:
    one, two = a_ledger("one"), a_ledger("two")
    summary = one.to_summary(control_topic="c")
    assert Ledger.from_summary(summary, "two") is None
    summary |= two.to_summary(control_topic="c")
    assert Ledger.from_summary(summary, "one") == one


def test_dashboards_of_kafka_connect_find_their_keys() -> None:
    ledger = a_ledger(valid_through=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    summary = ledger.to_summary(control_topic="control-iceberg")
    assert summary["kafka.connect.offsets.control-iceberg.connect-logs"] == "{}"
    assert summary["kafka.connect.commit-id"] == "id-1"
    assert summary["kafka.connect.task-id"] == "logs-0"
    assert summary["kafka.connect.valid-through-ts"] == "2026-01-02T03:04:05+00:00"
    assert summary["kafka.connect.vtts"] == "1767323045000"


def test_the_sink_of_before_reads_that_all_is_dealt_with() -> None:
    key = "kafka.connect.offsets.control.connect-logs"
    found = a_ledger().model_copy(update={"fences": {key: '{"0":9}'}})
    assert a_ledger().to_summary(control_topic="control")[key] == "{}"
    assert found.to_summary(control_topic="control")[key] == '{"0":9}'


def test_without_a_watermark_no_watermark_is_told() -> None:
    summary = a_ledger().to_summary(control_topic="c")
    assert not {"kafka.connect.valid-through-ts", "kafka.connect.vtts"} & summary.keys()
