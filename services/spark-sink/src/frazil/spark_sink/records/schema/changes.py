"""What records ask of a table's schema."""

from dataclasses import dataclass

from frazil.spark_sink.records.schema.types import Path, Type


@dataclass(frozen=True, slots=True)
class AddColumn:
    """`parent` is the path of the struct that gets the column; () is the table itself."""

    parent: Path
    name: str
    type: Type
    required: bool = False


@dataclass(frozen=True, slots=True)
class WidenColumn:
    path: Path
    type: Type


@dataclass(frozen=True, slots=True)
class RelaxColumn:
    """Make a required column optional."""

    path: Path


SchemaChange = AddColumn | WidenColumn | RelaxColumn
