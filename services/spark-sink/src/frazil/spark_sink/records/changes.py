"""What a record does to the row of its key."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import OPERATION, SEQUENCE, UNAVAILABLE, is_changing
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.paths import Path, follow
from frazil.spark_sink.records.texts import text_of


class Operation(Enum):
    """What becomes of the row with the record's key."""

    UPSERT = "upsert"
    DELETE = "delete"


@dataclass(frozen=True)
class ChangeRules:
    """`operation` leads to the field that names the operation; without it each record upserts.

    `keys` are the columns of a row's key, `sequence` leads to the column that orders changes, and
    `unavailable` is a text that stands for the value that the row has already.
    """

    keys: tuple[str, ...] = ()
    operation: Path = ()
    sequence: Path = ()
    unavailable: str = ""


def rules_of(config: ParsedConfig, keys: tuple[str, ...] = ()) -> ChangeRules | None:
    """Read the keys of changes; None if each record is a row of its own."""
    if not is_changing(config):
        return None
    return ChangeRules(
        keys, _path(config[OPERATION]), _path(config[SEQUENCE]), config[UNAVAILABLE] or ""
    )


def operation_of(rules: ChangeRules) -> Callable[[Record], Operation]:
    """Compile what tells a record's operation: one that begins with a D, as in `DELETE`, deletes.

    Any other upserts, as do creations and reads of a snapshot: the row may be there already.
    """
    path = rules.operation
    if not path:
        return lambda _: Operation.UPSERT

    def operation(record: Record) -> Operation:
        value, schema = follow(record.value, path, record.value_schema)
        if value is None:
            return Operation.UPSERT
        deletes = text_of(value, schema).strip()[:1] in ("d", "D")
        return Operation.DELETE if deletes else Operation.UPSERT

    return operation


def _path(text: str | None) -> Path:
    return tuple(text.split(".")) if text else ()
