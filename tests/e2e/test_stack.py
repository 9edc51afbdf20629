"""Both topologies, as a user meets them: one command, then curl, SQL, S3 and `frazil`."""

import json
import subprocess
import time
from collections.abc import Callable
from uuid import uuid4

import httpx
import pytest
from botocore.exceptions import ClientError
from pyiceberg.catalog.rest import RestCatalog
from tests.support.containers import (
    CONNECT,
    CONNECTORS,
    HOST,
    IDS,
    KEY,
    NETWORK,
    SINGLE,
    TRINO_PORT,
    WAREHOUSE,
    Stack,
    answered,
    docker,
    frazil,
    produce,
    records_in,
)
from tests.support.lab import wait_until

_NUMBER = 10_000


def curl(*arguments: str) -> str:
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--fail", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_every_container_is_well(stack: Stack) -> None:
    found = stack.containers()
    workers = set(stack.workers().values())
    assert set(found) - workers == stack.topology.containers
    assert stack.ailing() == []
    assert found["kafka-iceberg-init"]["State"]["ExitCode"] == 0


def test_workers_start_by_the_class_archive_of_their_image(stack: Stack) -> None:
    for name in stack.workers():
        said = httpx.get(f"{CONNECT}/connectors/{name}/logs?tail=10000", trust_env=False).text
        assert "stream_starts" in said
        assert "Unable to use shared archive" not in said


def test_curl_sees_three_connectors_run(stack: Stack) -> None:
    assert set(json.loads(curl(f"{CONNECT}/connectors"))) == set(CONNECTORS)
    for name in CONNECTORS:
        status = json.loads(curl(f"{CONNECT}/connectors/{name}/status"))
        assert status["connector"]["state"] == "RUNNING"
        assert {task["state"] for task in status["tasks"]} == {"RUNNING"}
    assert set(stack.workers()) == set(CONNECTORS)


@pytest.mark.usefixtures("stack")
def test_topics_are_those_of_the_documents() -> None:
    listed = docker(
        "exec", "kafka", "kafka-topics", "--bootstrap-server", "localhost:29092", "--describe"
    )
    found = {
        line.split()[1]: line.split("PartitionCount: ")[1].split()[0]
        for line in listed.splitlines()
        if line.startswith("Topic: ")
    }
    wanted = dict.fromkeys((*IDS, "minio-audit"), "3") | {"control-iceberg": "1"}
    assert wanted.items() <= found.items()


@pytest.mark.usefixtures("stack")
def test_the_debug_commands_of_the_documents_work_as_they_are_written() -> None:
    topics = docker(
        "exec", "kafka", "kafka-topics", "--bootstrap-server", "localhost:29092", "--list"
    )
    assert {"control-iceberg", *IDS} <= set(topics.split())
    consumed = docker(
        "exec", "kafka", "kafka-console-consumer",
        "--bootstrap-server", "localhost:29092",
        "--topic", "auditlogs",
        "--from-beginning", "--max-messages", "1", "--timeout-ms", "30000",
    )  # fmt: skip
    assert "time" in json.loads(consumed)


def test_stores_consoles_and_trinos_page_answer_on_this_machine(stack: Stack) -> None:
    for port in (stack.topology.source_port, stack.topology.dest_port):
        curl(f"http://localhost:{port}/minio/health/live")
        # The console has the port behind that of S3.
        assert "<title>" in curl(f"http://localhost:{port + 1}/")
    assert "<title>" in curl("--location", f"http://localhost:{TRINO_PORT}/ui/")


def test_trinos_own_shell_and_the_history_of_a_table(stack: Stack) -> None:
    said = docker("exec", "trino", "trino", "--execute", "SHOW CATALOGS")
    assert WAREHOUSE in said.replace('"', "").split()
    wait_until("there are rows", lambda: stack.counted("auditlogs")[0] > 0, every=1)
    assert stack.sql('SELECT snapshot_id FROM "auditlogs$history"')


