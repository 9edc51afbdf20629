"""A source's configuration as the job wants it, made from the connector's keys."""

from dataclasses import dataclass

from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins import ParsedConfig
from frazil.spark_source.core.topics import new_topic
from frazil.spark_source.core.values import Convert, converter
from frazil.worker.connector import kafka_properties, spark_keys
from frazil.worker.new_topic import NewTopic


@dataclass(frozen=True)
class SourceConfig:
    """Where one source sends its records, how, and where it notes its position."""

    connector: str
    epoch: int
    topic: NewTopic
    convert: Convert
    kafka: dict[str, str]
    offsets_topic: str
    memory: str
    spark: dict[str, str]


def source_config(assignment: Assignment, config: ParsedConfig) -> SourceConfig:
    return SourceConfig(
        connector=assignment.connector,
        epoch=assignment.epoch,
        topic=new_topic(config["topic"], config.submitted),
        convert=converter(config),
        kafka=kafka_properties(assignment, config, "producer.override."),
        offsets_topic=assignment.offsets_topic,
        memory=config["frazil.driver.memory"],
        spark=spark_keys(config),
    )
