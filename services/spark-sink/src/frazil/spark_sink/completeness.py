"""Through when a connector has all: by what its batches had, and what the broker has besides."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.runtime.logs import get_logger
from frazil.spark_sink.core.watermark import Partition, Watermark
from frazil.worker.errors import UnavailableError

log = get_logger(__name__)


class Completeness:
    """`read_out` names the partitions that end where we are."""

    def __init__(self, read_out: Callable[[Offsets], Iterable[Partition]]) -> None:
        self._read_out = read_out
        self._watermark = Watermark()

    def begin(self, ledgers: Sequence[Ledger | None]) -> None:
        """Go on where all stores had got to, as they were found."""
        found = [ledger for ledger in ledgers if ledger is not None]
        known = [ledger.valid_through for ledger in found if ledger.valid_through is not None]
        if known and len(known) == len(ledgers):
            self._watermark = Watermark(min(known), _in_all(found))

    def after(
        self, newest: Iterable[Mapping[Partition, datetime]], end: Offsets
    ) -> datetime | None:
        """Take in a batch that ends here."""
        now = datetime.now(UTC)
        for times in newest:
            self._watermark.read(times, now)
        return self.at_rest(end)

    def at_rest(self, end: Offsets) -> datetime | None:
        """Take in that nothing was read since; return through when all is there."""
        now = datetime.now(UTC)
        try:
            self._watermark.rested(self._read_out(end), now)
        except UnavailableError as error:
            log.warning("ends_not_seen", why=str(error))
        return self._watermark.through(end)


def _in_all(ledgers: Sequence[Ledger]) -> Offsets:
    first, *others = ledgers
    return {
        topic: {
            number: offset
            for number, offset in partitions.items()
            if all(number in other.end.get(topic, {}) for other in others)
        }
        for topic, partitions in first.end.items()
    }
