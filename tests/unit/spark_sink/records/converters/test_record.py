import pickle
from typing import Any

import pytest

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters.record import reader_of
from frazil.spark_sink.records.errors import ConverterError, Stage
from frazil.spark_sink.records.model import Header, KafkaRecord, Kind, Record, Schema

INTEGER = Converting("integer", True, {})
JSON = Converting("json", False, {})
SHORT = Converting("short", True, {})


SOURCE = KafkaRecord("t", partition=3, offset=7, timestamp=5, key=None, value=None)


def test_key_value_and_headers_are_converted() -> None:
    headers = (("h", b"\0\2"), ("h", None))
    source = SOURCE._replace(key=b"\0\0\0\1", value=b'{"a": 1}', headers=headers)
    number = Schema(Kind.INT16, optional=True)
    assert reader_of(INTEGER, JSON, SHORT)(source) == Record(
        source,
        "t",
        key=1,
        key_schema=Schema(Kind.INT32, optional=True),
        value={"a": 1},
        headers=(Header("h", 2, number), Header("h", None, number)),
        timestamp=5,
    )


@pytest.mark.parametrize(
    ("given", "stage"),
    [
        ({"key": b"x"}, Stage.KEY_CONVERTER),
        ({"value": b"x"}, Stage.VALUE_CONVERTER),
        ({"headers": (("h", b"\0\1"), ("h", b"x"))}, Stage.HEADER_CONVERTER),
        ({"key": b"x", "value": b"x", "headers": (("h", b"x"),)}, Stage.KEY_CONVERTER),
    ],
)
def test_what_cannot_be_converted_names_its_stage(given: dict[str, Any], stage: Stage) -> None:
    with pytest.raises(ConverterError) as caught:
        reader_of(INTEGER, JSON, SHORT)(SOURCE._replace(**given))
    assert caught.value.stage is stage


def test_a_record_without_anything_is_a_tombstone() -> None:
    source = SOURCE._replace(timestamp=None)
    record = reader_of(JSON, JSON, Converting("simple", True, {}))(source)
    assert record == Record(source, "t")


def test_a_converters_error_travels_from_an_executor() -> None:
    error = ConverterError("why", Stage.KEY_CONVERTER)
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert (str(copy), copy.stage) == ("why", Stage.KEY_CONVERTER)
