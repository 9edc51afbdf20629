"""Values into strings, as Java writes numbers; structures become JSON."""

import base64
import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import orjson

from frazil.spark_sink.records.conversion.calendar import micros_of_datetime
from frazil.spark_sink.records.conversion.rules import Unfit, unfit
from frazil.spark_sink.records.conversion.temporal import date_value, time_value
from frazil.spark_sink.records.model import Kind, Schema
from frazil.spark_sink.records.texts import double_text, float_text

_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS


def string(value: Any, schema: Schema | None = None) -> str:
    """Return a text as it is, and the text of anything else."""
    if type(value) is str:
        return value
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is Decimal:
        return str(value)
    if kind is float:
        narrow = schema is not None and schema.kind is Kind.FLOAT32
        return float_text(value) if narrow else double_text(value)
    if kind is dict or kind is list:
        return json_text(value)
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    if kind is datetime:
        return _timestamp_text(value)
    if kind is date or kind is time:
        return str(value.isoformat())
    raise unfit(value)


def _timestamp_text(value: datetime) -> str:
    zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
    return zoned.isoformat().replace("+00:00", "Z")


def json_text(value: Any) -> str:
    """Write a structure as JSON, logical types as Connect's own converter writes them."""
    try:
        return orjson.dumps(value, _plain, _OPTIONS).decode()
    except (orjson.JSONEncodeError, TypeError, RecursionError):
        return _odd_json_text(value)


def _odd_json_text(value: Any) -> str:
    """Write what the fast encoder refuses: big integers, lone surrogates, deep nesting."""
    try:
        text = json.dumps(value, default=_plainer, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, TypeError, ValueError):
        raise Unfit("a structure that is not JSON, or is nested too deeply") from None
    return text.encode("utf-8", "replace").decode()


def _plain(value: Any) -> Any:
    """Turn what JSON does not have into what it has: milliseconds, days, base64."""
    return orjson.Fragment(str(value)) if type(value) is Decimal else _plainer(value)


def _plainer(value: Any) -> Any:
    kind = type(value)
    if kind is datetime:
        return micros_of_datetime(value) // 1000
    if kind is date:
        return date_value(value)
    if kind is time:
        return time_value(value) // 1000
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    if kind is Decimal:
        return float(value)
    raise TypeError(kind.__name__)
