"""Records to lines of text, as column expressions: what Connect's file sink would print."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.converters import JSON_NAMES, schemas_enabled
from frazil.spark_sink.counts import DROPPED
from frazil.spark_sink.raw import raw_columns

_TEXT = "text"
_NULL = "null"


@dataclass(frozen=True)
class LinePlan:
    """How a value becomes a line: as it is, or from JSON, which may carry its schema."""

    json: bool
    schemas: bool

    @classmethod
    def of(cls, config: ParsedConfig) -> "LinePlan":
        return cls(config["value.converter"] in JSON_NAMES, schemas_enabled(config))

    def read(self, source: DataFrame) -> DataFrame:
        # A record without a value is a line too, as in Kafka: nothing is filtered.
        return source.select(
            *raw_columns(),
            fn.lit(False).alias(DROPPED),
            fn.col("value").cast("string").alias(_TEXT),
        )

    @property
    def fault(self) -> Column:
        """Why a record cannot become a line; null when it can."""
        if not self.json:
            return fn.lit(None).cast("string")
        parsed = fn.try_parse_json(_TEXT)
        broken = fn.col(_TEXT).isNotNull() & parsed.isNull()
        fault = fn.when(broken, fn.lit("it is not JSON"))
        if self.schemas:
            members = fn.json_object_keys(_TEXT)
            whole = fn.array_contains(members, "schema") & fn.array_contains(members, "payload")
            bare = fn.col(_TEXT).isNotNull() & ~fn.coalesce(whole, fn.lit(False))
            fault = fault.when(bare, fn.lit("it has no `schema` and `payload`"))
        return fault

    def lines(self, parsed: DataFrame) -> DataFrame:
        line = fn.get_json_object(_TEXT, self._path) if self.json else fn.col(_TEXT)
        return parsed.where(self.fault.isNull()).select(
            fn.coalesce(line, fn.lit(_NULL)).alias("line")
        )

    @property
    def _path(self) -> str:
        return "$.payload" if self.schemas else "$"