def test_the_warehouse_is_laid_out_as_in_the_documents(stack: Stack) -> None:
    s3 = stack.s3(stack.topology.dest)
    for table in IDS:
        wait_until(f"{table} has rows", lambda table=table: stack.counted(table)[0] > 0, every=1)  # type: ignore[misc]
        pages = s3.get_paginator("list_objects_v2").paginate(
            Bucket=WAREHOUSE, Prefix=f"streaming/{table}/"
        )
        keys = [one["Key"] for page in pages for one in page.get("Contents", ())]
        folders = {key.split("/")[2] for key in keys}
        assert folders == {"metadata", "data"}
        assert {key.rpartition(".")[2] for key in keys if "/data/" in key} == {"parquet"}
        assert any(key.endswith(".metadata.json") for key in keys)


def test_what_is_produced_is_seen_once(quiet: Stack) -> None:
    # A store that is busy may log an operation twice: what was there before does not count.
    before = {table: quiet.counted(table) for table in IDS}
    produce(_NUMBER)
    for table, (rows, ids) in before.items():
        wait_until(
            f"{table} is complete",
            lambda table=table, rows=rows: quiet.counted(table)[0] >= rows + _NUMBER,  # type: ignore[misc]
            seconds=180,
            every=2,
        )
        found = quiet.counted(table)
        assert found == (rows + _NUMBER, ids + _NUMBER), quiet.repeated(table)
        frazil("verify", f"iceberg-sink-{table}", "--url", CONNECT)


def test_an_operation_on_the_source_is_a_row_soon(
    stack: Stack, record_property: Callable[[str, object], None]
) -> None:
    s3, bucket = stack.s3(stack.topology.source), f"e2e-{uuid4().hex[:12]}"
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="a/ü b.txt", Body=b"words")
    done = time.monotonic()
    question = (
        "SELECT callinfo.httpstatuscode, callinfo.rx, callinfo.accesskey FROM apilogs "
        f"WHERE bucket = '{bucket}' AND name = 's3.PutObject' AND object = 'a/ü b.txt'"
    )
    wait_until("the row is there", lambda: bool(stack.sql(question)), seconds=120, every=1)
    # Half a minute is wanted. That is not asserted, for a busy machine is no fault.
    record_property("seconds", time.monotonic() - done)
    assert stack.sql(question) == [[200, 5, KEY]]
    headers = stack.sql(
        "SELECT element_at(callinfo.requestheader, 'Authorization') FROM apilogs "
        f"WHERE bucket = '{bucket}'"
    )
    assert "Credential" not in str(headers)


def test_the_log_does_not_feed_itself(stack: Stack) -> None:
    assert stack.sql("SELECT count(*) FROM apilogs WHERE bucket = 'kafkawarehouse'") == [[0]]


def test_a_new_field_becomes_a_column(stack: Stack) -> None:
    field = f"seen_{uuid4().hex[:8]}"
    record = {"version": "1", "time": "2026-01-02T03:04:05Z", "message": "new", field: 7}
    record["tags"] = {"requestID": field}
    subprocess.run(
        ["docker", "exec", "--interactive", "kafka", "kafka-console-producer",
         "--bootstrap-server", "localhost:29092", "--topic", "errorlogs"],
        input=json.dumps(record), text=True, check=True, capture_output=True,
    )  # fmt: skip
    columns = "SELECT column_name FROM information_schema.columns WHERE table_name = 'errorlogs'"
    wait_until("the column is there", lambda: [field] in stack.sql(columns), 120, every=1)
    question = f"SELECT {field} FROM errorlogs WHERE {field} IS NOT NULL"
    wait_until("its row is there", lambda: stack.sql(question) == [[7]], 60, every=1)


