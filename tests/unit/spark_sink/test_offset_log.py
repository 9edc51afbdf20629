"""Spark's offset log as Spark 4.1 writes it."""

from pathlib import Path

import pytest

from frazil.spark_sink.core.offset_log import BatchRange, batch_range, parse_offsets

ENTRY = 'v1\n{"batchWatermarkMs":0,"batchTimestampMs":1,"conf":{}}\n{"t":{"0":%d,"1":7}}'


def test_an_entry_is_read() -> None:
    assert parse_offsets(ENTRY % 5) == {"t": {0: 5, 1: 7}}


def test_another_version_is_refused_rather_than_misread() -> None:
    with pytest.raises(ValueError, match="v2"):
        parse_offsets("v2\n{}\n0:{}")


def test_the_first_batch_begins_where_the_stream_began(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "0").write_text(ENTRY % 5)
    (tmp_path / "offsets" / "1").write_text(ENTRY % 9)
    first = {"t": {0: 2, 1: 7}}
    assert batch_range(tmp_path, 0, first) == BatchRange(first, {"t": {0: 5, 1: 7}})
    assert batch_range(tmp_path, 1, first) == BatchRange({"t": {0: 5, 1: 7}}, {"t": {0: 9, 1: 7}})
