"""May a batch be committed? Every answer, and the property that matters: never twice."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.ledgers import ledger

from frazil.contracts.ledger import Ledger
from frazil.spark_sink.core.judge import Claim, Verdict, judge

AT_5 = ledger(epoch=1, run="a", start={"t": {0: 0}}, end={"t": {0: 5}})
AT_9 = ledger(epoch=1, run="a", start={"t": {0: 5}}, end={"t": {0: 9}})


def claim(after: Ledger | None, end: int, *, epoch: int = 1, run: str = "a") -> Claim:
    start = after.end if after else {"t": {0: 0}}
    return Claim(epoch=epoch, run=run, after=after, start=start, end={"t": {0: end}})


def test_the_first_batch_goes_into_a_table_without_a_ledger() -> None:
    assert judge(None, claim(None, 5)) is Verdict.APPEND


def test_a_batch_goes_behind_the_commit_that_it_follows() -> None:
    assert judge(AT_5, claim(AT_5, 9)) is Verdict.APPEND


def test_a_batch_that_is_in_the_table_is_done() -> None:
    assert judge(AT_9, claim(AT_5, 9)) is Verdict.ALREADY_DONE


def test_a_newer_epoch_stops_an_older_driver_even_before_its_first_commit() -> None:
    newer = AT_5.model_copy(update={"epoch": 2, "run": "b"})
    assert judge(newer, claim(AT_5, 9)) is Verdict.SUPERSEDED
    assert judge(newer, claim(None, 9)) is Verdict.SUPERSEDED


def test_an_older_driver_that_committed_in_between_moves_the_newer_one() -> None:
    rival = AT_9.model_copy(update={"run": "old"})
    assert judge(rival, claim(AT_5, 9, epoch=2, run="b")) is Verdict.MOVED


def test_two_first_drivers_cannot_both_commit() -> None:
    rival = AT_5.model_copy(update={"run": "b"})
    assert judge(rival, claim(None, 5)) is Verdict.MOVED


def test_the_same_offsets_by_another_run_are_not_mine() -> None:
    rival = AT_9.model_copy(update={"run": "b"})
    assert judge(rival, claim(AT_5, 9)) is Verdict.MOVED


def test_a_table_rolled_back_is_seen() -> None:
    assert judge(None, claim(AT_5, 9)) is Verdict.ROLLED_BACK
    assert judge(AT_5, claim(AT_9, 12)) is Verdict.ROLLED_BACK


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4)), max_size=30))
def test_whoever_commits_when_every_offset_is_in_the_table_once(
    steps: list[tuple[str, int]],
) -> None:
    """Two drivers of different epochs act in any order, each on what it last knew."""
    table: Ledger | None = None
    known: dict[str, Ledger | None] = {"a": None, "b": None}
    epochs = {"a": 1, "b": 2}
    written: list[int] = []
    for run, size in steps:
        after = known[run]
        start = after.end["t"][0] if after else 0
        asked = claim(after, start + size, epoch=epochs[run], run=run)
        if judge(table, asked) is Verdict.APPEND:
            written.extend(range(start, start + size))
            table = ledger(epoch=epochs[run], run=run, start=asked.start, end=asked.end)
            known[run] = table
        elif table is not None and table.epoch <= epochs[run]:
            known[run] = table
    assert written == list(range(len(written)))
