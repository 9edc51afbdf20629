"""A batch read topic by topic where transforms are for some topics only.

The records of a topic share a shape. Were all of a batch read as one, those that a transform leaves
alone would have the fields that it was to take from the others, and tables would get columns for
them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.expressions.reader import Reader, Records, uses_headers
from frazil.spark_sink.expressions.transforms.routing import ROUTERS, whole

_BY_TOPIC = "TopicNameMatches"


@dataclass(frozen=True, eq=False)
class Portion:
    """The records of a batch that take the same steps."""

    reader: Reader
    batch: DataFrame

    @property
    def keeps_shape(self) -> bool:
        return self.reader.keeps_shape

    def read(self, wanted: StructType | None = None) -> Records:
        """Read it, with `wanted` only where records keep their shape."""
        return self.reader.read(self.batch, wanted if self.keeps_shape else None)


class TopicReaders:
    """Readers of one connector: one for the topics that meet the same predicates."""

    def __init__(self, config: ParsedConfig) -> None:
        self._config = config
        self._steps = steps_of(config)
        self._patterns = tuple(dict.fromkeys(patterns_of(self._steps)))
        self._readers: dict[tuple[bool, ...], Reader] = {}

    @property
    def uses_headers(self) -> bool:
        return uses_headers(self._steps)

    def portions(self, batch: DataFrame) -> list[Portion]:
        """Take a batch apart, into one portion at least."""
        found = self._found(batch)
        if len(found) < 2:
            return [Portion(self._reader(met), batch) for met in found]
        # Each goes through the whole batch: cheaper than to keep that in memory.
        return [Portion(self._reader(met), batch.where(_are(self._patterns, met))) for met in found]

    def _found(self, batch: DataFrame) -> list[tuple[bool, ...]]:
        """Find which patterns the topics of a batch match; this reads it if there are any."""
        if not self._patterns:
            return [()]
        met = fn.array(*(_is(pattern) for pattern in self._patterns))
        (seen,) = batch.agg(fn.collect_set(met)).first() or ([],)
        return sorted(tuple(one) for one in seen) or [(False,) * len(self._patterns)]

    def _reader(self, met: tuple[bool, ...]) -> Reader:
        if met not in self._readers:
            known = dict(zip(self._patterns, met, strict=True))
            self._readers[met] = Reader(self._config, tuple(steps_for(known, self._steps)))
        return self._readers[met]


def together(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionAll, frames)


def patterns_of(steps: Iterable[Step]) -> Iterator[str]:
    """List what decides by the name of a topic in Kafka; behind a router it may have another."""
    for step in steps:
        if step.predicate is not None and step.predicate.word == _BY_TOPIC:
            yield step.predicate.options["pattern"]
        if step.word in ROUTERS:
            return


def steps_for(met: Mapping[str, bool], steps: Iterable[Step]) -> Iterator[Step]:
    """Leave the steps that records take whose topic matches these patterns, or does not."""
    is_routed = False
    for step in steps:
        decided = step.predicate is not None and step.predicate.word == _BY_TOPIC and not is_routed
        if not decided or step.predicate is None:
            yield step
        elif met[step.predicate.options["pattern"]] != step.predicate.negate:
            yield replace(step, predicate=None)
        is_routed = is_routed or step.word in ROUTERS


def _is(pattern: str) -> Column:
    return fn.col("topic").rlike(whole(pattern))


def _are(patterns: Iterable[str], met: Iterable[bool]) -> Column:
    each = [_is(p) if is_met else ~_is(p) for p, is_met in zip(patterns, met, strict=True)]
    return reduce(Column.__and__, each)
