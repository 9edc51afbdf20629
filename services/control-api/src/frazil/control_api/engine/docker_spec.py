"""A connector's container as the daemon wants it described; pure.

What an operator allows comes from the settings; a connector may choose memory, cpus and one of
the images, by keys that are named here. None of its values goes in: these travel in the
assignment, a file that is put into the container and that only the worker may read.
"""

import io
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.naming import container_name
from frazil.contracts.plugins.bounds import in_bytes
from frazil.contracts.plugins.frazil_keys import DRIVER_MEMORY
from frazil.control_api.core.errors import EngineError
from frazil.control_api.engine.resources import read_key

CONNECTOR_LABEL = "frazil.connector"
EPOCH_LABEL = "frazil.epoch"
INSTANCE_LABEL = "frazil.instance"

PROBE_PORT = 8080
# The folder lies in a volume: into nothing else of a read-only container can a file be put.
VOLUME = PurePosixPath("/run/frazil")
RUN_FOLDER = VOLUME / "worker"

_USER = 10001
_STOP_SECONDS = 20
_PIDS = 1024
CPU_PERIOD = 100_000
_MIB = 1024 * 1024
# Metaspace, code, threads, buffers, and Python: a process for each task beside the driver's own.
_BESIDE_THE_HEAP = 768 * _MIB
# What goes into an archive, and its content.
Entry = tuple[tarfile.TarInfo, bytes]
_TMP = "rw,exec,nosuid,nodev,size=256m,mode=1777"


@dataclass(frozen=True, slots=True)
class DockerOptions:
    """What the operator says of all containers; `memory` and `cpus` are upper bounds."""

    instance: str
    image: str
    images: tuple[str, ...] = ()
    network: str = "bridge"
    volumes: tuple[str, ...] = ()
    memory: str | None = None
    cpus: float | None = None
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def allowed_images(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.image, *self.images)))


def create_options(
    assignment: Assignment, program: str, options: DockerOptions
) -> tuple[str, dict[str, Any]]:
    """Return the container's name and its description. Raises EngineError for what is too much."""
    labels = {
        CONNECTOR_LABEL: assignment.connector,
        EPOCH_LABEL: str(assignment.epoch),
        INSTANCE_LABEL: options.instance,
    }
    description = describe(
        image_of(assignment.config, options),
        program,
        labels,
        options,
        memory=memory_of(assignment.config, options),
        cpus=cpus_of(assignment.config, options),
    )
    return container_name(options.instance, assignment.connector, assignment.epoch), description


def describe(
    image: str,
    program: str,
    labels: Mapping[str, str],
    options: DockerOptions,
    *,
    memory: int,
    cpus: float,
) -> dict[str, Any]:
    """Describe a container that is as closed as can be, with a worker's program in it."""
    return {
        "Image": image,
        "Entrypoint": ["python", "-m"],
        "Cmd": [program, str(RUN_FOLDER)],
        "User": f"{_USER}:{_USER}",
        "WorkingDir": str(RUN_FOLDER),
        "Env": _environment(options),
        "Labels": dict(labels),
        "Volumes": {str(VOLUME): {}},
        "StopSignal": "SIGTERM",
        "StopTimeout": _STOP_SECONDS,
        "HostConfig": _host_config(memory, cpus, options),
    }


def _environment(options: DockerOptions) -> list[str]:
    variables = {
        **dict(options.environment),
        "FRAZIL_PROBE_HOST": "0.0.0.0",  # noqa: S104 (the container's own network)
        "FRAZIL_PROBE_PORT": str(PROBE_PORT),
    }
    return [f"{name}={value}" for name, value in sorted(variables.items())]


