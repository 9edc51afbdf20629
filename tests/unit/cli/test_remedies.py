"""What the doctor prints in backticks can be typed as it stands."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import typer
from tests.unit.cli.test_doctor import CASES

from frazil.cli import __main__ as command
from frazil.cli.containers.doctor import diagnose
from frazil.cli.containers.facts import Away, Facts
from frazil.cli.containers.project import PROVISIONER
from frazil.contracts.log_topics import DEFAULT_TOPICS, Topic
from frazil.log_generator.topics import topics_of

OPENAPI = Path(__file__).parents[3] / "schemas" / "openapi.json"
_QUOTED = re.compile(r"`([^`]*)`")
_DOCKER = ("docker system df", "docker builder prune")
_KEYS = ("frazil.driver.memory",)
_ROUTES = json.loads(OPENAPI.read_text())["paths"]
# The services of the stack, whether the facts of a case have them or not.
_SERVICES = {PROVISIONER, "trino", "log-generator", "kafka-connect"}


def remedies() -> list[tuple[str, Facts, str]]:
    return [
        (name, facts, finding.remedy)
        for name, (facts, _) in CASES.items()
        for finding in diagnose(facts)
    ]


@pytest.mark.parametrize(("name", "facts", "remedy"), remedies(), ids=lambda one: str(one)[:40])
def test_each_command_of_a_remedy_is_accepted(name: str, facts: Facts, remedy: str) -> None:
    del name
    for text in _QUOTED.findall(remedy):
        program, *arguments = shlex.split(text)
        if program == "frazil":
            require_verb(arguments, facts)
        elif program == "curl":
            require_route(arguments)
        else:
            assert text in (*_DOCKER, *_KEYS)


@pytest.mark.parametrize(("name", "facts", "remedy"), remedies(), ids=lambda one: str(one)[:40])
def test_no_command_is_outside_of_backticks(name: str, facts: Facts, remedy: str) -> None:
    del name, facts
    assert not re.search(r"\b(frazil|curl|docker)\b", _QUOTED.sub("", remedy))


def require_verb(arguments: list[str], facts: Facts) -> None:
    """Parse the line as the command itself does, then ask whether its words are known."""
    group = typer.main.get_command(command.app)
    assert isinstance(group, typer.core.TyperGroup)
    above = group.make_context("frazil", list(arguments))
    name, verb, rest = group.resolve_command(above, arguments)
    assert verb is not None
    given = verb.make_context(name, rest, parent=above).params
    if name == "produce":
        names = dict(DEFAULT_TOPICS) | dict(zip(Topic, facts.log_topics, strict=False))
        assert topics_of(given["topic"], names)
    if name == "logs":
        assert given["service"] in logged(facts)


def logged(facts: Facts) -> set[str]:
    connectors = () if isinstance(facts.connectors, Away) else facts.connectors
    containers = {one.name for one in (*facts.services, *facts.workers)}
    return _SERVICES | containers | {one.name for one in connectors}


def require_route(arguments: list[str]) -> None:
    flag, method, url = arguments
    assert flag == "-X"
    path = re.sub("^/connectors/[^/]+", "/connectors/{name}", urlsplit(url).path)
    routes = {re.sub(r"\{[^}]+\}", "{name}", route): methods for route, methods in _ROUTES.items()}
    assert method.lower() in routes[path]
