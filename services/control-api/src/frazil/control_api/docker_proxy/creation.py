"""What a container may be created from: six values, put into the engine's own template; pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from frazil.control_api.core.errors import EngineError
from frazil.control_api.docker_proxy.errors import RefusedError
from frazil.control_api.engine.docker_host_spec import (
    HOST_LABEL,
    NUMBER_LABEL,
    ROOM_LABEL,
    SALT_LABEL,
)
from frazil.control_api.engine.docker_spec import (
    CONNECTOR_LABEL,
    CPU_PERIOD,
    EPOCH_LABEL,
    INSTANCE_LABEL,
    DockerOptions,
    bounded_cpus,
    bounded_memory,
    describe,
)

_PROGRAM = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
_LONGEST_NAME, _MOST_NAMED = 40, 8
_LABELS = (
    {INSTANCE_LABEL, CONNECTOR_LABEL, EPOCH_LABEL},
    {INSTANCE_LABEL, HOST_LABEL, NUMBER_LABEL, ROOM_LABEL, SALT_LABEL},
)


def created(body: bytes, options: DockerOptions) -> bytes:
    """Return the body that the engine is given, which is made here.

    Raises RefusedError if the one that was sent is another: whatever the template does not have
    is refused, known to Docker or not.
    """
    sent = _parsed(body)
    host_config = sent.get("HostConfig")
    if not isinstance(host_config, dict):
        raise RefusedError("a container without a HostConfig is not bounded")
    wanted = describe(
        _image(sent.get("Image"), options),
        _program(sent.get("Cmd")),
        _labels(sent.get("Labels"), options),
        options,
        memory=_memory(host_config.get("Memory"), options),
        cpus=_cpus(host_config.get("CpuQuota"), options),
    )
    if sent != wanted:
        differing = ", ".join([*_differing(sent, wanted), *_differing(host_config, wanted)])
        raise RefusedError(
            f"a container is created as the settings of this proxy say, and not with another "
            f"{differing or 'HostConfig'}"
        )
    return json.dumps(wanted).encode()


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError("the description of the container is not JSON") from None
    if not isinstance(sent, dict):
        raise RefusedError("the description of the container is not an object")
    return sent


def _image(image: object, options: DockerOptions) -> str:
    if image not in options.allowed_images:
        raise RefusedError(f"containers are not created from the image {image!r}")
    return str(image)


def _program(command: object) -> str:
    if not isinstance(command, list) or not command:
        raise RefusedError("the container has no program")
    program = command[0]
    if not isinstance(program, str) or not _PROGRAM.fullmatch(program):
        raise RefusedError(f"{program!r} is not the name of a program")
    return program


def _labels(labels: object, options: DockerOptions) -> Mapping[str, str]:
    """Check that it will be known as ours, and as nothing else."""
    if (
        not isinstance(labels, dict)
        or labels.keys() not in _LABELS
        or labels[INSTANCE_LABEL] != options.instance
        or not all(isinstance(text, str) for text in labels.values())
    ):
        raise RefusedError(f"the labels are not those of a worker of {options.instance}")
    return labels


def _memory(memory: object, options: DockerOptions) -> int:
    if type(memory) is not int or memory <= 0:
        raise RefusedError("the container has no bound of memory")
    try:
        return bounded_memory(memory, options)
    except EngineError as error:
        raise RefusedError(str(error)) from None


def _cpus(quota: object, options: DockerOptions) -> float:
    if type(quota) is not int or quota <= 0:
        raise RefusedError("the container has no bound of cpus")
    try:
        return bounded_cpus(quota / CPU_PERIOD, options)
    except EngineError as error:
        raise RefusedError(str(error)) from None


def _differing(sent: Mapping[str, object], wanted: Mapping[str, Any]) -> list[str]:
    """Name the keys of a level that differ; those of HostConfig are a level of their own."""
    expected = wanted if "HostConfig" in sent else wanted["HostConfig"]
    keys = (sent.keys() | expected.keys()) - {"HostConfig"}
    differing = sorted(key for key in keys if sent.get(key) != expected.get(key))
    return [key[:_LONGEST_NAME] for key in differing[:_MOST_NAMED]]