def test_the_catalog_refuses_who_does_not_know_the_secret(stack: Stack) -> None:
    url = f"{stack.topology.dest}/_iceberg"
    assert httpx.get(f"{url}/v1/config", trust_env=False).status_code == 403
    signed = {
        "uri": url,
        "warehouse": "kafkawarehouse",
        "rest.sigv4-enabled": "true",
        "rest.signing-name": "s3tables",
        "rest.signing-region": "us-east-1",
        "client.access-key-id": KEY,
    }
    catalog = RestCatalog("right", **signed, **{"client.secret-access-key": KEY})
    assert {name for _, name in catalog.list_tables("streaming")} == set(IDS)
    with pytest.raises(Exception, match="signature does not match"):
        RestCatalog("wrong", **signed, **{"client.secret-access-key": "guess"})
    with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
        stack.s3(stack.topology.dest, "guess").list_buckets()


def test_no_container_is_privileged_or_shows_a_secret(stack: Stack) -> None:
    must_be_root = {"docker-proxy", *(n for n in stack.topology.containers if "minio-" in n)}
    no_users = ("", "0:0", "0:10001")
    for name, one in stack.containers().items():
        host = one["HostConfig"]
        assert not host["Privileged"]
        assert host["CapDrop"] == ["ALL"], name
        assert (one["Config"]["User"] in no_users) == (name in must_be_root - {"minio"}), name
        assert KEY not in json.dumps(one), name
        published = [bind for binds in (host["PortBindings"] or {}).values() for bind in binds]
        assert {bind["HostIp"] for bind in published} <= {HOST}


# As the control API reaches the proxy, which is in no network.
_ASK_PROXY = """
import http.client, socket, sys
method, target, body = sys.argv[1:]
connection = http.client.HTTPConnection("docker")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect("/run/docker-proxy/docker.sock")
connection.request(method, target, body or None, {"Content-Type": "application/json"})
print(connection.getresponse().status)
"""


def test_the_socket_proxy_lets_through_what_is_needed_only(stack: Stack) -> None:
    def status(method: str, target: str, body: str = "") -> str:
        ask = ("exec", "kafka-connect", "python", "-c", _ASK_PROXY)
        return docker(*ask, method, target, body).strip()

    worker = next(iter(stack.workers().values()))
    assert status("GET", f"/v1.45/containers/{worker}/json") == "200"
    privileged = json.dumps(
        {"Image": "frazil-worker:0.1.0", "HostConfig": {"Privileged": True, "Binds": ["/:/host"]}}
    )
    for method, target, body in (
        ("POST", "/v1.45/containers/create?name=frazil-x", privileged),
        ("GET", "/v1.45/containers/json", ""),
        ("GET", "/v1.45/containers/kafka/json", ""),
        ("GET", "/v1.45/containers/postgres/archive?path=/run/frazil", ""),
        ("POST", "/v1.45/containers/kafka/kill?signal=SIGKILL", ""),
        ("POST", f"/v1.45/containers/{worker}/exec", ""),
        ("GET", "/v1.45/secrets", ""),
        ("POST", "/v1.45/build", ""),
        ("DELETE", "/v1.45/volumes/frazil_kafka-data", ""),
    ):
        assert status(method, target, body) == "403", target


def test_containers_are_asked_who_they_are_and_this_machine_is_not(stack: Stack) -> None:
    curl_there = ("exec", stack.topology.front, "curl", "--silent", "--write-out", "%{http_code}")
    url, token = "http://kafka-connect:8083/connectors", stack.token()
    assert docker(*curl_there, "--output", "/dev/null", url) == "401"
    shown = docker(*curl_there, "--header", f"Authorization: Bearer {token}", url)
    assert shown.endswith("200")
    assert curl(f"{CONNECT}/connectors").startswith("[")
    assert all(token not in json.dumps(one) for one in stack.containers().values())


def test_the_database_is_out_of_reach_of_workers_and_stores(stack: Stack) -> None:
    reach = "import socket; socket.create_connection(('postgres', 5432), 5)"
    docker("exec", "kafka-connect", "python", "-c", reach)
    for name in (*stack.workers().values(), "kafka-iceberg-init"):
        networks = stack.containers()[name]["NetworkSettings"]["Networks"]
        assert list(networks) == [NETWORK]
    worker = next(iter(stack.workers().values()))
    with pytest.raises(AssertionError, match="gaierror"):
        docker("exec", worker, "python", "-c", reach)


