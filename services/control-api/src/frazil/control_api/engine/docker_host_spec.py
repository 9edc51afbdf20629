"""A host's container as the daemon wants it described, and what is put into its volume; pure.

A container's labels cannot change, so what it was given lies in its volume: a run folder for each
member, and beside it a note, which says whose the folder is and nothing that is secret. What runs
in a host can write there too. So notes are sealed with a key of the host: made of the
installation's key, which the store has, and of a random label of the host.
"""

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.hosting import HOSTING_FILE, MEMBERS_FOLDER, Hosting
from frazil.contracts.naming import container_name
from frazil.control_api.engine.docker_spec import (
    INSTANCE_LABEL,
    RUN_FOLDER,
    DockerOptions,
    Entry,
    bounded_cpus,
    bounded_memory,
    cpus_of,
    describe,
    file_entry,
    files_in,
    folder_entry,
    link_entry,
    memory_for_heap,
    memory_of,
    packed,
)
from frazil.control_api.engine.resources import (
    SIZE_KEYS,
    driver_for,
    fits_waiting,
    is_enough,
    larger_driver,
    waiting_driver,
)

HOST_LABEL = "frazil.host"
NUMBER_LABEL = "frazil.number"
ROOM_LABEL = "frazil.room"
SALT_LABEL = "frazil.salt"

NOTES = RUN_FOLDER / "notes"
_RUNS = RUN_FOLDER / "runs"
_MEMBERS = RUN_FOLDER / MEMBERS_FOLDER
_CONTAINER_KEYS = "frazil.container."


class Room(BaseModel):
    """What a host has for its members; `memory` in bytes is that of the container."""

    model_config = ConfigDict(frozen=True)

    hosting: Hosting
    memory: int
    cpus: float

    def has(self, wanted: "Room") -> bool:
        return (
            is_enough(self.hosting, wanted.hosting)
            and self.memory >= wanted.memory
            and self.cpus >= wanted.cpus
        )


class Note(BaseModel):
    """Whose a run folder in a host is, and what its config says of the size of the host."""

    model_config = ConfigDict(frozen=True)

    connector: str
    epoch: int
    config: Mapping[str, str]

    def is_of(self, assignment: Assignment) -> bool:
        return (self.connector, self.epoch) == (assignment.connector, assignment.epoch)


class _SealedNote(BaseModel):
    note: str
    seal: str

    def opened(self, key: str) -> Note | None:
        """Return the note, if it was sealed with this key."""
        is_ours = key and hmac.compare_digest(self.seal, _seal(self.note, key))
        return Note.model_validate_json(self.note) if is_ours else None


def host_key(installation_key: str, salt: str) -> str:
    """Return the key that seals the notes of the host with this salt."""
    return hmac.digest(installation_key.encode(), salt.encode(), "sha256").hex()


def sealed(note: Note, key: str) -> bytes:
    text = note.model_dump_json()
    return _SealedNote(note=text, seal=_seal(text, key)).model_dump_json().encode()


def _seal(text: str, key: str) -> str:
    return hmac.digest(key.encode(), text.encode(), "sha256").hex()


def room_for(
    group: str | None, configs: Iterable[Mapping[str, str]], options: DockerOptions
) -> Room:
    """Size a host that has for each of these what it wants. Raises EngineError for too much."""
    wanted = list(configs)
    return Room(
        hosting=driver_for(group, wanted),
        memory=max(memory_of(config, options) for config in wanted),
        cpus=max(cpus_of(config, options) for config in wanted),
    )


def waiting_room(options: DockerOptions) -> Room:
    """Size a host for a connector that asks for nothing. Raises EngineError for too much."""
    hosting = waiting_driver()
    memory = bounded_memory(memory_for_heap(hosting.memory), options)
    return Room(hosting=hosting, memory=memory, cpus=bounded_cpus(hosting.cores, options))


