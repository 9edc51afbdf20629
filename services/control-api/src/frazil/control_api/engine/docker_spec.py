"""A connector's container as the daemon wants it described; pure.

What an operator allows comes from the settings; a connector may choose memory, cpus and one of
the images, by keys that are named here. None of its values goes in: these travel in the
assignment, a file that is put into the container and that only the worker may read.
"""

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from frazil.contracts.assignment import ASSIGNMENT_FILE, Assignment
from frazil.contracts.naming import container_name
from frazil.contracts.parsing import check
from frazil.contracts.plugins import find_plugin
from frazil.control_api.core.errors import EngineError

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
_CPU_PERIOD = 100_000
_MIB = 1024 * 1024
_UNITS = {"m": _MIB, "g": 1024 * _MIB}
# Python, metaspace, code, threads and buffers: a driver with a heap of 512 MB takes 766 MB.
_BESIDE_THE_HEAP = 384 * _MIB
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


def create_options(
    assignment: Assignment, program: str, options: DockerOptions
) -> tuple[str, dict[str, Any]]:
    """Return the container's name and its description. Raises EngineError for what is too much."""
    description = {
        "Image": image_of(assignment.config, options),
        "Entrypoint": ["python", "-m"],
        "Cmd": [program, str(RUN_FOLDER)],
        "User": f"{_USER}:{_USER}",
        "WorkingDir": str(RUN_FOLDER),
        "Env": _environment(options),
        "Labels": {
            CONNECTOR_LABEL: assignment.connector,
            EPOCH_LABEL: str(assignment.epoch),
            INSTANCE_LABEL: options.instance,
        },
        "Volumes": {str(VOLUME): {}},
        "StopSignal": "SIGTERM",
        "StopTimeout": _STOP_SECONDS,
        "HostConfig": _host_config(assignment.config, options),
    }
    return container_name(options.instance, assignment.connector, assignment.epoch), description


def _environment(options: DockerOptions) -> list[str]:
    variables = {
        **dict(options.environment),
        "FRAZIL_PROBE_HOST": "0.0.0.0",  # noqa: S104 (the container's own network)
        "FRAZIL_PROBE_PORT": str(PROBE_PORT),
        "SPARK_LOCAL_DIRS": str(RUN_FOLDER),
    }
    return [f"{name}={value}" for name, value in sorted(variables.items())]


def _host_config(config: Mapping[str, str], options: DockerOptions) -> dict[str, Any]:
    memory = _memory(config, options)
    return {
        "Memory": memory,
        "MemorySwap": memory,
        # Not in whole cpus, of which the daemon refuses more than the machine has.
        "CpuPeriod": _CPU_PERIOD,
        "CpuQuota": round(_cpus(config, options) * _CPU_PERIOD),
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
    wanted = str(_read(config, "frazil.container.image") or options.image)
    allowed = tuple(dict.fromkeys((options.image, *options.images)))
    if wanted in allowed:
        return wanted
    raise EngineError(
        f"frazil.container.image is {wanted}, but connectors may choose among {', '.join(allowed)} "
        "only (FRAZIL_DOCKER_IMAGES)"
    )


def _memory(config: Mapping[str, str], options: DockerOptions) -> int:
    """Return bytes: as the connector wants, or its heap and what a driver takes beside it."""
    wanted = str(_read(config, "frazil.container.memory"))
    heap = in_bytes(str(_read(config, "frazil.driver.memory")))
    memory = in_bytes(wanted) if wanted else heap + heap // 4 + _BESIDE_THE_HEAP
    if options.memory is not None and memory > in_bytes(options.memory):
        raise EngineError(
            f"its container needs {memory // _MIB} MB (frazil.container.memory, or else by "
            f"frazil.driver.memory), but {options.memory} are the most here (FRAZIL_DOCKER_MEMORY)"
        )
    return memory


def _cpus(config: Mapping[str, str], options: DockerOptions) -> float:
    cpus = float(str(_read(config, "frazil.container.cpus") or _read(config, "tasks.max")))
    if options.cpus is not None and cpus > options.cpus:
        raise EngineError(
            f"its container needs {cpus:g} cpus (frazil.container.cpus, or else tasks.max), but "
            f"{options.cpus:g} are the most here (FRAZIL_DOCKER_CPUS)"
        )
    return cpus


def _read(config: Mapping[str, str], name: str) -> object:
    plugin = find_plugin(config["connector.class"])
    key = next(key for key in (*plugin.keys, *plugin.common_keys) if key.name == name)
    checked = check(key, config)
    if checked.errors:
        raise EngineError(checked.errors[0])
    return checked.value


def in_bytes(size: str) -> int:
    """Read a size as Java writes it: `512m`, `2g`."""
    return int(size[:-1]) * _UNITS[size[-1].lower()]


def assignment_archive(assignment: Assignment) -> bytes:
    """Pack the run folder, to be unpacked at VOLUME; the worker's user alone may read it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        folder = _entry(RUN_FOLDER.name, 0o700)
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        text = assignment.model_dump_json().encode()
        file = _entry(f"{RUN_FOLDER.name}/{ASSIGNMENT_FILE}", 0o600)
        file.size = len(text)
        archive.addfile(file, io.BytesIO(text))
    return packed.getvalue()


def only_file(archive: bytes) -> bytes:
    """Unpack what the daemon answers when it is asked for one file."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        file = packed.extractfile(packed.next() or "")
        return file.read() if file else b""


def _entry(name: str, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.uid, entry.gid = mode, _USER, _USER
    return entry
