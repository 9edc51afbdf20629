"""The use cases of Connect's offsets API: a sink's consumer group, a source's offsets topic.

A sink goes on where its table says. So what is altered in its group is also noted as a rewind,
which its next worker applies to the table's ledger.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Protocol

from frazil.contracts.kafka_properties import overridden
from frazil.contracts.naming import consumer_group
from frazil.contracts.offsets import Mode, Rewind
from frazil.contracts.plugins import InvalidOffsetError, Plugin, UnknownPluginError, find_plugin
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Phase
from frazil.control_api.core.errors import BadRequestError, BrokerError, GroupBusyError
from frazil.control_api.core.offsets import (
    PartitionOffset,
    Positions,
    Since,
    Wishes,
    mode_of,
    require_possible,
    reset,
    rewound,
    sink_entries,
    sink_wishes,
)
from frazil.control_api.core.ports import Clock, GroupOffsets, OffsetsTopic
from frazil.control_api.core.side_branches import require_ended, require_side

MakeRewind = Callable[[Connector], Rewind]
Remember = Callable[[str, MakeRewind], Awaitable[None]]
Resolve = Callable[[Mapping[str, str]], Awaitable[Mapping[str, str]]]

_UNDOING = (
    ". The next worker takes back the rows from there on, whole commits at a time, and may begin "
    "a little earlier for that"
)
_BRANCHING = (
    ". The next worker begins a side branch of each table there, and writes to that until you "
    "publish or drop it: see offsets/branch"
)
_SAID = {Mode.ONCE: _UNDOING, Mode.BRANCH: _BRANCHING}


class KindOfOffsets(Protocol):
    """What there is to do with offsets, for sinks and for sources."""

    async def read(self, connector: Connector) -> list[PartitionOffset]: ...

    async def alter(
        self,
        connector: Connector,
        entries: Sequence[PartitionOffset],
        mode: Mode | None,
        branch: str | None,
    ) -> None: ...

    async def reset(self, connector: Connector, mode: Mode | None, branch: str | None) -> None: ...


class OffsetService:
    def __init__(self, sinks: KindOfOffsets, sources: KindOfOffsets) -> None:
        self._kinds = {"sink": sinks, "source": sources}

    async def read(self, connector: Connector) -> list[PartitionOffset]:
        return await self._kind(connector).read(connector)

    async def alter(
        self,
        connector: Connector,
        entries: Sequence[PartitionOffset],
        mode: Mode | None = None,
        branch: str | None = None,
    ) -> str:
        _require_target_stopped(connector)
        _require_mode(connector, mode, branch)
        await self._kind(connector).alter(connector, entries, mode, branch)
        return _done("altered", mode)

    async def reset(
        self, connector: Connector, mode: Mode | None = None, branch: str | None = None
    ) -> str:
        _require_target_stopped(connector)
        _require_mode(connector, mode, branch)
        await self._kind(connector).reset(connector, mode, branch)
        return _done("reset", mode)

    def _kind(self, connector: Connector) -> KindOfOffsets:
        return self._kinds[_plugin(connector).type]


class ClientProperties:
    """Kafka client properties of a connector: those of all workers, and its own overrides."""

    def __init__(self, kafka: Mapping[str, str], resolve: Resolve) -> None:
        self._kafka = kafka
        self._resolve = resolve

    async def of(self, connector: Connector, *prefixes: str) -> dict[str, str]:
        config = await self._resolve(connector.config)
        overrides = (
            {name.removeprefix(prefix): text}
            for prefix in prefixes
            for name, text in config.items()
            if name.startswith(prefix)
        )
        return overridden(self._kafka, *overrides)


class SinkOffsets:
    def __init__(
        self,
        groups: GroupOffsets,
        properties: ClientProperties,
        remember: Remember,
        clock: Clock,
    ) -> None:
        self._groups = groups
        self._properties = properties
        self._remember = remember
        self._clock = clock

    async def read(self, connector: Connector) -> list[PartitionOffset]:
        name = connector.name
        with _failing_with(f"Failed to retrieve consumer group offsets for sink connector {name}"):
            return sink_entries(await self._groups.read(*await self._group(connector)))

    async def alter(
        self,
        connector: Connector,
        entries: Sequence[PartitionOffset],
        mode: Mode | None,
        branch: str | None,
    ) -> None:
        wishes = sink_wishes(connector.name, entries)
        mode_of(connector.rewind, connector.observed.rewind, mode)
        with _moving("alter", connector, f"consumer group offsets for connector {connector.name}"):
            properties, group = await self._group(connector)
            positions = await self._positions(properties, wishes)
            await self._groups.alter(properties, group, positions)
        await self._note(connector, partial(rewound, positions=positions, mode=mode, branch=branch))

    async def _positions(self, properties: Mapping[str, str], wishes: Wishes) -> Positions:
        times = {key: wish.ms for key, wish in wishes.items() if isinstance(wish, Since)}
        found = await self._groups.at(properties, times) if times else {}
        return {
            key: found[key] if isinstance(wish, Since) else wish for key, wish in wishes.items()
        }

    async def reset(self, connector: Connector, mode: Mode | None, branch: str | None) -> None:
        require_ended(connector.rewind, connector.observed.rewind)
        with _moving("reset", connector, f"consumer group offsets for connector {connector.name}"):
            await self._groups.delete(*await self._group(connector))
        await self._note(connector, partial(reset, mode=mode, branch=branch))

    async def _note(self, connector: Connector, make: Callable[..., Rewind]) -> None:
        now = self._clock.now()
        await self._remember(
            connector.name, lambda found: make(found.rewind, found.observed.rewind, now=now)
        )

    async def _group(self, connector: Connector) -> tuple[dict[str, str], str]:
        properties = await self._properties.of(connector, "consumer.override.", "admin.override.")
        return properties, properties.get("group.id", consumer_group(connector.name))


class SourceOffsets:
    def __init__(self, topic: OffsetsTopic, properties: ClientProperties) -> None:
        self._topic = topic
        self._properties = properties

    async def read(self, connector: Connector) -> list[PartitionOffset]:
        name = connector.name
        with _failing_with(f"Failed to retrieve offsets for source connector {name}"):
            return await self._topic.read(await self._client(connector), name)

    async def alter(
        self, connector: Connector, entries: Sequence[PartitionOffset], *_: object
    ) -> None:
        _check_entries(connector, entries)
        with _moving("modify", connector, f"offsets for source connector {connector.name}"):
            await self._topic.write(await self._client(connector), connector.name, entries)

    async def reset(self, connector: Connector, *_: object) -> None:
        with _moving("modify", connector, f"offsets for source connector {connector.name}"):
            client = await self._client(connector)
            known = await self._topic.read(client, connector.name)
            forgotten = [PartitionOffset(entry.partition, None) for entry in known]
            await self._topic.write(client, connector.name, forgotten)

    async def _client(self, connector: Connector) -> dict[str, str]:
        return await self._properties.of(connector, "producer.override.")


def _done(verb: str, mode: Mode | None) -> str:
    message = f"The offsets for this connector have been {verb} successfully"
    return message + _SAID.get(mode, "") if mode else message


def has_ended(connector: Connector) -> bool:
    """Tell whether nothing of a stopped connector is left that could move its offsets."""
    return connector.observed.phase is Phase.NONE


def _require_target_stopped(connector: Connector) -> None:
    if connector.target is not Target.STOPPED:
        raise BadRequestError(
            "Connectors must be in the STOPPED state before their offsets can be modified. This "
            "can be done for the specified connector by issuing a 'PUT' request to the "
            f"'/connectors/{connector.name}/stop' endpoint"
        )


def _require_mode(connector: Connector, mode: Mode | None, branch: str | None) -> None:
    if mode is None and branch is None:
        return
    config = _plugin(connector).read(connector.config)
    if mode is not None:
        require_possible(config, mode)
    require_side(config, mode, branch)


def _plugin(connector: Connector) -> Plugin:
    try:
        return find_plugin(connector.config["connector.class"])
    except UnknownPluginError as error:
        raise BadRequestError(str(error)) from error


def _check_entries(connector: Connector, entries: Sequence[PartitionOffset]) -> None:
    plugin = _plugin(connector)
    for entry in entries:
        if entry.partition is None:
            raise BadRequestError("Partition objects cannot be null")
        try:
            plugin.check_source_offset(entry.partition, entry.offset)
        except InvalidOffsetError as error:
            raise BadRequestError(str(error)) from error


@contextmanager
def _failing_with(failure: str) -> Iterator[None]:
    try:
        yield
    except BrokerError as error:
        raise type(error)(f"{failure}: {error.message}") from error


@contextmanager
def _moving(verb: str, connector: Connector, what: str) -> Iterator[None]:
    """Word the failures of a change; that somebody is still at work is one of them."""
    try:
        if not has_ended(connector):
            raise GroupBusyError("its worker lives")
        with _failing_with(f"Failed to {verb} {what}"):
            yield
    except GroupBusyError as error:
        raise GroupBusyError(
            f"Failed to {verb} {what} either because its tasks haven't stopped completely yet or "
            f"the connector was resumed before the request to {verb} its offsets could be "
            "successfully completed. If the connector is in a stopped state, this operation can "
            "be safely retried. If it doesn't eventually succeed, the Connect cluster may need to "
            "be restarted to get rid of the zombie sink tasks."
        ) from error
