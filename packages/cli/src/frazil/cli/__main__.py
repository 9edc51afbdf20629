"""The `frazil` command: each verb builds what it needs and hands over; errors end here."""

import math
import os
import signal
import subprocess
import sys
from functools import cache
from types import FrameType
from typing import Annotated

import typer

from frazil.cli import stack, status, verify
from frazil.cli.connectors import Headers, connector_ledger
from frazil.cli.containers.checks import require_engine
from frazil.cli.containers.docker import DockerCommand
from frazil.cli.containers.doctor import diagnose
from frazil.cli.containers.gather import gather
from frazil.cli.containers.project import Project, Topology
from frazil.cli.containers.stack import ContainerStack
from frazil.cli.deletion import confirm_deletion
from frazil.cli.demo import REQUEST_IDS, run_demo
from frazil.cli.folder import StackFolder
from frazil.cli.generator import RECORDS, generator_command, generator_environment
from frazil.cli.kinds import CONTAINERS, AnyStack, NotLocalError
from frazil.cli.local import ENDINGS, LocalStack, as_text
from frazil.cli.moving.verbs import add_verbs
from frazil.cli.ports import Ports, require_free
from frazil.cli.prepare import ensure_archive, prepare
from frazil.cli.query import CALLS_BY_API, answer
from frazil.cli.report import COLUMNS, EXACT, NOT_EXACT
from frazil.cli.screen import Screen
from frazil.cli.settings import read_compose_settings, read_settings
from frazil.cli.stack import Stack, Tools
from frazil.cli.tables import Tables
from frazil.runtime.bearer import bearer_from
from frazil.runtime.errors import UserError
from frazil.runtime.private import private_folder

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Kafka Connect's REST API on Spark, writing Iceberg exactly once, and stacks to try it.",
)
settings = cache(read_settings)
screen = Screen()

StackName = Annotated[
    str | None,
    typer.Option(
        "--stack",
        help="`containers`, or the name of a local stack. If not given: containers if there are "
        "any, else dev.",
    ),
]
LocalStackName = Annotated[str, typer.Option("--stack", help="Name of the local stack.")]


@app.command()
def setup() -> None:
    """Find Java, load the jars, make the class archive: all that is needed once."""
    tools = _tools()
    screen.done(f"Java at {tools.java}")
    screen.done("Jars as locked")
    ensure_archive(settings().home, tools, desired_state=settings().desired_state, screen=screen)


@app.command()
def start(
    topology: Annotated[
        Topology | None,
        typer.Option(help="One store, or two clusters; if not given as before, at first single."),
    ] = None,
) -> None:
    """Bring the container stack up and wait until all of it is well."""
    _containers().start(topology)


@app.command()
def dev(
    stack_name: LocalStackName = "dev",
    detach: Annotated[bool, typer.Option(help="Start and return.")] = False,
) -> None:
    """Run the local stack until Ctrl-C."""
    local = _local(stack_name)
    local.start(_parts(local.folder), settings().desired_state)
    screen.say(status.summary(local.folder))
    if detach:
        screen.say(f"`frazil stop --stack {stack_name}` ends it.")
        return
    screen.say("Ctrl-C ends it.")
    with local.stopped_after():
        stack.watch(local.folder)


@app.command()
def stop(stack_name: StackName = None) -> None:
    """End every process or container of a stack; its data stays."""
    _any(stack_name).stop()


@app.command()
def restart() -> None:
    """Stop the container stack and start it again."""
    containers = _containers()
    containers.stop()
    containers.start(None)


@app.command("status")
def show_status(stack_name: StackName = None) -> None:
    """Show services and connectors of a stack."""
    _any(stack_name).show_status()


@app.command()
def doctor() -> None:
    """Say what is wrong with the container stack, why, and what to do; exit 1 if anything is."""
    containers = _containers()
    require_engine(containers.docker)
    found = diagnose(gather(containers))
    for finding in found:
        screen.warn(str(finding))
    if not found:
        screen.say("Nothing is wrong.")
    raise typer.Exit(1 if found else 0)


@app.command()
def logs(
    service: Annotated[str | None, typer.Argument(help="A service or a connector.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines.")] = False,
    stack_name: StackName = None,
) -> None:
    """Show the last lines of the logs."""
    _any(stack_name).show_logs(service, follow=follow)


@app.command()
def produce(
    topic: Annotated[str, typer.Argument(help="apilogs, errorlogs, auditlogs or all.")] = "all",
    number: Annotated[
        int | None, typer.Option("-n", min=0, help=f"How many a topic; {RECORDS:,} if not given.")
    ] = None,
    endless: Annotated[bool, typer.Option("--endless", help="Go on until Ctrl-C.")] = False,
    rate: Annotated[float | None, typer.Option(help="Records a second and topic.")] = None,
    stack_name: StackName = None,
) -> None:
    """Send generated log records to the stack's topics."""
    if endless and number is not None:
        raise typer.BadParameter("Give -n or --endless, not both.")
    chosen = _any(stack_name)
    servers = chosen.bootstrap_servers
    if number is None and not endless:
        number = RECORDS
        screen.warn(
            f"{RECORDS:,} records a topic: -n takes a number, --endless goes on until Ctrl-C."
        )
    options = {"-n": number, "--rate": rate}
    given = [
        part for key, value in options.items() if value is not None for part in (key, str(value))
    ]
    command = generator_command(topic, *given, servers=servers)
    environment = generator_environment(settings().environment(), chosen.log_topics)
    raise typer.Exit(subprocess.run(command, env=environment, check=False).returncode)


