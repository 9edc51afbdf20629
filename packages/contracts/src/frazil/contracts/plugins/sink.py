"""What every sink adds to the common keys, and Connect's rules about its topics."""

from collections.abc import Iterator

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.common import COMMON_FAMILIES
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import as_java_text, distinct

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
            documentation="Pattern of the topics to read; excludes `topics`.",
            width=Width.LONG,
            display_name="Topics regex",
        ),
        first=4,
    ),
    *section(
        "Error Handling",
        Key(
            "errors.deadletterqueue.topic.name",
            KeyType.STRING,
            default="",
            importance=Importance.MEDIUM,
            documentation="Topic for records that cannot be read or written; none if empty.",
            display_name="Dead Letter Queue Topic Name",
        ),
        Key(
            "errors.deadletterqueue.topic.replication.factor",
            KeyType.SHORT,
            default=3,
            importance=Importance.MEDIUM,
            documentation="Copies of each dead letter, if the topic has to be created.",
            display_name="Dead Letter Queue Topic Replication Factor",
        ),
        Key(
            "errors.deadletterqueue.context.headers.enable",
            KeyType.BOOLEAN,
            default=False,
            importance=Importance.MEDIUM,
            documentation="Tell in headers of a dead letter why it is one.",
            display_name="Enable Error Context Headers",
        ),
        first=6,
    ),
)

CONVERTER_KEYS = section(
    "Converters",
    Key(
        "value.converter.schemas.enable",
        KeyType.BOOLEAN,
        default=False,
        documentation="Whether each JSON record carries its schema, as `schema` and `payload`. "
        "Beside `value.converter` it is true if not given, as in Kafka Connect; without that key "
        "values are plain JSON.",
        width=Width.SHORT,
        display_name="Embedded schemas",
    ),
)

SINK_FAMILIES = (
    KeyFamily(
        "consumer.override.*",
        importance=Importance.MEDIUM,
        documentation="Settings of the Kafka consumer, such as `auto.offset.reset`, "
        "`bootstrap.servers`, `group.id` and those of security.",
        group="Clients",
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
    topic, topics = config["errors.deadletterqueue.topic.name"], config["topics"]
    if topic and topics and topic in topics:
        listed = as_java_text(tuple(dict.fromkeys(filter(None, topics))))
        yield Complaint(
            "topics",
            f"The DLQ topic '{topic}' may not be included in the list of topics "
            f"('topics={listed}') consumed by the connector",
        )
