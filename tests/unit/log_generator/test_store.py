"""What the store is asked, and what its answers are taken for."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError, EndpointConnectionError
from botocore.response import StreamingBody
from botocore.stub import Stubber

from frazil.log_generator.errors import StoreUnavailableError
from frazil.log_generator.operations import Call, Operation, Outcome
from frazil.log_generator.store import S3Options, S3Store

PLACE = {"Bucket": "a", "Key": "k"}
UPLOAD = {**PLACE, "UploadId": "u"}
PART = 5 * 1024**2


class SizedBody:
    """Equals any body of so many bytes."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, bytes) and len(other) == self.size

    def __hash__(self) -> int:
        return self.size


@pytest.fixture
def store() -> S3Store:
    return S3Store(S3Options("http://nowhere", "eu-south-9", "key", "secret"))


@pytest.fixture
def stub(store: S3Store) -> Iterator[Stubber]:
    with Stubber(store._client) as stub:
        yield stub
        stub.assert_no_pending_responses()


def call(operation: Operation, size: int = 0) -> Call:
    return Call(operation, "a", "k", size)


def test_a_put_has_the_size_of_its_call(store: S3Store, stub: Stubber) -> None:
    stub.add_response("put_object", {}, {**PLACE, "Body": SizedBody(300)})
    assert store.do(call(Operation.PUT, 300)) is Outcome.OK


@pytest.mark.parametrize("operation", [Operation.GET, Operation.MISSING_KEY])
def test_a_get_reads_to_the_end(store: S3Store, stub: Stubber, operation: Operation) -> None:
    content = BytesIO(b"x" * 3_000_000)
    stub.add_response("get_object", {"Body": StreamingBody(content, 3_000_000)}, PLACE)
    assert store.do(call(operation)) is Outcome.OK
    assert content.read() == b""


@pytest.mark.parametrize(
    ("operation", "method", "asked"),
    [
        (Operation.HEAD, "head_object", PLACE),
        (Operation.DELETE, "delete_object", PLACE),
        (Operation.LIST, "list_objects_v2", {"Bucket": "a", "MaxKeys": 100}),
        (Operation.MISSING_BUCKET, "list_objects_v2", {"Bucket": "a", "MaxKeys": 100}),
    ],
)
def test_each_operation_is_the_request_of_its_name(
    store: S3Store, stub: Stubber, operation: Operation, method: str, asked: dict[str, Any]
) -> None:
    stub.add_response(method, {}, asked)
    assert store.do(call(operation)) is Outcome.OK


def test_parts_are_put_together(store: S3Store, stub: Stubber) -> None:
    parts = [{"PartNumber": 1, "ETag": "one"}, {"PartNumber": 2, "ETag": "two"}]
    stub.add_response("create_multipart_upload", {"UploadId": "u"}, PLACE)
    for part, size in zip(parts, (PART, 70), strict=True):
        asked = {**UPLOAD, "PartNumber": part["PartNumber"], "Body": SizedBody(size)}
        stub.add_response("upload_part", {"ETag": part["ETag"]}, asked)
    done = {**UPLOAD, "MultipartUpload": {"Parts": parts}}
    stub.add_response("complete_multipart_upload", {}, done)
    assert store.do(call(Operation.MULTIPART, 70)) is Outcome.OK


def test_no_parts_of_an_upload_that_went_wrong_are_left(store: S3Store, stub: Stubber) -> None:
    stub.add_response("create_multipart_upload", {"UploadId": "u"}, PLACE)
    stub.add_client_error("upload_part", "SlowDown", http_status_code=503)
    stub.add_client_error("abort_multipart_upload", "SlowDown", http_status_code=503)
    with pytest.raises(StoreUnavailableError, match="SlowDown"):
        store.do(call(Operation.MULTIPART, 70))


