"""Files of Python tasks on S3: written, in parts too, read and deleted."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from tests.support import minio as minio_support
from tests.support.minio import MinIO

from frazil.spark_sink.records.schema.types import Column, Primitive, Struct
from frazil.spark_sink.tasks.files.plan import FilesPlan, check_plan
from frazil.spark_sink.tasks.files.table_writer import TableWriter
from frazil.spark_sink.tasks.partitions import PartitionSpec, parse_spec

SCHEMA = Struct((Column("id", Primitive("long"), id=1), Column("bytes", Primitive("binary"), id=2)))


@pytest.fixture(scope="module")
def minio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MinIO]:
    program = minio_support.find_program()
    if program is None:
        pytest.skip("no MinIO: deploy/airgap/minio.sh builds it")
    with minio_support.running(program, tmp_path_factory.mktemp("minio")) as running:
        yield running


def plan_on(minio: MinIO, spec: PartitionSpec | None = None, **properties: str) -> FilesPlan:
    location = f"s3://{minio.new_bucket()}/ns/t"
    return FilesPlan(SCHEMA, 0, spec or PartitionSpec(), location, properties, minio.properties)


def batch(writer: TableWriter, first: int, count: int, size: int) -> pa.RecordBatch:
    rows = [{"id": first + number, "bytes": os.urandom(size)} for number in range(count)]
    return pa.RecordBatch.from_pylist(rows, schema=writer.schema)


def keys(minio: MinIO, plan: FilesPlan) -> list[str]:
    # Arrow leaves the mark of a folder where it has deleted a file.
    return [key for key in minio.keys(plan.location.split("/")[2]) if not key.endswith("/")]


def test_files_are_written_in_parts_and_read(minio: MinIO) -> None:
    document = {
        "spec-id": 0,
        "fields": [
            {"source-id": 1, "field-id": 1000, "name": "id/2", "transform": "truncate[1000]"}
        ],
    }
    plan = plan_on(minio, parse_spec(document, SCHEMA))
    check_plan(plan)
    writer = TableWriter(plan, task="task")
    for number in range(4):
        writer.write(batch(writer, 500 * number, 500, 50_000))
    files = writer.close()

    assert sorted(file.partition for file in files) == [(0,), (1000,)]
    assert sum(file.record_count for file in files) == 2000
    assert all(file.file_size > 40_000_000 for file in files)
    assert sorted(keys(minio, plan)) == sorted(
        file.path.removeprefix("s3://").partition("/")[2] for file in files
    )
    s3 = fs.S3FileSystem(
        access_key=minio.access_key,
        secret_key=minio.secret_key,
        endpoint_override=minio.endpoint,
        region=minio.region,
    )
    paths = [file.path.removeprefix("s3://") for file in files]
    tables = [pq.read_table(path, columns=["id"], filesystem=s3) for path in paths]
    ids = pa.concat_tables(tables)["id"].to_pylist()
    assert sorted(ids) == list(range(2000))


def test_an_aborted_writer_leaves_no_objects(minio: MinIO) -> None:
    plan = plan_on(minio, None, **{"write.parquet.row-group-size-bytes": "1000"})
    writer = TableWriter(plan, task="task")
    writer.write(batch(writer, 0, 10, 1000))
    writer.abort()
    assert keys(minio, plan) == []


def test_objects_are_spread_by_their_hashes(minio: MinIO) -> None:
    plan = plan_on(minio, None, **{"write.object-storage.enabled": "true"})
    writer = TableWriter(plan, task="task")
    writer.write(batch(writer, 0, 1, 1))
    (file,) = writer.close()
    folders = Path(file.path).parts[-5:-1]
    assert [len(folder) for folder in folders] == [4, 4, 4, 8]
    assert len(keys(minio, plan)) == 1


def test_keys_that_are_not_valid_are_an_error(minio: MinIO) -> None:
    plan = plan_on(minio)
    storage = {**minio.properties, "s3.secret-access-key": "wrong-wrong"}
    writer = TableWriter(replace(plan, storage=storage), task="task")
    writer.write(batch(writer, 0, 1, 1))
    with pytest.raises(OSError, match="signature"):
        writer.close()