def _host_config(memory: int, cpus: float, options: DockerOptions) -> dict[str, Any]:
    return {
        "Memory": memory,
        "MemorySwap": memory,
        # Not in whole cpus, of which the daemon refuses more than the machine has.
        "CpuPeriod": CPU_PERIOD,
        "CpuQuota": round(cpus * CPU_PERIOD),
        "PidsLimit": _PIDS,
        "ReadonlyRootfs": True,
        "Tmpfs": {"/tmp": _TMP},  # noqa: S108 (the container's own)
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "Privileged": False,
        "Init": True,
        "NetworkMode": options.network,
        "Binds": list(options.volumes),
        "RestartPolicy": {"Name": "no"},
        "LogConfig": {"Type": "json-file", "Config": {"max-size": "10m", "max-file": "3"}},
    }


def image_of(config: Mapping[str, str], options: DockerOptions) -> str:
    wanted = str(read_key(config, "frazil.container.image") or options.image)
    if wanted in options.allowed_images:
        return wanted
    raise EngineError(
        f"frazil.container.image is {wanted}, but connectors may choose among "
        f"{', '.join(options.allowed_images)} only (FRAZIL_DOCKER_IMAGES)"
    )


def memory_of(config: Mapping[str, str], options: DockerOptions) -> int:
    """Return bytes: as the connector wants, or its heap and what a driver takes beside it."""
    wanted = str(read_key(config, "frazil.container.memory"))
    heap = str(read_key(config, DRIVER_MEMORY))
    return bounded_memory(in_bytes(wanted) if wanted else memory_for_heap(heap), options)


def memory_for_heap(heap: str) -> int:
    return in_bytes(heap) + in_bytes(heap) // 4 + _BESIDE_THE_HEAP


def bounded_memory(memory: int, options: DockerOptions) -> int:
    if options.memory is not None and memory > in_bytes(options.memory):
        raise EngineError(
            f"its container needs {memory // _MIB} MB (frazil.container.memory, or else by "
            f"frazil.driver.memory), but {options.memory} are the most here (FRAZIL_DOCKER_MEMORY)"
        )
    return memory


def cpus_of(config: Mapping[str, str], options: DockerOptions) -> float:
    wanted = read_key(config, "frazil.container.cpus") or read_key(config, "tasks.max")
    return bounded_cpus(float(str(wanted)), options)


def bounded_cpus(cpus: float, options: DockerOptions) -> float:
    if options.cpus is not None and cpus > options.cpus:
        raise EngineError(
            f"its container needs {cpus:g} cpus (frazil.container.cpus, or else tasks.max), but "
            f"{options.cpus:g} are the most here (FRAZIL_DOCKER_CPUS)"
        )
    return cpus


def assignment_archive(assignment: Assignment) -> bytes:
    """Pack the run folder, to be unpacked at VOLUME; the worker's user alone may read it."""
    text = assignment.model_dump_json().encode()
    return packed(folder_entry(RUN_FOLDER), file_entry(RUN_FOLDER / ASSIGNMENT_FILE, text))


def packed(*entries: Entry) -> bytes:
    """Pack what is to be unpacked at VOLUME, in this order."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for entry, content in entries:
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def folder_entry(path: PurePosixPath) -> Entry:
    entry = _entry(path, 0o700)
    entry.type = tarfile.DIRTYPE
    return entry, b""


def file_entry(path: PurePosixPath, content: bytes = b"") -> Entry:
    entry = _entry(path, 0o600)
    entry.size = len(content)
    return entry, content


def link_entry(path: PurePosixPath, target: str) -> Entry:
    entry = _entry(path, 0o777)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry, b""


def only_file(archive: bytes) -> bytes:
    """Unpack what the daemon answers when it is asked for one file."""
    return next(iter(files_in(archive)), b"")


def files_in(archive: bytes) -> Iterator[bytes]:
    """Unpack what the daemon answers when it is asked for a folder of files."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for entry in tar:
            if entry.isfile():
                yield archive[entry.offset_data : entry.offset_data + entry.size]


def _entry(path: PurePosixPath, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(str(path.relative_to(VOLUME)))
    entry.mode, entry.uid, entry.gid = mode, _USER, _USER
    return entry