def fits(room: Room, assignment: Assignment, kind: str, options: DockerOptions) -> bool:
    """Tell whether a connector has in a host that waits what it would have in one of its own."""
    config = assignment.config
    asks = any(value and key.startswith(_CONTAINER_KEYS) for key, value in config.items())
    if asks or not fits_waiting(assignment, kind):
        return False
    return room.has(room_for(None, [config], options))


def larger(one: Room, other: Room | None) -> Room:
    """Size a host that stands in for both."""
    if other is None:
        return one
    return Room(
        hosting=larger_driver(one.hosting, other.hosting),
        memory=max(one.memory, other.memory),
        cpus=max(one.cpus, other.cpus),
    )


def host_name(kind: str, group: str | None, image: str) -> str:
    """Name the hosts that stand in for each other. No group's name is empty."""
    return f"{kind}/{group or ''}/{image}"


def host_options(
    name: str, number: int, program: str, room: Room, options: DockerOptions, *, salt: str
) -> tuple[str, dict[str, Any]]:
    """Return the container's name and its description."""
    _, group, image = name.split("/", 2)
    labels = {
        HOST_LABEL: name,
        NUMBER_LABEL: str(number),
        ROOM_LABEL: room.model_dump_json(),
        SALT_LABEL: salt,
        INSTANCE_LABEL: options.instance,
    }
    description = describe(image, program, labels, options, memory=room.memory, cpus=room.cpus)
    # No connector's name is like this, for there is one more part.
    digested = f"{options.instance}/{name}"
    return container_name(digested, f"host {group}", number), description


def host_archive(hosting: Hosting) -> bytes:
    folders = (folder_entry(path) for path in (RUN_FOLDER, _MEMBERS, _RUNS, NOTES))
    return packed(
        *folders, file_entry(RUN_FOLDER / HOSTING_FILE, hosting.model_dump_json().encode())
    )


def note_of(assignment: Assignment) -> Note:
    config = {key: assignment.config[key] for key in SIZE_KEYS if key in assignment.config}
    return Note(connector=assignment.connector, epoch=assignment.epoch, config=config)


def member_archive(assignment: Assignment, key: str) -> bytes:
    """Pack a run folder and all that refers to it.

    The link is last: with it the host takes it up.
    """
    note = note_of(assignment)
    folder = member_folder(note)
    return packed(
        folder_entry(folder.parent),
        folder_entry(folder),
        file_entry(folder / ASSIGNMENT_FILE, assignment.model_dump_json().encode()),
        file_entry(_note_file(note), sealed(note, key)),
        _link(note),
    )


def link_archive(note: Note) -> bytes:
    """Pack the link once more, for one that was put there without it."""
    return packed(_link(note))


def asking_archive(note: Note, file: str) -> bytes:
    """Pack a file that asks for a member's end."""
    return packed(file_entry(member_folder(note) / file))


def forgetting_archive(note: Note) -> bytes:
    """Pack empty files that take the places of a run folder, with all its secrets, and its note."""
    return packed(file_entry(member_folder(note)), file_entry(_note_file(note)))


def notes_in(archive: bytes, key: str) -> list[Note]:
    """Read the notes that were sealed with the host's key; others are not of ours."""
    found = []
    for text in filter(None, files_in(archive)):
        try:
            found.append(_SealedNote.model_validate_json(text).opened(key))
        except ValidationError:
            continue  # half of it was put there: nothing was to be taken up
    return [note for note in found if note is not None]


def member_folder(note: Note) -> PurePosixPath:
    """Names of connectors are longer than those of files may be."""
    return _RUNS / sha256(note.connector.encode()).hexdigest()[:24] / str(note.epoch)


def _note_file(note: Note) -> PurePosixPath:
    return NOTES / _short_name(note)


def _link(note: Note) -> Entry:
    target = member_folder(note).relative_to(RUN_FOLDER)
    return link_entry(_MEMBERS / _short_name(note), f"../{target}")


def _short_name(note: Note) -> str:
    folder = member_folder(note)
    return f"{folder.parent.name}-{folder.name}"
