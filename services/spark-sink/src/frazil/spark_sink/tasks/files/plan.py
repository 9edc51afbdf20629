"""What a task has to know to write the files of one table."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from frazil.spark_sink.records.schema.types import Struct
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files.arrow_schema import arrow_schema
from frazil.spark_sink.tasks.files.locations import Locations
from frazil.spark_sink.tasks.files.options import parse_options
from frazil.spark_sink.tasks.partitions import PartitionSpec
from frazil.spark_sink.tasks.storage import check_storage

_FORMAT = "write.format.default"
_ENCRYPTION = "encryption.key-id"


@dataclass(frozen=True)
class FilesPlan:
    """A table as its writers see it; pickled from the driver to the tasks.

    `properties` are the table's, `storage` those of its FileIO, secrets included. `sorted_columns`
    names the columns of its sort order: Iceberg keeps bounds of these also in wide tables.
    """

    schema: Struct
    schema_id: int
    spec: PartitionSpec
    location: str
    properties: Mapping[str, str] = field(default_factory=dict)
    storage: Mapping[str, str] = field(default_factory=dict, repr=False)
    sorted_columns: tuple[str, ...] = ()


def check_plan(plan: FilesPlan) -> None:
    """Raise UnsupportedTableError if tasks cannot write this table's files."""
    file_format = plan.properties.get(_FORMAT, "parquet").lower()
    if file_format != "parquet":
        raise UnsupportedTableError(f"the table asks for {file_format} files ({_FORMAT})")
    if plan.properties.get(_ENCRYPTION):
        raise UnsupportedTableError(f"the table asks for encrypted files ({_ENCRYPTION})")
    arrow_schema(plan.schema)
    parse_options(plan.properties)
    locations = Locations(plan.location, plan.spec, plan.properties)
    check_storage(locations.root, plan.storage)
