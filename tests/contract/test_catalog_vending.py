"""Keys of the store with tables: only if a setting says so, only to who asks, narrowed by STS."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest
from botocore.exceptions import ClientError
from tests.support.iceberg_rest import Rest, Space
from tests.support.minio import REGION, MinIO
from tests.support.ports import free_port
from tests.support.s3_catalog import S3Catalog, S3Catalogs, s3_catalogs

Json = dict[str, Any]

ASK = {"X_Iceberg_Access_Delegation": "remote-signing, vended-credentials"}
ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture
def settings() -> Json:
    return {"vend_credentials": "session"}


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory, minio: MinIO) -> Iterator[S3Catalogs]:
    with s3_catalogs(tmp_path_factory.mktemp("catalogs"), minio) as catalogs:
        yield catalogs


@pytest.fixture
def catalog(catalogs: S3Catalogs, settings: Json) -> S3Catalog:
    return catalogs.opened(**settings)


def config_of(rest: Rest, space: Space, name: str = "t") -> Json:
    config: Json = rest.client.get(space.table(name)).raise_for_status().json()["config"]
    return config


def store_of(catalog: S3Catalog, config: Json) -> Any:
    return catalog.minio.client(
        config["s3.access-key-id"], config["s3.secret-access-key"], config.get("s3.session-token")
    )


def is_refused(call: Callable[..., Any], **arguments: Any) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        return bool(error.response["Error"]["Code"] == "AccessDenied")
    return False


def test_a_session_is_good_for_the_files_of_its_table_alone(catalog: S3Catalog) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    space.create("t")
    space.create("t2")
    config = config_of(rest, space)
    assert config["s3.endpoint"] == catalog.minio.endpoint
    assert config["s3.region"] == config["client.region"] == REGION
    store, bucket, folder = store_of(catalog, config), catalog.bucket, f"lake/{space.name}"
    store.put_object(Bucket=bucket, Key=f"{folder}/t/data/x", Body=b"x")
    assert store.get_object(Bucket=bucket, Key=f"{folder}/t/data/x")["Body"].read() == b"x"
    listed = store.list_objects_v2(Bucket=bucket, Prefix=f"{folder}/t/data/")["Contents"]
    assert [one["Key"] for one in listed] == [f"{folder}/t/data/x"]
    store.delete_object(Bucket=bucket, Key=f"{folder}/t/data/x")
    (other,) = catalog.minio.keys(bucket, f"{folder}/t2/")
    assert is_refused(store.get_object, Bucket=bucket, Key=other)
    assert is_refused(store.put_object, Bucket=bucket, Key=f"{folder}/t2/x", Body=b"")
    assert is_refused(store.delete_object, Bucket=bucket, Key=other)
    assert is_refused(store.list_objects_v2, Bucket=bucket)
    assert is_refused(store.list_objects_v2, Bucket=bucket, Prefix=f"{folder}/t2/")
    assert is_refused(
        store.copy_object,
        Bucket=bucket,
        Key=f"{folder}/t/stolen",
        CopySource={"Bucket": bucket, "Key": other},
    )


def test_who_may_only_read_gets_keys_that_only_read(catalog: S3Catalog) -> None:
    space = catalog.rest().namespace()
    space.create()
    config = config_of(catalog.rest("reader", **ASK), space)
    store, folder = store_of(catalog, config), f"lake/{space.name}/t"
    (file,) = catalog.minio.keys(catalog.bucket, folder)
    assert store.get_object(Bucket=catalog.bucket, Key=file)["Body"].read()
    assert is_refused(store.put_object, Bucket=catalog.bucket, Key=f"{folder}/x", Body=b"")
    assert is_refused(store.delete_object, Bucket=catalog.bucket, Key=file)


def test_a_table_that_was_moved_here_opens_nothing_of_where_it_was(catalog: S3Catalog) -> None:
    writer = catalog.rest()
    space = writer.namespace()
    space.create()
    rest = catalog.rest("neighbour", **ASK)
    path = f"{rest.root}/namespaces"
    rest.client.post(path, json={"namespace": ["next_door"]}).raise_for_status()
    target = {"namespace": ["next_door"], "name": "trap"}
    body = {"source": space.named("t"), "destination": target}
    writer.client.post(f"{writer.root}/tables/rename", json=body).raise_for_status()
    made = rest.client.get(f"{path}/next_door/tables/trap").raise_for_status()
    assert made.json()["config"] == {}
    found = rest.client.get(f"{path}/next_door/tables/trap/credentials").raise_for_status()
    assert found.json() == {"storage-credentials": []}


def test_metadata_that_were_written_over_open_no_folder_of_another(catalog: S3Catalog) -> None:
    # As somebody did who may write to both, or who has written over the metadata of the trap.
    writer = catalog.rest()
    writer.client.post(f"{writer.root}/namespaces", json={"namespace": ["house"]})
    house = Space(writer, "house")
    house.client.delete(house.table("kitchen"))
    house.create("kitchen")
    rest = catalog.rest("nested", **ASK)
    spaces = f"{writer.root}/namespaces"
    writer.client.post(spaces, json={"namespace": ["house", "kitchen"]})
    below = f"{rest.at('house', 'kitchen')}/tables"
    place = f"{catalog.root}/house/kitchen/data"
    trap = house.request("trap", location=place)
    writer.client.delete(f"{below}/trap")
    writer.client.post(below, json=trap).raise_for_status()
    assert rest.client.get(f"{below}/trap").raise_for_status().json()["config"] == {}
    found = rest.client.get(f"{below}/trap/credentials").raise_for_status()
    assert found.json() == {"storage-credentials": []}


def test_every_answer_with_a_table_has_them_twice(catalog: S3Catalog) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    tables = f"{space.path}/tables"
    staged = {"stage-create": True}
    answers = [
        rest.client.post(tables, json=space.request()),
        rest.client.post(tables, json=space.request("s", **staged)),
        rest.client.get(space.table()),
    ]
    for answer, name in zip(answers, ["t", "s", "t"], strict=True):
        document = answer.raise_for_status().json()
        (lent,) = document["storage-credentials"]
        assert lent["prefix"] == f"{catalog.root}/{space.name}/{name}"
        assert lent["config"] == document["config"]
        assert "s3.session-token" in lent["config"]


def test_they_are_had_anew_where_the_answer_says(catalog: S3Catalog) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    space.create()
    config = config_of(rest, space)
    assert int(config["s3.session-token-expires-at-ms"]) > 0
    fresh = rest.client.get(f"/{config['client.refresh-credentials-endpoint']}").raise_for_status()
    (lent,) = fresh.json()["storage-credentials"]
    # Good for more than half of their time: they are lent once more.
    assert lent["config"] == config
    assert rest.client.get(f"{space.table('none')}/credentials").status_code == 404
    endpoint = "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials"
    assert endpoint in rest.config["endpoints"]


def test_pyiceberg_needs_no_keys_of_the_store(catalog: S3Catalog) -> None:
    writer = catalog.pyiceberg()
    writer.create_namespace("n")
    writer.create_table("n.t", ROWS.schema).append(ROWS)
    with writer.create_table_transaction("n.staged", ROWS.schema) as transaction:
        transaction.append(ROWS)
    reader = catalog.pyiceberg("reader")
    assert reader.load_table("n.staged").scan().to_arrow().num_rows == 3
    place = reader.load_table("n.t").metadata_location
    assert reader.load_credentials("n.t", place)["s3.session-token"]  # type: ignore[attr-defined]
    with pytest.raises(OSError, match="ACCESS_DENIED"):
        reader.load_table("n.t").append(ROWS)


def test_what_is_lent_is_not_logged(catalog: S3Catalog, capfd: pytest.CaptureFixture[str]) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    space.create()
    config = config_of(rest, space)
    said = "".join(capfd.readouterr())
    assert config["s3.secret-access-key"] not in said
    assert config["s3.session-token"] not in said
    assert catalog.minio.secret_key not in said


@pytest.mark.parametrize("headers", [{}, {"X_Iceberg_Access_Delegation": "remote-signing"}])
def test_who_does_not_ask_gets_none(catalog: S3Catalog, headers: dict[str, str]) -> None:
    rest = catalog.rest(**headers)
    space = rest.namespace()
    assert space.create()["config"] == {}
    assert config_of(rest, space) == {}


@pytest.mark.parametrize("settings", [{}])
def test_without_the_setting_nobody_gets_any(catalog: S3Catalog) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    assert space.create()["config"] == {}
    assert rest.client.get(f"{space.table()}/credentials").status_code == 404
    assert not [one for one in rest.config["endpoints"] if "credentials" in one]


@pytest.mark.parametrize("settings", [{"vend_credentials": "keys"}])
def test_our_own_keys_are_for_those_who_may_write(catalog: S3Catalog) -> None:
    rest = catalog.rest(**ASK)
    space = rest.namespace()
    config = space.create()["config"]
    assert config["s3.secret-access-key"] == catalog.minio.secret_key
    assert "s3.session-token" not in config
    assert "client.refresh-credentials-endpoint" not in config
    assert config_of(catalog.rest("reader", **ASK), space) == {}


@pytest.mark.parametrize(
    "settings",
    [{"vend_credentials": "session", "sts_endpoint": f"http://127.0.0.1:{free_port()}"}],
)
def test_without_an_answer_of_sts_there_is_none_to_who_asks(catalog: S3Catalog) -> None:
    space = catalog.rest().namespace()
    space.create()
    answer = catalog.rest(**ASK).client.get(space.table())
    assert answer.status_code == 503
    assert "cannot be asked for keys for a table" in answer.json()["error"]["message"]
    assert config_of(catalog.rest(), space) == {}
