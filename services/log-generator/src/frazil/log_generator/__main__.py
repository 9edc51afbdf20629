"""The command: records into topics, one JSON line a topic on stdout when it ends."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Mapping
from typing import Annotated

import typer

from frazil.log_generator.errors import GeneratorError
from frazil.log_generator.pace import Pace
from frazil.log_generator.producer import Report, produce
from frazil.log_generator.settings import GeneratorSettings
from frazil.log_generator.source import Source
from frazil.log_generator.topics import Topic, topics_of
from frazil.runtime.logs import configure, get_logger
from frazil.runtime.tasks import stop_event

log = get_logger(__name__)
app = typer.Typer(add_completion=False)


def _known(word: str) -> str:
    try:
        topics_of(word)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return word


@app.command()
def generate(
    topic: Annotated[
        str, typer.Argument(help="apilogs, errorlogs, auditlogs or all.", callback=_known)
    ],
    count: Annotated[
        int | None,
        typer.Option("-n", "--count", min=0, help="Records a topic; without it, until a signal."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.01, help="Records a second and topic; without it, all that can be."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Same seed, same records; random if not.")
    ] = None,
    bad: Annotated[
        float, typer.Option(min=0, max=1, help="Share of records that are bad on purpose.")
    ] = 0.0,
    bootstrap_servers: Annotated[
        str | None, typer.Option(help="Kafka brokers; FRAZIL_BOOTSTRAP_SERVERS if not given.")
    ] = None,
) -> None:
    """Produce log records of real shape."""
    settings = GeneratorSettings()
    configure(settings.log_level, settings.log_format)
    # Its errors come to us as exceptions, and we say them once and in our words.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    seed = secrets.randbits(32) if seed is None else seed
    start_ns = time.time_ns()
    topics = topics_of(topic)
    log.info("started", topics=topics, seed=seed, count=count, rate=rate, bad=bad)
    sources = {t: Source(t, seed=seed, start_ns=start_ns, bad=bad) for t in topics}
    reports = {t: Report(t) for t in topics}
    try:
        asyncio.run(
            _run(
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


async def _run(
    servers: str,
    *,
    sources: Mapping[Topic, Source],
    pace: Pace,
    reports: Mapping[Topic, Report],
) -> None:
    await produce(servers, sources=sources, pace=pace, stop=stop_event(), reports=reports)


if __name__ == "__main__":
    app()
