"""When the Iceberg sink commits, and whom it tells of that."""

from frazil.contracts.config import Importance, Key, KeyType, Width, section
from frazil.contracts.validators import AtLeast

COMMIT_INTERVAL_MS = "iceberg.control.commit.interval-ms"
CONTROL_TOPIC = "iceberg.control.topic"
CONTROL_EVENTS = "frazil.control.events"
TRANSACTION_PREFIX = "iceberg.coordinator.transactional.prefix"

COMMIT_KEYS = section(
    "Commits",
    Key(
        COMMIT_INTERVAL_MS,
        KeyType.INT,
        default=300_000,
        importance=Importance.MEDIUM,
        documentation="Time between commits, in milliseconds. Rows are visible after it at the "
        "latest, plus the time of the commit itself.",
        display_name="Commit interval",
        validator=AtLeast(0),
    ),
    Key(
        "iceberg.control.commit.timeout-ms",
        KeyType.INT,
        default=30_000,
        documentation="Time to wait for all tasks. Accepted without effect: one driver commits.",
        display_name="Commit timeout",
    ),
    Key(
        "iceberg.control.commit.threads",
        KeyType.INT,
        documentation="Tables written and committed at a time; twice `tasks.max` if not set.",
        display_name="Commit threads",
    ),
    Key(
        "iceberg.control.commit.max-consecutive-failures",
        KeyType.INT,
        default=1,
        documentation="Failed commits in a row before the sink stops. Accepted without effect: "
        "a rival's commit is decided by the ledger, and anything else fails the task.",
        display_name="Commit failures",
        validator=AtLeast(1),
    ),
    Key(
        CONTROL_TOPIC,
        KeyType.STRING,
        default="control-iceberg",
        documentation="Topic of the events, where `frazil.control.events` asks for them; it is "
        "made if it is missing, and never read. Also a name in the `kafka.connect.offsets.*` "
        "property of snapshots, for those who look for it there.",
        display_name="Control topic",
    ),
    Key(
        CONTROL_EVENTS,
        KeyType.BOOLEAN,
        default=False,
        documentation="Whether to tell each commit in the control topic, in the form of Kafka "
        "Connect's sink: COMMIT_TO_TABLE for each table and COMMIT_COMPLETE for each batch, in "
        "one transaction. After a restart the newest may be told again, with the same ids.",
        width=Width.SHORT,
        display_name="Control events",
    ),
    Key(
        "iceberg.control.group-id",
        KeyType.STRING,
        documentation="Group for offsets in the control topic. Accepted without effect: offsets "
        "are in the table.",
        display_name="Control group",
    ),
    Key(
        "iceberg.control.group-id-prefix",
        KeyType.STRING,
        default="cg-control-",
        documentation="Prefix of groups on the control topic. Accepted without effect.",
        display_name="Control group prefix",
    ),
    Key(
        "iceberg.connect.group-id",
        KeyType.STRING,
        documentation="Group of the sink. Accepted without effect: it is `connect-<name>`, or "
        "`consumer.override.group.id`.",
        display_name="Connect group",
    ),
    Key(
        TRANSACTION_PREFIX,
        KeyType.STRING,
        default="",
        documentation="Prefix of the transactional id with which events are sent.",
        display_name="Transactional id prefix",
    ),
    Key(
        "iceberg.coordinator.transactional.suffix",
        KeyType.STRING,
        documentation="Set by the Kafka Connect sink for itself. Accepted without effect.",
        display_name="Transactional id suffix",
    ),
    Key(
        "iceberg.coordinator-executor-keep-alive-timeout-ms",
        KeyType.LONG,
        default=120_000,
        documentation="How long idle commit threads live. Accepted without effect.",
        display_name="Commit threads' keep-alive",
    ),
)
