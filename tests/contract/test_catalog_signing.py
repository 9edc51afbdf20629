"""Requests to the store that the catalog signs: what they can do there, and what they cannot."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import md5
from typing import Any

import httpx
import pytest
from tests.support.iceberg_rest import Rest, Space
from tests.support.minio import MinIO
from tests.support.s3_catalog import S3Catalog, S3Catalogs, s3_catalogs
from tests.support.signed_requests import sign

Json = dict[str, Any]

ASK = {"X_Iceberg_Access_Delegation": "remote-signing"}


@pytest.fixture(params=["session", "keys"])
def settings(request: pytest.FixtureRequest) -> Json:
    return {"sign_requests": request.param}


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory, minio: MinIO) -> Iterator[S3Catalogs]:
    with s3_catalogs(tmp_path_factory.mktemp("catalogs"), minio) as catalogs:
        yield catalogs


@pytest.fixture
def catalog(catalogs: S3Catalogs, settings: Json) -> S3Catalog:
    return catalogs.opened(**settings)


class Client:
    """Sends to the store what the catalog has signed, as Iceberg's clients do."""

    def __init__(self, rest: Rest, space: Space, catalog: S3Catalog, table: str = "t") -> None:
        self._rest = rest
        self._path = f"{space.table(table)}/sign"
        self.folder = f"lake/{space.name}/{table}"
        self._base = f"{catalog.minio.endpoint}/{catalog.bucket}"

    def signed(self, method: str, path: str, headers: Json | None = None, **more: Any) -> Any:
        asked = {
            "method": method,
            "region": "the client's",
            "uri": f"{self._base}{path}",
            "headers": {name: [value] for name, value in (headers or {}).items()},
        }
        return self._rest.client.post(self._path, json=asked | more)

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: Json | None = None,
        content: bytes = b"",
        later: Json | None = None,
        **more: Any,
    ) -> httpx.Response:
        """Have it signed and send it, with headers of which the catalog was not told."""
        answer = self.signed(method, path, headers, **more).raise_for_status().json()
        added = {name: ",".join(values) for name, values in answer["headers"].items()}
        given = {**(headers or {}), **added, **(later or {})}
        with httpx.Client(trust_env=False) as client:
            return client.request(method, answer["uri"], headers=given, content=content)


@pytest.fixture
def space(catalog: S3Catalog) -> Space:
    space = catalog.rest(**ASK).namespace()
    space.create()
    return space


@pytest.fixture
def writer(catalog: S3Catalog, space: Space) -> Client:
    return Client(space.rest, space, catalog)


@pytest.fixture
def reader(catalog: S3Catalog, space: Space) -> Client:
    return Client(catalog.rest("reader"), space, catalog)


def deletion(*keys: str) -> Json:
    body = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    body = f"<Delete>{body}</Delete>"
    digest = b64encode(md5(body.encode(), usedforsecurity=False).digest()).decode()
    return {"body": body, "content": body.encode(), "headers": {"Content-MD5": digest}}


def test_clients_are_told_where_to_have_requests_signed(space: Space) -> None:
    config = space.load()["config"]
    assert config["s3.remote-signing-enabled"] == "true"
    assert f"/{config['s3.signer.endpoint']}" == f"{space.table()}/sign"
    assert config["signer.endpoint"] == config["s3.signer.endpoint"]
    assert not [name for name in config if "key" in name or "token" in name]
    endpoint = "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign"
    assert endpoint in space.rest.config["endpoints"]


def test_writers_write_read_list_and_delete(writer: Client, catalog: S3Catalog) -> None:
    file = f"/{writer.folder}/data/a%3D1/%C3%BC%20x"
    put = writer.send("PUT", file, content=b"rows", headers={"Content-Type": "text/plain"})
    assert put.status_code == 200, put.text
    read = writer.send("GET", file, headers={"Range": "bytes=0-1"})
    assert (read.status_code, read.content) == (206, b"ro")
    listed = writer.send("GET", f"?list-type=2&prefix={writer.folder}%2Fdata%2F")
    assert "a=1/ü x" in listed.text
    assert writer.send("DELETE", file).status_code == 204
    assert not catalog.minio.keys(catalog.bucket, f"{writer.folder}/data")


def test_large_files_come_in_parts(writer: Client) -> None:
    file = f"/{writer.folder}/large"
    started = writer.send("POST", f"{file}?uploads=")
    upload = started.text.partition("<UploadId>")[2].partition("</UploadId>")[0]
    part = writer.send("PUT", f"{file}?partNumber=1&uploadId={upload}", content=b"part")
    tag = part.headers["etag"]
    done = (
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
        f"<ETag>{tag}</ETag></Part></CompleteMultipartUpload>"
    )
    assert writer.send("POST", f"{file}?uploadId={upload}", content=done.encode()).is_success
    assert writer.send("GET", file).content == b"part"


def test_readers_have_nothing_signed_that_writes(reader: Client, catalog: S3Catalog) -> None:
    (file,) = catalog.minio.keys(catalog.bucket, reader.folder)
    assert reader.send("GET", f"/{file}").is_success
    for method in ("PUT", "DELETE"):
        refused = reader.signed(method, f"/{file}")
        assert refused.status_code == 403
        assert refused.json()["error"]["message"] == f"a right to read signs no {method}"


