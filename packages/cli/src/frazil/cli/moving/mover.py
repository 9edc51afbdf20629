"""Carries plans out, step by step; whatever ends it, to call it again goes on."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from frazil.cli.moving import iceberg
from frazil.cli.moving.plan import Carrying, Plan, Servers, Step, plan, position
from frazil.cli.moving.server import Server, ServerError
from frazil.cli.screen import Screen
from frazil.contracts.offsets import Offsets, each
from frazil.contracts.states import ConnectState
from frazil.runtime.errors import UserError

_VERBS = {ConnectState.RUNNING: "resume", ConnectState.PAUSED: "pause"}


class NoSuchConnectorError(UserError):
    def __init__(self, url: str, name: str) -> None:
        super().__init__(f"{url} has no connector {name}. `--all` moves those that it has.")


class MoveFailedError(UserError):
    """Says how it stands at both servers, so that nobody has to look."""


class Mover:
    def __init__(self, old: Server, new: Server, screen: Screen) -> None:
        self._old = old
        self._new = new
        self._screen = screen

    def plans(self, names: list[str]) -> list[Plan]:
        """Plan for these, or for all; nothing is changed."""
        there = self._old.require((3, 5), "stop connectors and tell their offsets")
        here = self._new.require((3, 7), "create a connector that is stopped")
        same_kafka = not (there and here) or there == here
        return [self._plan(name, same_kafka=same_kafka) for name in names or self._old.names()]

    def _plan(self, name: str, *, same_kafka: bool) -> Plan:
        found = self._old.find(name)
        if found is None:
            raise NoSuchConnectorError(self._old.url, name)
        class_name = found.config.get("connector.class", "")
        servers = Servers(
            self._old.keys_of(class_name), self._new.keys_of(class_name), same_kafka=same_kafka
        )
        made = plan(name, found, self._new.find(name), servers)
        if not made.steps:
            return made
        where, more = self._position(made)
        if servers.new_keys is not None:
            more += self._new.faults(made.marked)
        return replace(made, position=where, problems=(*made.problems, *more))

    def _position(self, made: Plan) -> tuple[str, list[str]]:
        """Say where it is, or why nobody knows: that is in the way of no other connector."""
        try:
            if made.carrying is Carrying.FRONTIER:
                self._old.ledgers(made.name)
            return position(self._old.offsets(made.name)), []
        except ServerError as error:
            return "unknown", [f"Where it is cannot be read. {error}"]

    def move(self, made: Plan) -> None:
        """Do the steps of a plan, each said when it is done."""
        for step in made.steps:
            with self._telling(made.name, step):
                self._do(step, made)

    def _do(self, step: Step, made: Plan) -> None:
        name = made.name
        match step:
            case Step.CREATE:
                self._new.create_stopped(name, made.marked)
            case Step.MARK:
                self._new.configure(name, made.marked)
            case Step.STOP:
                self._old.steer(name, "stop")
                self._old.wait_until_ended(name)
            case Step.OFFSETS:
                self._carry(made)
            case Step.START:
                if made.state in _VERBS:
                    self._new.steer(name, _VERBS[made.state])
            case Step.UNMARK:
                self._new.configure(name, made.config)

    def _carry(self, made: Plan) -> None:
        is_ours = made.carrying is Carrying.FRONTIER
        entries = self._reached(made.name) if is_ours else self._old.offsets(made.name)
        if entries:
            self._new.alter_offsets(made.name, entries)

    def _reached(self, name: str) -> list[Any]:
        """Return the offsets of a sink of ours, by its group and by its tables."""
        group: Offsets = {}
        for entry in self._old.offsets(name):
            place = entry["partition"]
            partitions = group.setdefault(place["kafka_topic"], {})
            partitions[place["kafka_partition"]] = entry["offset"]["kafka_offset"]
        try:
            offsets = iceberg.reached(group, self._old.ledgers(name))
        except iceberg.UnevenTablesError:
            raise ServerError(
                "one of its tables is ahead of the others. Resume it at the old server until they "
                "are even, and call this again"
            ) from None
        return [
            {
                "partition": {"kafka_topic": topic, "kafka_partition": partition},
                "offset": {"kafka_offset": offset},
            }
            for topic, partition, offset in sorted(each(offsets))
        ]

    @contextmanager
    def _telling(self, name: str, step: Step) -> Iterator[None]:
        try:
            with self._screen.step(f"{name}: {step}"):
                yield
        except UserError as error:
            raise MoveFailedError(
                f"{name}: could not {step}: {error}\n"
                f"It is {_state(self._old, name)} at {self._old.url} and "
                f"{_state(self._new, name)} at {self._new.url}. Call this again to go on; to go "
                "back, delete it at the new server and resume it at the old one."
            ) from error


def _state(server: Server, name: str) -> str:
    with suppress(UserError):
        found = server.find(name)
        return "not there" if found is None else found.state
    return "out of sight"
