"""Words for topics on the command line and in settings."""

from collections.abc import Mapping

from frazil.contracts.log_topics import DEFAULT_TOPICS, Topic

ALL = "all"


def topics_of(word: str, names: Mapping[Topic, str] = DEFAULT_TOPICS) -> tuple[Topic, ...]:
    """Read a topic's name, its role, or `all`; raises ValueError with a sentence."""
    if word == ALL:
        return tuple(Topic)
    roles = {topic.value: topic for topic in Topic} | {name: t for t, name in names.items()}
    if word not in roles:
        known = ", ".join(roles)
        raise ValueError(f"There is no topic {word!r}: take one of {known} or {ALL}.")
    return (roles[word],)
