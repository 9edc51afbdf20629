"""Values into booleans, integers, floating point numbers and decimals."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from frazil.spark_sink.records.conversion.rules import (
    BEYOND_RANGE,
    FRACTION,
    NOT_A_NUMBER,
    NOT_FINITE,
    Leaf,
    Unfit,
    unfit,
)

_INT, _LONG = 2**31, 2**63
# The first number that rounds to infinity in 32 bits.
_FLOAT = 2.0**128 - 2.0**103
# More digits than any column has, and few enough to compute with.
_MOST_DIGITS = 40
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def boolean(value: Any) -> bool:
    """Take a boolean, the numbers 0 and 1, and the texts of these."""
    kind = type(value)
    if kind is bool or (kind is int and 0 <= value <= 1):
        return bool(value)
    if kind is not str:
        raise Unfit("a number other than 0 and 1") if kind is int else unfit(value)
    truth = _TRUTHS.get(value.strip().lower())
    if truth is None:
        raise Unfit("text other than true and false")
    return truth


def int_value(value: Any) -> int:
    """Take a whole number of 32 bits, or its text."""
    number = value if type(value) is int else whole(value)
    if -_INT <= number < _INT:
        return number
    raise Unfit(BEYOND_RANGE)


def long_value(value: Any) -> int:
    """Take a whole number of 64 bits, or its text."""
    number = value if type(value) is int else whole(value)
    if -_LONG <= number < _LONG:
        return number
    raise Unfit(BEYOND_RANGE)


def double(value: Any) -> float:
    """Take any number, or its text; only texts that say so are infinite."""
    if type(value) is float:
        return value
    kind = type(value)
    if kind is str:
        return _double_of_text(value)
    if kind is not int and kind is not Decimal:
        raise unfit(value)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        raise Unfit(BEYOND_RANGE) from None
    if math.isinf(number) and value.is_finite():
        raise Unfit(BEYOND_RANGE)
    return number


def float_value(value: Any) -> float:
    """Take any number within the range of 32 bits, or its text."""
    number = double(value)
    if -_FLOAT < number < _FLOAT or not math.isfinite(number):
        return number
    raise Unfit(BEYOND_RANGE)


def decimal(precision: int, scale: int) -> Leaf:
    """Take any number or its text, rounded half up to the column's scale."""
    unit = Decimal((0, (1,), -scale))
    context = Context(prec=precision, rounding=ROUND_HALF_UP)

    def convert(value: Any) -> Decimal:
        number = value if type(value) is Decimal else exact(value)
        if not number.is_finite():
            raise Unfit(NOT_FINITE)
        try:
            return number.quantize(unit, context=context)
        except ArithmeticError:
            raise Unfit(BEYOND_RANGE) from None

    return convert


def whole(value: Any) -> int:
    """Return the integer that a number, or its text, stands for."""
    if type(value) is int:
        return value
    if type(value) is float:
        if value.is_integer():
            return int(value)
        raise Unfit(FRACTION if math.isfinite(value) else NOT_FINITE)
    if type(value) is str and "_" not in value:
        try:
            return int(value)
        except ValueError:
            pass
    return _whole_decimal(exact(value))


def exact(value: Any) -> Decimal:
    """Return a number, or what its text says, without rounding."""
    if type(value) is Decimal:
        return value
    if type(value) is int:
        return Decimal(value)
    if type(value) is float:
        return Decimal(repr(value))
    if type(value) is not str:
        raise unfit(value)
    if "_" in value:
        raise Unfit(NOT_A_NUMBER)
    try:
        return Decimal(value)
    except ArithmeticError:
        raise Unfit(NOT_A_NUMBER) from None


def _whole_decimal(number: Decimal) -> int:
    if not number.is_finite():
        raise Unfit(NOT_FINITE)
    if not number:
        return 0
    # Before the digits of 1e999999999 are written out.
    if number.adjusted() > _MOST_DIGITS:
        raise Unfit(BEYOND_RANGE)
    if number != number.to_integral_value():
        raise Unfit(FRACTION)
    return int(number)


def _double_of_text(text: str) -> float:
    if "_" in text:
        raise Unfit(NOT_A_NUMBER)
    try:
        number = float(text)
    except ValueError:
        raise Unfit(NOT_A_NUMBER) from None
    if math.isinf(number) and "n" not in text.lower():
        raise Unfit(BEYOND_RANGE)
    return number
