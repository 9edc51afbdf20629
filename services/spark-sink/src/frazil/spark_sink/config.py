"""A sink's configuration as the job wants it, made from the connector's keys."""

from dataclasses import dataclass

from frazil.contracts.assignment import Assignment
from frazil.contracts.naming import consumer_group
from frazil.contracts.plugins import InvalidConfigError, ParsedConfig, find_plugin
from frazil.runtime.logs import get_logger
from frazil.worker.errors import BadConfigError

log = get_logger(__name__)

_OVERRIDE = "consumer.override."
# Set on the consumer by Spark itself, or by us; it refuses to start when they are given.
_NOT_FOR_SPARK = frozenset(
    {"bootstrap.servers", "group.id", "auto.offset.reset", "enable.auto.commit",
     "key.deserializer", "value.deserializer", "interceptor.classes"}
)  # fmt: skip


@dataclass(frozen=True)
class SinkConfig:
    """What one sink reads, where it writes, and how often."""

    connector: str
    epoch: int
    topics: tuple[str, ...]
    kafka: dict[str, str]
    group: str
    offset_reset: str
    catalog: str
    catalog_properties: dict[str, str]
    table: str
    control_topic: str
    commit_interval_ms: int
    max_records: int
    on_data_loss: str
    tolerate_errors: bool
    cores: int
    memory: str
    spark: dict[str, str]

    @property
    def bootstrap_servers(self) -> str:
        return self.kafka["bootstrap.servers"]

    @property
    def consumer_options(self) -> dict[str, str]:
        """Client settings as options of Spark's Kafka source."""
        return {f"kafka.{key}": v for key, v in self.kafka.items() if key not in _NOT_FOR_SPARK}


def sink_config(assignment: Assignment) -> SinkConfig:
    """Read an assignment; what validate would refuse is refused here in the same words."""
    try:
        config = find_plugin(assignment.config["connector.class"]).parse(assignment.config)
    except InvalidConfigError as error:
        raise BadConfigError(str(error)) from error
    for warning in config.warnings:
        log.warning("config", text=warning)
    overrides = config.prefixed(_OVERRIDE)
    kafka = assignment.kafka | overrides
    if "bootstrap.servers" not in kafka:
        raise BadConfigError("No Kafka to read from: `bootstrap.servers` is not set.")
    return SinkConfig(
        connector=assignment.connector,
        epoch=assignment.epoch,
        topics=tuple(config["topics"]),
        kafka=kafka,
        group=overrides.get("group.id", consumer_group(assignment.connector)),
        offset_reset=overrides.get("auto.offset.reset", "earliest"),
        catalog=config["iceberg.catalog"],
        catalog_properties=config.prefixed("iceberg.catalog."),
        table=config["iceberg.tables"][0],
        control_topic=config["iceberg.control.topic"],
        commit_interval_ms=config["iceberg.control.commit.interval-ms"],
        max_records=config["frazil.max.records.per.commit"],
        on_data_loss=config["frazil.on.data.loss"],
        tolerate_errors=config["errors.tolerance"] == "all",
        cores=config["tasks.max"],
        memory=config["frazil.driver.memory"],
        spark=_spark_keys(config),
    )


def _spark_keys(config: ParsedConfig) -> dict[str, str]:
    return {f"spark.{key}": value for key, value in config.prefixed("spark.").items()}
