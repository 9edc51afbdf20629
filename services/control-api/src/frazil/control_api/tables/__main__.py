"""Reads tables once: a question on standard input, an answer on standard output, and that is all.

A process of its own, because PyIceberg weighs more than the control API, and because only a
process can be ended while it waits for a catalog that does not answer (ADR 12).
"""

import signal
import sys
from collections.abc import Iterator

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io import PY_IO_IMPL
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot

from frazil.contracts.ledger import Ledger
from frazil.control_api.tables.files import MetadataFiles
from frazil.control_api.tables.wire import (
    Answer,
    ColumnAnswer,
    EntryAnswer,
    LayoutAnswer,
    Question,
    TableAnswer,
)


def answer(question: Question) -> Answer:
    try:
        with _catalog(question) as catalog:
            if question.layout:
                return Answer(layouts=[_layout(catalog, name) for name in question.tables])
            tables = [
                _read(catalog, name, branch, connector=question.connector)
                for name, branch in question.tables.items()
            ]
    except Exception as error:  # noqa: BLE001 (the edge of this process: the caller is told)
        return Answer(complaint=f"{type(error).__name__}: {error}")
    return Answer(tables=tables)


def _catalog(question: Question) -> Catalog:
    # Not by load_catalog, which would mix in what the environment and a user's file say.
    properties = dict(question.properties)
    kind = properties.pop("type")
    properties[PY_IO_IMPL] = f"{MetadataFiles.__module__}.{MetadataFiles.__name__}"
    return (SqlCatalog if kind == "sql" else RestCatalog)(question.catalog, **properties)


def _read(catalog: Catalog, name: str, branch: str, *, connector: str) -> TableAnswer:
    table = catalog.load_table(name)
    snapshots = list(_ancestry(table, branch))
    oldest = snapshots[-1] if snapshots else None
    return TableAnswer(
        table=name,
        entries=[_entry(snapshot, connector) for snapshot in reversed(snapshots)],
        is_whole=oldest is None or oldest.parent_snapshot_id is None,
        rows=_rows(snapshots[0]) if snapshots else 0,
    )


def _ancestry(table: Table, branch: str) -> Iterator[Snapshot]:
    """Yield the snapshots that the present state stands on, newest first, until one is gone."""
    snapshot = table.snapshot_by_name(branch)
    while snapshot is not None:
        yield snapshot
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else table.snapshot_by_id(parent)


def _entry(snapshot: Snapshot, connector: str) -> EntryAnswer:
    summary = snapshot.summary.additional_properties if snapshot.summary else {}
    return EntryAnswer.model_validate(
        {
            "snapshot_id": snapshot.snapshot_id,
            "at": snapshot.timestamp_ms / 1000,
            "ledger": Ledger.from_summary(summary, connector),
        }
    )


def _rows(snapshot: Snapshot) -> int | None:
    text = snapshot.summary.get("total-records") if snapshot.summary else None
    return None if text is None else int(text)


def _layout(catalog: Catalog, name: str) -> LayoutAnswer:
    metadata = catalog.load_table(name).metadata
    current = metadata.current_schema_id
    partitions = (field for spec in metadata.partition_specs for field in spec.fields)
    orders = (field for order in metadata.sort_orders for field in order.fields)
    keys = metadata.schema_by_id(current)
    return LayoutAnswer(
        table=name,
        current=current,
        schemas={schema.schema_id: _columns(schema) for schema in metadata.schemas},
        bound=[
            *(field.source_id for field in partitions),
            *(field.source_id for field in orders),
            *(keys.identifier_field_ids if keys else ()),
        ],
    )


def _columns(schema: Schema) -> list[ColumnAnswer]:
    found = ((number, schema.find_field(number)) for number in sorted(set(schema.field_ids)))
    return [
        ColumnAnswer(
            id=number,
            path=schema.find_column_name(number) or field.name,
            type=str(field.field_type) if field.field_type.is_primitive else "",
            required=field.required,
        )
        for number, field in found
    ]


_LONGEST_LIFE = 60

if __name__ == "__main__":
    # Whoever asked may be dead, and the catalog may never answer.
    signal.alarm(_LONGEST_LIFE)
    sys.stdout.write(answer(Question.model_validate_json(sys.stdin.read())).model_dump_json())
