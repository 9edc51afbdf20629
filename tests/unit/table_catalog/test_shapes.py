"""What a commit keeps as it came is checked to the letter, for readers of the table are strict."""

from typing import Any

import pytest
from tests.support.iceberg_rest import append, point

from frazil.table_catalog.catalog.shapes import check_shape
from frazil.table_catalog.core.errors import BadRequestError

Json = dict[str, Any]

PARTITION_STATISTICS: Json = {
    "snapshot-id": 1,
    "statistics-path": "file:///t/s.parquet",
    "file-size-in-bytes": 1,
}
BLOB: Json = {"type": "some-sketch", "snapshot-id": 1, "sequence-number": 1, "fields": [1]}
STATISTICS: Json = {
    **PARTITION_STATISTICS,
    "file-footer-size-in-bytes": 1,
    "blob-metadata": [BLOB],
}


def snapshot(**fields: object) -> Json:
    update = append(1)
    update["snapshot"] |= {name.replace("_", "-"): value for name, value in fields.items()}
    return update


def statistics(**fields: object) -> Json:
    changed = {name.replace("_", "-"): value for name, value in fields.items()}
    return {"action": "set-statistics", "statistics": STATISTICS | changed}


GOOD = [
    snapshot(),
    snapshot(future_field={"x": 1}),
    point("main", 1),
    statistics(),
    {"action": "set-partition-statistics", "partition-statistics": PARTITION_STATISTICS},
    {
        "action": "add-encryption-key",
        "encryption-key": {"key-id": "k", "encrypted-key-metadata": "aGk="},
    },
]
BAD = [
    snapshot(timestamp_ms="1700000000000"),
    snapshot(manifest_list=None),
    snapshot(summary={"operation": "dance"}),
    {**point("main", 1), "min-snapshots-to-keep": "many"},
    {**point("main", 1), "type": "twig"},
    statistics(file_size_in_bytes="1"),
    statistics(blob_metadata=[{"type": "some-sketch"}]),
    {"action": "set-partition-statistics", "partition-statistics": {"snapshot-id": 1}},
    {"action": "add-encryption-key", "encryption-key": {"key-id": "k"}},
]


@pytest.mark.parametrize("update", GOOD)
def test_what_readers_understand_is_taken(update: Json) -> None:
    check_shape({}, [update])


@pytest.mark.parametrize("update", BAD)
def test_what_would_make_a_table_unreadable_is_refused(update: Json) -> None:
    with pytest.raises(BadRequestError, match="not be a good one"):
        check_shape({}, [update])
