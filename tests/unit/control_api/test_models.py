"""Bodies of answers: what is shown where, and what is left out."""

from tests.support.control_api import connector

from frazil.contracts.states import Target
from frazil.control_api.api.models import ConnectorInfo, ConnectorStatus, TaskInfo
from frazil.control_api.core.connector import Connector, Observed, Phase

FAILED = Observed(phase=Phase.FAILED, trace="ConnectException: it is broken")


def test_a_trace_is_shown_with_what_has_failed() -> None:
    status = ConnectorStatus.of(connector(observed=FAILED), "here:8083")
    assert status.connector.trace == status.tasks[0].trace == FAILED.trace


def test_a_paused_connector_leaves_the_trace_to_its_task() -> None:
    status = ConnectorStatus.of(connector(target=Target.PAUSED, observed=FAILED), "here:8083")
    assert (status.connector.state, status.connector.trace) == ("PAUSED", None)
    assert (status.tasks[0].state, status.tasks[0].trace) == ("FAILED", FAILED.trace)


def test_the_plan_of_a_restart_has_no_traces() -> None:
    status = ConnectorStatus.of(connector(observed=FAILED), "here:8083", restarting=True)
    assert (status.connector.state, status.connector.trace) == ("RESTARTING", None)
    assert (status.tasks[0].state, status.tasks[0].trace) == ("RESTARTING", None)


def test_the_class_of_a_task_is_named_in_full() -> None:
    running = Observed(phase=Phase.RUNNING)
    short = Connector("s", {"connector.class": "FileStreamSource"}, observed=running)
    (task,) = TaskInfo.all_of(short)
    assert task.config["task.class"] == "org.apache.kafka.connect.file.FileStreamSourceTask"


def test_a_class_that_is_gone_is_of_unknown_type_and_still_shown() -> None:
    gone = Connector("g", {"connector.class": "a.GoneConnector"}, observed=FAILED)
    assert ConnectorInfo.of(gone).type == "unknown"
    (task,) = TaskInfo.all_of(gone)
    assert task.config["task.class"] == "a.GoneTask"
    assert ConnectorStatus.of(gone, "here:8083").connector.version is None
