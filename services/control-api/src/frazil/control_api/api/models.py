"""The bodies of answers, exactly as on the wire: names, order, and what is absent when empty."""

from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, Field

from frazil.contracts.plugins.reading import plugin_of
from frazil.contracts.states import ConnectState
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.health import HealthStatus, Role
from frazil.control_api.core.offsets import PartitionOffset
from frazil.control_api.core.plugins import Listed
from frazil.control_api.core.states import public_state, task_ids
from frazil.runtime.log_levels import LoggerLevel


class ServerInfo(BaseModel):
    version: str
    commit: str
    kafka_cluster_id: str | None


class OwnHealth(BaseModel):
    version: str
    role: Role
    loops: str
    broker: str
    engine: str
    warning: str | None = None


class Health(BaseModel):
    """Connect's two fields, and beside them what only we can tell, and only to known callers."""

    status: HealthStatus
    message: str
    frazil: OwnHealth | None


class TaskId(BaseModel):
    connector: str
    task: int


class TaskInfo(BaseModel):
    id: TaskId
    config: dict[str, str]

    @classmethod
    def all_of(cls, connector: Connector) -> list[Self]:
        return [
            cls(id=task, config={**connector.config, "task.class": _task_class(connector)})
            for task in _tasks(connector)
        ]


class ConnectorInfo(BaseModel):
    name: str
    config: dict[str, str]
    tasks: list[TaskId]
    type: str

    @classmethod
    def of(cls, connector: Connector) -> Self:
        return cls(
            name=connector.name,
            config=dict(connector.config),
            tasks=_tasks(connector),
            type=_type(connector),
        )

    @classmethod
    def of_new(cls, connector: Connector) -> Self:
        """Describe a connector that was made just now: Connect gives it tasks after the answer."""
        return cls.of(connector).model_copy(update={"tasks": []})


class ConnectorState(BaseModel):
    """`version` and `trace` are left out of the answer rather than empty."""

    state: ConnectState
    worker_id: str
    version: str | None = None
    trace: str | None = None


class TaskState(BaseModel):
    id: int
    state: ConnectState
    worker_id: str
    version: str | None = None
    trace: str | None = None


class ConnectorStatus(BaseModel):
    name: str
    connector: ConnectorState
    tasks: list[TaskState]
    type: str

    @classmethod
    def of(cls, connector: Connector, worker_id: str, *, restarting: bool = False) -> Self:
        """Build the status; `restarting` shows the plan of a restart that was just asked for."""
        shown = public_state(connector)
        plugin = plugin_of(connector.config)

        def instance(state: ConnectState) -> ConnectorState:
            return ConnectorState(
                state=ConnectState.RESTARTING if restarting else state,
                worker_id=worker_id,
                version=plugin.version if plugin else None,
                trace=connector.observed.trace
                if state is ConnectState.FAILED and not restarting
                else None,
            )

        return cls(
            name=connector.name,
            connector=instance(shown.connector),
            tasks=[
                TaskState(id=task, **dict(instance(shown.task)))
                for task in task_ids(connector)
                if shown.task
            ],
            type=_type(connector),
        )


class ConnectorTopics(BaseModel):
    topics: list[str]


class PartitionOffsetBody(BaseModel):
    """Of a sink: `kafka_topic` and `kafka_partition`, `kafka_offset`; of a source its own maps."""

    partition: dict[str, Any]
    offset: dict[str, Any]


class ConnectorOffsets(BaseModel):
    offsets: list[PartitionOffsetBody]

    @classmethod
    def of(cls, entries: Iterable[PartitionOffset]) -> Self:
        return cls(
            offsets=[
                PartitionOffsetBody(partition=dict(entry.partition), offset=dict(entry.offset))
                for entry in entries
                if entry.partition is not None and entry.offset is not None
            ]
        )


class Message(BaseModel):
    message: str


class LoggerLevelBody(BaseModel):
    level: str
    last_modified: int | None

    @classmethod
    def of(cls, level: LoggerLevel) -> Self:
        return cls(level=level.level, last_modified=level.last_modified)


class PluginInfo(BaseModel):
    class_name: str = Field(serialization_alias="class")
    type: str
    version: str

    @classmethod
    def of(cls, plugin: Listed) -> Self:
        return cls(class_name=plugin.class_name, type=plugin.type, version=plugin.version)


class ErrorBody(BaseModel):
    error_code: int
    message: str


def _tasks(connector: Connector) -> list[TaskId]:
    return [TaskId(connector=connector.name, task=task) for task in task_ids(connector)]


def _type(connector: Connector) -> str:
    plugin = plugin_of(connector.config)
    return plugin.type if plugin else "unknown"


def _task_class(connector: Connector) -> str:
    plugin = plugin_of(connector.config)
    class_name = plugin.class_name if plugin else connector.config["connector.class"]
    return f"{class_name.removesuffix('Connector')}Task"
