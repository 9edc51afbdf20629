"""Who was given to which host: read from the volume, or believed by the only one who writes."""

import io
import tarfile
from pathlib import PurePosixPath

from tests.support.control_api import assignment

from frazil.control_api.engine.docker import Daemon, GoneError, TooLargeError
from frazil.control_api.engine.docker_host_spec import Note, host_key, note_of, sealed
from frazil.control_api.engine.docker_register import Register

KEY, SALT = "of-the-installation", "of-the-host"


class Volumes(Daemon):
    """Hosts with the notes that are in their volumes; counts the questions."""

    def __init__(self) -> None:
        self.notes: dict[str, list[Note]] = {}
        self.asked = 0

    async def get(self, container: str, file: PurePosixPath) -> bytes:
        assert str(file) == "/run/frazil/worker/notes"
        self.asked += 1
        if container not in self.notes:
            raise GoneError("Docker refuses: no such container")
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for number, note in enumerate(self.notes[container]):
                text = sealed(note, host_key(KEY, SALT))
                entry = tarfile.TarInfo(f"notes/{number}")
                entry.size = len(text)
                tar.addfile(entry, io.BytesIO(text))
        return packed.getvalue()


ONE, OTHER = note_of(assignment("one")), note_of(assignment("other"))


async def test_one_who_only_looks_reads_each_time_what_others_write() -> None:
    volumes = Volumes()
    register = Register(volumes, KEY)
    assert await register.notes("abc", SALT) == []
    volumes.notes["abc"] = [ONE]
    assert await register.notes("abc", SALT) == [ONE]


async def test_the_only_one_who_writes_reads_once_and_nothing_from_before() -> None:
    volumes = Volumes()
    volumes.notes["abc"] = [ONE]
    register = Register(volumes, KEY)
    assert await register.notes("abc", SALT) == [ONE]
    volumes.notes["abc"] = [OTHER]
    register.trust(sole=True)
    assert await register.notes("abc", SALT) == [OTHER]
    register.add("abc", ONE)
    register.add("abc", ONE)
    register.drop("abc", OTHER)
    register.trust(sole=True)
    assert await register.notes("abc", SALT) == [ONE]
    assert volumes.asked == 2


async def test_what_was_not_sealed_with_the_hosts_key_is_not_believed() -> None:
    volumes = Volumes()
    volumes.notes["abc"] = [ONE]
    register = Register(volumes, KEY)
    assert await register.notes("abc", "another") == []


async def test_what_was_sealed_by_who_knows_the_hosts_labels_alone_is_not_believed() -> None:
    volumes = Volumes()
    volumes.notes["abc"] = [ONE]
    register = Register(volumes, "of-another-installation")
    assert await register.notes("abc", SALT) == []


async def test_notes_that_are_more_than_is_read_are_none() -> None:
    class Flooded(Volumes):
        async def get(self, container: str, file: PurePosixPath) -> bytes:
            raise TooLargeError(f"too much in {container}:{file}")

    assert await Register(Flooded(), KEY).notes("abc", SALT) == []


async def test_a_host_that_has_just_gone_is_still_known_by_its_members() -> None:
    volumes = Volumes()
    volumes.notes["abc"] = [ONE]
    register = Register(volumes, KEY)
    await register.notes("abc", SALT)
    del volumes.notes["abc"]
    assert await register.noticed("abc", SALT) == [ONE]
    register.keep(["def"])
    assert await register.noticed("abc", SALT) == []