@app.command()
def query(
    question: Annotated[str | None, typer.Argument(help="A table or SQL.")] = None,
    stack_name: StackName = None,
) -> None:
    """Ask the tables; without a question, list them."""
    chosen = _any(stack_name)
    screen.table(*(chosen.tables() if question is None else chosen.ask(question)))


@app.command("verify")
def verify_connector(
    connector: Annotated[str, typer.Argument(help="A sink that writes Iceberg tables.")],
    branch: Annotated[str | None, typer.Option(help="A side branch of the tables.")] = None,
    url: Annotated[str | None, typer.Option(help="Another control API than the stack's.")] = None,
    stack_name: StackName = None,
) -> None:
    """Prove from its tables alone that a connector wrote each record once; exit 1 if not."""
    found, headers = _api(url, stack_name)
    ledger = connector_ledger(found, connector, branch, headers)
    screen.table(verify.COLUMNS, verify.rows(ledger))
    for finding in verify.findings(ledger):
        screen.warn(finding)
    screen.say(verify.verdict(ledger))
    raise typer.Exit(0 if ledger["proved"] else 1)


@app.command()
def clean(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without a question.")] = False,
    stack_name: StackName = None,
) -> None:
    """Delete a stack's data; a local one must not be running, containers are stopped first."""
    chosen = _any(stack_name)
    things = chosen.deletable()
    if not things:
        screen.say(f"The stack '{chosen.name}' has no data.")
        return
    confirm_deletion(chosen.name, things, yes=yes)
    chosen.clean()


@app.command()
def serve(
    bootstrap_servers: Annotated[str, typer.Option(help="HOST:PORT of a broker.")],
    port: Annotated[int | None, typer.Option(help="Port of the REST API.")] = None,
    engine: Annotated[str, typer.Option(help="What runs the workers.")] = "process",
    stack_name: LocalStackName = "serve",
) -> None:
    """Run the control API alone, against a broker that exists."""
    folder, port = _local(stack_name).folder, port or settings().port
    require_free(port, user="the control API", setting="--port or FRAZIL_PORT")
    private_folder(folder.root)
    inherited = _tools().environment
    environment = stack.control_api_environment(
        folder,
        port=port,
        bootstrap_servers=bootstrap_servers,
        engine=engine,
        inherited=inherited,
    )
    # This process becomes the control API, so that signals and the exit code are its own.
    os.execve(  # noqa: S606
        sys.executable, stack.CONTROL_API_COMMAND, {**inherited, **environment}
    )


@app.command()
def demo(
    number: Annotated[int, typer.Option("-n", min=1, help="Records in all.")] = 30_000,
    keep: Annotated[bool, typer.Option(help="Leave the stack running.")] = False,
    stack_name: LocalStackName = "demo",
) -> None:
    """Run a log pipeline from records to a SQL answer, and prove it exact."""
    local = _local(stack_name)
    parts = _parts(local.folder)
    local.start(parts, settings().desired_state, afresh=True)
    with local.stopped_after(only_if_it_fails=keep):
        reports = run_demo(parts, math.ceil(number / len(REQUEST_IDS)), screen)
        screen.table(COLUMNS, [report.cells() for report in reports])
        screen.say("Calls, error rate and time to response by API:")
        screen.table(*as_text(answer(Tables(local.folder), CALLS_BY_API)))
    if keep:
        screen.say(f"Left running; `frazil stop --stack {stack_name}` ends it.")
    exact = all(report.is_exact for report in reports)
    screen.say(EXACT if exact else NOT_EXACT)
    raise typer.Exit(0 if exact else 1)


def _any(name: str | None) -> AnyStack:
    containers = _containers()
    if name is None:
        name = CONTAINERS if containers.exists() else "dev"
    return containers if name == CONTAINERS else _local(name)


def _containers() -> ContainerStack:
    told = read_compose_settings()
    project = Project(
        folder=told.folder,
        name=told.project,
        warehouse=told.warehouse,
        namespace=told.namespace,
        log_topics=told.log_topics,
        key=told.client_key,
        store_key=told.store_key,
        brokers=told.other_brokers,
        connect_url=told.other_connect_url,
        outside=told.is_outside,
        aistor=bool(told.license.get_secret_value()),
        bind_address=told.bind_address,
    )
    return ContainerStack(DockerCommand(), project, screen, settings().connect_token_file)


def _api(url: str | None, stack_name: str | None = None) -> tuple[str, Headers]:
    """Find the control API, a stack's if none is named, and what it asks to be shown."""
    if url:
        return url.rstrip("/"), bearer_from(settings().connect_token_file)
    chosen = _any(stack_name)
    return chosen.api_url, chosen.headers


def _local(name: str) -> LocalStack:
    if name == CONTAINERS:
        raise NotLocalError
    return LocalStack(StackFolder(settings().home, name), screen)


def _tools() -> Tools:
    return prepare(
        settings().home, settings().java_home, environment=settings().environment(), screen=screen
    )


def _parts(folder: StackFolder) -> Stack:
    ports = Ports(
        api=settings().port,
        kafka=settings().kafka_port,
        controller=settings().kafka_controller_port,
        catalog=settings().catalog_port,
    )
    return Stack(folder, ports, _tools())


add_verbs(app, _api, screen)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    # A closed terminal and a plain `kill` end the command as Ctrl-C does: with a clean stop.
    for number in ENDINGS:
        signal.signal(number, _end)
    try:
        app()
    except UserError as error:
        screen.fail(str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
