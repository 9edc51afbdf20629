"""The catalog through Iceberg's Java API: tables loaded, created and changed."""

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from frazil.contracts.partitioning import PartitionPart
from frazil.spark_sink.catalog import catalog_error, is_silent
from frazil.spark_sink.records.schema.changes import SchemaChange
from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.tables.schemas import add_to_update, java_schema, read_schema
from frazil.worker.bridge import items, java_session, jvm, local_folder, new_array
from frazil.worker.errors import BadTableError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

# A catalog that is started anew is back in seconds; a new driver needs longer than that.
_PATIENCE_SECONDS = 15
_PAUSE_SECONDS = 0.5
_THERE = ("AlreadyExistsException",)
_NO_SCHEMA = "Invalid schema"
LOST_RACE = "CommitFailedException"


class Lake:
    """One catalog of one connector."""

    def __init__(self, spark: SparkSession, catalog: str) -> None:
        self._spark = spark
        self.name = catalog
        self._jvm = jvm(spark)
        self.iceberg = self._jvm.org.apache.iceberg

    def load(self, name: str) -> Any | None:
        """Load a table; None if it is not there."""
        try:
            return self._catalog().loadTable(self._identifier(name))
        except JAVA_ERRORS as error:
            message = java_message(error)
            if "NoSuchTable" in message or "NoSuchNamespace" in message:
                return None
            raise catalog_error(message, name) from None

    def refresh(self, table: Any, name: str) -> None:
        """Load a table as it is now; a catalog that is away for a moment is waited for."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                table.refresh()
            except JAVA_ERRORS as error:
                message = java_message(error)
            else:
                return
            if not is_silent(message) or time.monotonic() > deadline:
                raise catalog_error(message, name)
            time.sleep(_PAUSE_SECONDS)

    def schema_of(self, table: Any) -> StructType:
        try:
            made = self.iceberg.spark.SparkSchemaUtil.convert(table.schema())
        except JAVA_ERRORS as error:
            raise BadTableError(
                f"{table.name()} has a column of a type that Spark cannot write.",
                java_message(error),
            ) from None
        return StructType.fromJson(json.loads(made.json()))

    def columns_of(self, table: Any) -> Struct:
        """Read the columns of a table."""
        return read_schema(self.iceberg, table.schema())

    def properties_of(self, owner: Any) -> dict[str, str]:
        """Read the properties of a table, or of what reads and writes its files, in one call.

        Asked entry by entry, Java ends with an exception, for which PySpark asks a hundred times.
        """
        properties: dict[str, str] = json.loads(self._json.writeValueAsString(owner.properties()))
        return properties

    @cached_property
    def _json(self) -> Any:
        return self.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper()

    def scratch(self, table: Any) -> str:
        """Choose where files go that are only for a moment; all of Spark's processes reach it."""
        if str(self._spark.sparkContext.master).startswith("local"):
            return f"file:{local_folder(self._spark)}"
        return f"{table.location()}/changes"

    def sorted_columns(self, table: Any) -> tuple[str, ...]:
        """Name the columns of the table's sort order: their bounds are kept in any case."""
        schema, order = table.schema(), table.sortOrder()
        return tuple(str(schema.findColumnName(one.sourceId())) for one in items(order.fields()))

    def key_of(self, table: Any) -> tuple[str, ...]:
        """Name the identifier fields, by which rows are told apart."""
        return tuple(sorted(str(name) for name in table.schema().identifierFieldNames()))

    def create(
        self,
        name: str,
        schema: StructType,
        *,
        partitioning: Sequence[PartitionPart] = (),
    ) -> Any:
        """Create a table of the sink's own, and the namespaces above it, or load it."""
        java = self._jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json())
        made = self.iceberg.spark.SparkSchemaUtil.convert(java)
        return self._create(name, made, partitioning, {})

    def create_table(
        self,
        name: str,
        schema: Struct,
        *,
        keys: Sequence[str],
        partitioning: Sequence[PartitionPart],
        properties: dict[str, str],
    ) -> Any:
        """Create a table and the namespaces above it, or load it if somebody else was faster."""
        _require_keys(name, [one.name for one in schema.columns], keys)
        # A key that may be null is none, so these are required whatever the records say.
        keyed = [replace(one, required=one.required or one.name in keys) for one in schema.columns]
        try:
            made = java_schema(self.iceberg, Struct(tuple(keyed)), keys)
        except JAVA_ERRORS as error:
            what = f"the key {', '.join(keys)}" if keys else "the columns that records ask for"
            raise BadTableError(f"Table {name} cannot have {what}.", java_message(error)) from None
        return self._create(name, made, partitioning, properties)

    def _create(
        self,
        name: str,
        made: Any,
        partitioning: Sequence[PartitionPart],
        properties: dict[str, str],
    ) -> Any:
        spec = self._spec(name, made, partitioning)
        catalog, identifier = self._maker(), self._identifier(name)
        try:
            self._create_namespaces(identifier.namespace())
            builder = catalog.buildTable(identifier, made).withPartitionSpec(spec)
            return builder.withProperties(properties).create()
        except JAVA_ERRORS as error:
            message = java_message(error)
            found = self.load(name) if any(sign in message for sign in _THERE) else None
            if found is None:
                raise _creation_error(message, name) from None
            return found

    def change_columns(self, table: Any, name: str, changes: Sequence[SchemaChange]) -> None:
        """Change a table's schema at once; nothing is changed if somebody else was faster."""
        try:
            update = table.updateSchema()
            add_to_update(self.iceberg, update, changes)
            update.commit()
        except JAVA_ERRORS as error:
            message = java_message(error)
            if LOST_RACE not in message and not is_silent(message):
                raise BadTableError(
                    f"The columns that records of {name} need cannot be added to it.", message
                ) from None
        self.refresh(table, name)

    def partitioning_of(self, table: Any) -> set[PartitionPart]:
        """Tell by what new rows are partitioned; a field that was removed may be left as void."""
        schema = table.schema()
        parts = {
            _part(str(schema.findColumnName(field.sourceId())), str(field.transform().toString()))
            for field in table.spec().fields()
        }
        return {part for part in parts if part.transform != "void"}

    def has_columns_for(self, table: Any, parts: Sequence[PartitionPart]) -> bool:
        return all(table.schema().findField(part.column) is not None for part in parts)

    def partition(self, table: Any, name: str, parts: Sequence[PartitionPart]) -> None:
        """Have new rows partitioned in another way; nothing happens if somebody else was faster."""
        present = self.partitioning_of(table)
        try:
            update = table.updateSpec()
            for part in present - {*parts}:
                update.removeField(self._term(part))
            for part in parts:
                if part not in present:
                    update.addField(self._term(part))
            update.commit()
        except JAVA_ERRORS as error:
            message = java_message(error)
            if LOST_RACE not in message and not is_silent(message):
                raise _not_partitioned(name, message) from None
        self.refresh(table, name)

    def _term(self, part: PartitionPart) -> Any:
        expressions = self.iceberg.expressions.Expressions
        if part.transform == "identity":
            return expressions.ref(part.column)
        make = getattr(expressions, part.transform)
        return make(part.column, part.number) if part.number else make(part.column)

    def use_schema(self, table: Any, name: str, schema_id: int) -> None:
        """Make an earlier schema current; nothing happens if somebody else was faster."""
        operations = table.operations()
        base = operations.current()
        try:
            made = self.iceberg.TableMetadata.buildFrom(base).setCurrentSchema(schema_id).build()
            operations.commit(base, made)
        except JAVA_ERRORS as error:
            message = java_message(error)
            if LOST_RACE not in message and not is_silent(message):
                raise BadTableError(
                    f"{name} cannot go back to its schema {schema_id}. Have what was decided on "
                    "its schema forgotten, then restart.",
                    message,
                ) from None
        self.refresh(table, name)

    def _spec(self, name: str, schema: Any, parts: Sequence[PartitionPart]) -> Any:
        builder = self.iceberg.PartitionSpec.builderFor(schema)
        try:
            for part in parts:
                field = getattr(builder, part.transform)
                builder = field(part.column, part.number) if part.number else field(part.column)
            return builder.build()
        except JAVA_ERRORS as error:
            raise _not_partitioned(name, java_message(error)) from None

    def _create_namespaces(self, namespace: Any) -> None:
        """Create a namespace level by level; one that may not be looked at may still be there."""
        levels = list(namespace.levels())
        catalog = self._maker()
        for depth in range(1, len(levels) + 1):
            try:
                catalog.createNamespace(self._namespace(levels[:depth]))
            except JAVA_ERRORS as error:
                message = java_message(error)
                if not any(sign in message for sign in (*_THERE, "ForbiddenException")):
                    raise

    def _maker(self) -> Any:
        """Return the catalog in which tables are created."""
        return self._catalog()

    def _catalog(self) -> Any:
        # Asked for the table at once, Spark would hide why it could not open the catalog.
        manager = java_session(self._spark).sessionState().catalogManager()
        return manager.catalog(self.name).icebergCatalog()

    def _identifier(self, name: str) -> Any:
        *levels, last = name.split(".")
        return self.iceberg.catalog.TableIdentifier.of(self._namespace(levels), last)

    def _namespace(self, levels: Sequence[str]) -> Any:
        array = new_array(self._spark, self._jvm.java.lang.String, len(levels))
        for number, level in enumerate(levels):
            array[number] = level
        return self.iceberg.catalog.Namespace.of(array)


def _require_keys(name: str, columns: Sequence[str], keys: Sequence[str]) -> None:
    missing = [column for column in keys if column not in columns]
    if missing:
        raise BadTableError(
            f"Table {name} cannot have the key {', '.join(keys)}: its records have no "
            f"{', '.join(missing)}. Correct `id-columns`."
        )


def _creation_error(message: str, name: str) -> WorkerError:
    if _NO_SCHEMA not in message:
        return catalog_error(message, name)
    return BadTableError(
        f"Table {name} cannot have columns of the types that are asked for. A variant needs "
        "iceberg.tables.auto-create-props.format-version=3.",
        message,
    )


def _part(column: str, transform: str) -> PartitionPart:
    """Read a transform as Iceberg spells it: `day`, `bucket[8]`."""
    word, _, number = transform.rstrip("]").partition("[")
    return PartitionPart(word, column, int(number or 0))


def _not_partitioned(name: str, message: str) -> BadTableError:
    reason = message.partition("\n")[0].rpartition("Exception: ")[2]
    return BadTableError(
        f"Table {name} cannot be partitioned as asked for: {reason}. Correct `partition-by`, or "
        "create the table first.",
        message,
    )
