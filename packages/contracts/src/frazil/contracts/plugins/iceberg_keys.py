"""The keys of the Iceberg sink: those of both generations of the Kafka Connect sink."""

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.iceberg_tables import (
    AUTO_CREATE,
    IGNORE_CASE,
    NAMESPACE,
    OPERATION,
    SEQUENCE,
    TEMPLATE,
    UNAVAILABLE,
    UPSERT,
)
from frazil.contracts.table_template import table_template
from frazil.contracts.validators import AtLeast, Matches

CONTROL_TOPIC = "iceberg.control.topic"
CONTROL_EVENTS = "frazil.control.events"
TRANSACTION_PREFIX = "iceberg.coordinator.transactional.prefix"

_TABLES = section(
    "Tables",
    Key(
        "iceberg.tables",
        KeyType.LIST,
        importance=Importance.HIGH,
        documentation="Tables to write, as `namespace.table`, separated by commas. Each record is "
        "for all of them, unless a route field and patterns say otherwise.",
        width=Width.LONG,
        display_name="Tables",
    ),
    Key(
        "iceberg.tables.dynamic-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Take the name of the table from each record. Records for a table that "
        "does not exist, and is not created, are left out and counted.",
        width=Width.SHORT,
        display_name="Dynamic tables",
    ),
    Key(
        "iceberg.tables.route-field",
        KeyType.STRING,
        documentation="Field that decides the table of a record, nested with dots. With "
        "`iceberg.tables` its value is matched by the tables' `route-regex`; else it is the "
        "table's name, put in small letters.",
        display_name="Route field",
    ),
    Key(
        TEMPLATE,
        KeyType.STRING,
        importance=Importance.MEDIUM,
        documentation="Table of each record as a template, such as `lake.${topic}`, instead of "
        "a field that holds its whole name. `${topic}`, `${key}`, `${key.<field>}`, "
        "`${value.<field>}` and `${header.<name>}` are filled in; fields may be nested, with "
        "dots. Names are put in small letters; a record that lacks a part is for no table.",
        display_name="Table template",
        validator=table_template,
    ),
    Key(
        NAMESPACE,
        KeyType.STRING,
        documentation="Namespace of tables that records name without one.",
        display_name="Default namespace",
    ),
    Key(
        "iceberg.tables.default-commit-branch",
        KeyType.STRING,
        documentation="Branch to commit to; `main` if not set. The first commit makes it.",
        display_name="Commit branch",
    ),
    Key(
        "iceberg.tables.default-id-columns",
        KeyType.STRING,
        documentation="Key columns, separated by commas, by which changes find their rows: the "
        "identifier fields of created tables, where they are required.",
        display_name="Key columns",
    ),
    Key(
        "iceberg.tables.default-partition-by",
        KeyType.STRING,
        documentation="Partition of created tables, such as `day(time), bucket(id, 8)`: columns, "
        "`year`, `month`, `day`, `hour`, `bucket` and `truncate`. A table that cannot be "
        "partitioned so is not created.",
        display_name="Partition by",
    ),
    Key(
        OPERATION,
        KeyType.STRING,
        documentation="Field that says what a record does to the row of its key, nested ones with "
        "dots, such as `_cdc.op` or `op`. What begins with a D deletes it; with anything else, or "
        "nothing, the record is its new state. Needs a key: identifier fields, or `id-columns`.",
        display_name="Operation field",
    ),
    Key(
        UPSERT,
        KeyType.BOOLEAN,
        default=False,
        documentation="Whether a record is the new state of the row of its key, instead of one "
        "more row. Needs a key, as the operation field does; that may be set beside it, for "
        "deletes.",
        width=Width.SHORT,
        display_name="Upsert",
    ),
    Key(
        SEQUENCE,
        KeyType.STRING,
        documentation="Field by which changes of a key are ordered, nested ones with dots, such as "
        "`_cdc.offset`, `ts_ms` or a version: a change that is older than its row is left out, and "
        "so is one that is older than the row's deletion. It is a column of the table; deletions "
        "are remembered for a week, in the table `<table>__deleted`. Without it the order is that "
        "of the partition, in which all changes of a key have to be.",
        display_name="Sequence field",
    ),
    Key(
        UNAVAILABLE,
        KeyType.STRING,
        default="__debezium_unavailable_value",
        documentation="Text by which a change says that a column has not changed and its value is "
        "not known: the row keeps what it has. Debezium sends it for large values.",
        display_name="Unavailable value",
    ),
    Key(
        AUTO_CREATE,
        KeyType.BOOLEAN,
        default=False,
        documentation="Create a table that does not exist, and its namespaces, from what the first "
        "batch of its records has.",
        width=Width.SHORT,
        display_name="Create tables",
    ),
    Key(
        "iceberg.tables.evolve-schema-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Change the table to fit the records, once a batch before it is written: "
        "missing columns are added at any depth; with a schema in the records int and float "
        "become long and double, and required columns optional. Without it fields that the table "
        "does not have are left out.",
        width=Width.SHORT,
        display_name="Evolve schema",
    ),
    Key(
        "iceberg.tables.schema-force-optional",
        KeyType.BOOLEAN,
        default=False,
        documentation="Make all columns of created tables optional, but those of a key.",
        width=Width.SHORT,
        display_name="Optional columns",
    ),
    Key(
        IGNORE_CASE,
        KeyType.BOOLEAN,
        default=False,
        documentation="Find columns whatever the case of a field.",
        width=Width.SHORT,
        display_name="Ignore case",
    ),
    Key(
        DEAD_LETTER_TABLE,
        KeyType.STRING,
        importance=Importance.MEDIUM,
        documentation="Table for records that no table takes, as `namespace.table` in the same "
        "catalog: their original bytes, where they came from, and why. It is made if it is "
        "missing, connectors may share it, and each record is there once for each table that "
        "refused it. Needs `errors.tolerance=all`.",
        display_name="Dead letter table",
    ),
)

