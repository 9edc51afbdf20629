"""The Iceberg sink under both its class names: rules, and what this release does not do yet."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

from frazil.contracts.config import has_form
from frazil.contracts.plugins.common import JSON_CONVERTER, class_names, installed_version
from frazil.contracts.plugins.frazil_keys import FRAZIL_FAMILIES, FRAZIL_KEYS
from frazil.contracts.plugins.iceberg_keys import ICEBERG_FAMILIES, ICEBERG_KEYS
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import Plugin
from frazil.contracts.plugins.sink import (
    CONVERTER_KEYS,
    SINK_FAMILIES,
    SINK_KEYS,
    check_dead_letters,
    check_topics,
)

VERSION = "0.1.0"

_JSON_NAMES = class_names(JSON_CONVERTER, "Converter")
_ONE_EACH = "run one connector for each table"


@dataclass(frozen=True)
class NotYet:
    """A value that Kafka Connect's sink takes and this release does not."""

    form: str
    _: KW_ONLY
    value: str
    advice: str
    applies: Callable[[Any], bool] = bool

    def sentence(self, name: str) -> str:
        return f"{name}: {self.value} is not supported yet; {self.advice}."


NOT_YET = (
    NotYet("topics.regex", value="a pattern", advice="list the topics in `topics`"),
    NotYet("transforms", value="a transform", advice="remove the key"),
    NotYet("predicates", value="a predicate", advice="remove the key"),
    NotYet(
        "value.converter",
        value="a class other than JsonConverter",
        advice=f"set {JSON_CONVERTER} and value.converter.schemas.enable=false",
        applies=lambda name: name not in _JSON_NAMES,
    ),
    NotYet(
        "errors.deadletterqueue.topic.name",
        value="a dead letter topic",
        advice="remove the key; errors.tolerance=all skips and counts bad records",
    ),
    NotYet(
        "iceberg.tables",
        value="more than one table",
        advice=_ONE_EACH,
        applies=lambda tables: len(tables or ()) > 1,
    ),
    NotYet("iceberg.tables.dynamic-enabled", value="true", advice=_ONE_EACH),
    NotYet("iceberg.tables.route-field", value="routing", advice=_ONE_EACH),
    NotYet("iceberg.table.<table>.route-regex", value="routing", advice=_ONE_EACH),
    NotYet("iceberg.tables.cdc-field", value="change data", advice="rows can only be appended"),
    NotYet("iceberg.tables.upsert-mode-enabled", value="true", advice="rows can only be appended"),
    NotYet("iceberg.tables.auto-create-enabled", value="true", advice="create the table first"),
    *(
        NotYet(
            form,
            value="a branch other than main",
            advice="remove the key",
            applies=lambda branch: branch not in (None, "", "main"),
        )
        for form in ("iceberg.tables.default-commit-branch", "iceberg.table.<table>.commit-branch")
    ),
)


def check_not_yet(config: ParsedConfig) -> Iterator[Complaint]:
    for name, value in config.values.items():
        for limit in NOT_YET:
            if has_form(name, limit.form) and limit.applies(value):
                yield Complaint(name, limit.sentence(name))


def check_catalog(config: ParsedConfig) -> Iterator[Complaint]:
    if not config.prefixed("iceberg.catalog."):
        yield Complaint(
            "iceberg.catalog",
            "No catalog is configured: set iceberg.catalog.type or iceberg.catalog.catalog-impl, "
            "and what the catalog needs, such as iceberg.catalog.uri.",
        )


def check_tables(config: ParsedConfig) -> Iterator[Complaint]:
    """Tables are listed or named by the records: one of the two, never both."""
    listed, dynamic = config["iceberg.tables"], config["iceberg.tables.dynamic-enabled"]
    if listed and dynamic:
        message = "iceberg.tables and iceberg.tables.dynamic-enabled=true exclude each other."
        yield Complaint("iceberg.tables", message)
    elif dynamic and not config["iceberg.tables.route-field"]:
        message = "iceberg.tables.dynamic-enabled=true needs iceberg.tables.route-field."
        yield Complaint("iceberg.tables.route-field", message)
    elif not listed and not dynamic:
        yield Complaint("iceberg.tables", "No table is configured: set iceberg.tables.")


def check_schemas(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse records with an embedded schema.

    Settings of a converter count beside the converter only, as in Connect; without it those of
    the worker hold, and ours reads plain JSON.
    """
    key = "value.converter.schemas.enable"
    enabled = config[key] if config.is_set(key) else config.is_set("value.converter")
    if enabled and config["value.converter"] in _JSON_NAMES:
        yield Complaint(
            key,
            f"{key} must be false: records with an embedded schema are not supported yet, and "
            "Kafka Connect's default beside value.converter is true.",
        )


def _plugin(class_name: str) -> Plugin:
    return Plugin(
        class_name,
        type="sink",
        version=VERSION,
        worker="spark-sink",
        kind_keys=SINK_KEYS,
        keys=ICEBERG_KEYS + FRAZIL_KEYS + CONVERTER_KEYS,
        families=ICEBERG_FAMILIES + FRAZIL_FAMILIES + SINK_FAMILIES,
        rules=(
            installed_version(class_name, VERSION),
            check_topics,
            check_dead_letters,
            check_catalog,
            check_tables,
            check_schemas,
            check_not_yet,
        ),
    )


# The first wins where a short name fits both.
ICEBERG_SINKS = (
    _plugin("org.apache.iceberg.connect.IcebergSinkConnector"),
    _plugin("io.tabular.iceberg.connect.IcebergSinkConnector"),
)