def test_wrong_credentials_are_those_of_another_client(store: S3Store, stub: Stubber) -> None:
    with Stubber(store._stranger) as stranger:
        stranger.add_client_error("get_object", "SignatureDoesNotMatch", http_status_code=403)
        assert store.do(call(Operation.WRONG_CREDENTIALS)) is Outcome.DENIED
    keys = {c._request_signer._credentials.secret_key for c in (store._client, store._stranger)}
    assert len(keys) == 2
    assert "secret" in keys
    assert stub.client is not store._stranger


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (403, Outcome.DENIED),
        (404, Outcome.MISSING),
        (400, Outcome.REFUSED),
        (409, Outcome.REFUSED),
        (301, Outcome.REFUSED),
    ],
)
def test_an_answer_counts_as_what_it_is(
    store: S3Store, stub: Stubber, status: int, outcome: Outcome
) -> None:
    stub.add_client_error("head_object", "Some", http_status_code=status)
    assert store.do(call(Operation.HEAD)) is outcome


@pytest.mark.parametrize("status", [500, 503])
def test_a_store_in_trouble_is_unavailable(store: S3Store, stub: Stubber, status: int) -> None:
    stub.add_client_error("head_object", "Trouble", http_status_code=status)
    with pytest.raises(StoreUnavailableError, match="of no use: Trouble"):
        store.do(call(Operation.HEAD))


@pytest.mark.parametrize("error", [EndpointConnectionError, ConnectTimeoutError])
def test_a_store_that_is_not_there_is_unavailable_and_no_key_is_named(
    store: S3Store, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(**_: object) -> None:
        raise error(endpoint_url="http://nowhere/a/generated")  # type: ignore[call-arg]

    monkeypatch.setattr(store._client, "head_object", fail)
    monkeypatch.setattr(store._client, "head_bucket", fail)
    for ask in (lambda: store.do(call(Operation.HEAD)), lambda: store.prepare(["a"])):
        with pytest.raises(StoreUnavailableError, match=error.__name__) as caught:
            ask()
        assert "generated" not in str(caught.value)


def test_a_bucket_that_is_there_is_left_alone(store: S3Store, stub: Stubber) -> None:
    stub.add_response("head_bucket", {}, {"Bucket": "a"})
    stub.add_response("head_bucket", {}, {"Bucket": "b"})
    store.prepare(["a", "b"])


def test_a_bucket_that_is_missing_is_made_where_the_store_is(store: S3Store, stub: Stubber) -> None:
    place = {"LocationConstraint": "eu-south-9"}
    stub.add_client_error("head_bucket", "404", http_status_code=404)
    stub.add_response("create_bucket", {}, {"Bucket": "a", "CreateBucketConfiguration": place})
    store.prepare(["a"])


def test_the_first_region_is_not_named() -> None:
    store = S3Store(S3Options("http://nowhere", "us-east-1", "key", "secret"))
    with Stubber(store._client) as stub:
        stub.add_client_error("head_bucket", "404", http_status_code=404)
        stub.add_response("create_bucket", {}, {"Bucket": "a"})
        store.prepare(["a"])
        stub.assert_no_pending_responses()


def test_a_bucket_that_another_process_just_made_is_ours(store: S3Store, stub: Stubber) -> None:
    stub.add_client_error("head_bucket", "404", http_status_code=404)
    stub.add_client_error("create_bucket", "BucketAlreadyOwnedByYou", http_status_code=409)
    store.prepare(["a"])


@pytest.mark.parametrize("status", [403, 500])
def test_a_bucket_that_cannot_be_looked_at_is_named(
    store: S3Store, stub: Stubber, status: int
) -> None:
    stub.add_client_error("head_bucket", "No", http_status_code=status)
    with pytest.raises(StoreUnavailableError, match="bucket a: No"):
        store.prepare(["a"])


def test_requests_say_who_we_are_and_leave_the_bucket_in_the_path(store: S3Store) -> None:
    config = store._client.meta.config
    assert "frazil-log-generator" in config.user_agent
    assert config.s3["addressing_style"] == "path"
    assert config.connect_timeout + config.read_timeout < 10


def test_the_secret_is_not_in_what_is_printed() -> None:
    assert "hush" not in repr(S3Options("http://nowhere", "us-east-1", "key", "hush"))
