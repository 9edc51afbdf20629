"""DmsTransform: make rows of the changes that AWS Database Migration Service writes."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.texts import text_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.sides import fields_of

_OPERATIONS = {"update": "U", "delete": "D"}


def dms(step: Step) -> Transform:
    """Compile the transform."""
    refuse = iceberg_refusal(step)

    def lift(record: Record) -> Record | None:
        if record.value is None:
            return record
        if record.value_schema is not None:
            raise refuse("changes of DMS have no schema, and this value has")
        value = fields_of(record.value, None, "lifting a change of DMS", refuse)
        data, metadata = value.get("data"), value.get("metadata")
        if not isinstance(data, dict) or not isinstance(metadata, dict):
            return None
        operation = metadata.get("operation")
        if operation is None:
            raise refuse("the metadata of the change names no operation")
        schema, table = metadata.get("schema-name"), metadata.get("table-name")
        cdc = {
            "op": _OPERATIONS.get(text_of(operation), "I"),
            "ts": metadata.get("timestamp"),
            "source": f"{text_of(schema)}.{text_of(table)}",
        }
        return record.with_value({**data, "_cdc": cdc}, None)

    return lift
