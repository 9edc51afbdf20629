"""What a host's container is made of, and what is put into its volume."""

import io
import json
import tarfile

import pytest
from tests.support.control_api import assignment

from frazil.contracts.assignment import Assignment
from frazil.contracts.hosting import Hosting
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.docker_host_spec import (
    Room,
    asking_archive,
    fits,
    forgetting_archive,
    host_archive,
    host_name,
    host_options,
    larger,
    link_archive,
    member_archive,
    note_of,
    notes_in,
    room_for,
    waiting_room,
)
from frazil.control_api.engine.docker_spec import DockerOptions, create_options

OPTIONS = DockerOptions(instance="blue", image="frazil-worker:1", volumes=("warehouse:/warehouse",))
BOUNDED = DockerOptions(instance="blue", image="frazil-worker:1", memory="900m")
MIB = 1024 * 1024
NAME = host_name("spark-sink", "team", "registry:5000/frazil/worker:1")


def entries(archive: bytes) -> list[tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return tar.getmembers()


KEY = "key-of-the-host"


def room(*configs: dict[str, str]) -> Room:
    told = [assignment("logs", 1, **config).config for config in configs]
    return room_for("team", told, OPTIONS)


def test_a_host_is_described_as_a_worker_is_but_for_its_labels() -> None:
    one = room({})
    _, worker = create_options(assignment(), "frazil.spark_sink", OPTIONS)
    _, host = host_options(NAME, 7, "frazil.spark_sink", one, OPTIONS, salt="salt")
    labels = host.pop("Labels")
    worker.pop("Labels")
    assert host == worker | {"Image": "registry:5000/frazil/worker:1"}
    assert labels == {
        "frazil.host": "spark-sink/team/registry:5000/frazil/worker:1",
        "frazil.number": "7",
        "frazil.room": one.model_dump_json(),
        "frazil.salt": "salt",
        "frazil.instance": "blue",
    }


def test_every_host_has_a_name_of_its_own() -> None:
    names = {
        host_options(name, number, "frazil.spark_sink", room({}), OPTIONS, salt="salt")[0]
        for name in (NAME, host_name("spark-sink", None, "a"), host_name("spark-source", "a", "a"))
        for number in (1, 2)
    }
    assert len(names) == 6
    assert any(name.startswith("frazil-host-team-") for name in names)


def test_a_room_has_the_most_that_any_member_wants() -> None:
    found = room({"tasks.max": "3"}, {"frazil.driver.memory": "2g", "frazil.container.cpus": "4"})
    assert found.hosting == Hosting(group="team", memory="2g", cores=3)
    assert (found.memory, found.cpus) == (3328 * MIB, 4.0)
    assert found == larger(
        room({"tasks.max": "3"}),
        room({"frazil.driver.memory": "2g", "frazil.container.cpus": "4"}),
    )


@pytest.mark.parametrize(
    "more",
    [
        {"tasks.max": "2"},
        {"frazil.driver.memory": "513m"},
        {"frazil.container.memory": "1409m"},
        {"frazil.container.cpus": "1.5"},
    ],
)
def test_a_room_has_not_what_is_more_in_any_regard(more: dict[str, str]) -> None:
    assert room({}).has(room({}))
    assert room(more).has(room({}))
    assert not room({}).has(room(more))


def test_what_a_host_would_need_beyond_the_bounds_is_refused() -> None:
    too_much = r"needs 1408 MB .* 900m are the most here"
    with pytest.raises(EngineError, match=too_much):
        room_for("team", [assignment().config], BOUNDED)
    with pytest.raises(EngineError, match=too_much):
        waiting_room(BOUNDED)


@pytest.mark.parametrize(
    ("kind", "config", "fitting"),
    [
        ("spark-sink", {}, True),
        ("spark-sink", {"frazil.container.memory": ""}, True),
        ("spark-source", {}, False),
        ("spark-sink", {"frazil.worker.group": "team"}, False),
        ("spark-sink", {"frazil.driver.memory": "1g"}, False),
        ("spark-sink", {"frazil.container.memory": "1g"}, False),
        ("spark-sink", {"frazil.container.cpus": "0.5"}, False),
        ("spark-sink", {"frazil.container.image": "other:1"}, False),
        ("spark-sink", {"tasks.max": "2"}, False),
    ],
)
def test_one_that_waits_is_for_a_connector_that_asks_for_nothing(
    kind: str, config: dict[str, str], fitting: bool
) -> None:
    told = assignment("logs", 1, **config)
    assert fits(waiting_room(OPTIONS), told, kind, OPTIONS) is fitting


def test_a_host_begins_with_its_size_and_no_member() -> None:
    found = {entry.name: entry for entry in entries(host_archive(Hosting(memory="512m")))}
    assert found.keys() == {
        "worker",
        "worker/members",
        "worker/runs",
        "worker/notes",
        "worker/hosting.json",
    }
    assert {(entry.mode, entry.uid) for entry in found.values()} == {(0o700, 10001), (0o600, 10001)}


def test_a_member_is_a_private_run_folder_and_last_of_all_the_link_to_it() -> None:
    told = assignment("a/b" * 100, 7, **{"iceberg.catalog.token": "hush-1"})
    archive = member_archive(told, KEY)
    *_, file, _, link = entries(archive)
    assert file.name.endswith("/7/assignment.json")
    assert (file.mode, file.uid) == (0o600, 10001)
    (again,) = entries(link_archive(note_of(told)))
    assert (again.name, again.linkname) == (link.name, link.linkname)
    assert link.issym()
    assert link.name.startswith("worker/members/")
    assert f"worker/members/{link.linkname}/assignment.json".replace("members/../", "") == file.name
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        text = tar.extractfile(file.name)
        assert text is not None
        assert Assignment.model_validate_json(text.read()) == told


def test_a_note_says_whose_a_folder_is_and_keeps_its_secrets() -> None:
    told = assignment("logs", 7, **{"iceberg.catalog.token": "hush-1", "tasks.max": "3"})
    assert "hush" not in json.dumps(note_of(told).model_dump())
    assert room_for("team", [note_of(told).config], OPTIONS).cpus == 3
    (note,) = notes_in(notes_of(member_archive(told, KEY)), KEY)
    assert note == note_of(told)


def test_what_is_no_note_or_forgotten_is_passed_over() -> None:
    assert notes_in(notes_of(forgetting_archive(note_of(assignment()))), KEY) == []
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        cut = tarfile.TarInfo("notes/abc-1")
        cut.size = 5
        tar.addfile(cut, io.BytesIO(b'{"con'))
    assert notes_in(packed.getvalue(), KEY) == []


def test_a_note_that_a_member_has_written_or_changed_is_passed_over() -> None:
    told = assignment("logs", 7)
    archive = notes_of(member_archive(told, KEY))
    assert notes_in(archive, KEY) == [note_of(told)]
    assert notes_in(archive, "another-host") == []
    assert notes_in(notes_of(member_archive(told, "")), "") == []
    changed = archive.replace(b"logs", b"mine")
    assert changed != archive
    assert notes_in(changed, KEY) == []


def test_an_end_is_asked_for_and_a_folder_forgotten_in_its_own_place() -> None:
    told = assignment("logs", 7)
    folder = entries(member_archive(told, KEY))[1].name
    (asked,) = entries(asking_archive(note_of(told), "stop"))
    assert asked.name == f"{folder}/stop"
    in_place, _ = entries(forgetting_archive(note_of(told)))
    assert (in_place.name, in_place.size, in_place.isfile()) == (folder, 0, True)


def notes_of(archive: bytes) -> bytes:
    """Pack anew what the daemon would answer of it when it is asked for the notes."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as tar,
        tarfile.open(fileobj=packed, mode="w") as notes,
    ):
        for entry in tar:
            if entry.name.startswith("worker/notes/"):
                notes.addfile(entry, tar.extractfile(entry))
    return packed.getvalue()
