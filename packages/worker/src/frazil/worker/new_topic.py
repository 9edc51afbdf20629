"""What a topic that has to be made shall be like."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class NewTopic:
    """-1 leaves the choice to the broker."""

    name: str
    partitions: int = -1
    replicas: int = -1
    settings: Mapping[str, str] = field(default_factory=dict)
