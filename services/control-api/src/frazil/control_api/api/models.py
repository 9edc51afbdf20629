"""The bodies of answers, exactly as on the wire: names, order, and what is absent when empty."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, Field

from frazil.contracts.plugins import Plugin, UnknownPluginError, find_plugin
from frazil.contracts.states import ConnectState
from frazil.control_api.core.connector import TASK_ID, Connector
from frazil.control_api.core.health import HealthStatus
from frazil.control_api.core.states import public_state


class ServerInfo(BaseModel):
    version: str
    commit: str
    kafka_cluster_id: str | None


class OwnHealth(BaseModel):
    version: str
    loops: str
    broker: str


class Health(BaseModel):
    """Connect's two fields, and beside them what only we can tell."""

    status: HealthStatus
    message: str
    frazil: OwnHealth


class TaskId(BaseModel):
    connector: str
    task: int


class TaskInfo(BaseModel):
    id: TaskId
    config: dict[str, str]

    @classmethod
    def all_of(cls, connector: Connector) -> list[Self]:
        return [
            cls(id=task, config={**connector.config, "task.class": _task_class(connector.config)})
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


class ConnectorState(BaseModel):
    """`version` and `trace` are left out of the answer rather than empty."""

    state: ConnectState
    worker_id: str
    version: str | None
    trace: str | None


class TaskState(BaseModel):
    id: int
    state: ConnectState
    worker_id: str
    version: str | None
    trace: str | None


class ConnectorStatus(BaseModel):
    name: str
    connector: ConnectorState
    tasks: list[TaskState]
    type: str

    @classmethod
    def of(cls, connector: Connector, worker_id: str, *, restarting: bool = False) -> Self:
        """Build the status; `restarting` shows the plan of a restart that was just asked for."""
        shown = public_state(connector)
        failed = shown.connector is ConnectState.FAILED and not restarting
        plugin = _plugin(connector)
        instance = ConnectorState(
            state=ConnectState.RESTARTING if restarting else shown.connector,
            worker_id=worker_id,
            version=plugin.version if plugin else None,
            trace=connector.observed.trace if failed else None,
        )
        return cls(
            name=connector.name,
            connector=instance,
            tasks=[TaskState(id=TASK_ID, **dict(instance))] if shown.task else [],
            type=_type(connector),
        )


class ConnectorTopics(BaseModel):
    topics: list[str]


class PluginInfo(BaseModel):
    class_name: str = Field(serialization_alias="class")
    type: str
    version: str

    @classmethod
    def of(cls, plugin: Plugin) -> Self:
        return cls(class_name=plugin.class_name, type=plugin.type, version=plugin.version)


class ErrorBody(BaseModel):
    error_code: int
    message: str


def _tasks(connector: Connector) -> list[TaskId]:
    if public_state(connector).task is None:
        return []
    return [TaskId(connector=connector.name, task=TASK_ID)]


def _plugin(connector: Connector) -> Plugin | None:
    """Find the connector's class; None when it is not installed any more."""
    try:
        return find_plugin(connector.config.get("connector.class", ""))
    except UnknownPluginError:
        return None


def _type(connector: Connector) -> str:
    plugin = _plugin(connector)
    return plugin.type if plugin else "unknown"


def _task_class(config: Mapping[str, str]) -> str:
    return f"{config['connector.class'].removesuffix('Connector')}Task"
