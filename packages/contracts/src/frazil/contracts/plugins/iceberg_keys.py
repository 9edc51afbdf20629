"""The keys of the Iceberg sink: those of both generations of the Kafka Connect sink."""

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.validators import AtLeast, Matches

_TABLES = section(
    "Tables",
    Key(
        "iceberg.tables",
        KeyType.LIST,
        importance=Importance.HIGH,
        documentation="Table to write, as `namespace.table`. It has to exist.",
        width=Width.LONG,
        display_name="Tables",
    ),
    Key(
        "iceberg.tables.dynamic-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Take the name of the table from each record.",
        width=Width.SHORT,
        display_name="Dynamic tables",
    ),
    Key(
        "iceberg.tables.route-field",
        KeyType.STRING,
        documentation="Field that decides the table of a record.",
        display_name="Route field",
    ),
    Key(
        "iceberg.tables.default-commit-branch",
        KeyType.STRING,
        documentation="Branch to commit to; `main` if not set.",
        display_name="Commit branch",
    ),
    Key(
        "iceberg.tables.default-id-columns",
        KeyType.STRING,
        documentation="Key columns, separated by commas. Accepted without effect: rows are "
        "appended.",
        display_name="Key columns",
    ),
    Key(
        "iceberg.tables.default-partition-by",
        KeyType.STRING,
        documentation="Partition of created tables. Accepted without effect: no table is created.",
        display_name="Partition by",
    ),
    Key(
        "iceberg.tables.cdc-field",
        KeyType.STRING,
        documentation="Field that holds the operation of a change record.",
        display_name="Operation field",
    ),
    Key(
        "iceberg.tables.upsert-mode-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Replace the row with the same key instead of appending.",
        width=Width.SHORT,
        display_name="Upsert",
    ),
    Key(
        "iceberg.tables.auto-create-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Create a table that does not exist.",
        width=Width.SHORT,
        display_name="Create tables",
    ),
    Key(
        "iceberg.tables.evolve-schema-enabled",
        KeyType.BOOLEAN,
        default=False,
        documentation="Change the table to fit the records. Accepted, but columns missing in the "
        "table are not yet added: such fields of a record are ignored.",
        width=Width.SHORT,
        display_name="Evolve schema",
    ),
    Key(
        "iceberg.tables.schema-force-optional",
        KeyType.BOOLEAN,
        default=False,
        documentation="Make all created columns optional. Accepted without effect: no column is "
        "created.",
        width=Width.SHORT,
        display_name="Optional columns",
    ),
    Key(
        "iceberg.tables.schema-case-insensitive",
        KeyType.BOOLEAN,
        default=False,
        documentation="Find columns whatever the case of a field. Accepted without effect: names "
        "must agree in case.",
        width=Width.SHORT,
        display_name="Ignore case",
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
        documentation="Tables committed at once. Accepted without effect: there is one table.",
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
        "iceberg.control.topic",
        KeyType.STRING,
        default="control-iceberg",
        documentation="Only a name in the `kafka.connect.offsets.*` property of snapshots, for "
        "those who look for it there: no control topic is read or written.",
        display_name="Control topic",
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
        "iceberg.coordinator.transactional.prefix",
        KeyType.STRING,
        default="",
        documentation="Prefix of transactional ids. Accepted without effect: there are none.",
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
        documentation="Clients of the control topic. Accepted without effect: there are none.",
        group="Commits",
    ),
    KeyFamily(
        "iceberg.tables.auto-create-props.*",
        documentation="Properties of created tables. Accepted without effect: none is created.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.tables.write-props.*",
        documentation="Properties of writing that win over the table's. Accepted without effect: "
        "set them on the table.",
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
        documentation="Key columns of the table. Accepted without effect: rows are appended.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.partition-by",
        documentation="Partition of the table, if created. Accepted without effect.",
        group="Tables",
    ),
    KeyFamily(
        "iceberg.table.<table>.route-regex",
        documentation="Pattern of the route field's value for this table.",
        group="Tables",
    ),
)
