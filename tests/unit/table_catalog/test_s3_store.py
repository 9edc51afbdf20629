"""What the S3 store makes of answers that MinIO does not give."""

import pytest
from botocore.stub import Stubber

from frazil.table_catalog.catalog.s3 import S3Options, S3Store
from frazil.table_catalog.core.errors import StoreError

PUT = {"Bucket": "lake", "Key": "one", "Body": b"{}"}


@pytest.fixture
def store() -> S3Store:
    return S3Store(S3Options("http://nowhere", "us-east-1", "key", "secret"))


def stubbed(store: S3Store) -> Stubber:
    return Stubber(store._client)


def test_a_store_without_conditions_is_written_to_all_the_same(store: S3Store) -> None:
    with stubbed(store) as stub:
        stub.add_client_error("put_object", "NotImplemented", http_status_code=501)
        stub.add_response("put_object", {}, PUT)
        store.write_new("s3://lake/one", b"{}")
        stub.assert_no_pending_responses()


def test_another_refusal_of_a_write_is_final(store: S3Store) -> None:
    with stubbed(store) as stub:
        stub.add_client_error("put_object", "AccessDenied", "Not you")
        with pytest.raises(StoreError, match="refuses s3://lake/one: AccessDenied: Not you"):
            store.write_new("s3://lake/one", b"{}")
        stub.assert_no_pending_responses()


def test_a_bucket_that_another_process_just_made_is_ours(store: S3Store) -> None:
    with stubbed(store) as stub:
        stub.add_client_error("list_objects_v2", "NoSuchBucket")
        stub.add_client_error("create_bucket", "BucketAlreadyOwnedByYou")
        store.prepare("s3://lake/warehouse")
        stub.assert_no_pending_responses()


def test_a_bucket_of_somebody_else_is_not(store: S3Store) -> None:
    with stubbed(store) as stub:
        stub.add_client_error("list_objects_v2", "NoSuchBucket")
        stub.add_client_error("create_bucket", "BucketAlreadyExists", "Taken")
        with pytest.raises(StoreError, match="to make the bucket lake: BucketAlreadyExists"):
            store.prepare("s3://lake/warehouse")
