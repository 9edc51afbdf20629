"""From an assignment to a source: its folder, its clients, its errors."""

from pathlib import Path

import pytest

from frazil.contracts.assignment import Assignment
from frazil.contracts.exit_code import ExitCode
from frazil.spark_source import file
from frazil.spark_source.config import SourceConfig, source_config
from frazil.spark_source.job import SourceJob
from frazil.spark_source.offsets import key_of
from frazil.spark_source.producer import producer_error
from frazil.worker.board import StatusBoard
from frazil.worker.connector import Jobs, file_path, read_config
from frazil.worker.errors import BadConfigError

CONFIG = {"name": "in", "connector.class": "FileStreamSource", "topic": "t", "file": "in.txt"}


def assignment(files_folder: str | None = "/data", **config: str) -> Assignment:
    return Assignment(
        connector="in",
        epoch=7,
        generation=1,
        worker_id="w",
        config=CONFIG | config,
        kafka={"bootstrap.servers": "k:9092"},
        files_folder=files_folder,
    )


def config(**keys: str) -> SourceConfig:
    made = assignment(**keys)
    return source_config(made, read_config(made))


def board(tmp_path: Path) -> StatusBoard:
    return StatusBoard(tmp_path, assignment())


def test_the_class_of_the_connector_names_the_job(tmp_path: Path) -> None:
    job = Jobs("frazil.spark_source").make(assignment(), board(tmp_path))
    assert isinstance(job, SourceJob)
    assert job.memory == "512m"


def test_without_a_folder_for_files_the_worker_touches_none(tmp_path: Path) -> None:
    with pytest.raises(BadConfigError, match="FRAZIL_FILES_FOLDER of the control API is not set"):
        file.job(assignment(files_folder=None), board(tmp_path))


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret", "out/secret", "in/../../secret"])
def test_a_file_outside_of_the_folder_is_left_alone(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "files"
    (folder / "in").mkdir(parents=True)
    (folder / "out").symlink_to(tmp_path)
    with pytest.raises(BadConfigError, match=f"File {name} is not below {folder}"):
        file_path(assignment(str(folder)), name)


def test_a_file_below_the_folder_is_found_by_either_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "in")
    made = assignment(str(tmp_path))
    found = [file_path(made, name) for name in ("in/a", f"{tmp_path}/in/a", "link/a", "x/../in/a")]
    assert found == [tmp_path / "in" / "a"] * 4


def test_an_operator_may_allow_all_files(tmp_path: Path) -> None:
    made = assignment(str(tmp_path)).model_copy(update={"files_anywhere": True})
    assert file_path(made, "/etc/hostname") == Path("/etc/hostname")


def test_a_source_without_a_file_is_idle_rather_than_wrong(tmp_path: Path) -> None:
    assert file.job(assignment(file=""), board(tmp_path)).memory == "512m"


def test_a_connectors_own_client_settings_win_over_the_workers() -> None:
    made = config(**{"producer.override.bootstrap.servers": "other:1"})
    assert made.kafka == {"bootstrap.servers": "other:1"}
    assert made.offsets_topic == "connect-offsets"


def test_the_operator_s_login_stays_with_the_operator_s_brokers() -> None:
    login = {"bootstrap.servers": "k:9092", "sasl.jaas.config": "secret"}
    made = assignment(**{"producer.override.bootstrap.servers": "other:1"})
    made = made.model_copy(update={"kafka": login})
    assert source_config(made, read_config(made)).kafka == {"bootstrap.servers": "other:1"}


def test_positions_are_kept_under_connects_key() -> None:
    assert key_of("ünï", {"filename": "in.txt"}) == '["ünï",{"filename":"in.txt"}]'


@pytest.mark.parametrize(
    ("message", "code", "sentence"),
    [
        ("ProducerFencedException: There is a newer producer", ExitCode.SUPERSEDED, "epoch 7"),
        ("InvalidProducerEpochException: old", ExitCode.SUPERSEDED, "newer driver"),
        ("RecordTooLargeException: 2 MB", ExitCode.BAD_RECORD, "max.request.size"),
        ("TimeoutException: no", ExitCode.UNAVAILABLE, "Kafka at k:9092 does not answer"),
        ("TopicAuthorizationException: no", ExitCode.REFUSED, "refused a request"),
    ],
)
def test_what_the_producer_says_becomes_a_sentence(
    message: str, code: ExitCode, sentence: str
) -> None:
    error = producer_error(message, config())
    assert error.exit_code is code
    assert sentence in str(error)
    assert error.cause == message
