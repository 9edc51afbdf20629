"""Records from Kafka, ready to be routed and written: converted, then transformed."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructType

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.converters import Converting, converting
from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.expressions.avro import AvroConverter
from frazil.spark_sink.expressions.compile import compile_chain, depends_on_records
from frazil.spark_sink.expressions.converters import (
    BytesConverter,
    Converter,
    JsonConverter,
    Reading,
    StringConverter,
)
from frazil.spark_sink.expressions.draft import Bench, Draft, finished
from frazil.spark_sink.expressions.envelope import EnvelopeConverter
from frazil.spark_sink.expressions.json_values import found_type
from frazil.spark_sink.expressions.registry import SchemaRegistry
from frazil.spark_sink.raw import headers_of, raw_columns
from frazil.worker.errors import BadConfigError


@dataclass(frozen=True)
class Records:
    """A batch as records, and their types.

    The frame has `topic, partition, offset, timestamp, raw_key, raw_value, raw_headers`, as they
    were in Kafka, `routed_topic, headers, key, value` as the transforms left them, `fault` (null,
    or why a record is no row: class and text) and `dropped`. A struct may hold a last field that
    its type does not name. With `as_wanted` the type is not their own, and they may not fit it.
    """

    frame: DataFrame
    key_type: DataType
    value_type: DataType
    as_wanted: bool = False


@dataclass(frozen=True, eq=False)
class _Compiled:
    """A chain upon readings of one shape."""

    shape: Hashable
    columns: list[Column]
    key_type: DataType
    value_type: DataType


class Reader:
    """How records of one shape are read. It remembers schemas, and nothing of the records."""

    def __init__(self, config: ParsedConfig, steps: tuple[Step, ...] | None = None) -> None:
        self._steps = steps_of(config) if steps is None else steps
        self._key = _converter(converting(config, "key"))
        self._value = _converter(converting(config, "value"))
        self._uses_key = any(_uses_key(step) for step in self._steps)
        self._made: _Compiled | None = None

    @property
    def keeps_shape(self) -> bool:
        """Tell whether a record has the fields of its value in Kafka, so that `wanted` works."""
        return not self._steps

    def read(self, batch: DataFrame, wanted: StructType | None = None) -> Records:
        """Read a batch. With `wanted` JSON is parsed as that type; else its own is found first."""
        frame = batch.select(*raw_columns(batch), headers_of(batch).alias("headers"))
        # A key that nobody looks at is not worth a pass over the records.
        key_converter = self._key if self._uses_key else BytesConverter()
        key = key_converter.read(frame, "key", None)
        value = self._value.read(frame, "value", wanted)
        bench = Bench(_with_stages(frame, key, value), found_type)
        made = self._compiled(key, value, bench)
        frame = bench.frame.select(*made.columns).select(*finished())
        return Records(frame, made.key_type, made.value_type, as_wanted=wanted is not None)

    def _compiled(self, key: Reading, value: Reading, bench: Bench) -> _Compiled:
        """Compile the chain; while the records keep their shape, what was made of it stays."""
        shape = (key.shape, value.shape)
        if self._made is not None and self._made.shape == shape:
            return self._made
        draft = Draft(
            topic=fn.col("topic"),
            headers=fn.col("headers"),
            key=key.side,
            value=value.side,
            events=(*key.events, *value.events),
        )
        draft = compile_chain(draft, self._steps, bench)
        made = _Compiled(shape, draft.columns(), draft.key.node.type, draft.value.node.type)
        self._made = None if depends_on_records(self._steps) else made
        return made


def _with_stages(frame: DataFrame, key: Reading, value: Reading) -> DataFrame:
    for number in range(max(len(key.stages), len(value.stages))):
        columns: dict[str, Column] = {}
        for reading in (key, value):
            if number < len(reading.stages):
                columns |= reading.stages[number]
        frame = frame.select("*", *(column.alias(name) for name, column in columns.items()))
    return frame


def _converter(wanted: Converting) -> Converter:
    if wanted.word == "avro":
        return AvroConverter(SchemaRegistry.of(wanted.options))
    if wanted.word == "json" and wanted.schemas:
        defaults = wanted.options.get("replace.null.with.default", "true").lower() == "true"
        return EnvelopeConverter(defaults=defaults)
    plain: dict[str, Converter] = {
        "json": JsonConverter(),
        "string": StringConverter(),
        "bytes": BytesConverter(),
    }
    if wanted.word not in plain:
        raise BadConfigError(f"The converter for {wanted.word} is not supported by this sink yet.")
    return plain[wanted.word]


def _uses_key(step: Step) -> bool:
    return step.side == "Key" or step.word == "DebeziumTransform" or _names(step, "key")


def uses_headers(steps: Iterable[Step]) -> bool:
    return any(_uses_headers(step) for step in steps)


def _uses_headers(step: Step) -> bool:
    has_header = step.predicate is not None and step.predicate.word == "HasHeaderKey"
    return has_header or step.word == "DropHeaders" or _names(step, "headers")


def _names(step: Step, word: str) -> bool:
    """Tell whether a statement may be about something; once too often is only slower."""
    return word in str(step.options.get("statement", "")).lower()
