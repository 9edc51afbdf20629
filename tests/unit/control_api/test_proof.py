"""The arithmetic of ledgers: whole histories are proved, and what is amiss is named exactly."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.support.ledgers import ledger

from frazil.contracts.ledger import Ledger
from frazil.contracts.offsets import Offsets
from frazil.control_api.core.proof import Entry, JumpKind, Proof, TableHistory, prove

START = datetime(2026, 11, 18, tzinfo=UTC)


def batch(start: Offsets, end: Offsets, *, dead: int = 0, rewind: int = 0) -> Ledger:
    consumed = sum(end[t][p] - start.get(t, {}).get(p, 0) for t in end for p in end[t])
    counts = {"consumed": consumed, "written": consumed - dead, "dead": dead, "rewind": rewind}
    return ledger(start=start, end=end).model_copy(update=counts)


def history(*ledgers: Ledger | None) -> TableHistory:
    entries = tuple(
        Entry(number, START + timedelta(minutes=number), one) for number, one in enumerate(ledgers)
    )
    return TableHistory("streaming.rows", entries, is_whole=True, rows=None)


def at(*offsets: int) -> Offsets:
    return {"t": dict(enumerate(offsets))}


@st.composite
def runs(draw: st.DrawFn) -> list[Ledger | None]:
    """Batches that follow each other, with commits of others in between."""
    position = draw(st.lists(st.integers(0, 50), min_size=1, max_size=3))
    ledgers: list[Ledger | None] = []
    for _ in range(draw(st.integers(1, 6))):
        steps = draw(st.lists(st.integers(0, 9), min_size=len(position), max_size=len(position)))
        after = [offset + step for offset, step in zip(position, steps, strict=True)]
        dead = draw(st.integers(0, sum(steps)))
        ledgers.append(batch(at(*position), at(*after), dead=dead))
        position = after
        if draw(st.booleans()):
            ledgers.append(None)
    return ledgers


@given(runs())
def test_batches_that_follow_each_other_are_proved(ledgers: list[Ledger | None]) -> None:
    ours = [one for one in ledgers if one]
    proof = prove(history(*ledgers))
    assert proof.proved
    assert proof.jumps == ()
    assert proof.imbalances == ()
    assert proof.sums.commits == len(ours)
    assert proof.sums.consumed == proof.sums.offsets
    assert proof.sums.written == proof.sums.consumed - proof.sums.dead
    first, last = ours[0].start["t"], ours[-1].end["t"]
    assert proof.sums.offsets == sum(last.values()) - sum(first.values())


@given(runs(), st.data())
def test_a_batch_that_is_missing_is_a_gap_of_just_its_offsets(
    ledgers: list[Ledger | None], data: st.DataObject
) -> None:
    inner = [i for i, one in enumerate(ledgers) if one][1:-1]
    if not inner:
        return
    lost = data.draw(st.sampled_from(inner))
    missing = ledgers[lost]
    assert missing
    proof = prove(history(*ledgers[:lost], *ledgers[lost + 1 :]))
    moved = {p: (o, missing.end["t"][p]) for p, o in missing.start["t"].items()}
    expected = {p: span for p, span in moved.items() if span[0] != span[1]}
    assert {jump.partition: (jump.ended, jump.began) for jump in proof.jumps} == expected
    assert all(jump.kind is JumpKind.GAP for jump in proof.jumps)
    assert proof.contiguous is not bool(expected)


@given(runs())
def test_a_row_too_many_is_an_imbalance_of_that_commit(ledgers: list[Ledger | None]) -> None:
    number = next(i for i, one in enumerate(ledgers) if one)
    first = ledgers[number]
    assert first
    ledgers[number] = first.model_copy(update={"written": first.written + 1})
    proof = prove(history(*ledgers))
    assert [one.snapshot_id for one in proof.imbalances] == [number]
    assert not proof.balanced
    assert not proof.proved


def jumps(*ledgers: Ledger) -> list[tuple[JumpKind, int, int, int, str | None]]:
    found = prove(history(*ledgers)).jumps
    return [(one.kind, one.partition, one.ended, one.began, one.wanted) for one in found]


def test_offsets_that_two_commits_account_for_are_an_overlap() -> None:
    found = jumps(batch(at(0, 0), at(5, 5)), batch(at(3, 5), at(6, 6)))
    assert found == [(JumpKind.OVERLAP, 0, 5, 3, None)]


def test_a_rewind_and_a_new_topic_are_jumps_that_were_wanted() -> None:
    back = batch(at(2), at(2), rewind=7)
    made_anew = batch(at(0), at(1), rewind=7).model_copy(update={"topic_ids": {"t": "id-2"}})
    proof = prove(history(batch(at(0), at(5)), back, batch(at(2), at(4), rewind=7), made_anew))
    assert [jump.wanted for jump in proof.jumps] == ["rewind 7", "the topic was made anew"]
    assert proof.contiguous
    assert proof.last_rewind
    assert (proof.last_rewind.number, proof.last_rewind.snapshot_id) == (7, 1)


def test_what_kafka_connect_wrote_in_between_is_no_gap() -> None:
    after = batch(at(8), at(9)).model_copy(update={"fences": {"kafka.connect.offsets.c.g": "{}"}})
    proof = prove(history(batch(at(0), at(5)), None, after))
    assert [jump.wanted for jump in proof.jumps] == ["Kafka Connect wrote in between"]
    assert proof.proved


def test_commits_that_a_rewind_has_undone_count_no_more() -> None:
    undoing = batch(at(2), at(2), rewind=7).model_copy(update={"undone": 2})
    again = batch(at(2), at(9), dead=1, rewind=7)
    proof = prove(
        history(batch(at(0), at(2)), batch(at(2), at(5)), None, batch(at(5), at(6)), undoing, again)
    )
    assert proof.proved
    assert proof.jumps == ()
    assert (proof.sums.offsets, proof.sums.written, proof.sums.undone) == (9, 8, 2)
    # An undoing may itself be undone.
    second = batch(at(0), at(0), rewind=8).model_copy(update={"undone": 3})
    found = prove(history(batch(at(0), at(2)), batch(at(2), at(5)), batch(at(5), at(6)), undoing,
                          again, second, batch(at(0), at(4), rewind=8)))  # fmt: skip
    assert found.jumps == ()
    assert (found.sums.offsets, found.sums.undone) == (4, 5)


def test_a_partition_that_a_commit_does_not_name_is_where_it_was() -> None:
    elsewhere = batch({"u": {0: 0}}, {"u": {0: 4}})
    found = jumps(batch(at(0), at(5)), elsewhere, batch({"t": {0: 6}}, {"t": {0: 7}}))
    assert found == [(JumpKind.GAP, 0, 5, 6, None)]


def test_more_records_than_offsets_cannot_be() -> None:
    proof = prove(history(batch(at(0), at(5)).model_copy(update={"consumed": 6, "written": 6})))
    assert not proof.balanced


def test_markers_of_transactions_are_offsets_without_a_record() -> None:
    proof = prove(history(batch(at(0), at(5)).model_copy(update={"consumed": 4, "written": 4})))
    assert proof.proved
    assert (proof.sums.offsets, proof.sums.consumed) == (5, 4)


def test_a_table_without_our_ledger_proves_nothing() -> None:
    empty: Proof = prove(replace(history(None), rows=3))
    assert not empty.proved
    assert empty.newest is None
    assert empty.last_rewind is None


def test_rows_without_a_value_are_rows_and_counted_beside_them() -> None:
    lacking = batch(at(0), at(5), dead=1).model_copy(update={"nulled": 3})
    proof = prove(history(lacking, batch(at(5), at(9))))
    assert proof.proved
    assert (proof.sums.written, proof.sums.nulled) == (8, 3)
