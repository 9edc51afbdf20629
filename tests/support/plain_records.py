"""Records as transforms get them, and steps as configurations have them; without Spark."""

from collections.abc import Mapping
from typing import Any

from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.records.model import Field, Header, KafkaRecord, Kind, Record, Schema

ICEBERG = "org.apache.iceberg.connect.transforms."
MILLIS = 1_700_000_000_500


def iceberg_step(word: str, options: Mapping[str, str] | None = None) -> Step:
    """Configure one transform of the Iceberg sink."""
    keys = {f"transforms.it.{name}": text for name, text in (options or {}).items()}
    config = {"transforms": "it", "transforms.it.type": ICEBERG + word, **keys}
    (step,) = steps_of(PLUGIN.parse(changed({**config})))
    return step


def record_of(
    value: Any,
    schema: Schema | None = None,
    *,
    key: Any = None,
    key_schema: Schema | None = None,
    topic: str = "orders",
    headers: tuple[Header, ...] = (),
) -> Record:
    """Make the record of topic `orders`, partition 1, offset 7."""
    source = KafkaRecord("orders", 1, 7, MILLIS, None, None)
    return Record(source, topic, key, key_schema, value, schema, headers, MILLIS)


def struct(*fields: tuple[str, Schema], optional: bool = False, name: str | None = None) -> Schema:
    """Make the schema of a struct."""
    return Schema(Kind.STRUCT, optional, name, fields=tuple(Field(*field) for field in fields))
