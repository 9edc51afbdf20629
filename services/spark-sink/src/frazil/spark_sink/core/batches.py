"""How much of what waits is a batch: so many bytes, as many records as that may be."""

from collections.abc import Iterator

from frazil.contracts.offsets import each
from frazil.spark_sink.core.offset_log import BatchRange

BATCH_BYTES = 256 << 20
FIRST_RECORDS = 100_000
MOST_GROWTH = 10


class BatchSize:
    """How many records the next batch has at most, by what those of the last ones weighed.

    The first one is small: nobody knows its records yet, and its rows are waited for.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self.records = min(FIRST_RECORDS, most or FIRST_RECORDS)

    def learn(self, records: int, size: int) -> None:
        """Take in how many records a batch had, and their bytes."""
        if size:
            wanted = min(BATCH_BYTES * records // size, MOST_GROWTH * self.records)
            self.records = max(1, min(wanted, self._most or wanted))

    def cut(self, span: BatchRange) -> Iterator[BatchRange]:
        """Cut a range into batches, each as large as it may be when it is asked for."""
        while (first := first_part(span, self.records)) != span:
            yield first
            span = BatchRange(first.end, span.end)
        yield span


def first_part(span: BatchRange, most: int) -> BatchRange:
    """Return the beginning of a range with so many offsets, the same share of each partition."""
    sizes = [end - _start(span, topic, number) for topic, number, end in each(span.end)]
    total = sum(sizes)
    if total <= most:
        return span
    end: dict[str, dict[int, int]] = {}
    seen = 0
    for (topic, number, _), size in zip(each(span.end), sizes, strict=True):
        # What is lost to rounding in one partition is made up for in another.
        share = (seen + size) * most // total - seen * most // total
        end.setdefault(topic, {})[number] = _start(span, topic, number) + share
        seen += size
    return BatchRange(span.start, end)


def _start(span: BatchRange, topic: str, number: int) -> int:
    return span.start.get(topic, {}).get(number, 0)