def test_many_are_deleted_at_once_if_they_are_of_the_table(
    writer: Client, catalog: S3Catalog
) -> None:
    ours, others = f"{writer.folder}/x", "lake/others"
    for key in (ours, others):
        catalog.minio.client().put_object(Bucket=catalog.bucket, Key=key, Body=b"")
    refused = writer.signed("POST", "?delete=", body=deletion(ours, others)["body"])
    assert refused.status_code == 403
    done = writer.send("POST", "?delete=", **deletion(ours))
    assert done.status_code == 200, done.text
    assert catalog.minio.keys(catalog.bucket, others) == [others]
    assert not catalog.minio.keys(catalog.bucket, ours)


def test_nothing_of_another_table_is_signed(writer: Client, space: Space) -> None:
    space.create("t2")
    for path in (f"/{writer.folder}2/x", "/", "", f"/{writer.folder}/../t2/x"):
        assert writer.signed("GET", path).status_code == 403


def test_a_signature_that_is_changed_is_worth_nothing(writer: Client) -> None:
    signed = writer.signed("GET", f"/{writer.folder}/x").json()
    headers = {name: values[0] for name, values in signed["headers"].items()}
    with httpx.Client(trust_env=False) as client:
        assert client.get(signed["uri"] + "2", headers=headers).status_code == 403
        assert client.delete(signed["uri"], headers=headers).status_code == 403


@pytest.mark.parametrize("settings", [{"sign_requests": "session"}])
def test_a_session_bounds_what_the_catalog_did_not_see(writer: Client, catalog: S3Catalog) -> None:
    """MinIO takes headers that are not signed, and verifies no digest of a list to be deleted."""
    ours, others = f"{writer.folder}/x", "lake/others"
    catalog.minio.client().put_object(Bucket=catalog.bucket, Key=others, Body=b"secret")
    source = {"x-amz-copy-source": f"/{catalog.bucket}/{others}"}
    assert writer.send("PUT", f"/{ours}", later=source).status_code == 403
    swapped = deletion(ours) | {"content": deletion(others)["content"]}
    assert "AccessDenied" in writer.send("POST", "?delete=", **swapped).text
    assert catalog.minio.keys(catalog.bucket, others) == [others]


def test_files_of_a_staged_table_come_before_it(catalog: S3Catalog, space: Space) -> None:
    body = space.request("staged", **{"stage-create": True})
    space.client.post(f"{space.path}/tables", json=body).raise_for_status()
    client = Client(space.rest, space, catalog, "staged")
    assert client.send("PUT", f"/{client.folder}/data/x", content=b"").is_success


def test_files_of_a_dropped_table_are_deleted_after_it(
    writer: Client, reader: Client, catalog: S3Catalog, space: Space
) -> None:
    space.client.delete(space.table()).raise_for_status()
    (left,) = catalog.minio.keys(catalog.bucket, writer.folder)
    assert reader.signed("DELETE", f"/{left}").status_code == 403
    assert writer.signed("DELETE", "/lake/others").status_code == 403
    assert writer.send("DELETE", f"/{left}").is_success


def test_without_a_table_nothing_of_others_is_signed(catalog: S3Catalog) -> None:
    writer = catalog.rest(**ASK)
    for levels in (["house"], ["house", "kitchen"], ["street"]):
        writer.client.post(f"{writer.root}/namespaces", json={"namespace": levels})
    house = Space(writer, "house")
    for name in ("kitchen", "moved"):
        house.client.delete(house.table(name))
        house.create(name)
    body = {"source": house.named("moved"), "destination": {"namespace": ["street"], "name": "m"}}
    writer.client.delete(f"{writer.at('street')}/tables/m")
    writer.client.post(f"{writer.root}/tables/rename", json=body).raise_for_status()
    owner = Client(catalog.rest("house"), Space(catalog.rest("house"), "house"), catalog, "staged")
    assert owner.send("PUT", "/lake/house/staged/data/x").status_code == 200
    assert owner.signed("PUT", "/lake/house/moved/metadata/x").status_code == 403
    below = Space(catalog.rest("nested"), "house\x1fkitchen")
    assert (
        Client(below.rest, below, catalog, "t").signed("GET", "/lake/house/kitchen/t/x").status_code
        == 403
    )


def test_a_signer_may_sign_its_own_question(catalog: S3Catalog, space: Space) -> None:
    asked = {
        "method": "GET",
        "region": "",
        "uri": f"{catalog.minio.endpoint}/{catalog.bucket}/lake/{space.name}/t/x",
        "headers": {},
    }
    content = httpx.Request("POST", "http://any", json=asked).read()
    url = httpx.URL(catalog.uri)
    path = f"{url.path}{space.table()}/sign"
    sent = sign(
        "POST",
        path,
        body=content,
        headers={"Content-Type": "application/json"},
        host=f"{url.host}:{url.port}",
        key_id="reader",
        secret="reader-secret",  # noqa: S106
    )
    with httpx.Client(trust_env=False) as client:
        answer = client.post(
            f"http://{url.host}:{url.port}{path}", content=content, headers=dict(sent.head.headers)
        )
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "private"


@pytest.mark.parametrize("settings", [{}])
def test_without_the_setting_nothing_is_signed(writer: Client, space: Space) -> None:
    assert space.load()["config"] == {}
    assert writer.signed("GET", f"/{writer.folder}/x").status_code == 404
