"""The keys of the Iceberg sink: those of both generations of the Kafka Connect sink."""

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.commit_keys import COMMIT_KEYS
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.iceberg_catalog import CATALOG, CATALOG_NAME
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
from frazil.contracts.validators import Matches, Optional

_NAME = Matches("[A-Za-z0-9_-]+", "Only letters, digits, - and _ are allowed")

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
        documentation="Find columns whatever the case of a field. A record with several fields for "
        "one column is dead if their values differ.",
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
        CATALOG,
        KeyType.STRING,
        default="iceberg",
        documentation="Name of the catalog, as Spark and the JDBC catalog know it.",
        display_name="Catalog name",
        validator=_NAME,
    ),
    Key(
        CATALOG_NAME,
        KeyType.STRING,
        documentation=f"The same; `{CATALOG}` wins if both are set.",
        display_name="Catalog name, other spelling",
        validator=Optional(_NAME),
    ),
    Key(
        "iceberg.hadoop-conf-dir",
        KeyType.STRING,
        documentation="Folder with Hadoop's configuration files. Accepted without effect: set "
        "`spark.hadoop.*` keys.",
        display_name="Hadoop configuration",
    ),
)

ICEBERG_KEYS = _TABLES + _CATALOG + COMMIT_KEYS

ICEBERG_FAMILIES = (
    KeyFamily(
        "iceberg.catalog.*",
        importance=Importance.HIGH,
        documentation="Properties of the catalog and its file access, at least one: `type` or "
        "`catalog-impl`, `uri`, `warehouse`, `credential`, `io-impl`, `s3.*` and so on. Where a "
        "JDBC catalog has its warehouse on S3, `io-impl` is S3FileIO unless given. "
        "`client.region` unless given is `s3.region`, the worker's `AWS_REGION`, "
        "`rest.signing-region`, or, for a JDBC catalog and where `s3.endpoint` is given, "
        "`us-east-1`.",
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
