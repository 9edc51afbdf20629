"""The `frazil` command: each verb builds what it needs and hands over; errors end here."""

import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Annotated

import pyarrow as pa
import typer

from frazil.cli import logview, stack, status, verify
from frazil.cli.connectors import connector_ledger
from frazil.cli.demo import REQUEST_IDS, run_demo
from frazil.cli.folder import StackFolder
from frazil.cli.generator import generator_command
from frazil.cli.ports import Ports, require_free
from frazil.cli.prepare import ensure_archive, prepare
from frazil.cli.query import CALLS_BY_API, answer
from frazil.cli.report import COLUMNS, EXACT, NOT_EXACT
from frazil.cli.screen import Screen
from frazil.cli.settings import read_settings
from frazil.cli.stack import Stack, Tools
from frazil.cli.tables import Tables
from frazil.runtime.alone import alone
from frazil.runtime.errors import UserError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Kafka Connect's REST API on Spark, writing Iceberg exactly once: the local stack.",
)
settings = cache(read_settings)
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
screen = Screen()

StackName = Annotated[str, typer.Option("--stack", help="Name of the local stack.")]
DemoStackName = Annotated[str, typer.Option("--stack", help="Name of the demo's own stack.")]


@app.command()
def setup() -> None:
    """Find Java, load the jars, make the class archive: all that is needed once."""
    tools = _tools()
    screen.done(f"Java at {tools.java}")
    screen.done("Jars as locked")
    ensure_archive(settings().home, tools, desired_state=settings().desired_state, screen=screen)


@app.command()
def dev(
    stack_name: StackName = "dev",
    detach: Annotated[bool, typer.Option(help="Start and return.")] = False,
) -> None:
    """Run the local stack until Ctrl-C."""
    local = _stack(stack_name)
    _start(local)
    screen.say(status.summary(local.folder))
    if detach:
        screen.say(f"`frazil stop --stack {stack_name}` ends it.")
        return
    screen.say("Ctrl-C ends it.")
    with _stopped_after(local.folder):
        stack.watch(local.folder)


@app.command()
def stop(stack_name: StackName = "dev") -> None:
    """End every process of a stack; its data stays."""
    folder = _folder(stack_name)
    if stack.is_running(folder):
        _stop(folder)
    else:
        screen.say(f"The stack '{stack_name}' is not running.")


@app.command("status")
def show_status(stack_name: StackName = "dev") -> None:
    """Show services and connectors of a stack."""
    folder = _folder(stack_name)
    screen.table(status.COLUMNS, status.rows(folder))
    screen.say(status.summary(folder))


@app.command()
def logs(
    service: Annotated[str | None, typer.Argument(help="A service or a connector.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines.")] = False,
    stack_name: StackName = "dev",
) -> None:
    """Show the last lines of the logs."""
    folder = _folder(stack_name)
    logview.show(logview.log_files(folder, service), typer.echo)
    if follow:
        logview.follow(lambda: logview.log_files(folder, service), typer.echo)


@app.command()
def produce(
    topic: Annotated[str, typer.Argument(help="apilogs, errorlogs, auditlogs or all.")] = "all",
    number: Annotated[
        int | None, typer.Option("-n", help="How many a topic; endless if not given.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Records a second and topic.")] = None,
    stack_name: StackName = "dev",
) -> None:
    """Send generated log records to the stack's topics."""
    servers = _folder(stack_name).read_state().ports.bootstrap_servers
    options = {"-n": number, "--rate": rate}
    given = [
        part for key, value in options.items() if value is not None for part in (key, str(value))
    ]
    command = generator_command(topic, *given, servers=servers)
    raise typer.Exit(subprocess.run(command, env=settings().environment(), check=False).returncode)


@app.command()
def query(
    question: Annotated[str | None, typer.Argument(help="A table or SQL.")] = None,
    stack_name: StackName = "dev",
) -> None:
    """Ask the tables; without a question, list them."""
    tables = Tables(_folder(stack_name))
    if question is None:
        screen.table(
            ("table", "rows"), [(name, f"{tables.rows(name):,}") for name in tables.names()]
        )
    else:
        _print_answer(answer(tables, question))


