"""Assignments in clear, what is to be hidden of them, and the restart when a secret has changed."""

from dataclasses import replace

import pytest
from tests.support.control_api import connector
from tests.support.secrets import FakeSecrets

from frazil.contracts.offsets import Rewind
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed, Phase
from frazil.control_api.core.errors import SecretMissingError
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.rotation import Rotation
from frazil.control_api.store.repository import Repository

STARTED = Observed(phase=Phase.STARTING, epoch=5, generation=1)


@pytest.fixture
def secrets() -> FakeSecrets:
    return FakeSecrets({"${env:TOKEN}": "first-token"})


@pytest.fixture
def outfitter(secrets: FakeSecrets) -> Outfitter:
    kafka = {"bootstrap.servers": "kafka:9092", "ssl.key.password": "of-the-key"}
    return Outfitter(worker_id="w:1", kafka=kafka, secrets=secrets)


def logs(**config: str) -> Connector:
    keys = {"iceberg.catalog.token": "${env:TOKEN}"} | config
    return replace(connector(), config={**connector().config, **keys})


class TestAssignments:
    def test_references_are_resolved_in_the_assignment_and_nowhere_else(
        self, outfitter: Outfitter
    ) -> None:
        record = logs()
        assignment = outfitter.assignment(record, STARTED)
        assert assignment.config["iceberg.catalog.token"] == "first-token"
        assert record.config["iceberg.catalog.token"] == "${env:TOKEN}"

    def test_the_wish_to_rewind_travels_along(self, outfitter: Outfitter) -> None:
        rewind = Rewind(number=7, everything=True)
        assert outfitter.assignment(replace(logs(), rewind=rewind), STARTED).rewind == rewind

    def test_all_secrets_are_named_as_what_must_not_be_said(self, outfitter: Outfitter) -> None:
        record = logs(
            **{
                "topics": "${env:TOKEN}",
                "iceberg.catalog.s3.secret-access-key": "written-out",
                "iceberg.catalog.uri": "jdbc:postgresql://user:in-a-url@db/x?password=as-parameter",
                "consumer.override.sasl.jaas.config": 'Module required password="in-a-module";',
            }
        )
        assert set(outfitter.assignment(record, STARTED).secrets) == {
            "first-token",
            "written-out",
            "in-a-url",
            "user:in-a-url",
            "as-parameter",
            "in-a-module",
            'Module required password="in-a-module";',
            "of-the-key",
        }

    def test_an_assignment_does_not_show_its_secrets(self, outfitter: Outfitter) -> None:
        assert "first-token" not in repr(outfitter.assignment(logs(), STARTED))

    def test_what_cannot_be_resolved_is_said_by_name(
        self, outfitter: Outfitter, secrets: FakeSecrets
    ) -> None:
        secrets.values.clear()
        with pytest.raises(SecretMissingError, match=r"iceberg\.catalog\.token: \$\{env:TOKEN\}"):
            outfitter.assignment(logs(), STARTED)


class TestWhatHasChanged:
    def test_a_worker_is_outdated_as_soon_as_a_value_is_another(
        self, outfitter: Outfitter, secrets: FakeSecrets
    ) -> None:
        outfitter.assignment(logs(), STARTED)
        assert outfitter.outdated([logs()]) == []
        secrets.values["${env:TOKEN}"] = "second-token"
        assert outfitter.outdated([logs()]) == ["logs"]

    def test_of_a_worker_that_another_process_started_the_first_look_counts(
        self, outfitter: Outfitter, secrets: FakeSecrets
    ) -> None:
        assert outfitter.outdated([logs()]) == []
        secrets.values["${env:TOKEN}"] = "second-token"
        assert outfitter.outdated([logs()]) == ["logs"]

    def test_a_value_that_was_missing_at_the_start_and_came_is_a_change(
        self, outfitter: Outfitter, secrets: FakeSecrets
    ) -> None:
        value = secrets.values.pop("${env:TOKEN}")
        with pytest.raises(SecretMissingError):
            outfitter.assignment(logs(), STARTED)
        assert outfitter.outdated([logs()]) == []
        secrets.values["${env:TOKEN}"] = value
        assert outfitter.outdated([logs()]) == ["logs"]

    def test_a_value_that_is_gone_for_a_moment_is_none(
        self, outfitter: Outfitter, secrets: FakeSecrets
    ) -> None:
        outfitter.assignment(logs(), STARTED)
        secrets.values.clear()
        assert outfitter.outdated([logs()]) == []

    @pytest.mark.parametrize(
        "record",
        [
            logs(**{"config.action.reload": "none"}),
            replace(logs(), target=Target.PAUSED),
            replace(logs(), generation=2),
            connector(),
        ],
        ids=["reload is none", "it is paused", "its next start is due anyway", "no references"],
    )
    def test_nothing_is_outdated_where_nothing_is_to_be_done(
        self, outfitter: Outfitter, secrets: FakeSecrets, record: Connector
    ) -> None:
        outfitter.assignment(logs(), STARTED)
        secrets.values["${env:TOKEN}"] = "second-token"
        assert outfitter.outdated([record]) == []


async def test_a_connector_whose_secret_has_changed_is_restarted_once(
    outfitter: Outfitter, secrets: FakeSecrets, store: Repository
) -> None:
    queue = WorkQueue(lambda: 0.0)
    store.change("logs", lambda _old: logs())
    outfitter.assignment(logs(), STARTED)
    secrets.values["${env:TOKEN}"] = "second-token"
    rotation = Rotation(queue, store, outfitter)
    await rotation.check()
    await rotation.check()
    restarted = store.get("logs")
    assert restarted is not None
    assert restarted.generation == 2
    assert queue.take() == "logs"


async def test_a_connector_that_was_deleted_meanwhile_is_left_alone(
    outfitter: Outfitter, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = WorkQueue(lambda: 0.0)
    monkeypatch.setattr(outfitter, "outdated", lambda _connectors: ["gone"])
    await Rotation(queue, store, outfitter).check()
    assert queue.take() is None
    assert store.get("gone") is None
