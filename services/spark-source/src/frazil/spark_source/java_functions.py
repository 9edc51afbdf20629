"""Java functions put together from Python, so that the JVM applies them to many things by itself.

A call from Python takes 0.13 ms and a record needs two of them: one by one, no connector would send
more than 4,000 lines a second (ADR 11).
"""

from typing import Any

from pyspark.sql import SparkSession

from frazil.worker.bridge import jvm, new_array

_CLIENTS = "org.apache.kafka.clients."


class JavaFunctions:
    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._lang = jvm(spark).java.lang
        self._invoke = self._lang.invoke
        self._handles = self._invoke.MethodHandles.publicLookup()

    def send_to(self, producer: Any, topic: str) -> Any:
        """Make a Function: a text is sent to the topic, what comes back is the future."""
        record = f"{_CLIENTS}producer.ProducerRecord"
        made = self._type("void", "java.lang.String", "java.lang.Object")
        sent = self._type("java.util.concurrent.Future", record)
        make = self._handles.findConstructor(self._class(record), made).bindTo(topic)
        kafka = self._class(f"{_CLIENTS}producer.KafkaProducer")
        send = self._handles.findVirtual(kafka, "send", sent).bindTo(producer)
        return self._chain(make, send, "Function")

    def has_key(self, key: str) -> Any:
        """Make a Predicate of consumed records."""
        record = self._class(f"{_CLIENTS}consumer.ConsumerRecord")
        key_of = self._handles.findVirtual(record, "key", self._type("java.lang.Object"))
        compared = self._type("boolean", "java.lang.Object")
        anything = self._class("java.lang.Object")
        equals = self._handles.findVirtual(anything, "equals", compared).bindTo(key)
        return self._chain(key_of, equals, "Predicate")

    def _chain(self, first: Any, then: Any, interface: str) -> Any:
        both = self._invoke.MethodHandles.filterReturnValue(first, then)
        shape = self._class(f"java.util.function.{interface}")
        return self._invoke.MethodHandleProxies.asInterfaceInstance(shape, both)

    def _type(self, result: str, *arguments: str) -> Any:
        classes = new_array(self._spark, self._lang.Class, len(arguments))
        for number, name in enumerate(arguments):
            classes[number] = self._class(name)
        return self._invoke.MethodType.methodType(self._class(result), classes)

    def _class(self, name: str) -> Any:
        primitive = {"void": self._lang.Void, "boolean": self._lang.Boolean}.get(name)
        return self._lang.Class.forName(name) if primitive is None else primitive.TYPE
