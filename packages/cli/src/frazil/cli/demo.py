"""The demo: 30,000 records from the broker to a SQL answer, counted on both sides."""

import json
import subprocess
import time

from frazil.cli.connectors import Patience, connector_views
from frazil.cli.generator import generator_command, generator_environment
from frazil.cli.query import answer
from frazil.cli.report import TableReport
from frazil.cli.screen import Screen
from frazil.cli.stack import Stack
from frazil.cli.tables import Tables, ages_at_commit, committed_files
from frazil.contracts.log_topics import DEFAULT_TOPICS
from frazil.contracts.states import ConnectState
from frazil.runtime.errors import UserError

# Where each table keeps the id that no two records share.
REQUEST_IDS = {
    "apilogs": "callInfo.requestID",
    "auditlogs": "requestID",
    "errorlogs": "tags['requestID']",
}

_RUNNING_SECONDS = 180
_STALLED_SECONDS = 90
_FAILED_SECONDS = 45
_POLL_SECONDS = 0.5


class ProducingError(UserError):
    def __init__(self, output: str) -> None:
        super().__init__(f"The log generator could not do its work:\n{output}")


class StalledError(UserError):
    """Something that was waited for did not come."""


def run_demo(stack: Stack, records_a_topic: int, screen: Screen) -> list[TableReport]:
    """Fill the tables of a stack that was just started, and report on each."""
    wait_for_connectors(stack.ports.api_url, screen)
    with screen.step(f"{records_a_topic * len(REQUEST_IDS):,} records produced"):
        produced = produce(stack, records_a_topic)
    with screen.step("All rows visible"):
        wait_for_rows(stack, produced, screen)
    tables = Tables(stack.folder)
    return [measure(tables, name, count) for name, count in produced.items()]


def wait_for_connectors(url: str, screen: Screen) -> None:
    """Return when all are RUNNING, and say so of each as it gets there."""
    begin, patience = time.monotonic(), Patience(_FAILED_SECONDS)
    running: set[str] = set()
    with screen.console.status("Connectors are starting ..."):
        while True:
            views = connector_views(url)
            patience.require_none_failed(views)
            for connector in views:
                if connector.state is ConnectState.RUNNING and connector.name not in running:
                    running.add(connector.name)
                    title = f"Connector {connector.name} is RUNNING"
                    screen.done(title, seconds=time.monotonic() - begin)
            if len(running) == len(views):
                return
            if time.monotonic() - begin > _RUNNING_SECONDS:
                waiting = ", ".join(v.name for v in views if v.name not in running)
                raise StalledError(f"Not RUNNING after {_RUNNING_SECONDS} s: {waiting}.")
            time.sleep(_POLL_SECONDS)


def produce(stack: Stack, records_a_topic: int) -> dict[str, int]:
    """Return for each topic how many records the broker has acknowledged."""
    options = ("-n", str(records_a_topic))
    command = generator_command("all", *options, servers=stack.ports.bootstrap_servers)
    environment = generator_environment(stack.tools.environment, DEFAULT_TOPICS)
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        raise ProducingError(done.stderr.decode(errors="replace"))
    summaries = map(json.loads, done.stdout.splitlines())
    return {summary["topic"]: summary["produced"] for summary in summaries}


def wait_for_rows(stack: Stack, produced: dict[str, int], screen: Screen) -> None:
    """Return when every table shows as many rows as were produced."""
    tables, total = Tables(stack.folder), sum(produced.values())
    seen, last_change, patience = -1, time.monotonic(), Patience(_FAILED_SECONDS)
    with screen.bar("Rows visible") as show:
        while True:
            rows = sum(min(tables.rows(name), count) for name, count in produced.items())
            show(rows, total)
            if rows >= total:
                return
            if rows != seen:
                seen, last_change = rows, time.monotonic()
            patience.require_none_failed(connector_views(stack.ports.api_url))
            if time.monotonic() - last_change > _STALLED_SECONDS:
                raise StalledError(f"No new rows for {_STALLED_SECONDS} s; {rows:,} of {total:,}.")
            time.sleep(_POLL_SECONDS)


def measure(tables: Tables, name: str, produced: int) -> TableReport:
    request_id = REQUEST_IDS[name]
    counted = answer(
        tables,
        f"SELECT count(*) AS visible, count({request_id}) - count(DISTINCT {request_id}) AS twice "  # noqa: S608
        f"FROM {name}",
    ).to_pylist()[0]
    table = tables.load(name)
    files = list(committed_files(table))
    return TableReport(
        table=name,
        produced=produced,
        visible=counted["visible"],
        duplicates=counted["twice"],
        files=len(files),
        ages=[
            age
            for committed, file in files
            for age in ages_at_commit(table.io, committed=committed, file=file)
        ],
    )
