"""Values into columns: what a column of a type holds of a value, or why it cannot."""

from frazil.spark_sink.records.conversion.nulling import NulledRow
from frazil.spark_sink.records.conversion.rows import RowConverter, row_converter
from frazil.spark_sink.records.conversion.rules import ConversionRules

__all__ = ["ConversionRules", "NulledRow", "RowConverter", "row_converter"]
