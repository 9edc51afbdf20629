"""Names and folders of data files, with the vectors of Iceberg's own tests."""

import pytest

from frazil.spark_sink.records.schema.types import Primitive
from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files.locations import Locations, entropy, file_prefix
from frazil.spark_sink.tasks.partitions import PartitionField, PartitionSpec

PLAIN = PartitionSpec()
SPEC = PartitionSpec(0, (PartitionField(1000, "p", "identity", ("p",), Primitive("string")),))
OBJECTS = {"write.object-storage.enabled": "true"}
NO_FOLDERS = {**OBJECTS, "write.object-storage.partitioned-paths": "false"}
ELSEWHERE = {"write.data.path": "s3://other/data/"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", "0101/0110/1001/10110010"),
        ("b", "1110/0111/1110/00000011"),
        ("c", "0010/1101/0110/01011111"),
        ("d", "1001/0001/0100/01110011"),
        ("test.parquet", "0110/1010/0011/11101000"),
    ],
)
def test_entropy_is_that_of_iceberg(path: str, expected: str) -> None:
    assert entropy(path) == expected


@pytest.mark.parametrize(
    ("spec", "properties", "expected"),
    [
        (PLAIN, {}, "s3://b/ns/t/data/a"),
        (SPEC, {}, "s3://b/ns/t/data/p=x%2Fy/a"),
        (SPEC, ELSEWHERE, "s3://other/data/p=x%2Fy/a"),
        (PLAIN, OBJECTS, "s3://b/ns/t/data/0101/0110/1001/10110010/a"),
        (PLAIN, NO_FOLDERS, "s3://b/ns/t/data/0101/0110/1001/10110010-a"),
        (SPEC, NO_FOLDERS, "s3://b/ns/t/data/0101/0110/1001/10110010-a"),
        (PLAIN, OBJECTS | ELSEWHERE, "s3://other/data/0101/0110/1001/10110010/ns/t/a"),
        (SPEC, NO_FOLDERS | ELSEWHERE, "s3://other/data/0101/0110/1001/10110010/ns/t/a"),
    ],
)
def test_a_file_is_where_icebergs_location_provider_puts_it(
    spec: PartitionSpec, properties: dict[str, str], expected: str
) -> None:
    locations = Locations("s3://b/ns/t/", spec, properties)
    assert locations.file(("x/y",) if spec.fields else (), "a") == expected


def test_the_hash_of_a_partitioned_file_includes_its_folders() -> None:
    location = Locations("/t", SPEC, OBJECTS).file(("x",), "a")
    assert location == f"/t/data/{entropy('p=x/a')}/p=x/a"


@pytest.mark.parametrize(
    "key",
    ["write.location-provider.impl", "write.object-storage.path", "write.folder-storage.path"],
)
def test_a_location_provider_that_tasks_do_not_have_is_refused(key: str) -> None:
    with pytest.raises(UnsupportedTableError, match=key):
        Locations("/t", PLAIN, {key: "x"})


def test_names_begin_as_those_of_icebergs_file_factory() -> None:
    assert file_prefix(3, 17, "uuid") == "00003-17-uuid"
