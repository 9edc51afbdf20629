"""A batch taken apart by tasks: each table's part, as the tasks have it."""

from collections import Counter
from collections.abc import Iterable
from functools import partial

from frazil.spark_sink.counts import bad_record
from frazil.spark_sink.store import Enter, Records, Split
from frazil.spark_sink.tables.part import Part, first_of
from frazil.spark_sink.task_runner import TaskRunner


def split_by_tasks(runner: TaskRunner, records: Records, enter: Enter) -> Split:
    """Run the tasks of a batch; once more, where records name tables that are not open yet.

    That second time these tables alone take records, for the others have theirs.
    """
    sources = runner.sources(records)
    plans = enter(())
    pieces = tuple(runner.run(sources, plans))
    if not pieces:
        # Of no ranges and of an empty frame there is no task.
        return Split({}, close=runner.release)
    parts = {name: Part(runner, name, pieces) for name in plans}
    routed: Counter[str] = Counter()
    for piece in pieces:
        routed.update(piece.result.routed)
    others = enter(sorted(routed.keys() - plans.keys())) if routed.keys() - plans.keys() else {}
    if others:
        later = tuple(runner.run(sources, others))
        parts |= {name: Part(runner, name, later) for name in others}
    letters = [(piece, piece.result.dead_letters) for piece in pieces]
    return Split(
        {name: part for name, part in parts.items() if not routed or name in routed},
        counts=routed,
        total=sum(piece.result.consumed for piece in pieces),
        astray=sum(piece.result.unrouted for piece in pieces),
        dead=sum(one.count for _, one in letters),
        first_dead=bad_record(first_of(one.first for _, one in letters)),
        letters=partial(runner.letters, letters, ""),
        close=partial(_discard, runner, parts.values()),
        bytes=sum(piece.result.bytes for piece in pieces),
    )


def _discard(runner: TaskRunner, parts: Iterable[Part]) -> None:
    for part in parts:
        part.discard()
    runner.release()
