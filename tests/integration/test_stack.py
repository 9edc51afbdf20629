"""The whole local stack: what survives which kill, and what bad input is told."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.document_records import EXAMPLES
from tests.support.lab import wait_until
from tests.support.local_stack import LocalStack, local_stack

from frazil.cli import stack as stacks
from frazil.cli.folder import StackFolder
from frazil.cli.ports import free_ports
from frazil.cli.settings import CliSettings
from frazil.cli.stack import CONTROL_API
from frazil.cli.tables import Tables
from frazil.contracts.log_topics import Topic
from frazil.contracts.states import ConnectState

COUNT = 6000


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    with local_stack(tmp_path_factory.mktemp("home"), "test") as running:
        running.wait_until_all_run()
        yield running


@pytest.mark.timeout(600)
def test_a_killed_control_api_is_not_missed_and_adopts_its_workers(stack: LocalStack) -> None:
    before, runs = stack.rows("auditlogs"), stack.runs()
    pids = stack.worker_pids()
    producer = stack.start_producing("auditlogs", "-n", str(COUNT), "--rate", "400")
    wait_until("rows arrive", lambda: stack.rows("auditlogs") > before)
    stack.kill(CONTROL_API)
    seen = stack.rows("auditlogs")
    wait_until("rows arrive without a control API", lambda: stack.rows("auditlogs") > seen)
    stack.start(CONTROL_API)
    stack.wait_until_all_run()
    assert producer.wait(60) == 0
    wait_until("all rows visible", lambda: stack.rows("auditlogs") >= before + COUNT)
    assert stack.worker_pids() == pids
    assert stack.runs() == runs
    ids = stack.request_ids("auditlogs", "requestID")
    assert len(ids) == len(set(ids)) == before + COUNT


@pytest.mark.timeout(600)
def test_a_killed_worker_is_started_again_and_nothing_is_lost_or_repeated(
    stack: LocalStack,
) -> None:
    before = stack.rows("apilogs")
    producer = stack.start_producing("apilogs", "-n", str(COUNT), "--rate", "600")
    wait_until("rows arrive", lambda: stack.rows("apilogs") > before)
    stack.kill_workers()
    assert producer.wait(60) == 0
    wait_until("all rows visible", lambda: stack.rows("apilogs") >= before + COUNT, 180)
    stack.wait_until_all_run()
    ids = stack.request_ids("apilogs", "callInfo.requestID")
    assert len(ids) == len(set(ids)) == before + COUNT


# Where no record of the generator has what the example has.
ONLY = {
    Topic.API: "object = 'file.txt'",
    Topic.ERROR: "message = 'The specified bucket does not exist' AND node = 'minio-node-1'",
    Topic.AUDIT: "requestID = '17A3C4775707B695'",
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("topic", Topic)
def test_the_example_of_the_documents_is_a_row_of_its_values(
    stack: LocalStack, topic: Topic
) -> None:
    stack.send(topic, EXAMPLES[topic].encode())
    wait_until("the row is there", lambda: stack.row(topic, ONLY[topic]) is not None)
    row, record = stack.row(topic, ONLY[topic]), json.loads(EXAMPLES[topic])
    assert row is not None
    assert row.pop("time") == datetime.fromisoformat(record.pop("time"))
    assert without_nulls(row) == record


def without_nulls(value: Any) -> Any:
    """Leave out the fields that the example does not have."""
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(one) for name, one in value.items() if one is not None}


def test_the_catalogs_secret_is_in_files_of_its_owner_alone(stack: LocalStack) -> None:
    secret = stack.secret
    holders = stack.files_with(secret)
    assert {file.name for file in holders} == {"catalog.secret", "assignment.json"}
    assert {file.stat().st_mode & 0o777 for file in holders} == {0o600}
    for pid in stack.pids():
        for told in ("environ", "cmdline"):
            assert secret.encode() not in Path(f"/proc/{pid}/{told}").read_bytes()
    assert secret not in httpx.get(f"{stack.url}/connectors?expand=info").text


def test_the_ledger_is_read_through_the_catalog(stack: LocalStack) -> None:
    before = stack.rows("errorlogs")
    stack.start_producing("errorlogs", "-n", "500").wait(60)
    wait_until("all rows visible", lambda: stack.rows("errorlogs") >= before + 500)
    url = f"{stack.url}/connectors/iceberg-sink-errorlogs/ledger"
    ledger = httpx.get(url, timeout=30).json()
    assert ledger["proved"], ledger
    assert ledger["tables"][0]["sums"]["written"] == before + 500
    verify = [sys.executable, "-m", "frazil.cli", "verify", "iceberg-sink-errorlogs"]
    said = subprocess.run([*verify, "--url", stack.url], capture_output=True, text=True, check=True)
    assert "Proved: each offset is in one commit" in said.stdout
    nobody = subprocess.run(
        [*verify[:-1], "nobody", "--url", stack.url], capture_output=True, text=True, check=False
    )
    assert (nobody.returncode, "Connector nobody not found" in nobody.stderr) == (1, True)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        pytest.param(
            {"connector.class": "org.example.NoSuchConnector"},
            "Failed to find any class that implements Connector and which name matches",
            id="unknown-class",
        ),
        pytest.param({"topics": ""}, "Must configure one of topics or topics.regex", id="no-topic"),
        pytest.param({"iceberg.tabels": "x"}, "iceberg.tables", id="misspelt-key"),
    ],
)
def test_a_bad_connector_is_refused_in_connects_own_shape(
    stack: LocalStack, config: dict[str, str], sentence: str
) -> None:
    answer = stack.create("bad", **config)
    assert answer.status_code == 400
    assert answer.json()["error_code"] == 400
    assert sentence in answer.json()["message"]
    assert httpx.get(f"{stack.url}/connectors/bad").status_code == 404


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        pytest.param({"iceberg.tables": "streaming.nowhere"}, "does not exist", id="no-table"),
        pytest.param(
            {"iceberg.catalog.uri": "http://127.0.0.1:1/_iceberg"},
            "Check `iceberg.catalog.uri`",
            id="no-catalog",
        ),
        pytest.param(
            {"iceberg.catalog.rest.secret-access-key": "of-somebody-else"},
            "and `iceberg.catalog.rest.secret-access-key`",
            id="wrong-secret",
        ),
    ],
)
def test_a_connector_that_cannot_work_fails_with_its_cause_and_never_runs(
    stack: LocalStack, config: dict[str, str], sentence: str
) -> None:
    assert stack.create("hopeless", **config).status_code == 201
    seen = {}

    def failed() -> bool:
        view = stack.views()["hopeless"]
        seen[view.state] = view.trace
        return ConnectState.FAILED in seen

    wait_until("the connector fails", failed)
    assert sentence in seen[ConnectState.FAILED]
    assert ConnectState.RUNNING not in seen
    assert httpx.delete(f"{stack.url}/connectors/hopeless").status_code == 204
    wait_until(
        "the connector is gone",
        lambda: httpx.get(f"{stack.url}/connectors/hopeless").status_code == 404,
    )


@pytest.mark.timeout(600)
def test_the_demo_ends_exact_although_a_worker_is_killed(tmp_path: Path) -> None:
    ports = free_ports()
    settings = CliSettings()
    folder = StackFolder(settings.home, f"test-{tmp_path.name}")
    demo = subprocess.Popen(
        [sys.executable, "-m", "frazil.cli", "demo", "-n", "30000", "--stack", folder.name],
        env={
            **settings.environment(),
            "FRAZIL_PORT": str(ports.api),
            "FRAZIL_KAFKA_PORT": str(ports.kafka),
            "FRAZIL_KAFKA_CONTROLLER_PORT": str(ports.controller),
            "FRAZIL_CATALOG_PORT": str(ports.catalog),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        wait_until("the first rows", lambda: _has_rows(folder))
        os.kill(min(child.pid or 0 for child in folder.workers()), signal.SIGKILL)
        output, _ = demo.communicate(timeout=300)
        assert demo.returncode == 0, output
        assert not stacks.is_running(folder)
    finally:
        demo.kill()
        stacks.stop(folder)
        shutil.rmtree(folder.root)


def _has_rows(folder: StackFolder) -> bool:
    if not folder.workers():
        return False
    tables = Tables(folder)
    return any(tables.rows(name) > 0 for name in tables.names())
