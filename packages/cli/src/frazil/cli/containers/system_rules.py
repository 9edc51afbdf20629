"""The doctor's rules about containers, ports, the store, the catalog's key, Trino and the disk."""

from collections.abc import Iterator

from frazil.cli.containers.facts import Away, Facts, Refused
from frazil.cli.containers.findings import Finding
from frazil.cli.containers.project import PROVISIONER, TABLE_CATALOG, TABLE_FRONTS, TRINO
from frazil.cli.containers.seen import Container

_LEAST_FREE = 0.05


def absent(facts: Facts) -> Iterator[Finding]:
    if not any(one.is_running for one in facts.services):
        cause = "It was stopped; its data is there." if facts.services else "It was not started."
        yield Finding("No container of the stack is running.", cause, "`frazil start`")


def containers(facts: Facts) -> Iterator[Finding]:
    for one in facts.services:
        cause = None if one.name == PROVISIONER else _cause(one)
        if cause:
            yield Finding(
                f"{one.name} is {one.condition}.",
                cause,
                f"`frazil logs {one.name}`; then `frazil restart`",
            )
    for one in facts.workers:
        if one.oom_killed:
            yield Finding(
                f"The worker of {one.name} was killed.",
                "It needed more memory than its container may have.",
                f"Raise `frazil.driver.memory` in the configuration of {one.name}.",
            )


def _cause(one: Container) -> str | None:
    if one.oom_killed:
        return "It needed more memory than its container may have (mem_limit in the compose files)."
    match one.state:
        case "running":
            return "Its health check fails." if one.health == "unhealthy" else None
        case "restarting":
            return f"It ends as soon as it is started; {one.restarts} times so far."
        case "created":
            return "It was never started, for something that it depends on did not come up."
        case "exited" if one.exit_code == 0:
            return "It was stopped."
        case "exited":
            return f"It ended with the exit code {one.exit_code}."
        case state:
            return f"Docker says that it is {state}."


def provisioner(facts: Facts) -> Iterator[Finding]:
    one = facts.service(PROVISIONER)
    again = f"`frazil start` runs it again; what it says: `frazil logs {PROVISIONER}`"
    if one is None or one.state == "created":
        yield Finding(
            "There may be no topics, tables or connectors.",
            f"{PROVISIONER}, which makes them, has not run.",
            again,
        )
    elif not facts.provisioned and one.has_failed:
        yield Finding(
            f"{PROVISIONER} is {one.condition}: topics, tables or connectors may be missing.",
            f"The end of its log:\n{facts.provisioner_log}",
            again,
        )


def ports(facts: Facts) -> Iterator[Finding]:
    for name, port in facts.silent:
        yield Finding(
            f"Nothing answers at port {port}, where {name} is published.",
            f"{name} runs but does not listen yet, or the engine is on another machine.",
            f"`frazil logs {name}`; then `frazil restart`",
        )


def stores(facts: Facts) -> Iterator[Finding]:
    for name, port in facts.sick_stores.items():
        if facts.answers(name):
            yield Finding(
                f"The store behind {name} (port {port}) is not healthy.",
                "It is starting, or fewer of its nodes run than it needs to write.",
                f"`frazil status` shows its nodes; wait for them, or `frazil logs {name}`",
            )


def key(facts: Facts) -> Iterator[Finding]:
    if isinstance(facts.catalog, Refused):
        yield Finding(
            f"The catalog refuses the key of the settings: {facts.catalog.reason}",
            "MINIO_ROOT_USER and MINIO_ROOT_PASSWORD, or MINIO_ACCESS_KEY and MINIO_SECRET_KEY, "
            "are others than those it was started with.",
            "Correct both in deploy/compose/.env; then `frazil restart`",
        )
    elif facts.catalog and any(
        facts.answers(n) and n not in facts.sick_stores for n in TABLE_FRONTS
    ):
        yield Finding(
            f"The catalog does not answer: {facts.catalog.reason}",
            "It is not up, or the proxy in front of it cannot reach it.",
            f"`frazil logs {_catalog(facts)}`; then `frazil restart`",
        )


def known_keys(facts: Facts) -> Iterator[Finding]:
    if facts.exposed is not None:
        yield Finding(
            f"Others than this machine may reach the stores (BIND_ADDRESS={facts.exposed}).",
            "Their keys are those that everybody knows.",
            "Set BIND_ADDRESS to 127.0.0.1 in deploy/compose/.env; or MINIO_ROOT_USER and "
            "MINIO_ROOT_PASSWORD, after `frazil clean --stack containers`. Then `frazil start`",
        )


def _catalog(facts: Facts) -> str:
    """Name the service that is the catalog: our own, or the store itself."""
    fronts = (name for name in TABLE_FRONTS if facts.answers(name))
    return TABLE_CATALOG if facts.service(TABLE_CATALOG) else next(fronts, TABLE_CATALOG)


def trino(facts: Facts) -> Iterator[Finding]:
    if not facts.answers(TRINO):
        return
    if isinstance(facts.trino, Away):
        yield Finding(
            "Trino answers no query.", facts.trino.reason, "Wait a minute; then `frazil logs trino`"
        )
    elif facts.warehouse not in facts.trino:
        yield Finding(
            f"Trino has no catalog {facts.warehouse}.",
            f"{PROVISIONER} has not made it since the container of Trino was made.",
            "`frazil start`",
        )
    elif isinstance(facts.rows, Away):
        yield Finding(
            "Trino cannot read the tables.",
            facts.rows.reason,
            "`frazil logs trino`; then `frazil start`",
        )


def disk(facts: Facts) -> Iterator[Finding]:
    if facts.free is not None and facts.free < _LEAST_FREE:
        yield Finding(
            f"Docker's disk has {facts.free:.1%} left.",
            "Images, build caches and volumes fill it; broker and stores stop when it is full.",
            "`docker system df` shows what takes the room; `docker builder prune` frees some",
        )
