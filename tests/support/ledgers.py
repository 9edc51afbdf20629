"""Ledgers for tests, with what matters given and the rest filled in."""

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets


def ledger(*, end: Offsets, start: Offsets, epoch: int = 1, run: str = "run") -> Ledger:
    return Ledger(
        connector="c",
        epoch=epoch,
        run=run,
        cluster_id="cluster",
        topic_ids={topic: f"id-{topic}" for topic in end},
        start=start,
        end=end,
    )
