"""Stores of metadata files keep one contract: the local disk, and S3 as MinIO has it."""

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from tests.support.minio import REGION, MinIO
from tests.support.ports import free_port

from frazil.table_catalog.catalog.files import LocalStore, Store
from frazil.table_catalog.catalog.s3 import S3Options, S3Store
from frazil.table_catalog.core.errors import NotFoundError, StoreError


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "local":
        return LocalStore()
    return S3Store(options(request.getfixturevalue("minio")))


@pytest.fixture
def root(store: Store, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A warehouse's place that is there."""
    if isinstance(store, LocalStore):
        return tmp_path.as_uri()
    minio: MinIO = request.getfixturevalue("minio")
    return f"s3://{minio.new_bucket()}/lake"


@pytest.fixture
def s3(minio: MinIO) -> S3Store:
    return S3Store(options(minio))


def options(minio: MinIO, **other: Any) -> S3Options:
    own = {"endpoint": minio.endpoint, "region": REGION}
    keys = {"access_key": minio.access_key, "secret_key": minio.secret_key}
    return S3Options(**{**own, **keys, **other})


def test_what_is_written_is_read_until_it_is_deleted(store: Store, root: str) -> None:
    location = f"{root}/a b/ü=1/00000-x.metadata.json"
    store.write_new(location, b"{}")
    assert store.read(location, 100) == b"{}"
    store.delete(location)
    with pytest.raises(NotFoundError, match="There is no"):
        store.read(location, 100)
    store.delete(location)


def test_no_more_is_read_than_was_asked_for(store: Store, root: str) -> None:
    store.write_new(f"{root}/one", b"x" * 1000)
    assert store.read(f"{root}/one", 10) == b"x" * 10
    assert store.read(f"{root}/one", 1001) == b"x" * 1000


def test_a_file_that_is_there_is_never_overwritten(store: Store, root: str) -> None:
    store.write_new(f"{root}/one", b"first")
    with pytest.raises(StoreError):
        store.write_new(f"{root}/one", b"second")
    assert store.read(f"{root}/one", 100) == b"first"


def test_a_place_is_made_once_and_is_good_from_then_on(store: Store, root: str) -> None:
    store.prepare(f"{root}/warehouse")
    store.prepare(f"{root}/warehouse")
    store.check(f"{root}/warehouse")


def test_a_folder_that_went_away_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not there"):
        LocalStore().check(f"{tmp_path.as_uri()}/gone")


def test_a_bucket_that_is_not_there_is_made_in_its_region(s3: S3Store, minio: MinIO) -> None:
    with pytest.raises(StoreError, match="NoSuchBucket"):
        s3.check("s3://not-there-yet")
    s3.prepare("s3://not-there-yet")
    s3.check("s3://not-there-yet")
    with pytest.raises(StoreError, match="to make the bucket other-region"):
        S3Store(options(minio, region="us-west-7")).prepare("s3://other-region")


def test_a_bucket_that_went_away_is_trouble_and_not_a_missing_file(s3: S3Store) -> None:
    with pytest.raises(StoreError, match="NoSuchBucket"):
        s3.write_new("s3://went-away/one", b"")
    with pytest.raises(StoreError, match="NoSuchBucket"):
        s3.read("s3://went-away/one", 100)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [({"secret_key": "another"}, "SignatureDoesNotMatch"), ({"access_key": "x"}, "InvalidAccess")],
)
def test_keys_that_are_no_good_are_told(minio: MinIO, wrong: dict[str, str], reason: str) -> None:
    place = f"s3://{minio.new_bucket()}"
    with pytest.raises(StoreError, match=reason) as caught:
        S3Store(options(minio, **wrong)).prepare(place)
    assert minio.secret_key not in str(caught.value)


def test_a_store_that_does_not_answer_is_told(minio: MinIO) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreError, match="cannot be asked") as caught:
        S3Store(options(minio, endpoint=nobody)).prepare("s3://lake")
    assert isinstance(caught.value.__cause__, EndpointConnectionError)


def test_a_write_whose_answer_was_lost_is_found_to_be_done(s3: S3Store, minio: MinIO) -> None:
    place = f"s3://{minio.new_bucket()}/one"
    s3.write_new(place, b"same")
    # As boto repeats it when it did not hear the first answer.
    s3.write_new(place, b"same")
    assert s3.read(place, 100) == b"same"
