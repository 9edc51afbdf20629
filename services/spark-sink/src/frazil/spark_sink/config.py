"""A sink's configuration as the job wants it, made from the connector's keys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frazil.contracts.assignment import Assignment
from frazil.contracts.naming import consumer_group
from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.frazil_keys import MOST_DEAD
from frazil.contracts.plugins.iceberg_tables import is_changing, why_no_side, writes_tables
from frazil.contracts.plugins.sink import DEAD_LETTER_TOPIC
from frazil.contracts.redrive import Redrive
from frazil.spark_sink.records.errors import Stage
from frazil.worker.connector import kafka_properties, spark_keys
from frazil.worker.errors import BadConfigError

_OVERRIDE = "consumer.override."
# Set on the consumer by Spark itself, or by us; it refuses to start when they are given.
_NOT_FOR_SPARK = frozenset(
    {"bootstrap.servers", "group.id", "auto.offset.reset", "enable.auto.commit",
     "key.deserializer", "value.deserializer", "interceptor.classes"}
)  # fmt: skip


@dataclass(frozen=True)
class LetterTopic:
    """The topic for dead letters; by stage, the classes that Connect's headers would name."""

    name: str
    replicas: int
    tells_why: bool
    kafka: dict[str, str]
    classes: dict[str, str]
    task: str


@dataclass(frozen=True)
class SinkConfig:
    """What one sink reads, and how often it writes; where to is the matter of its store.

    `own_topics` are those that it writes itself, and must never read. `maintenance` is the share
    of the time for looking after what was written; None: nobody does.
    """

    connector: str
    epoch: int
    rewind: Rewind | None
    redrive: Redrive | None
    paused_tables: tuple[str, ...]
    topics: tuple[str, ...]
    pattern: str
    kafka: dict[str, str]
    group: str
    offset_reset: str
    commit_interval_ms: int
    freshness_ms: int | None
    maintenance: float | None
    max_records: int | None
    on_data_loss: str
    tolerate_errors: bool
    most_dead: int | None
    letters: LetterTopic | None
    own_topics: frozenset[str]
    log_errors: bool
    log_places: bool
    cores: int
    memory: str
    spark: dict[str, str]

    @property
    def bootstrap_servers(self) -> str:
        return self.kafka["bootstrap.servers"]

    @property
    def side(self) -> str | None:
        """The side branch that rows go into, if there is one."""
        return self.rewind.side if self.rewind else None

    def session_conf(self, destination: Mapping[str, str]) -> dict[str, str]:
        """Return what Spark is to be started with; the connector's own settings win."""
        # A core more, so that maintenance does not take one from the stream.
        cores = self.cores + (self.maintenance is not None)
        return {
            "spark.app.name": self.connector,
            "spark.master": f"local[{cores}]",
            "spark.sql.shuffle.partitions": str(self.cores),
            **destination,
            **self.spark,
        }

    @property
    def consumer_options(self) -> dict[str, str]:
        """Client settings as options of Spark's Kafka source."""
        return {f"kafka.{key}": v for key, v in self.kafka.items() if key not in _NOT_FOR_SPARK}


def sink_config(
    assignment: Assignment,
    config: ParsedConfig,
    *,
    commit_interval_ms: int,
    freshness_ms: int | None = None,
    maintenance: float | None = None,
    own_topics: Iterable[str] = (),
) -> SinkConfig:
    """Make the configuration."""
    overrides = config.prefixed(_OVERRIDE)
    letters = _letter_topic(assignment, config)
    return SinkConfig(
        connector=assignment.connector,
        epoch=assignment.epoch,
        rewind=_rewind(assignment.rewind, config),
        redrive=assignment.redrive,
        paused_tables=assignment.paused_tables,
        topics=tuple(config["topics"]),
        pattern=config["topics.regex"],
        kafka=kafka_properties(assignment, config, _OVERRIDE),
        group=overrides.get("group.id", consumer_group(assignment.connector)),
        offset_reset=overrides.get("auto.offset.reset", "earliest"),
        commit_interval_ms=commit_interval_ms,
        freshness_ms=freshness_ms,
        maintenance=maintenance,
        max_records=config["frazil.max.records.per.commit"],
        on_data_loss=config["frazil.on.data.loss"],
        tolerate_errors=config["errors.tolerance"] == "all",
        most_dead=config[MOST_DEAD],
        letters=letters,
        own_topics=frozenset(filter(None, [*own_topics, config[DEAD_LETTER_TOPIC]])),
        log_errors=config["errors.log.enable"],
        log_places=config["errors.log.include.messages"],
        cores=config["tasks.max"],
        memory=config["frazil.driver.memory"],
        spark=spark_keys(config),
    )


def _rewind(rewind: Rewind | None, config: ParsedConfig) -> Rewind | None:
    """Choose what becomes of rows that are there, in whichever branch.

    Nothing is undone where records change rows: read again, they come to the same.
    """
    if rewind is None or not writes_tables(config):
        return rewind
    if rewind.ending is Ending.DROP:
        # As if it had never been, but for its end.
        return Rewind(number=0, ending=rewind.ending, ended=rewind.ended)
    fault = rewind.side and why_no_side(config, rewind.side)
    if fault:
        raise BadConfigError(
            f"Rows go to branch {rewind.side} until it is published or dropped, and {fault}. Undo "
            "that change of the configuration, or drop the branch."
        )
    undoes = rewind.mode is not Mode.AGAIN and not is_changing(config)
    return rewind.model_copy(update={"mode": Mode.ONCE if undoes else Mode.AGAIN})


def _letter_topic(assignment: Assignment, config: ParsedConfig) -> LetterTopic | None:
    name = config[DEAD_LETTER_TOPIC]
    if not name:
        return None
    return LetterTopic(
        name,
        replicas=config["errors.deadletterqueue.topic.replication.factor"],
        tells_why=config["errors.deadletterqueue.context.headers.enable"],
        kafka=kafka_properties(assignment, config, "producer.override."),
        classes={
            Stage.KEY_CONVERTER.value: config["key.converter"],
            Stage.VALUE_CONVERTER.value: config["value.converter"],
            Stage.HEADER_CONVERTER.value: config["header.converter"],
            Stage.TRANSFORMATION.value: "org.apache.kafka.connect.transforms.Transformation",
        },
        task=config["connector.class"],
    )
