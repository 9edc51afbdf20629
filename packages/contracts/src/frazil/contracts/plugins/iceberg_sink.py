"""The Iceberg sink under both its class names: rules, and what this release does not do yet."""

from collections.abc import Iterator

from frazil.contracts.plugins.commit_keys import CONTROL_EVENTS, CONTROL_TOPIC
from frazil.contracts.plugins.conflict_keys import (
    CONFLICT_FAMILIES,
    CONFLICT_KEYS,
    check_columns,
    doubt_rescued_column,
    doubt_types,
)
from frazil.contracts.plugins.converters import CONVERTER_KEYS, check_converters
from frazil.contracts.plugins.frazil_keys import FRAZIL_FAMILIES, FRAZIL_KEYS, READING_KEYS
from frazil.contracts.plugins.iceberg_catalog import CATALOG
from frazil.contracts.plugins.iceberg_keys import ICEBERG_FAMILIES, ICEBERG_KEYS
from frazil.contracts.plugins.iceberg_tables import (
    check_changes,
    check_dead_letter_table,
    check_evolution,
    check_partitions,
    check_tables,
    doubt_properties,
    doubt_routes,
    doubt_strange_tables,
)
from frazil.contracts.plugins.maintenance_keys import MAINTENANCE_KEYS, doubt_maintenance
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import About, Plugin
from frazil.contracts.plugins.schema_keys import (
    SCHEMA_FAMILIES,
    SCHEMA_KEYS,
    check_schema_changes,
    doubt_partition_evolution,
    doubt_schema_changes,
)
from frazil.contracts.plugins.sink import (
    SINK_FAMILIES,
    SINK_KEYS,
    check_dead_letters,
    check_topics,
    doubt_dead_letters,
)
from frazil.contracts.plugins.takeover_keys import TAKEOVER_KEYS, check_takeover

VERSION = "0.1.0"
_KEYS = (
    *(ICEBERG_KEYS + CONFLICT_KEYS + SCHEMA_KEYS + MAINTENANCE_KEYS + TAKEOVER_KEYS),
    *(FRAZIL_KEYS + READING_KEYS + CONVERTER_KEYS),
)
_FAMILIES = (
    *(ICEBERG_FAMILIES + CONFLICT_FAMILIES + SCHEMA_FAMILIES),
    *(FRAZIL_FAMILIES + SINK_FAMILIES),
)


def check_catalog(config: ParsedConfig) -> Iterator[Complaint]:
    if not config.prefixed("iceberg.catalog."):
        yield Complaint(
            CATALOG,
            "No catalog is configured: set iceberg.catalog.type or iceberg.catalog.catalog-impl, "
            "and what the catalog needs, such as iceberg.catalog.uri.",
        )


def check_control_topic(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse a loop: events that the sink would read as records."""
    topic = config[CONTROL_TOPIC]
    if config[CONTROL_EVENTS] and topic in (config["topics"] or ()):
        yield Complaint(
            CONTROL_TOPIC,
            f"The events of {topic} would be read as records, for it is one of `topics`. Name "
            f"another topic, or set {CONTROL_EVENTS}=false.",
        )


ABOUT = About(
    title="Iceberg sink",
    summary="Reads topics and writes their records to Iceberg tables, each exactly once: as a row, "
    "or as a change of one.",
    needs="The least that it needs, besides what the catalog asks for:",
    example={
        "name": "iceberg-sink-apilogs",
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "topics": "apilogs",
        "iceberg.tables": "streaming.apilogs",
        "iceberg.catalog.type": "rest",
        "iceberg.catalog.uri": "http://localhost:9000/_iceberg",
    },
    notes=(
        '"Accepted without effect" marks keys of the Kafka Connect sinks that have nothing to do '
        "here. They are checked and otherwise left alone, so that an existing configuration can "
        "be used as it is.",
        "Without `value.converter`, records are read as plain JSON. Beside JsonConverter "
        "`value.converter.schemas.enable` is true if not given, as in Kafka Connect.",
        "Converters: JsonConverter, StringConverter, ByteArrayConverter, and AvroConverter with "
        "`value.converter.schema.registry.url`. Transforms and predicates: see "
        "[transforms](../transforms.md).",
    ),
)


def _plugin(class_name: str) -> Plugin:
    return Plugin(
        class_name,
        type="sink",
        version=VERSION,
        worker="spark-sink",
        job="iceberg",
        about=ABOUT,
        kind_keys=SINK_KEYS,
        keys=_KEYS,
        families=_FAMILIES,
        rules=(
            check_topics,
            check_dead_letters,
            check_catalog,
            check_control_topic,
            check_tables,
            check_changes,
            check_takeover,
            check_partitions,
            check_dead_letter_table,
            check_evolution,
            check_columns,
            check_schema_changes,
            check_converters,
        ),
        doubts=(
            doubt_strange_tables,
            doubt_properties,
            doubt_routes,
            doubt_types,
            doubt_rescued_column,
            doubt_maintenance,
            doubt_schema_changes,
            doubt_partition_evolution,
            doubt_dead_letters,
        ),
        stages=True,
    )


# The first wins where a short name fits both.
ICEBERG_SINKS = (
    _plugin("org.apache.iceberg.connect.IcebergSinkConnector"),
    _plugin("io.tabular.iceberg.connect.IcebergSinkConnector"),
)
