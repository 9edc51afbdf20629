"""The use cases, on a real store and without a reconciler."""

from collections.abc import Callable

import pytest
from tests.support.control_api import SINK_CLASS, sink_config

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import (
    AlreadyExistsError,
    BadRequestError,
    InvalidConnectorError,
    NotFoundError,
)
from frazil.control_api.core.service import ConnectorService, Submission
from frazil.control_api.store.repository import Repository


@pytest.fixture
def made(service: ConnectorService, notified: list[str]) -> ConnectorService:
    """A service with one connector, `logs`."""
    service.create(Submission("logs", sink_config()))
    notified.clear()
    return service


class TestRoom:
    @pytest.fixture
    def full(self, store: Repository, notified: list[str]) -> ConnectorService:
        service = ConnectorService(store, notified.append, most=1)
        service.create(Submission("logs", sink_config()))
        return service

    @pytest.mark.parametrize(
        "add",
        [
            lambda service: service.create(Submission("more", sink_config())),
            lambda service: service.configure("more", sink_config()),
        ],
    )
    def test_one_connector_too_many_is_refused(
        self, full: ConnectorService, add: Callable[[ConnectorService], object]
    ) -> None:
        with pytest.raises(BadRequestError, match=r"1 connectors already.*FRAZIL_MAX_CONNECTORS"):
            add(full)
        assert [one.name for one in full.all()] == ["logs"]

    def test_those_that_are_there_can_be_changed_and_replaced(self, full: ConnectorService) -> None:
        full.configure("logs", sink_config(topics="b"))
        with pytest.raises(AlreadyExistsError):
            full.create(Submission("logs", sink_config()))
        full.delete("logs")
        assert full.create(Submission("more", sink_config())).name == "more"


class TestCreating:
    def test_the_configuration_is_stored_as_submitted_with_the_name_behind_it(
        self, service: ConnectorService, notified: list[str]
    ) -> None:
        connector = service.create(Submission(" logs ", sink_config()))
        assert list(connector.config.items()) == [*sink_config().items(), ("name", "logs")]
        assert service.get("logs") == connector
        assert notified == ["logs"]

    def test_a_name_in_the_configuration_must_be_the_trimmed_one(
        self, service: ConnectorService
    ) -> None:
        with pytest.raises(BadRequestError, match=r"\( logs \) doesn't match .* \(logs\)"):
            service.create(Submission(" logs ", sink_config(name=" logs ")))

    def test_an_empty_name_is_a_fault_of_the_configuration(self, service: ConnectorService) -> None:
        with pytest.raises(InvalidConnectorError, match="String may not be empty"):
            service.create(Submission("", sink_config()))

    def test_a_name_that_fits_no_folder_is_refused(self, service: ConnectorService) -> None:
        with pytest.raises(BadRequestError, match="too long"):
            service.create(Submission("ü" * 40, sink_config()))

    def test_a_configuration_without_a_class_is_refused(self, service: ConnectorService) -> None:
        with pytest.raises(BadRequestError, match="contains no connector type"):
            service.create(Submission("logs", {"topics": "a"}))

    def test_an_unknown_class_is_refused_in_the_words_that_clients_look_for(
        self, service: ConnectorService
    ) -> None:
        with pytest.raises(BadRequestError, match=r"^Failed to find any class .* Nope, available"):
            service.create(Submission("logs", sink_config() | {"connector.class": "Nope"}))

    def test_faults_are_counted_before_the_name_is_looked_up(self, made: ConnectorService) -> None:
        with pytest.raises(InvalidConnectorError) as caught:
            made.create(Submission("logs", sink_config(**{"tasks.max": "abc"})))
        lines = caught.value.message.splitlines()
        assert lines[0].endswith("contains the following 2 error(s):")
        assert "Not a number of type INT" in lines[1]
        assert lines[-1].endswith("`/connector-plugins/{connectorType}/config/validate`")

    def test_a_name_can_be_taken_once(self, made: ConnectorService, notified: list[str]) -> None:
        with pytest.raises(AlreadyExistsError, match=r"^Connector logs already exists$"):
            made.create(Submission("logs", sink_config()))
        assert notified == []

    def test_the_name_of_a_connector_that_is_leaving_is_free_and_its_run_is_outdated(
        self, made: ConnectorService, store: Repository
    ) -> None:
        running = Observed(phase=Phase.RUNNING, epoch=7, generation=1)
        store.record("logs", running)
        made.delete("logs")
        connector = made.create(Submission("logs", sink_config()))
        assert (connector.target, connector.generation) == (Target.RUNNING, 2)
        assert made.get("logs").observed == running


