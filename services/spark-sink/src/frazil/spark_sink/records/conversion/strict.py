"""Columns with the policy `fail`: a value of another type stops the connector, if it fits too."""

from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from frazil.spark_sink.records.conversion.numbers import exact
from frazil.spark_sink.records.conversion.rules import Leaf, Unfit, unfit
from frazil.spark_sink.records.schema.types import Primitive

_TEXTS = frozenset([str])
_MOMENTS = frozenset([str, date, datetime])
_FRACTIONS = frozenset([int, float, Decimal])
# Of JSON's own types; text is what JSON has for those that it lacks.
_OWN: Mapping[str, frozenset[type]] = {
    "boolean": frozenset([bool]),
    "int": frozenset([int]),
    "long": frozenset([int]),
    "float": _FRACTIONS,
    "double": _FRACTIONS,
    "decimal": _FRACTIONS,
    "string": _TEXTS,
    "uuid": frozenset([str, bytes]),
    "binary": frozenset([str, bytes]),
    "fixed": frozenset([str, bytes]),
    "date": frozenset([str, date]),
    "time": frozenset([str, time]),
    "timestamp": _MOMENTS,
    "timestamptz": _MOMENTS,
    "timestamp_ns": _MOMENTS,
    "timestamptz_ns": _MOMENTS,
}


def strictly(kind: Primitive, convert: Leaf) -> Leaf:
    """Take only values of the column's own type, or of a narrower one, and round none."""
    own = _OWN.get(kind.name)
    if own is None:
        return convert

    def strict(value: Any) -> Any:
        if type(value) not in own:
            raise unfit(value)
        converted = convert(value)
        if own is _FRACTIONS and exact(converted) != exact(value):
            raise Unfit("a number with more digits")
        return converted

    return strict
