"""What every sink adds to the common keys, and Connect's rules about its topics."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.client_settings import CLIENT_TYPES
from frazil.contracts.plugins.common import COMMON_FAMILIES
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE, MOST_DEAD
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import Value, as_java_text, distinct, valid_pattern

DEAD_LETTER_TOPIC = "errors.deadletterqueue.topic.name"


def _pattern_or_nothing(name: str, value: Value) -> str | None:
    return valid_pattern(name, value) if value else None


SINK_KEYS = (
    # Both are number 4 in Connect, between the keys that all connectors have.
    *section(
        "Common",
        Key(
            "topics",
            KeyType.LIST,
            default=(),
            importance=Importance.HIGH,
            documentation="Topics to read, separated by commas.",
            width=Width.LONG,
            display_name="Topics",
            validator=distinct,
        ),
        first=4,
    ),
    *section(
        "Common",
        Key(
            "topics.regex",
            KeyType.STRING,
            default="",
            importance=Importance.HIGH,
            documentation="Pattern of the topics to read, which the whole name has to match; "
            "excludes `topics`. New topics are found within half a minute.",
            width=Width.LONG,
            display_name="Topics regex",
            validator=_pattern_or_nothing,
        ),
        first=4,
    ),
    *section(
        "Error Handling",
        Key(
            DEAD_LETTER_TOPIC,
            KeyType.STRING,
            default="",
            importance=Importance.MEDIUM,
            documentation="Topic for records that cannot be read or written, in their original "
            "bytes and with their headers; none if empty. It is made if it is missing. They are "
            "sent before the rest of their batch is committed, each at least once. Has an effect "
            "with `errors.tolerance=all` only.",
            display_name="Dead Letter Queue Topic Name",
        ),
        Key(
            "errors.deadletterqueue.topic.replication.factor",
            KeyType.SHORT,
            default=3,
            importance=Importance.MEDIUM,
            documentation="Copies of each dead letter, if the topic has to be made; no more than "
            "there are brokers.",
            display_name="Dead Letter Queue Topic Replication Factor",
        ),
        Key(
            "errors.deadletterqueue.context.headers.enable",
            KeyType.BOOLEAN,
            default=False,
            importance=Importance.MEDIUM,
            documentation="Tell in headers of a dead letter where it came from and why it is one, "
            "as Kafka Connect does: `__connect.errors.*`.",
            display_name="Enable Error Context Headers",
        ),
        first=6,
    ),
)

SINK_FAMILIES = (
    KeyFamily(
        "consumer.override.*",
        importance=Importance.MEDIUM,
        documentation="Settings of the Kafka consumer, such as `auto.offset.reset`, "
        "`bootstrap.servers`, `group.id` and those of security.",
        group="Clients",
        types=CLIENT_TYPES,
    ),
    KeyFamily(
        "producer.override.*",
        documentation="Settings of the Kafka producer that sends dead letters.",
        group="Clients",
        types=CLIENT_TYPES,
    ),
    *COMMON_FAMILIES,
)


def check_topics(config: ParsedConfig) -> Iterator[Complaint]:
    topics, regex = config["topics"], config["topics.regex"]
    complaint = None
    if topics and regex:
        complaint = "topics and topics.regex are mutually exclusive options, but both are set."
    elif not topics and not regex:
        complaint = "Must configure one of topics or topics.regex"
    if complaint:
        yield Complaint("topics", complaint)
        yield Complaint("topics.regex", complaint)


def check_dead_letters(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse a loop: dead letters that the sink would read again."""
    topic, topics = config[DEAD_LETTER_TOPIC], config["topics"]
    if topic and topics and topic in topics:
        listed = as_java_text(tuple(dict.fromkeys(filter(None, topics))))
        yield Complaint(
            "topics",
            f"The DLQ topic '{topic}' may not be included in the list of topics "
            f"('topics={listed}') consumed by the connector",
        )


def doubt_dead_letters(config: ParsedConfig) -> Iterator[Complaint]:
    """Object to keys of ours about bad records, where the first of these fails the task."""
    if config["errors.tolerance"] == "all":
        return
    for name in (MOST_DEAD, DEAD_LETTER_TABLE):
        if config.is_set(name):
            yield Complaint(
                name,
                f"Key {name} has no effect: the first bad record fails the task. Set "
                f"errors.tolerance=all, remove it, or set {UNKNOWN_KEYS}=warn.",
            )
