"""MongoDebeziumTransform: type the documents that Debezium's changes of MongoDB have as texts.

Connect's own drops records without a schema; here their texts are typed as well.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.bson import BsonError, Typed, parse_document, parse_value
from frazil.spark_sink.records.model import Field, Kind, Record, Schema
from frazil.spark_sink.records.texts import text_of
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.iceberg_refusals import iceberg_refusal
from frazil.spark_sink.records.transforms.refusals import Refusal, describe
from frazil.spark_sink.records.transforms.sides import fields_of

_PURPOSE = "typing a change of MongoDB"
_BEFORE, _AFTER, _UPDATE = "before", "after", "updateDescription"


_Parse = Callable[[str], Typed]


def mongo_debezium(step: Step) -> Transform:
    """Compile the transform."""
    refuse = iceberg_refusal(step)
    as_documents = step.options["array_handling_mode"] == "document"
    parse = partial(parse_document, arrays_as_documents=as_documents)
    parse_id = partial(parse_value, arrays_as_documents=as_documents)

    def read(record: Record) -> Record:
        if record.value is None:
            return record
        read_change = _read_map if record.value_schema is None else _read_struct
        try:
            return read_change(record, parse, parse_id, refuse)
        except BsonError as error:
            raise refuse(f"a document of the change is not MongoDB's: {error}") from error

    return read


def _read_map(record: Record, parse: _Parse, parse_id: _Parse, refuse: Refusal) -> Record:
    value = fields_of(record.value, None, _PURPOSE, refuse)
    texts = {name: value.get(name) for name in (_BEFORE, _AFTER)}
    documents = {name: parse(text) for name, text in texts.items() if isinstance(text, str)}
    key, identity = record.key, None
    if isinstance(key, dict) and isinstance(key.get("id"), str):
        identity = parse_id(key["id"])
        record = record.with_key({**key, "id": identity.value}, record.key_schema)
    update = value.get(_UPDATE)
    if texts[_AFTER] is None and isinstance(update, dict):
        before = documents.get(_BEFORE)
        documents[_AFTER] = _updated(before, update, identity, parse, refuse)
    typed = {name: document.value for name, document in documents.items()}
    return record.with_value({**value, **typed}, None)


def _read_struct(record: Record, parse: _Parse, parse_id: _Parse, refuse: Refusal) -> Record:
    """Type both documents and the key; what is no change becomes a tombstone."""
    schema = record.value_schema
    if schema is None or not _is_change(schema, record.key_schema):
        return record.with_key(None, None).with_value(None, None)
    value = fields_of(record.value, schema, _PURPOSE, refuse)
    for name in (_BEFORE, _AFTER, _UPDATE):
        if schema.field(name) is None:
            raise refuse(f"the change has no field {name}")
    identity = parse_id(_id(record, refuse))
    texts = {name: value.get(name) for name in (_BEFORE, _AFTER)}
    documents = {name: parse(text_of(one)) for name, one in texts.items() if one is not None}
    if texts[_AFTER] is None and value.get(_UPDATE) is not None:
        before = documents.get(_BEFORE)
        update = fields_of(value[_UPDATE], None, _PURPOSE, refuse)
        documents[_AFTER] = _updated(before, update, identity, parse, refuse)
    if not documents:
        raise refuse(f"the change has neither {_BEFORE} nor {_AFTER}")
    key_schema = Schema(Kind.STRUCT, fields=(Field("id", identity.schema),))
    record = record.with_key({"id": identity.value}, key_schema)
    return _replaced(record, value, schema, documents)


def _is_change(value: Schema, key: Schema | None) -> bool:
    is_key = key is not None and (key.name or "").endswith(".Key")
    return is_key and (value.name or "").endswith(".Envelope")


def _id(record: Record, refuse: Refusal) -> str:
    key = fields_of(record.key, record.key_schema, _PURPOSE, refuse)
    if key.get("id") is None:
        raise refuse("the key of the change has no id")
    return text_of(key["id"])


def _updated(
    before: Typed | None,
    update: Mapping[str, Any],
    identity: Typed | None,
    parse: _Parse,
    refuse: Refusal,
) -> Typed:
    """Make the document after a change from the one before it, and the fields that changed."""
    text, removed = update.get("updatedFields"), update.get("removedFields")
    if not isinstance(text, str):
        raise refuse(f"the updated fields of the change are not a text, but {describe(text)}")
    members = _members(before) | _members(parse(text))
    for name in removed if isinstance(removed, list) else ():
        members.pop(name, None)
    if identity is not None:
        members.setdefault("_id", identity)
    fields = tuple(Field(name, member.schema) for name, member in members.items())
    values = {name: member.value for name, member in members.items()}
    return Typed(values, Schema(Kind.STRUCT, optional=True, fields=fields))


def _members(document: Typed | None) -> dict[str, Typed]:
    if document is None:
        return {}
    return {name: Typed(document.value[name], schema) for name, schema in document.schema.fields}


def _replaced(
    record: Record, value: Mapping[str, Any], schema: Schema, documents: Mapping[str, Typed]
) -> Record:
    """Put typed documents in the place of texts; a document that is not there has no field."""
    fields, values = [], {}
    for name, field_schema in schema.fields:
        if name not in (_BEFORE, _AFTER):
            fields.append(Field(name, field_schema))
            values[name] = value.get(name)
        elif name in documents:
            fields.append(Field(name, documents[name].schema))
            values[name] = documents[name].value
    new_schema = Schema(Kind.STRUCT, name=schema.name, fields=tuple(fields))
    return record.with_value(values, new_schema)
