"""Reads tables: a question, an answer. Everything that it meets may be hostile (ADR 12)."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    ForbiddenError,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    RESTError,
    UnauthorizedError,
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot
from requests import RequestException
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from frazil.contracts.ledger import Ledger
from frazil.control_api.core.addresses import AddressRefusedError
from frazil.control_api.tables.errors import UnreadableError
from frazil.control_api.tables.files import MetadataFiles, allowed_file
from frazil.control_api.tables.network import resolve
from frazil.control_api.tables.wire import (
    Answer,
    ColumnAnswer,
    EntryAnswer,
    LayoutAnswer,
    Question,
    TableAnswer,
)
from frazil.iceberg.catalogs import open_catalog

# What callers are told of errors that others have worded.
_SENTENCES: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    ((UnauthorizedError, ForbiddenError, OAuthError), "it refuses the connector's credentials"),
    ((ClientError,), "its store does not give the metadata file"),
    ((RequestException, BotoCoreError, OSError), "it cannot be reached"),
    ((SQLAlchemyError,), "its database cannot be read"),
    ((RESTError,), "it answers with an error"),
)
_LONGEST_DETAIL = 2000
_POSTGRESQL_PORT = 5432


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
        return Answer(complaint=_sentence(error), detail=_detail(error)[:_LONGEST_DETAIL])
    return Answer(tables=tables)


def _sentence(error: Exception) -> str:
    """Say why in words of ours: what others say may be a piece of any file or answer."""
    for cause in _causes(error):
        if isinstance(cause, UnreadableError):
            return cause.sentence
        if isinstance(cause, AddressRefusedError):
            return str(cause)
    found = (sentence for kinds, sentence in _SENTENCES if isinstance(error, kinds))
    return f"{next(found, 'its answer cannot be understood')} ({type(error).__name__})"


def _detail(error: Exception) -> str:
    for cause in _causes(error):
        if isinstance(cause, ValidationError):
            # Without the input, which is a piece of the file or of the answer.
            return str(cause.errors(include_url=False, include_context=False, include_input=False))
    return str(error)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that it was raised from: libraries wrap what they meet."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _catalog(question: Question) -> Catalog:
    properties = dict(question.properties)
    if properties["type"] == "sql":
        properties["uri"] = _database(properties["uri"], question)
    files = MetadataFiles(properties, question.folders)
    return open_catalog(question.catalog, properties, files)


def _database(uri: str, question: Question) -> str:
    """Confine a database's address: a file is only read, and a name is resolved here."""
    url = make_url(uri)
    if url.host:
        # libpq would resolve the name by itself, to what nobody has looked at. It wants a name and
        # a port for each address, and takes the first address that answers.
        addresses = resolve(url.host, question.hosts)
        each = {"host": url.host, "port": str(url.port or _POSTGRESQL_PORT)}
        lists = {name: ",".join([text] * len(addresses)) for name, text in each.items()}
        url = url.update_query_dict({**lists, "hostaddr": ",".join(addresses)})
    else:
        file = allowed_file(Path(url.database or ""), question.folders)
        url = url.set(database=f"file:{quote(str(file))}", query={"mode": "ro", "uri": "true"})
    return url.render_as_string(hide_password=False)


def _load(catalog: Catalog, name: str) -> Table:
    try:
        return catalog.load_table(name)
    except (NoSuchTableError, NoSuchNamespaceError) as error:
        raise UnreadableError(f"it has no table {name}") from error


def _read(catalog: Catalog, name: str, branch: str, *, connector: str) -> TableAnswer:
    table = _load(catalog, name)
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
    metadata = _load(catalog, name).metadata
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
