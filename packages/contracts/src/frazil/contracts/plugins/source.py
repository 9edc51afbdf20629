"""What every source adds to the common keys: topics made, transactions, offsets."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.client_settings import CLIENT_TYPES
from frazil.contracts.plugins.common import COMMON_FAMILIES
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import AtLeast, OneOf, Optional, non_empty, unique_aliases

# Connect numbers the groups on from one another, but for the last.
SOURCE_KEYS = (
    *section(
        "Topic Creation",
        Key(
            "topic.creation.groups",
            KeyType.LIST,
            default=(),
            documentation="Groups of settings for topics that the connector makes; the first that "
            "includes a topic wins, and `default` stands behind them all.",
            width=Width.LONG,
            display_name="Topic Creation Groups",
            validator=unique_aliases,
        ),
    ),
    *section(
        "Exactly Once Support",
        Key(
            "exactly.once.support",
            KeyType.STRING,
            default="requested",
            importance=Importance.MEDIUM,
            documentation="`requested` or `required`. Either way each record is sent once.",
            width=Width.SHORT,
            display_name="Exactly once support",
            validator=OneOf(("REQUIRED", "REQUESTED"), ignore_case=True),
        ),
        Key(
            "transaction.boundary",
            KeyType.STRING,
            default="poll",
            importance=Importance.MEDIUM,
            documentation="What is one transaction. It is always a batch (`poll`); `interval` is "
            "accepted without effect, `connector` is for classes that set their own bounds.",
            width=Width.SHORT,
            display_name="Transaction Boundary",
            validator=OneOf(("INTERVAL", "POLL", "CONNECTOR"), ignore_case=True),
        ),
        Key(
            "transaction.boundary.interval.ms",
            KeyType.LONG,
            documentation="Time between transactions. Accepted without effect.",
            width=Width.SHORT,
            display_name="Transaction boundary interval",
            validator=Optional(AtLeast(0)),
        ),
        first=2,
    ),
    *section(
        "offsets.topic",
        Key(
            "offsets.storage.topic",
            KeyType.STRING,
            documentation="A topic of the connector's own for its offsets. Accepted without "
            "effect: those of all connectors are in one topic.",
            width=Width.LONG,
            display_name="Offsets topic",
            validator=Optional(non_empty),
        ),
    ),
)

SOURCE_FAMILIES = (
    KeyFamily(
        "topic.creation.<group>.*",
        documentation="Settings of a group: `include` and `exclude` (patterns of topics), "
        "`partitions`, `replication.factor` (-1: the broker's default), and any setting of a "
        "topic. Without any a topic that is missing is made with the broker's defaults.",
        group="Topic Creation",
    ),
    KeyFamily(
        "producer.override.*",
        importance=Importance.MEDIUM,
        documentation="Settings of the Kafka producer, such as `bootstrap.servers`, "
        "`compression.type` and those of security.",
        group="Clients",
        types=CLIENT_TYPES,
    ),
    *COMMON_FAMILIES,
)


def check_boundary(config: ParsedConfig) -> Iterator[Complaint]:
    if str(config["transaction.boundary"]).lower() == "connector":
        yield Complaint(
            "transaction.boundary",
            "The connector does not support connector-defined transaction boundaries with the "
            "given configuration. Please reconfigure it to use a different transaction boundary "
            "definition.",
        )
