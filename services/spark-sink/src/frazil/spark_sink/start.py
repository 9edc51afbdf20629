"""Where a connector begins, by the ledgers of its stores, and what each store claims for that."""

from collections.abc import Sequence
from functools import reduce

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Mode, Offsets, Rewind, nearest
from frazil.spark_sink.committer import Committer, Driver
from frazil.spark_sink.core.coverage import claimed, common, is_behind
from frazil.spark_sink.core.position import first_position, next_position, rewound_position


def take_position(
    driver: Driver, committers: Sequence[Committer], *, of_all: bool, hint: Ledger | None = None
) -> Offsets:
    """Find where to begin, and put our epoch into the stores so that older drivers stop.

    `of_all` tells that these are all stores that may be written; `hint` says how far the connector
    has got where the stores cannot, for records name them.
    """
    wish = driver.config.rewind
    reached = _reached(driver, committers, of_all=of_all) or hint
    ledgers = [one.ledger for one in committers if one.ledger is not None]
    moved = wish is not None and (
        reached is None or any(is_behind(ledger, wish) for ledger in ledgers)
    )
    position = _position(driver, reached, moved=moved)
    undoes = moved and wish is not None and wish.mode is Mode.ONCE
    if undoes:
        position = _before_undone(position, reached, committers, wish)
    # One that was rolled back comes last: until then a new start finds it so again.
    for one in sorted(committers, key=lambda one: one.is_rolled_back):
        behind = moved and (one.ledger is None or is_behind(one.ledger, wish))
        older = one.ledger is not None and one.ledger.epoch < driver.config.epoch
        if one.store.is_there and (behind or older or one.is_rolled_back):
            # In the store before it is acted upon: a rewind must not happen twice.
            went_on = _went_on(reached, position, undoes=undoes, stays=moved and not behind)
            one.claim(claimed(one.covered, went_on, position), position)
    for one in committers:
        # Older drivers know by now, and begin no branch anew that is gone.
        one.store.end_sides(driver.config.epoch)
    return position


def _went_on(
    reached: Ledger | None, position: Offsets, *, undoes: bool, stays: bool
) -> Ledger | None:
    """Return the ledger by which a store has what it had, wherever the connector goes on."""
    if reached is None or not (undoes or stays):
        return reached
    end = nearest(position, reached.end) if undoes else position
    return reached.model_copy(update={"end": end})


def _before_undone(
    position: Offsets,
    reached: Ledger | None,
    committers: Sequence[Committer],
    wish: Rewind | None,
) -> Offsets:
    """Go on no later than any store needs; one may have been rewound by a driver that ended."""
    limits = [one.covered for one in committers if one.undoing is not None]
    if limits and reached is not None:
        limits.append(reached.end)
    ledgers = [one.ledger for one in committers if one.ledger is not None]
    limits += [ledger.settled for ledger in ledgers if not is_behind(ledger, wish)]
    return reduce(nearest, limits, position)


def _reached(driver: Driver, committers: Sequence[Committer], *, of_all: bool) -> Ledger | None:
    """Return how far all stores have got; those that were rolled back decide, if there are any."""
    rolled_back = [one.ledger for one in committers if one.is_rolled_back]
    asked = rolled_back or [one.ledger for one in committers]
    found = [ledger for ledger in asked if ledger is not None]
    everywhere = of_all and len(found) == len(asked)
    if rolled_back:
        if not everywhere:
            return None
        found = [ledger.model_copy(update={"settled": {}}) for ledger in found]
    return common(found, driver.topics, of_all=everywhere)


def _position(driver: Driver, reached: Ledger | None, *, moved: bool) -> Offsets:
    config = driver.config
    if moved and config.rewind is not None:
        return rewound_position(
            reached,
            driver.topics,
            config.rewind,
            offset_reset=config.offset_reset,
            on_data_loss=config.on_data_loss,
        )
    if reached is None:
        return first_position(driver.topics, config.offset_reset)
    return next_position(reached, driver.topics, config.on_data_loss)
