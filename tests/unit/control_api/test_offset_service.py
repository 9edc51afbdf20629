"""The use cases of offsets, on groups and a topic in memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from tests.support.control_api import SINK_CLASS, FakeClock

from frazil.contracts.offsets import Mode, Offsets, Rewind
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import (
    BadRequestError,
    BrokerError,
    ControlError,
    GroupBusyError,
    PendingRewindError,
    SideBranchError,
    UnknownPartitionError,
)
from frazil.control_api.core.offset_service import (
    ClientProperties,
    OffsetService,
    SinkOffsets,
    SourceOffsets,
)
from frazil.control_api.core.offsets import PartitionOffset, Positions

MOVE = [PartitionOffset({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 5})]
LISTED = {"iceberg.tables": "ns.t"}
FILE = PartitionOffset({"filename": "a"}, {"position": 3})


@dataclass
class Groups:
    calls: list[tuple[str, ...]] = field(default_factory=list)
    properties: Mapping[str, str] = field(default_factory=dict)
    failure: ControlError | None = None

    async def read(self, properties: Mapping[str, str], group: str) -> Offsets:
        self._note(properties, "read", group)
        return {"t": {0: 5}}

    async def at(
        self, properties: Mapping[str, str], times: Mapping[tuple[str, int], int]
    ) -> Mapping[tuple[str, int], int]:
        self._note(properties, "at", str(dict(times)))
        return {key: ms // 1000 for key, ms in times.items()}

    async def alter(self, properties: Mapping[str, str], group: str, positions: Positions) -> None:
        self._note(properties, "alter", group, str(dict(positions)))

    async def delete(self, properties: Mapping[str, str], group: str) -> None:
        self._note(properties, "delete", group)

    def _note(self, properties: Mapping[str, str], *call: str) -> None:
        if self.failure is not None:
            raise self.failure
        self.properties = properties
        self.calls.append(call)


@dataclass
class Topic:
    stored: list[PartitionOffset] = field(default_factory=lambda: [FILE])
    written: list[tuple[str, PartitionOffset]] = field(default_factory=list)
    properties: Mapping[str, str] = field(default_factory=dict)

    async def read(self, properties: Mapping[str, str], connector: str) -> list[PartitionOffset]:
        self.properties = properties
        return self.stored if connector == "src" else []

    async def write(
        self, properties: Mapping[str, str], connector: str, entries: Sequence[PartitionOffset]
    ) -> None:
        self.properties = properties
        self.written += [(connector, entry) for entry in entries]


@dataclass
class World:
    """The service, and what it did."""

    groups: Groups = field(default_factory=Groups)
    topic: Topic = field(default_factory=Topic)
    rewinds: list[Rewind] = field(default_factory=list)
    login: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        operator = {"bootstrap.servers": "kafka:9092", **self.login}
        properties = ClientProperties(operator, self._resolve)
        self.service = OffsetService(
            SinkOffsets(self.groups, properties, self._remember, FakeClock(1000.5)),
            SourceOffsets(self.topic, properties),
        )

    async def _resolve(self, config: Mapping[str, str]) -> Mapping[str, str]:
        return {name: text.replace("${env:PORT}", "9999") for name, text in config.items()}

    async def _remember(self, _name: str, make: Callable[[Connector], Rewind]) -> None:
        self.rewinds.append(make(sink()))


def sink(
    overrides: Mapping[str, str] | None = None,
    *,
    target: Target = Target.STOPPED,
    phase: Phase = Phase.NONE,
) -> Connector:
    config = {"name": "s", "connector.class": SINK_CLASS, **(overrides or {})}
    return Connector("s", config, target, observed=Observed(phase=phase))


def source(**more: str) -> Connector:
    config = {"name": "src", "connector.class": "FileStreamSource"} | more
    return Connector("src", config, Target.STOPPED)


@pytest.fixture
def world() -> World:
    return World()


async def test_a_sink_is_where_its_group_is_in_any_state(world: World) -> None:
    for target in (Target.RUNNING, Target.PAUSED, Target.STOPPED):
        assert await world.service.read(sink(target=target)) == MOVE
    assert world.groups.calls == [("read", "connect-s")] * 3


async def test_the_operator_s_login_goes_to_no_broker_that_a_connector_names() -> None:
    world = World(login={"sasl.jaas.config": "secret"})
    await world.service.read(sink())
    assert world.groups.properties["sasl.jaas.config"] == "secret"
    await world.service.read(sink({"consumer.override.bootstrap.servers": "attacker:9092"}))
    assert world.groups.properties == {"bootstrap.servers": "attacker:9092"}


async def test_an_alteration_goes_to_the_group_and_into_a_rewind(world: World) -> None:
    message = await world.service.alter(sink(), MOVE)
    assert message == "The offsets for this connector have been altered successfully"
    assert world.groups.calls == [("alter", "connect-s", "{('t', 0): 5}")]
    assert world.rewinds == [Rewind(number=1000, offsets={"t": {0: 5}})]


async def test_a_time_becomes_the_offset_that_the_broker_has_for_it(world: World) -> None:
    place = {"kafka_topic": "t", "kafka_partition": 1}
    await world.service.alter(
        sink(), [*MOVE, PartitionOffset(place, {"kafka_timestamp": "1970-01-01T00:00:08Z"})]
    )
    assert world.groups.calls == [
        ("at", "{('t', 1): 8000}"),
        ("alter", "connect-s", "{('t', 0): 5, ('t', 1): 8}"),
    ]
    assert [rewind.offsets for rewind in world.rewinds] == [{"t": {0: 5, 1: 8}}]


async def test_a_mode_goes_into_the_rewind(world: World) -> None:
    message = await world.service.alter(sink(LISTED), MOVE, Mode.ONCE)
    assert "altered successfully. The next worker takes back the rows" in message
    await world.service.reset(sink(LISTED), Mode.ONCE)
    assert [rewind.mode for rewind in world.rewinds] == [Mode.ONCE] * 2


async def test_so_does_the_name_of_a_branch(world: World) -> None:
    message = await world.service.alter(sink(LISTED), MOVE, Mode.BRANCH, "mine")
    assert "altered successfully. The next worker begins a side branch" in message
    await world.service.reset(sink(LISTED), Mode.BRANCH)
    assert [rewind.branch for rewind in world.rewinds] == ["mine", "rewind_1000"]


async def test_a_branch_that_is_open_is_said_before_the_group_is_moved(world: World) -> None:
    rewind = Rewind(number=1, mode=Mode.BRANCH, branch="mine")
    writing = replace(sink(LISTED), rewind=rewind, observed=Observed(rewind=1))
    for call in (world.service.alter(writing, MOVE), world.service.reset(writing)):
        with pytest.raises(SideBranchError, match="writes to branch mine"):
            await call
    with pytest.raises(BadRequestError, match="for mode=branch alone"):
        await world.service.reset(sink(LISTED), None, "mine")
    assert world.groups.calls == []


async def test_a_mode_is_refused_before_the_group_is_moved(world: World) -> None:
    waiting = replace(sink(LISTED), rewind=Rewind(number=1, mode=Mode.ONCE))
    with pytest.raises(PendingRewindError, match="say mode=once or mode=again"):
        await world.service.alter(waiting, MOVE)
    with pytest.raises(BadRequestError, match="records of this connector name theirs"):
        await world.service.reset(sink({"iceberg.tables.dynamic-enabled": "true"}), Mode.ONCE)
    for mode in Mode:
        with pytest.raises(BadRequestError, match="writes to no Iceberg table"):
            await world.service.alter(source(), [FILE], mode)
    assert world.groups.calls == []
    assert world.topic.written == []


@pytest.mark.parametrize("time", ["yesterday", "2026-11-19T08:00:00", -1, None, True, 1.5])
async def test_a_time_that_is_none_is_refused(world: World, time: object) -> None:
    place = {"kafka_topic": "t", "kafka_partition": 1}
    with pytest.raises(BadRequestError, match="milliseconds since 1970, or a time such as"):
        await world.service.alter(sink(), [PartitionOffset(place, {"kafka_timestamp": time})])
    assert world.groups.calls == []


async def test_a_reset_deletes_the_group_and_begins_everything_anew(world: World) -> None:
    message = await world.service.reset(sink())
    assert message == "The offsets for this connector have been reset successfully"
    assert world.groups.calls == [("delete", "connect-s")]
    assert world.rewinds == [Rewind(number=1000, everything=True)]


async def test_a_connectors_own_client_settings_count_and_are_resolved(world: World) -> None:
    overrides = {
        "consumer.override.group.id": "mine",
        "consumer.override.bootstrap.servers": "other:${env:PORT}",
        "admin.override.security.protocol": "SSL",
        "producer.override.client.id": "no",
    }
    await world.service.read(sink(overrides))
    assert world.groups.calls == [("read", "mine")]
    assert world.groups.properties == {
        "bootstrap.servers": "other:9999",
        "group.id": "mine",
        "security.protocol": "SSL",
    }


@pytest.mark.parametrize("target", [Target.RUNNING, Target.PAUSED])
async def test_offsets_of_a_connector_that_is_not_stopped_stay(
    world: World, target: Target
) -> None:
    with pytest.raises(BadRequestError, match=r"in the STOPPED state .* '/connectors/s/stop'"):
        await world.service.alter(sink(target=target), MOVE)
    with pytest.raises(BadRequestError, match="in the STOPPED state"):
        await world.service.reset(sink(target=target))
    assert world.groups.calls == []


@pytest.mark.parametrize("phase", [Phase.RUNNING, Phase.STOPPING, Phase.FAILED])
async def test_what_still_lives_may_move_offsets_and_is_waited_for(
    world: World, phase: Phase
) -> None:
    with pytest.raises(GroupBusyError, match=r"tasks haven't stopped .* can be safely retried"):
        await world.service.alter(sink(phase=phase), MOVE)
    with pytest.raises(GroupBusyError, match=r"^Failed to reset consumer group offsets for"):
        await world.service.reset(sink(phase=phase))
    assert world.groups.calls == []


@pytest.mark.parametrize(
    ("failure", "status", "message"),
    [
        (
            BrokerError("Kafka at k does not answer"),
            500,
            "Failed to alter consumer group offsets for connector s: Kafka at k does not answer",
        ),
        (
            UnknownPartitionError("the cluster has no partition 9 of 't'"),
            400,
            "Failed to alter consumer group offsets for connector s: the cluster has no partition "
            "9 of 't'",
        ),
    ],
)
async def test_a_refusal_of_the_broker_leaves_no_rewind(
    world: World, failure: ControlError, status: int, message: str
) -> None:
    world.groups.failure = failure
    with pytest.raises(type(failure)) as caught:
        await world.service.alter(sink(), MOVE)
    assert (caught.value.status, caught.value.message) == (status, message)
    assert world.rewinds == []


async def test_members_of_the_group_are_said_to_be_its_tasks(world: World) -> None:
    world.groups.failure = GroupBusyError("the group has members")
    with pytest.raises(GroupBusyError, match="can be safely retried"):
        await world.service.alter(sink(), MOVE)


async def test_a_read_that_fails_says_of_whom(world: World) -> None:
    world.groups.failure = BrokerError("Kafka at k does not answer")
    with pytest.raises(BrokerError, match=r"^Failed to retrieve consumer group offsets for sink"):
        await world.service.read(sink())


async def test_a_source_is_where_its_topic_says(world: World) -> None:
    overrides = {"producer.override.bootstrap.servers": "other:9092"}
    assert await world.service.read(source(**overrides)) == [FILE]
    assert world.topic.properties == {"bootstrap.servers": "other:9092"}


async def test_a_source_is_asked_whether_it_can_go_on_there(world: World) -> None:
    await world.service.alter(source(), [FILE])
    assert world.topic.written == [("src", FILE)]
    with pytest.raises(BadRequestError, match="should contain the key 'filename'"):
        await world.service.alter(source(), [PartitionOffset({}, {"position": 1})])
    with pytest.raises(BadRequestError, match="Partition objects cannot be null"):
        await world.service.alter(source(), [PartitionOffset(None, None)])
    assert world.topic.written == [("src", FILE)]


async def test_a_reset_source_forgets_all_that_it_knows(world: World) -> None:
    await world.service.reset(source())
    assert world.topic.written == [("src", PartitionOffset({"filename": "a"}, None))]


async def test_a_class_that_is_gone_is_named(world: World) -> None:
    gone = Connector("g", {"connector.class": "Gone"}, Target.STOPPED)
    with pytest.raises(BadRequestError, match="which name matches Gone"):
        await world.service.read(gone)
