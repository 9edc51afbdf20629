"""The topic of dead letters: Kafka Connect's, with its headers if they are asked for."""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from frazil.spark_sink.committer import Batch
from frazil.spark_sink.config import LetterTopic
from frazil.spark_sink.raw import HEADERS
from frazil.worker.kafka import Admin
from frazil.worker.new_topic import NewTopic
from frazil.worker.topics import Topics

_EXCEPTION = "org.apache.kafka.connect.errors.DataException"
# Set on the producer by Spark itself; it refuses to start when they are given.
_NOT_FOR_SPARK = frozenset({"bootstrap.servers", "key.serializer", "value.serializer"})
# Whoever waits for a letter holds up the commit behind it.
_PATIENCE = {"delivery.timeout.ms": "30000", "request.timeout.ms": "10000", "max.block.ms": "30000"}


class TopicBox:
    """Letters in a topic, each at least once: a batch that is repeated sends its letters again."""

    def __init__(self, spark: SparkSession, connector: str, topic: LetterTopic) -> None:
        self._connector = connector
        self._topic = topic
        admin = Admin(spark, topic.kafka, connector)
        try:
            topics = Topics(spark, admin)
            replicas = min(topic.replicas, topics.brokers())
            topics.require(NewTopic(topic.name, partitions=1, replicas=replicas))
        finally:
            admin.close()

    def put(self, letters: DataFrame, table: str, batch: Batch) -> None:
        del batch  # a topic has no ledger
        headers = fn.coalesce(fn.col("headers"), fn.array().cast(HEADERS))
        if self._topic.tells_why:
            headers = fn.concat(headers, self._context(table))
        letters.select("key", "value", headers.alias("headers")).write.format("kafka").options(
            **self._options
        ).save()

    @property
    def _options(self) -> dict[str, str]:
        given: Mapping[str, str] = _PATIENCE | self._topic.kafka
        return {
            **{f"kafka.{key}": text for key, text in given.items() if key not in _NOT_FOR_SPARK},
            "kafka.bootstrap.servers": self._topic.kafka["bootstrap.servers"],
            "topic": self._topic.name,
        }

    @property
    def _class(self) -> Column:
        """Name the class that Connect would have had at the stage that refused the record."""
        name = fn.lit(self._topic.task)
        for stage, text in self._topic.classes.items():
            name = fn.when(fn.col("stage") == stage, text).otherwise(name)
        return name

    def _context(self, table: str) -> Column:
        told = {
            "__connect.errors.topic": fn.col("topic"),
            "__connect.errors.partition": fn.col("partition").cast("string"),
            "__connect.errors.offset": fn.col("offset").cast("string"),
            "__connect.errors.connector.name": fn.lit(self._connector),
            "__connect.errors.task.id": fn.lit("0"),
            "__connect.errors.stage": fn.col("stage"),
            "__connect.errors.class.name": fn.coalesce(fn.col("class"), self._class),
            "__connect.errors.exception.class.name": fn.lit(_EXCEPTION),
            "__connect.errors.exception.message": fn.col("message"),
            "__connect.errors.exception.stacktrace": fn.concat(
                fn.lit(f"{_EXCEPTION}: "), fn.col("message")
            ),
            **({"__frazil.errors.table": fn.lit(table)} if table else {}),
        }
        return fn.array(
            *(
                fn.struct(fn.lit(name).alias("key"), text.cast("binary").alias("value"))
                for name, text in told.items()
            )
        )