class TestConfiguring:
    def test_putting_makes_a_connector_or_replaces_its_configuration(
        self, service: ConnectorService
    ) -> None:
        first, created = service.configure("logs", sink_config())
        again, created_again = service.configure("logs", sink_config(**{"tasks.max": "2"}))
        assert (created, created_again) == (True, False)
        assert (first.generation, again.generation) == (1, 2)

    def test_a_put_without_a_change_needs_no_new_worker(self, made: ConnectorService) -> None:
        assert made.configure("logs", sink_config())[0].generation == 1

    def test_a_put_keeps_what_is_wanted_of_the_connector(self, made: ConnectorService) -> None:
        made.set_target("logs", Target.PAUSED)
        assert made.configure("logs", sink_config(**{"tasks.max": "2"}))[0].target is Target.PAUSED

    def test_a_patch_sets_and_removes_keys(self, made: ConnectorService) -> None:
        assert made.patch("logs", {"x": "1"}).config["x"] == "1"
        patched = made.patch("logs", {"x": None})
        assert "x" not in patched.config
        assert patched.generation == 3

    def test_a_patch_is_checked_as_a_whole(self, made: ConnectorService) -> None:
        with pytest.raises(InvalidConnectorError):
            made.patch("logs", {"topics": None})
        with pytest.raises(BadRequestError, match=r"\(other\) doesn't match"):
            made.patch("logs", {"name": "other"})
        assert made.get("logs").generation == 1

    def test_a_patch_that_was_overtaken_is_made_of_what_is_there_then(
        self, made: ConnectorService, store: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change = store.change

        def overtaken(name: str, put: Callable[[Connector | None], Connector]) -> Connector:
            monkeypatch.setattr(store, "change", change)
            made.patch("logs", {"other": "1"})
            return change(name, put)

        monkeypatch.setattr(store, "change", overtaken)
        patched = made.patch("logs", {"mine": "2"})
        assert (patched.config["other"], patched.config["mine"]) == ("1", "2")

    def test_a_patch_creates_nothing(self, service: ConnectorService) -> None:
        with pytest.raises(NotFoundError, match=r"^Connector nope not found$"):
            service.patch("nope", {})


class TestSteering:
    @pytest.mark.parametrize("target", [Target.RUNNING, Target.PAUSED, Target.STOPPED])
    def test_a_target_is_written_and_the_name_enqueued(
        self, made: ConnectorService, notified: list[str], target: Target
    ) -> None:
        made.set_target("logs", target)
        assert (made.get("logs").target, made.get("logs").generation) == (target, 1)
        assert notified == ["logs"]

    def test_a_deleted_connector_is_gone_for_everybody_at_once(
        self, made: ConnectorService
    ) -> None:
        made.delete("logs")
        assert made.all() == []
        assert made.find("logs") is None
        with pytest.raises(NotFoundError, match=r"^Connector logs not found$"):
            made.delete("logs")
        with pytest.raises(NotFoundError, match=r"^Unknown connector logs$"):
            made.set_target("logs", Target.PAUSED)

    def test_a_restart_asks_for_a_new_worker(self, made: ConnectorService) -> None:
        connector, restarted = made.restart("logs", only_failed=False)
        assert (connector.generation, restarted) == (2, True)

    def test_a_restart_of_what_failed_leaves_the_healthy_alone(
        self, made: ConnectorService, store: Repository
    ) -> None:
        store.record("logs", Observed(phase=Phase.RUNNING))
        assert made.restart("logs", only_failed=True)[1] is False
        store.record("logs", Observed(phase=Phase.WAITING))
        connector, restarted = made.restart("logs", only_failed=True)
        assert (connector.generation, restarted) == (2, True)

    def test_what_failed_before_a_pause_counts_as_failed(
        self, made: ConnectorService, store: Repository
    ) -> None:
        store.record("logs", Observed(phase=Phase.FAILED))
        made.set_target("logs", Target.PAUSED)
        assert made.restart("logs", only_failed=True)[1] is True

    def test_only_a_task_that_is_there_can_be_restarted(self, made: ConnectorService) -> None:
        made.restart_task("logs", 0)
        assert made.get("logs").generation == 2
        with pytest.raises(NotFoundError, match=r"^Unknown task: logs-9$"):
            made.restart_task("logs", 9)
        made.set_target("logs", Target.STOPPED)
        with pytest.raises(NotFoundError, match=r"^Unknown task: logs-0$"):
            made.restart_task("logs", 0)
        with pytest.raises(NotFoundError, match=r"^Unknown connector: nope$"):
            made.restart_task("nope", 0)


class TestValidating:
    @pytest.mark.parametrize("path", [SINK_CLASS, "IcebergSinkConnector", "IcebergSink", "Sink"])
    def test_the_path_may_name_the_end_of_the_class(
        self, service: ConnectorService, path: str
    ) -> None:
        assert service.validate(path, sink_config(name="logs")).error_count == 0

    def test_another_class_in_the_path_is_refused(self, service: ConnectorService) -> None:
        with pytest.raises(
            BadRequestError, match=r"^Included connector type .* request type Other"
        ):
            service.validate("Other", sink_config())
