"""Where PyIceberg judges: new metadata, and whether schema, partitions and order fit together."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field
from pydantic import ValidationError as PydanticError
from pydantic_core import from_json, to_json
from pyiceberg.exceptions import ValidationError
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataUtil, new_table_metadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder
from pyiceberg.table.statistics import PartitionStatisticsFile
from pyiceberg.table.update import SetSnapshotRefUpdate
from pyiceberg.typedef import IcebergBaseModel

from frazil.table_catalog.core.errors import BadRequestError

Json = dict[str, Any]

_SHAPING = {
    "upgrade-format-version",
    "add-schema",
    "set-current-schema",
    "add-spec",
    "set-default-spec",
    "add-sort-order",
    "set-default-sort-order",
}
# What a table has many of, and what says nothing about its shape.
_WITHOUT_HISTORY: Json = {
    "snapshots": [],
    "snapshot-log": [],
    "metadata-log": [],
    "refs": {},
    "statistics": [],
    "partition-statistics": [],
    "current-snapshot-id": None,
}


class _Blob(IcebergBaseModel):
    # PyIceberg's own knows two types of blobs, and there are others.
    type: str
    snapshot_id: int = Field(alias="snapshot-id")
    sequence_number: int = Field(alias="sequence-number")
    fields: list[int]


class _Statistics(PartitionStatisticsFile):
    file_footer_size_in_bytes: int = Field(alias="file-footer-size-in-bytes")
    blob_metadata: list[_Blob] = Field(alias="blob-metadata")


class _EncryptedKey(IcebergBaseModel):
    key_id: str = Field(alias="key-id")
    encrypted_key_metadata: str = Field(alias="encrypted-key-metadata")


_KEPT: dict[str, tuple[str, type[IcebergBaseModel]]] = {
    "add-snapshot": ("snapshot", Snapshot),
    "set-statistics": ("statistics", _Statistics),
    "set-partition-statistics": ("partition-statistics", PartitionStatisticsFile),
    "add-encryption-key": ("encryption-key", _EncryptedKey),
}
_REFUSALS = (PydanticError, ValidationError, ValueError, KeyError, TypeError)


def new_metadata(
    location: str,
    *,
    schema: Mapping[str, Any],
    spec: Mapping[str, Any] | None,
    order: Mapping[str, Any] | None,
    properties: Mapping[str, str],
) -> Json:
    """Make the first metadata of a table, with field ids given anew as everybody does."""
    try:
        made = new_table_metadata(
            location=location,
            schema=Schema.model_validate(schema),
            partition_spec=_spec(spec) if spec else UNPARTITIONED_PARTITION_SPEC,
            sort_order=SortOrder.model_validate(order) if order else UNSORTED_SORT_ORDER,
            properties=dict(properties),
        )
        # Not its own way of writing, which PyIceberg 0.12 does not have for version 3.
        metadata: Json = from_json(IcebergBaseModel.model_dump_json(made))
    except _REFUSALS as error:
        raise BadRequestError(f"the table cannot be made so: {error}") from error
    if metadata["format-version"] >= 3:
        metadata.setdefault("next-row-id", 0)
    return metadata


def _spec(spec: Mapping[str, Any]) -> PartitionSpec:
    """Clients may leave the ids of partition fields to the catalog."""
    fields = [
        {**field, "field-id": field.get("field-id") or 1000 + at}
        for at, field in enumerate(spec.get("fields", ()))
    ]
    return PartitionSpec.model_validate({"spec-id": 0, **spec, "fields": fields})


def check_shape(metadata: Mapping[str, Any], updates: Sequence[Mapping[str, Any]]) -> None:
    """Raise BadRequestError if what the updates made could not be read by anybody."""
    try:
        for update in updates:
            _check_parts(update)
        if any(update["action"] in _SHAPING for update in updates):
            shape = TableMetadataUtil.parse_obj({**metadata, **_WITHOUT_HISTORY})
            shape.spec().check_compatible(shape.schema())
            shape.sort_order().check_compatible(shape.schema())
    except _REFUSALS as error:
        raise BadRequestError(f"the table would not be a good one: {error}") from error


def _check_parts(update: Mapping[str, Any]) -> None:
    """Readers of a table fail on one number that is a text: what is kept as it came is strict."""
    if update["action"] == "set-snapshot-ref":
        SetSnapshotRefUpdate.model_validate_json(to_json(update), strict=True)
    for action, (field, model) in _KEPT.items():
        if update["action"] == action:
            model.model_validate_json(to_json(update[field]), strict=True)


def check_readable(metadata: Mapping[str, Any]) -> None:
    """Raise BadRequestError if a file that is to be registered is no table's metadata."""
    try:
        TableMetadataUtil.parse_obj(dict(metadata))
    except _REFUSALS as error:
        raise BadRequestError(f"the file is no metadata of a table: {error}") from error
