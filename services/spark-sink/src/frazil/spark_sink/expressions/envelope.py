"""JSON that carries its schema, as `schema` and `payload`: Connect's own default."""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import NullType, StringType, StructField, StructType

from frazil.spark_sink.expressions.connect_schema import (
    BadSchemaError,
    ConnectSchema,
    node_of,
    parse_schema,
)
from frazil.spark_sink.expressions.converters import Reading, is_json_null, raw
from frazil.spark_sink.expressions.draft import Side, event
from frazil.spark_sink.expressions.json_values import is_broken, json_column, json_text
from frazil.spark_sink.expressions.nodes import Leaf, Node, chosen
from frazil.worker.errors import BadRecordError

_MOST_SCHEMAS = 200
_BARE = "it has no `schema` and `payload`, and schemas.enable is true"


class EnvelopeConverter:
    """Each schema of a batch is read in its own way; together they have the type that holds all."""

    def __init__(self, *, defaults: bool) -> None:
        self._defaults = defaults
        self._parsed: dict[str, ConnectSchema | str] = {}

    def read(self, frame: DataFrame, name: str, _wanted: StructType | None) -> Reading:
        text = json_text(raw(name))
        schema = fn.get_json_object(text, "$.schema")
        texts = _distinct(frame, schema)
        schema_name = f"{name}_schema"
        stages = ({schema_name: schema}, self._columns(name, text, texts))
        return self._reading(name, stages, texts)

    def _columns(self, name: str, text: Column, texts: list[str]) -> Mapping[str, Column]:
        columns: dict[str, Column] = {}
        for number, found in enumerate(texts):
            schema = self._schema(found)
            if isinstance(schema, ConnectSchema):
                kind = StructType([StructField("payload", schema.wire)])
                of_it = fn.col(f"{name}_schema") == found
                columns[f"{name}_{number}"] = fn.when(of_it, json_column(text, kind))
        return columns

    def _reading(
        self, name: str, stages: tuple[Mapping[str, Column], ...], texts: list[str]
    ) -> Reading:
        schema_column = fn.col(f"{name}_schema")
        bare = ~is_json_null(name) & schema_column.isNull() & ~_is_empty(name)
        events = [event(bare, "converter", _BARE)]
        whole: Node = Leaf(fn.lit(None), NullType())
        for number, found in enumerate(texts):
            is_it = schema_column == found
            schema = self._schema(found)
            if isinstance(schema, str):
                events.append(event(is_it, "converter", schema))
                continue
            node, own = self._node(fn.col(f"{name}_{number}"), schema)
            events += [event(is_it & broken, "converter", words) for broken, words in own]
            whole = node if number == 0 and len(texts) == 1 else chosen(is_it, node, whole)
        return Reading(stages, Side(whole, schema=True), tuple(events), tuple(texts))

    def _node(self, parsed: Column, schema: ConnectSchema) -> tuple[Node, list[tuple[Column, str]]]:
        faults = [(is_broken(parsed), "its payload does not fit its schema")]
        node = node_of(parsed.getField("payload"), schema, faults, defaults=self._defaults)
        if not schema.optional and schema.default is None:
            faults.append((node.is_null, "its schema requires a value, and it has none"))
        return node, faults

    def _schema(self, text: str) -> ConnectSchema | str:
        """Return the schema, or why it is none."""
        if text not in self._parsed:
            try:
                self._parsed[text] = parse_schema(text)
            except BadSchemaError as error:
                self._parsed[text] = str(error)
        return self._parsed[text]


def _is_empty(name: str) -> Column:
    """Tell whether both members are there, and null: so Connect writes a tombstone."""
    text = raw(name).cast(StringType())
    members = fn.json_object_keys(text)
    both = fn.array_contains(members, "schema") & fn.array_contains(members, "payload")
    return fn.coalesce(both, fn.lit(False)) & fn.get_json_object(text, "$.payload").isNull()


def _distinct(frame: DataFrame, column: Column) -> list[str]:
    found = frame.select(column.alias("found")).where("found IS NOT NULL").distinct()
    rows = found.limit(_MOST_SCHEMAS + 1).collect()
    if len(rows) > _MOST_SCHEMAS:
        raise BadRecordError(
            f"More than {_MOST_SCHEMAS} schemas in one batch: the producer seems to make one for "
            "each record. Set frazil.max.records.per.commit lower, or correct the producer."
        )
    return sorted(row.found for row in rows)
