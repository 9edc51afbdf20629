"""Records through a chain that has SQL transforms: bytes in, and what became of each."""

import json
from collections.abc import Iterable, Mapping

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from tests.support.sink_configs import PLUGIN, changed

from frazil.spark_sink.raw import records_of
from frazil.spark_sink.sql.select import SqlTransforms
from frazil.spark_sink.tasks.chunks import chunks_of_batch
from frazil.spark_sink.tasks.outcomes import Outcome, outcomes_of
from frazil.spark_sink.tasks.plan import RecordPlan

KAFKA = "org.apache.kafka.connect.transforms."
_TIME = "2023-11-14T22:13:20.500Z"
_HEADERS = "array<struct<key: string, value: binary>>"

Text = str | bytes | Mapping[str, object] | None


def chain(*steps: tuple[str, Mapping[str, str]], **more: str) -> dict[str, str | None]:
    """Configure transforms `t0`, `t1` and so on, in this order."""
    config: dict[str, str | None] = dict(more)
    for number, (name, options) in enumerate(steps):
        config[f"transforms.t{number}.type"] = name
        config |= {f"transforms.t{number}.{key}": text for key, text in options.items()}
    if steps:
        config["transforms"] = ",".join(f"t{number}" for number in range(len(steps)))
    return config


def outcomes(
    spark: SparkSession,
    config: Mapping[str, str | None],
    values: Iterable[Text],
    *,
    key: Text = "k",
    headers: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Read values from topic `orders`, partition 1; offsets count from 0."""
    plan = RecordPlan.of(PLUGIN.parse(changed(dict(config))))
    transforms = SqlTransforms(spark, plan)
    frame, kept = transforms.apply(records_of(_batch(spark, values, key, headers or {})))
    rows = sorted((row.asDict(recursive=True) for row in frame.collect()), key=_offset)
    for one in kept:
        one.unpersist()
    read = outcomes_of(transforms.rest)
    chunks = chunks_of_batch(pa.RecordBatch.from_pylist(rows))
    return [outcome for chunk in chunks for _, outcome in read(chunk)]


def _batch(
    spark: SparkSession, values: Iterable[Text], key: Text, headers: Mapping[str, str]
) -> DataFrame:
    # A table of literals, which Spark reads without a job.
    rows = ", ".join(f"({offset}L, {_literal(value)})" for offset, value in enumerate(values))
    pairs = [f"struct('{name}', {_literal(text)})" for name, text in headers.items()]
    return spark.sql(f"FROM VALUES {rows} AS t(offset, value)").selectExpr(
        *("offset", "value", f"{_literal(key)} AS key", "'orders' AS topic", "1 AS partition"),
        f"timestamp('{_TIME}') AS timestamp",
        f"CAST({_array(pairs)} AS {_HEADERS}) AS headers",
    )


def _offset(row: Mapping[str, int]) -> int:
    return row["offset"]


def _array(items: list[str]) -> str:
    return f"array({', '.join(items)})" if items else "NULL"


def _literal(text: Text) -> str:
    if text is None:
        return "CAST(NULL AS BINARY)"
    if isinstance(text, Mapping):
        text = json.dumps(text)
    return f"X'{(text.encode() if isinstance(text, str) else text).hex()}'"
