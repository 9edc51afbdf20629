"""Decimals as Connect packs them: the unscaled number as bytes, in two's complement."""

from pyspark.sql import Column
from pyspark.sql import functions as fn

_WIDE = "decimal(20,0)"
_HALF = 2**64


def decimal_of_bytes(column: Column, scale: int) -> Column:
    """Unpack up to 16 bytes, which is what 38 digits need; longer ones are null."""
    digits = fn.hex(column)
    negative = fn.substring(digits, 1, 1) >= fn.lit("8")
    padded = fn.when(negative, fn.lpad(digits, 32, "F")).otherwise(fn.lpad(digits, 32, "0"))
    high, low = (_unsigned(fn.substring(padded, start, 16)) for start in (1, 17))
    signed = fn.when(negative, high - fn.lit(str(_HALF)).cast(_WIDE)).otherwise(high)
    number = fn.try_add(fn.try_multiply(signed, fn.lit(str(_HALF)).cast(_WIDE)), low)
    fits = fn.length(column).between(1, 16)
    return fn.when(fits, _pointed(number.try_cast("decimal(38,0)"), scale))


def _unsigned(digits: Column) -> Column:
    return fn.conv(digits, 16, 10).cast(_WIDE)


def _pointed(number: Column, scale: int) -> Column:
    """Set the point by writing it: a product of two decimals would lose digits."""
    digits = fn.abs(number).cast("string")
    long = fn.lpad(digits, fn.greatest(fn.length(digits), fn.lit(scale + 1)), fn.lit("0"))
    whole = fn.substring(long, fn.lit(1), fn.length(long) - scale)
    sign = fn.when(number < 0, fn.lit("-")).otherwise(fn.lit(""))
    text = fn.concat(sign, whole, fn.lit("."), fn.right(long, fn.lit(scale)))
    return text.try_cast(f"decimal(38,{scale})")