_CATALOG = section(
    "Catalog",
    Key(
        "iceberg.catalog",
        KeyType.STRING,
        default="iceberg",
        documentation="Name of the catalog, as Spark and the JDBC catalog know it.",
        display_name="Catalog name",
        validator=Matches("[A-Za-z0-9_-]+", "Only letters, digits, - and _ are allowed"),
    ),
    Key(
        "iceberg.hadoop-conf-dir",
        KeyType.STRING,
        documentation="Folder with Hadoop's configuration files. Accepted without effect: set "
        "`spark.hadoop.*` keys.",
        display_name="Hadoop configuration",
    ),
)

_COMMITS = section(
    "Commits",
    Key(
        "iceberg.control.commit.interval-ms",
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

ICEBERG_KEYS = _TABLES + _CATALOG + _COMMITS

ICEBERG_FAMILIES = (
    KeyFamily(
        "iceberg.catalog.*",
        importance=Importance.HIGH,
        documentation="Properties of the catalog and its file access, at least one: `type` or "
        "`catalog-impl`, `uri`, `warehouse`, `credential`, `io-impl`, `s3.*` and so on.",
        group="Catalog",
    ),
    KeyFamily(
        "iceberg.hadoop.*",
        documentation="Settings of Hadoop. Accepted without effect: set `spark.hadoop.*` keys.",
        group="Catalog",
    ),
    KeyFamily(
        "iceberg.kafka.*",
        documentation="Settings of the producer of events, such as `bootstrap.servers`.",
        group="Commits",
    ),
    KeyFamily(
        "iceberg.tables.auto-create-props.*",
        documentation="Properties of created tables.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.tables.write-props.*",
        documentation="Properties of writing that win over the table's, such as "
        "`write.parquet.compression-codec`.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.write-props.*",
        documentation="The same as `iceberg.tables.write-props.*`; the older sink reads this one.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.commit-branch",
        documentation="Branch to commit to. The table here and below with its namespace, or "
        "without, as newer sinks read it.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.id-columns",
        documentation="Key columns of the table, if created.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.partition-by",
        documentation="Partition of the table, if created.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.evolve-schema-enabled",
        documentation="Whether this table is changed to fit its records, whatever "
        "`iceberg.tables.evolve-schema-enabled` says of all: `false` freezes its columns.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.route-regex",
        documentation="Regular expression for this table, which the whole value of the route field "
        "has to match. A table without one gets nothing when a route field is set.",
        group="Tables",
    ),
)
