"""How far a batch is complete, told from the newest record of each partition."""

from datetime import UTC, datetime

from frazil.spark_sink.counts import valid_through


def test_the_slowest_partition_decides() -> None:
    assert valid_through([3_000_000, 1_000_000, 2_000_000]) == datetime(
        1970, 1, 1, 0, 0, 1, tzinfo=UTC
    )


def test_a_partition_without_records_leaves_it_open() -> None:
    assert valid_through([3_000_000, None]) is None
    assert valid_through([]) is None