@pytest.mark.usefixtures("stack")
def test_verbs() -> None:
    assert "RUNNING" in frazil("status")
    assert "iceberg-sink-apilogs" in frazil("status")
    assert "leading" in frazil("logs", "kafka-connect")
    frazil("logs", "iceberg-sink-errorlogs")
    before = records_in("auditlogs")
    frazil("produce", "auditlogs", "-n", "50")
    assert records_in("auditlogs") >= before + 50
    assert "auditlogs" in frazil("query")
    assert "category" in frazil("query", "auditlogs")
    assert "3" in frazil("query", "SELECT 1 + 2 AS three")


def test_the_doctor_finds_nothing_and_then_what_is_broken(stack: Stack) -> None:
    frazil("doctor")
    docker("stop", "table-catalog")
    assert "table-catalog" in frazil("doctor", code=1)
    docker("start", "table-catalog")
    wait_until(
        "the catalog is well",
        lambda: stack.containers()["table-catalog"]["State"]["Health"]["Status"] == "healthy",
        every=1,
    )
    stack.wait_until_running()


@pytest.mark.usefixtures("stack")
def test_a_second_run_of_the_provisioner_changes_nothing() -> None:
    docker("start", "--attach", "kafka-iceberg-init")
    assert "Nothing to do." in docker("logs", "--tail", "5", "kafka-iceberg-init")


@pytest.mark.parametrize("stack", [SINGLE], indirect=True, ids=["single"])
def test_connectors_of_a_group_are_one_container(quiet: Stack) -> None:
    config = quiet.get("/connectors/iceberg-sink-auditlogs/config")
    names = [f"small-{number}" for number in range(3)]
    tables = [name.replace("-", "_") for name in names]
    produce(100)
    wait_until("all is committed", quiet.has_committed_all, every=1)
    try:
        for name, table in zip(names, tables, strict=True):
            keys = {"frazil.worker.group": "small", "iceberg.tables.auto-create-enabled": "true"}
            own = {"name": name, "iceberg.tables": f"streaming.{table}"}
            body = {"name": name, "config": {**config, **keys, **own}}
            httpx.post(f"{CONNECT}/connectors", json=body, trust_env=False).raise_for_status()
        ((rows,),) = quiet.sql("SELECT count(*) FROM auditlogs")
        for name, table in zip(names, tables, strict=True):
            wait_until(f"{name} runs", lambda name=name: quiet.states()[name] == "RUNNING", every=1)  # type: ignore[misc]
            found = f"SELECT count(*), count(DISTINCT requestid) FROM {table}"
            wait_until(
                f"{table} is complete",
                lambda found=found: answered(lambda: quiet.sql(found)) == [[rows, rows]],  # type: ignore[misc]
                every=1,
            )
        (host,) = quiet.hosts()
        assert KEY not in json.dumps(host)
        assert "committed" in httpx.get(f"{CONNECT}/connectors/small-1/logs", trust_env=False).text
    finally:
        for name, table in zip(names, tables, strict=True):
            httpx.delete(f"{CONNECT}/connectors/{name}", trust_env=False)
            quiet.sql(f"DROP TABLE IF EXISTS {table}")
    wait_until("a driver of nobody ends", lambda: not quiet.hosts(), 120, every=1)


@pytest.mark.parametrize("stack", [SINGLE], indirect=True, ids=["single"])
def test_a_restart_keeps_all_rows(quiet: Stack) -> None:
    before = {table: quiet.counted(table) for table in IDS}
    frazil("restart")
    quiet.wait_until_running()
    docker("stop", "log-generator")
    for table, (rows, _) in before.items():
        found, ids = quiet.counted(table)
        assert found == ids >= rows
