"""The command: `produce`, `drive` and `healthy`; JSON lines on stdout say what was done."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Mapping
from random import Random
from typing import Annotated, TypeVar

import typer

from frazil.contracts.log_topics import Topic
from frazil.log_generator.clock import Clock
from frazil.log_generator.drive import Drive
from frazil.log_generator.errors import GeneratorError
from frazil.log_generator.heartbeat import is_beating
from frazil.log_generator.operations import Calls
from frazil.log_generator.pace import Pace
from frazil.log_generator.producer import Report
from frazil.log_generator.producer import produce as produce_records
from frazil.log_generator.records import Records
from frazil.log_generator.settings import DriveSettings, GeneratorSettings
from frazil.log_generator.source import Source
from frazil.log_generator.store import THREADS, S3Store
from frazil.log_generator.topics import topics_of
from frazil.log_generator.traffic import Traffic
from frazil.runtime.logs import configure, get_logger
from frazil.runtime.settings import BadSettingsError, read_settings
from frazil.runtime.tasks import stop_event

# By `python -m` this module's own name is `__main__`, of which no level is set.
log = get_logger("frazil.log_generator")
app = typer.Typer(add_completion=False, no_args_is_help=True, help="Traffic and log records.")

_Settings = TypeVar("_Settings", bound=GeneratorSettings)
Seed = Annotated[int | None, typer.Option(help="Same seed, same choices; random if not.")]


@app.command()
def produce(
    topic: Annotated[
        str, typer.Argument(help="apilogs, errorlogs, auditlogs, another name of theirs, or all.")
    ],
    count: Annotated[
        int | None,
        typer.Option("-n", "--count", min=0, help="Records a topic; without it, until a signal."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.01, help="Records a second and topic; without it, all that can be."),
    ] = None,
    seed: Seed = None,
    bad: Annotated[
        float, typer.Option(min=0, max=1, help="Share of records that are bad on purpose.")
    ] = 0.0,
    bootstrap_servers: Annotated[
        str | None, typer.Option(help="Kafka brokers; FRAZIL_BOOTSTRAP_SERVERS if not given.")
    ] = None,
) -> None:
    """Produce log records of real shape; one JSON line a topic when it ends."""
    settings = _begin(GeneratorSettings)
    seed = _chosen(seed)
    start_ns = time.time_ns()
    topics = {settings.log_topics[role]: role for role in _roles(topic, settings)}
    log.info("started", topics=list(topics), seed=seed, count=count, rate=rate, bad=bad)
    sources = {
        name: Source(role, seed=seed, start_ns=start_ns, bad=bad) for name, role in topics.items()
    }
    reports = {name: Report(name) for name in topics}
    try:
        asyncio.run(
            _produce(
                bootstrap_servers or settings.bootstrap_servers,
                sources=sources,
                pace=Pace(rate=rate, count=count),
                reports=reports,
            )
        )
    except GeneratorError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    finally:
        for report in reports.values():
            typer.echo(json.dumps(report.as_dict()))


def _roles(word: str, settings: GeneratorSettings) -> tuple[Topic, ...]:
    try:
        return topics_of(word, settings.log_topics)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


async def _produce(
    servers: str,
    *,
    sources: Mapping[str, Source],
    pace: Pace,
    reports: Mapping[str, Report],
) -> None:
    await produce_records(servers, sources=sources, pace=pace, stop=stop_event(), reports=reports)


@app.command()
def drive(seed: Seed = None) -> None:
    """Use a store as its clients do, and produce records; one JSON line after a signal."""
    settings = _begin(DriveSettings)
    # It tells of progress itself, of all topics at once.
    logging.getLogger("frazil.log_generator.producer").setLevel(logging.WARNING)
    asyncio.run(_drive(settings, _chosen(seed)))


async def _drive(settings: DriveSettings, seed: int) -> None:
    clock = Clock(stop_event())
    traffic = _traffic(settings, seed, clock=clock)
    both = Drive(traffic, _records(settings, seed, clock=clock), clock=clock)
    log.info("started", seed=seed, s3_rate=settings.s3_rate, records_rate=settings.records_rate)
    try:
        await both.run()
    finally:
        typer.echo(json.dumps(both.counts()))


def _traffic(settings: DriveSettings, seed: int, *, clock: Clock) -> Traffic | None:
    store = settings.store
    if store is None:
        return None
    calls = Calls(
        Random(seed),  # noqa: S311 (traffic, not secrets)
        mix=settings.s3_mix,
        sizes=settings.s3_sizes,
        buckets=settings.s3_buckets,
    )
    return Traffic(S3Store(store), calls, rate=settings.s3_rate, threads=THREADS, clock=clock)


def _records(settings: DriveSettings, seed: int, *, clock: Clock) -> list[Records]:
    start_ns = time.time_ns()
    return [
        Records(
            settings.log_topics[topic],
            Source(topic, seed=seed, start_ns=start_ns),
            servers=settings.bootstrap_servers,
            rate=settings.records_rate,
            clock=clock,
        )
        for topic in settings.topics
    ]


@app.command()
def healthy() -> None:
    """Exit with 1 if `drive` gave no sign of life in the last minute."""
    if not is_beating():
        typer.echo("`drive` has given no sign of life for a minute.", err=True)
        raise typer.Exit(1)


def _begin(kind: type[_Settings]) -> _Settings:
    try:
        settings = read_settings(kind)
    except BadSettingsError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    configure(settings.log_level, settings.log_format)
    # Its errors come to us as exceptions, and we say them once and in our words.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    return settings


def _chosen(seed: int | None) -> int:
    return secrets.randbits(32) if seed is None else seed


if __name__ == "__main__":
    app()
