"""For which tables a record is, as a column expression; and a batch taken apart by it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.iceberg_tables import (
    LISTED,
    NAMESPACE,
    ROUTE_FIELD,
    ROUTE_REGEX,
    TEMPLATE,
    table_setting,
)
from frazil.contracts.table_template import Hole, Source, parse_template
from frazil.spark_sink.counts import BadRecord
from frazil.spark_sink.expressions.apart import TopicReaders, together
from frazil.spark_sink.expressions.paths import field_text, struct_of
from frazil.spark_sink.expressions.reader import Records
from frazil.spark_sink.raw import letters_of, packed
from frazil.spark_sink.store import Split

_TABLES = "tables"
_FAULT = "fault_text"
_REASON = "fault_class"
_PLACE = ("topic", "partition", "offset", "timestamp")
_RAW = ("key", "value", "headers")


@dataclass(frozen=True)
class Route:
    """A template that records fill in; `patterns` are of listed tables, each with its own."""

    template: tuple[str | Hole, ...]
    patterns: Mapping[str, str] | None = None
    namespace: str = ""

    @property
    def wanted(self) -> StructType:
        """The fields of the value that the route looks at, for a parser that needs no more."""
        paths = [part.path for part in self.template if isinstance(part, Hole)]
        return struct_of(paths)

    @property
    def uses_headers(self) -> bool:
        return any(
            isinstance(part, Hole) and part.source is Source.HEADER for part in self.template
        )

    def tables(self, records: Records) -> Column:
        """List the tables of a record; none if a part of the template has no value."""
        text = fn.concat(*(_part(part, records) for part in self.template))
        if self.patterns is None:
            name = fn.lower(text)
            if self.namespace:
                bare = ~name.contains(".")
                name = fn.when(bare, fn.concat(fn.lit(f"{self.namespace}."), name)).otherwise(name)
            return fn.array(name)
        matches = [
            fn.when(text.rlike(rf"\A(?:{pattern})\z"), fn.lit(table))
            for table, pattern in self.patterns.items()
        ]
        return fn.array(*matches)


def route_of(config: ParsedConfig) -> Route | None:
    """Read the keys; None if each record is for every listed table."""
    field: str | None = config[ROUTE_FIELD]
    template = parse_template(config[TEMPLATE] or (f"${{value.{field}}}" if field else ""))
    listed: Sequence[str] = config[LISTED] or ()
    if not template:
        return None
    if not listed:
        return Route(template, namespace=config[NAMESPACE] or "")
    found = ((table, table_setting(config, table, ROUTE_REGEX)) for table in listed)
    return Route(template, {table: pattern for table, pattern in found if pattern})


def split_by(route: Route, reader: TopicReaders, batch: DataFrame) -> Split:
    """Read the batch from Kafka once, and find out which tables it is for."""
    found = [portion.read(route.wanted) for portion in reader.portions(batch)]
    kept = together(_kept(route, records) for records in found)
    kept = packed(kept).persist()
    survey = _Survey.of(kept)
    as_it_came = [
        *(fn.col(name) for name in _PLACE),
        *(fn.col(f"raw_{name}").alias(name) for name in _RAW),
    ]
    parts = {
        name: kept.where(fn.array_contains(_TABLES, name)).select(*as_it_came)
        for name in survey.counts
    }
    return Split(
        parts,
        counts=survey.counts,
        total=survey.total,
        astray=survey.astray,
        dead=survey.dead,
        first_dead=survey.first_dead,
        letters=partial(_letters, kept),
        close=kept.unpersist,
    )


def _kept(route: Route, records: Records) -> DataFrame:
    """Keep of records what they were in Kafka, and for which tables they are."""
    named = fn.array_distinct(fn.array_compact(route.tables(records)))
    # What is dropped, or broken where the route would look, is for no table.
    lost = fn.when(~fn.col("dropped"), fn.col("fault"))
    return records.frame.select(
        *_PLACE,
        *(fn.col(f"raw_{name}") for name in _RAW),
        fn.coalesce(named, fn.array().cast("array<string>")).alias(_TABLES),
        lost.getField("class").alias(_REASON),
        lost.getField("text").alias(_FAULT),
    )


def _letters(kept: DataFrame) -> DataFrame:
    """Take the records out that are too broken to say for which table they are."""
    return letters_of(kept.where(fn.size(_TABLES) == 0), fn.col(_REASON), fn.col(_FAULT))


@dataclass(frozen=True)
class _Survey:
    """How many records there are for each table, and how many for none."""

    counts: Mapping[str, int]
    total: int
    astray: int
    dead: int
    first_dead: BadRecord | None

    @classmethod
    def of(cls, kept: DataFrame) -> "_Survey":
        where = fn.struct("topic", "partition", "offset", _FAULT)
        found = kept.groupBy(_TABLES).agg(
            fn.count(fn.lit(1)),
            fn.count(_FAULT),
            fn.min(fn.when(fn.col(_FAULT).isNotNull(), where)),
        )
        counts: Counter[str] = Counter()
        astray = dead = 0
        first = None
        groups = found.collect()
        for names, count, broken, place in groups:
            if not names:
                astray, dead, first = count - broken, broken, place
            for name in names:
                counts[name] += count
        total = sum(group[1] for group in groups)
        return cls(counts, total, astray, dead, BadRecord(*first) if first else None)


def _part(part: str | Hole, records: Records) -> Column:
    if isinstance(part, str):
        return fn.lit(part)
    if part.source is Source.TOPIC:
        return fn.col("routed_topic")
    if part.source is Source.HEADER:
        last = fn.element_at(
            fn.filter(fn.col("headers"), lambda header: header.getField("key") == part.path[0]), -1
        )
        return last.getField("value").cast("string")
    if part.source is Source.KEY:
        return _key(part.path)
    return field_text(fn.col("value"), records.value_type, part.path)


def _key(path: tuple[str, ...]) -> Column:
    """Read the key as text, or one of its fields as JSON."""
    text = fn.col("raw_key").cast("string")
    if not path:
        return text
    steps = "".join(f"['{name}']" for name in path)
    return fn.get_json_object(text, f"${steps}")
