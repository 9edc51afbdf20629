"""How transforms refuse a record: in words that name the kind of value, with their class."""

from collections.abc import Callable
from functools import partial
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.errors import TransformError

Refusal = Callable[[str], TransformError]

_PACKAGE = "org.apache.kafka.connect.transforms."
_WORDS = {
    "NoneType": "null",
    "bool": "a boolean",
    "int": "an integer",
    "float": "a floating-point number",
    "str": "a string",
    "bytes": "bytes",
    "list": "an array",
    "dict": "a map",
    "Decimal": "a decimal",
    "date": "a date",
    "time": "a time",
    "datetime": "a timestamp",
}


def refusal(step: Step) -> Refusal:
    """Make the errors of a step, which name its class."""
    side = f"${step.side}" if step.side else ""
    return partial(TransformError, class_name=f"{_PACKAGE}{step.word}{side}")


def describe(value: Any) -> str:
    """Say in words what kind of value this is."""
    name = type(value).__name__
    return _WORDS.get(name, name)
