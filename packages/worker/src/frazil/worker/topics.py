"""Topics that a connector needs: made if they are missing."""

from typing import Any

from pyspark.sql import SparkSession

from frazil.runtime.logs import get_logger
from frazil.worker.bridge import jvm
from frazil.worker.errors import UnavailableError
from frazil.worker.kafka import Admin
from frazil.worker.new_topic import NewTopic

log = get_logger(__name__)


class Topics:
    def __init__(self, spark: SparkSession, admin: Admin) -> None:
        self._jvm = jvm(spark)
        self._admin = admin

    def require(self, topic: NewTopic) -> None:
        """Make the topic unless it is there."""
        if topic.name in self._names():
            return
        try:
            self._admin.ask(
                lambda: self._admin.java.createTopics([self._java_topic(topic)]).all().get()
            )
        except UnavailableError as error:
            if "TopicExistsException" not in (error.cause or ""):
                raise
        log.info("topic_created", topic=topic.name)

    def brokers(self) -> int:
        """Count the brokers: no topic can have more replicas."""
        return int(self._admin.ask(lambda: self._admin.java.describeCluster().nodes().get().size()))

    def _names(self) -> set[str]:
        return set(self._admin.ask(lambda: self._admin.java.listTopics().names().get()))

    def _java_topic(self, topic: NewTopic) -> Any:
        new = self._jvm.org.apache.kafka.clients.admin.NewTopic
        return new(topic.name, topic.partitions, topic.replicas).configs(dict(topic.settings))
