"""Records through converters and transforms: bytes in, and what became of each."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Row, SparkSession
from tests.support.sink_configs import PLUGIN, changed

from frazil.spark_sink.expressions.reader import Reader

KAFKA = "org.apache.kafka.connect.transforms."
ICEBERG = "org.apache.iceberg.connect.transforms."
DROPPED = "dropped"
_TIME = "2023-11-14T22:13:20.500Z"
_HEADERS = "array<struct<key: string, value: binary>>"

Text = str | bytes | Mapping[str, Any] | None


@dataclass(frozen=True)
class Outcomes:
    """`values` has for each record its value, `dropped`, or `!` and the fault."""

    values: list[Any]
    rows: list[Row]
    type: str
    key_type: str

    def each(self, column: str) -> list[Any]:
        return [row[column] for row in self.rows]


def chain(*steps: tuple[str, Mapping[str, str]], **more: str) -> dict[str, str | None]:
    """Configure transforms `t0`, `t1` and so on, in this order."""
    config: dict[str, str | None] = dict(more)
    for number, (name, options) in enumerate(steps):
        config[f"transforms.t{number}.type"] = name
        config |= {f"transforms.t{number}.{key}": text for key, text in options.items()}
    if steps:
        config["transforms"] = ",".join(f"t{number}" for number in range(len(steps)))
    return config


def read(
    spark: SparkSession,
    config: Mapping[str, str | None],
    values: Iterable[Text],
    *,
    key: Text = "k",
    headers: Mapping[str, str] | None = None,
    reader: Reader | None = None,
) -> Outcomes:
    """Read values from topic `orders`, partition 1; offsets count from 0."""
    # A table of literals, which Spark reads without a job.
    rows = ", ".join(f"({offset}L, {_literal(value)})" for offset, value in enumerate(values))
    pairs = [f"struct('{name}', {_literal(text)})" for name, text in (headers or {}).items()]
    batch = spark.sql(f"FROM VALUES {rows} AS t(offset, value)").selectExpr(
        *("offset", "value", f"{_literal(key)} AS key", "'orders' AS topic", "1 AS partition"),
        f"timestamp('{_TIME}') AS timestamp",
        f"CAST({_array(pairs)} AS {_HEADERS}) AS headers",
    )
    records = (reader or Reader(PLUGIN.parse(changed(dict(config))))).read(batch)
    found = records.frame.selectExpr(
        "*", "to_json(struct(value)) AS value_json", "to_json(struct(key)) AS key_json"
    )
    seen = found.orderBy("offset").collect()
    return Outcomes(
        [_outcome(row) for row in seen],
        seen,
        records.value_type.simpleString(),
        records.key_type.simpleString(),
    )


def _array(items: list[str]) -> str:
    return f"array({', '.join(items)})" if items else "NULL"


def _literal(text: Text) -> str:
    if text is None:
        return "CAST(NULL AS BINARY)"
    if isinstance(text, Mapping):
        text = json.dumps(text)
    return f"X'{(text.encode() if isinstance(text, str) else text).hex()}'"


def _outcome(row: Row) -> Any:
    assert row.fault is None or not row.dropped
    if row.dropped:
        return DROPPED
    return f"!{row.fault.text}" if row.fault else json.loads(row.value_json).get("value")
