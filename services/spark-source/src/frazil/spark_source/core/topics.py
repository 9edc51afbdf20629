"""Topics that a source makes: for its position, and for its records by `topic.creation.*`."""

import re
from collections.abc import Mapping

from frazil.worker.errors import BadConfigError
from frazil.worker.new_topic import NewTopic

_PREFIX = "topic.creation."
_DEFAULT = "default"
_OFFSETS_PARTITIONS = 25  # Connect's own default
_OFFSETS_REPLICAS = 3


def offsets_topic(name: str, brokers: int) -> NewTopic:
    """Describe the topic in which sources keep their positions."""
    return NewTopic(
        name,
        partitions=_OFFSETS_PARTITIONS,
        replicas=min(brokers, _OFFSETS_REPLICAS),
        settings={"cleanup.policy": "compact"},
    )


def new_topic(name: str, config: Mapping[str, str]) -> NewTopic:
    """Choose the first group that includes the topic; `default` stands behind it."""
    given = {key: text for key, text in config.items() if key.startswith(_PREFIX)}
    if not given:
        return NewTopic(name)
    aliases = [alias.strip() for alias in given.get(f"{_PREFIX}groups", "").split(",")]
    groups = [_group(given, alias) for alias in aliases if alias not in ("", _DEFAULT)]
    chosen = next((group for group in groups if _includes(group, name)), {})
    default = _group(given, _DEFAULT)
    return NewTopic(
        name,
        partitions=_number("partitions", chosen, default),
        replicas=_number("replication.factor", chosen, default),
        settings={key: text for key, text in (chosen or default).items() if key not in _OUR_KEYS},
    )


_OUR_KEYS = frozenset({"include", "exclude", "partitions", "replication.factor"})


def _group(config: Mapping[str, str], alias: str) -> dict[str, str]:
    prefix = f"{_PREFIX}{alias}."
    return {
        key.removeprefix(prefix): text for key, text in config.items() if key.startswith(prefix)
    }


def _includes(group: Mapping[str, str], name: str) -> bool:
    return _matches(group.get("include", ""), name) and not _matches(group.get("exclude", ""), name)


def _matches(patterns: str, name: str) -> bool:
    return any(re.fullmatch(pattern.strip(), name) for pattern in patterns.split(",") if pattern)


def _number(key: str, chosen: Mapping[str, str], default: Mapping[str, str]) -> int:
    """Read a number that the default group has to give."""
    full = f"{_PREFIX}{_DEFAULT}.{key}"
    text = default.get(key)
    if text is None:
        raise BadConfigError(
            f'Missing required configuration "{full}" which has no default value. It is needed as '
            "soon as any `topic.creation.*` key is set."
        )
    try:
        number = int(chosen.get(key, text))
    except ValueError as error:
        raise BadConfigError(f"{full} and its like have to be numbers.") from error
    if number != -1 and number < 1:
        raise BadConfigError(f"{full} and its like have to be -1 or at least 1.")
    return number
