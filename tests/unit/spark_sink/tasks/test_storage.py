"""Where files go, and how they are deleted."""

from pathlib import Path

import pytest

from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.storage import Storage, check_storage, split_location


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/a/b", ("", "/a/b")),
        ("file:/a/b%20c", ("", "/a/b%20c")),
        ("file:///a/p=x:y", ("", "/a/p=x:y")),
        ("/a/p=x:y", ("", "/a/p=x:y")),
        ("s3://bucket/a/b", ("s3", "bucket/a/b")),
        ("s3a://bucket/a", ("s3", "bucket/a")),
    ],
)
def test_a_location_is_a_path_of_a_file_system(location: str, expected: tuple[str, str]) -> None:
    assert split_location(location) == expected


@pytest.mark.parametrize(
    ("location", "properties", "message"),
    [
        ("gs://bucket/t", {}, "gs"),
        ("hdfs://host/t", {}, "hdfs"),
        ("s3://bucket/t", {"s3.remote-signing-enabled": "true"}, "remote-signing"),
        ("s3://bucket/t", {"s3.sse.type": "kms"}, "sse"),
    ],
)
def test_a_storage_that_tasks_cannot_write_to_is_refused(
    location: str, properties: dict[str, str], message: str
) -> None:
    with pytest.raises(UnsupportedTableError, match=message):
        check_storage(location, properties)


def test_a_storage_is_accepted_whose_refused_settings_are_off() -> None:
    check_storage("s3://b/t", {"s3.sse.type": "none", "s3.remote-signing-enabled": "false"})
    check_storage("/t", {"s3.sse.type": "kms"})


def test_a_local_file_gets_its_folders_and_is_deleted_once_or_twice(tmp_path: Path) -> None:
    storage = Storage({})
    location = f"{tmp_path.as_uri()}/a=1/b=x%3Ay/file.parquet"
    with storage.create(location) as file:
        file.write(b"bytes")
    path = tmp_path / "a=1" / "b=x%3Ay" / "file.parquet"
    assert path.read_bytes() == b"bytes"
    storage.delete([location])
    storage.delete([location])
    assert not path.exists()
