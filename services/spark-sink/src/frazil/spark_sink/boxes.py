"""Boxes for dead letters: put there before the commit that counts them, so that none is lost."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from frazil.contracts.naming import letter_ledger
from frazil.contracts.offsets import Mode, Offsets, nearest
from frazil.spark_sink.committer import Batch, Committer, Driver
from frazil.spark_sink.core.coverage import undoes
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.letter_topic import TopicBox
from frazil.spark_sink.store import Letters, Stores


class Box(Protocol):
    def put(self, letters: DataFrame, table: str, batch: Batch) -> None:
        """Put away what a table has refused in a batch; it has no name if it was not known."""
        ...


class TableBox:
    """Letters in a table, each once: what every other table refused has a ledger of its own here.

    With one ledger for all, a table that was set aside and comes again later would find its own
    letters taken for done.
    """

    def __init__(self, driver: Driver, letters: Letters) -> None:
        self._driver = driver
        self._letters = letters
        self._committers: dict[str, Committer] = {}

    def put(self, letters: DataFrame, table: str, batch: Batch) -> None:
        committer = self._committers.get(table)
        if committer is None:
            committer = self._committers[table] = letter_committer(
                self._driver, self._letters, table
            )
        written = committer.store.write(committer.needed(letters, batch.span.start), ())
        if written.counts.consumed:
            committer.commit(written.files, batch, written.counts)


def letter_committer(driver: Driver, letters: Letters, refusing: str) -> Committer:
    named = driver.named(letter_ledger(driver.config.connector, refusing))
    return Committer(named, letters.open(refusing))


def forget_undone(driver: Driver, letters: Letters | None, reached: Mapping[str, Offsets]) -> None:
    """Take away letters of what is read again, once: by then they may be rows.

    `reached` says where each table that refuses records goes on. It is done behind the commits
    that undo rows and before anything is read, so a driver that ends in between is no matter.
    """
    wish = driver.config.rewind
    if letters is None or wish is None or wish.mode is not Mode.ONCE:
        return
    for refusing, offsets in reached.items():
        box = letter_committer(driver, letters, refusing)
        if undoes(box.ledger, wish):
            letters.delete_from(offsets, refusing or None)
            began = nearest(offsets, box.covered)
            box.claim(BatchRange(began, began), offsets)


def boxes_of(spark: SparkSession, driver: Driver, stores: Stores) -> Sequence[Box]:
    """Open the boxes that the connector's keys name: a topic, a table, both or none."""
    boxes: list[Box] = []
    config = driver.config
    if config.letters is not None:
        boxes.append(TopicBox(spark, config.connector, config.letters))
    if stores.letters is not None:
        boxes.append(TableBox(driver, stores.letters))
    return boxes