@app.command("verify")
def verify_connector(
    connector: Annotated[str, typer.Argument(help="A sink that writes Iceberg tables.")],
    url: Annotated[str | None, typer.Option(help="Another control API than the stack's.")] = None,
    stack_name: StackName = "dev",
) -> None:
    """Prove from its tables alone that a connector wrote each record once; exit 1 if not."""
    url = url or _folder(stack_name).read_state().ports.api_url
    ledger = connector_ledger(url.rstrip("/"), connector)
    screen.table(verify.COLUMNS, verify.rows(ledger))
    for finding in verify.findings(ledger):
        screen.warn(finding)
    screen.say(verify.verdict(ledger))
    raise typer.Exit(0 if ledger["proved"] else 1)


@app.command()
def clean(stack_name: StackName = "dev") -> None:
    """Delete the data of a stack that is not running."""
    folder = _folder(stack_name)
    _delete(folder)
    screen.say(f"Deleted {folder.root}")


@app.command()
def serve(
    bootstrap_servers: Annotated[str, typer.Option(help="HOST:PORT of a broker.")],
    port: Annotated[int | None, typer.Option(help="Port of the REST API.")] = None,
    engine: Annotated[str, typer.Option(help="What runs the workers.")] = "process",
    stack_name: StackName = "serve",
) -> None:
    """Run the control API alone, against a broker that exists."""
    folder, port = _folder(stack_name), port or settings().port
    require_free(port, user="the control API", setting="--port or FRAZIL_PORT")
    folder.root.mkdir(parents=True, exist_ok=True)
    environment = stack.control_api_environment(
        folder, port=port, bootstrap_servers=bootstrap_servers, engine=engine
    )
    # This process becomes the control API, so that signals and the exit code are its own.
    os.execve(  # noqa: S606
        sys.executable, stack.CONTROL_API_COMMAND, {**_tools().environment, **environment}
    )


@app.command()
def demo(
    number: Annotated[int, typer.Option("-n", min=1, help="Records in all.")] = 30_000,
    keep: Annotated[bool, typer.Option(help="Leave the stack running.")] = False,
    stack_name: DemoStackName = "demo",
) -> None:
    """Run a log pipeline from records to a SQL answer, and prove it exact."""
    local = _stack(stack_name)
    _start(local, afresh=True)
    with _stopped_after(local.folder, only_if_it_fails=keep):
        reports = run_demo(local, math.ceil(number / len(REQUEST_IDS)), screen)
        screen.table(COLUMNS, [report.cells() for report in reports])
        screen.say("Calls, error rate and time to response by API:")
        _print_answer(answer(Tables(local.folder), CALLS_BY_API))
    if keep:
        screen.say(f"Left running; `frazil stop --stack {stack_name}` ends it.")
    exact = all(report.is_exact for report in reports)
    screen.say(EXACT if exact else NOT_EXACT)
    raise typer.Exit(0 if exact else 1)


def _folder(name: str) -> StackFolder:
    return StackFolder(settings().home, name)


def _tools() -> Tools:
    return prepare(
        settings().home, settings().java_home, environment=settings().environment(), screen=screen
    )


def _stack(name: str) -> Stack:
    ports = Ports(
        api=settings().port,
        kafka=settings().kafka_port,
        controller=settings().kafka_controller_port,
        catalog=settings().catalog_port,
    )
    return Stack(_folder(name), ports, _tools())


def _start(local: Stack, *, afresh: bool = False) -> None:
    with alone(local.folder.start_lock):
        stack.require_stopped(local.folder)
        local.ports.require_free()
        if afresh:
            _delete(local.folder)
        with _stopped_after(local.folder, only_if_it_fails=True):
            stack.start(local, settings().desired_state, screen.step)


def _delete(folder: StackFolder) -> None:
    stack.require_stopped(folder)
    shutil.rmtree(folder.root, ignore_errors=True)


def _stop(folder: StackFolder) -> None:
    # Impatience would leave processes behind; stopping is bounded.
    for number in _ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    with screen.step("Everything stopped"):
        stack.stop(folder)


@contextmanager
def _stopped_after(folder: StackFolder, *, only_if_it_fails: bool = False) -> Iterator[None]:
    """Stop the stack when the block is done, however that ends."""
    try:
        yield
    except BaseException:
        _stop(folder)
        raise
    if not only_if_it_fails:
        _stop(folder)


def _print_answer(table: pa.Table) -> None:
    rows = [tuple(str(value) for value in row.values()) for row in table.to_pylist()]
    screen.table(tuple(table.column_names), rows)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    # A closed terminal and a plain `kill` end the command as Ctrl-C does: with a clean stop.
    for number in _ENDINGS:
        signal.signal(number, _end)
    try:
        app()
    except UserError as error:
        screen.fail(str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
