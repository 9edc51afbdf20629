"""Updates of schemas, partition specs and sort orders."""

from collections.abc import Iterator, Mapping
from typing import Any

from frazil.table_catalog.core.draft import Draft, Json
from frazil.table_catalog.core.errors import BadRequestError

Update = Mapping[str, Any]

FIRST_PARTITION_ID = 1000


def add_schema(draft: Draft, update: Update) -> None:
    schema = update["schema"]
    highest = max(_field_ids(schema), default=0)
    draft.metadata["last-column-id"] = max(draft.metadata["last-column-id"], highest)
    draft.add_numbered("schemas", "schema-id", schema)


def _field_ids(kind: Any) -> Iterator[int]:
    """Yield the ids of all fields below a type, its elements, keys and values included."""
    if not isinstance(kind, Mapping):
        return
    for field in kind.get("fields", ()):
        yield int(field["id"])
        yield from _field_ids(field["type"])
    for inner in ("element", "key", "value"):
        if inner in kind:
            yield int(kind[f"{inner}-id"])
            yield from _field_ids(kind[inner])


def set_current_schema(draft: Draft, update: Update) -> None:
    number = draft.resolve("schemas", "schema-id", int(update["schema-id"]))
    draft.metadata["current-schema-id"] = number


def remove_schemas(draft: Draft, update: Update) -> None:
    numbers = update["schema-ids"]
    if draft.metadata.get("current-schema-id") in numbers:
        raise BadRequestError("Cannot remove the current schema")
    draft.keep("schemas", "schema-id", without=numbers)


def add_spec(draft: Draft, update: Update) -> None:
    fields = _numbered_fields(draft.metadata, update["spec"].get("fields", ()))
    highest = max((field["field-id"] for field in fields), default=0)
    last = draft.metadata.get("last-partition-id") or FIRST_PARTITION_ID - 1
    draft.metadata["last-partition-id"] = max(last, highest)
    draft.add_numbered("partition-specs", "spec-id", {**update["spec"], "fields": fields})


def _numbered_fields(metadata: Json, fields: Any) -> list[Json]:
    """Give fields without an id that of an equal one in an older spec, or a new one."""
    known = {
        (field["source-id"], field["transform"]): field["field-id"]
        for spec in metadata["partition-specs"]
        for field in spec.get("fields", ())
        if "source-id" in field
    }
    last = metadata.get("last-partition-id") or FIRST_PARTITION_ID - 1
    numbered = []
    for field in fields:
        number = field.get("field-id") or known.get((field.get("source-id"), field["transform"]))
        last = max(last, number or last + 1)
        numbered.append({**field, "field-id": number or last})
    return numbered


def set_default_spec(draft: Draft, update: Update) -> None:
    number = draft.resolve("partition-specs", "spec-id", int(update["spec-id"]))
    draft.metadata["default-spec-id"] = number


def remove_specs(draft: Draft, update: Update) -> None:
    numbers = update["spec-ids"]
    if draft.metadata.get("default-spec-id") in numbers:
        raise BadRequestError("Cannot remove the default partition spec")
    draft.keep("partition-specs", "spec-id", without=numbers)


def add_sort_order(draft: Draft, update: Update) -> None:
    order = update["sort-order"]
    # 0 is the order of unsorted tables, and of no other.
    first = 1 if order.get("fields") else 0
    draft.add_numbered("sort-orders", "order-id", order, first=first)


def set_default_sort_order(draft: Draft, update: Update) -> None:
    number = draft.resolve("sort-orders", "order-id", int(update["sort-order-id"]))
    draft.metadata["default-sort-order-id"] = number


def keep_version_1(metadata: Json) -> None:
    """Readers of version 1 look for the current schema and spec outside of the lists."""
    if metadata["format-version"] != 1:
        return
    for one in metadata["schemas"]:
        if one["schema-id"] == metadata.get("current-schema-id"):
            metadata["schema"] = one
    for one in metadata["partition-specs"]:
        if one["spec-id"] == metadata.get("default-spec-id"):
            metadata["partition-spec"] = one["fields"]
