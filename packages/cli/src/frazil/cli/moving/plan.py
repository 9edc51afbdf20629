"""What it takes to move one connector, from how it stands with it at both servers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from frazil.cli.moving import iceberg
from frazil.contracts.plugins.iceberg_tables import LISTED
from frazil.contracts.plugins.takeover_keys import TAKEOVER_GROUP
from frazil.contracts.secrets import HIDDEN
from frazil.contracts.states import ConnectState

MOVING = "frazil.label.moving"
"""Is in the configuration at the new server as long as a move is under way: the state to give."""

_STEADY = (ConnectState.PAUSED, ConnectState.STOPPED)
_SHOWN = 4
# How other servers hide a value; a lone star may mean something.
_STARS = re.compile(r"\*{3,}")


@dataclass(frozen=True)
class Place:
    """A connector at one server."""

    config: Mapping[str, str]
    kind: str
    state: ConnectState
    tasks: int

    @property
    def has_ended(self) -> bool:
        return self.state is ConnectState.STOPPED and not self.tasks


class Step(StrEnum):
    CREATE = "create, stopped"
    MARK = "use the one that is there"
    STOP = "stop the old one"
    OFFSETS = "set offsets"
    START = "give it its state"
    UNMARK = "end the move"


class Carrying(StrEnum):
    """How the new one gets to know where to begin."""

    OFFSETS = "its offsets"
    FRONTIER = "its offsets, and its tables if they are further"
    GROUP = "its group, less what waits for a commit"
    TABLES = "its tables"


@dataclass(frozen=True)
class Servers:
    """What both servers say of a class and of themselves; `keys` are None without the class."""

    old_keys: frozenset[str] | None
    new_keys: frozenset[str] | None
    same_kafka: bool = True

    @property
    def from_frazil(self) -> bool:
        return TAKEOVER_GROUP in (self.old_keys or ())

    @property
    def to_frazil(self) -> bool:
        return TAKEOVER_GROUP in (self.new_keys or ())


@dataclass(frozen=True)
class Plan:
    name: str
    old: Place
    config: Mapping[str, str]
    state: ConnectState
    carrying: Carrying
    steps: tuple[Step, ...]
    problems: tuple[str, ...]
    position: str = ""

    @property
    def marked(self) -> Mapping[str, str]:
        return {**self.config, MOVING: self.state}


def plan(name: str, old: Place, new: Place | None, servers: Servers) -> Plan:
    """Decide it; what the new server says of the configuration comes on top of the problems."""
    wish = old.state if old.state in _STEADY else ConnectState.RUNNING
    carrying = _carrying(old.config, servers)
    steps = tuple(_steps(old, new, carrying))
    if new is not None and MOVING in new.config:
        wish = ConnectState(new.config[MOVING])
    return Plan(
        name,
        old,
        config=new_config(name, old.config, servers),
        state=wish,
        carrying=carrying,
        steps=steps,
        problems=tuple(_problems(old, new, servers)) if steps else (),
    )


def new_config(name: str, config: Mapping[str, str], servers: Servers) -> Mapping[str, str]:
    """Take the configuration as it is, but for what says where the new one begins."""
    if servers.from_frazil and servers.to_frazil:
        return {key: text for key, text in config.items() if key != MOVING}
    found = _own(config)
    if servers.to_frazil and iceberg.is_iceberg(config):
        return {**found, TAKEOVER_GROUP: iceberg.group_of(name, config)}
    return found


def _steps(old: Place, new: Place | None, carrying: Carrying) -> Iterator[Step]:
    is_marked = new is not None and MOVING in new.config
    if is_marked and new is not None and new.state is not ConnectState.STOPPED:
        yield Step.UNMARK
        return
    if new is not None and not is_marked and old.state is ConnectState.STOPPED:
        return
    if not is_marked:
        yield Step.CREATE if new is None else Step.MARK
    if not old.has_ended:
        yield Step.STOP
    if carrying in (Carrying.OFFSETS, Carrying.FRONTIER):
        yield Step.OFFSETS
    yield from (Step.START, Step.UNMARK)


def _carrying(config: Mapping[str, str], servers: Servers) -> Carrying:
    if not iceberg.is_iceberg(config):
        return Carrying.OFFSETS
    if servers.to_frazil:
        return Carrying.TABLES if servers.from_frazil else Carrying.GROUP
    return Carrying.FRONTIER if servers.from_frazil else Carrying.OFFSETS


def _problems(old: Place, new: Place | None, servers: Servers) -> Iterator[str]:
    class_name = old.config.get("connector.class", "")
    if servers.new_keys is None:
        yield f"The new server has no class {class_name}."
    for name, value in old.config.items():
        if value == HIDDEN or _STARS.fullmatch(value):
            yield f"{name} came hidden: ask as somebody who may see it, or move it by hand."
    if not servers.same_kafka and old.kind == "sink":
        yield "The servers have different Kafka clusters: offsets of one mean nothing in the other."
    if new is not None and MOVING not in new.config:
        yield from _in_the_way(old, new)
    if iceberg.is_iceberg(old.config) and servers.from_frazil is not servers.to_frazil:
        yield from _of_iceberg(old, servers)


def _in_the_way(old: Place, new: Place) -> Iterator[str]:
    """Object to one that is there already, unless it is the same."""
    if new.state is not ConnectState.STOPPED:
        yield "It runs at both servers. Stop the one that is not to go on."
    elif _own(old.config) != _own(new.config):
        yield "The new server has another connector of this name. Delete or rename one."


def _of_iceberg(old: Place, servers: Servers) -> Iterator[str]:
    if servers.to_frazil and not old.config.get(LISTED):
        yield (
            "Its records name their tables, so nobody can see whether files wait to be committed. "
            "Pause it, wait for its commit interval and timeout, and move it by hand: stop it, "
            "create it stopped, set its offsets, resume it."
        )
    if servers.from_frazil and iceberg.is_older(old.config):
        group = iceberg.group_of("<name>", old.config)
        yield (
            f"Tabular's sink begins where its own group is ({group}), which Connect's API cannot "
            "move. Set that group with Kafka's tools, and move the connector by hand."
        )


def _own(config: Mapping[str, str]) -> Mapping[str, str]:
    return {key: text for key, text in config.items() if key not in (MOVING, TAKEOVER_GROUP)}


COLUMNS = ("connector", "class", "state", "position", "begins at", "what happens")


def cells(made: Plan) -> tuple[str, ...]:
    """Tell a plan in a row of a table."""
    what = "; ".join(made.steps) or "nothing: it was moved"
    return (
        made.name,
        made.old.config.get("connector.class", "").rpartition(".")[2],
        made.old.state,
        made.position,
        made.carrying,
        "not moved: see below" if made.problems else what,
    )


def position(entries: Sequence[Any]) -> str:
    """Tell offsets in short, of sinks and of sources."""
    told = [
        f"{' '.join(map(str, entry['partition'].values()))}: "
        f"{' '.join(map(str, (entry['offset'] or {}).values()))}"
        for entry in entries[:_SHOWN]
    ]
    more = len(entries) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")
