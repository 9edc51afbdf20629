"""Events of a control topic, as a reader of Iceberg's event schema sees them."""

import json
from typing import Any

from pyiceberg.avro.decoder import new_decoder
from pyiceberg.avro.resolver import construct_reader
from pyiceberg.schema import Schema
from pyiceberg.types import StructType
from pyiceberg.utils.schema_conversion import AvroSchemaConversion

_NAMED = '"uuid_fixed"'


def read_event(event: bytes) -> dict[str, Any]:
    """Decode with the schema that the event brings, by PyIceberg."""
    end = 4 + int.from_bytes(event[2:4], "big")
    schema = AvroSchemaConversion().avro_to_iceberg(json.loads(_spelled_out(event[4:end].decode())))
    record = construct_reader(schema).read(new_decoder(event[end:]))
    return _by_name(record, schema)


def _spelled_out(text: str) -> str:
    """Put the definition where its name stands: PyIceberg knows no named types."""
    definition = json.dumps(json.loads(text)["fields"][0]["type"])
    return text.replace(f'"type":{_NAMED}', f'"type":{definition}').replace(
        f'"null",{_NAMED}', f'"null",{definition}'
    )


def _by_name(record: Any, schema: Schema | StructType) -> dict[str, Any]:
    found = {field.name: (field.field_type, record[i]) for i, field in enumerate(schema.fields)}
    return {
        name: _by_name(value, kind) if isinstance(kind, StructType) else value
        for name, (kind, value) in found.items()
    }
