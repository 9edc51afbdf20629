"""Which calls come: in the wanted proportions, on few keys, on what is there."""

from collections import Counter
from random import Random

import pytest

from frazil.log_generator.operations import KEYS_A_BUCKET, Call, Calls, Operation, Outcome

SIZES = {4096: 9, 100_000: 1}
EVEN = dict.fromkeys(Operation, 1)


def calls(mix: dict[Operation, int], *, seed: int = 1, buckets: tuple[str, ...] = ("a",)) -> Calls:
    return Calls(Random(seed), mix=mix, sizes=SIZES, buckets=buckets)  # noqa: S311 (a test's dice)


def take(source: Calls, count: int, outcome: Outcome = Outcome.OK) -> list[Call]:
    taken = []
    for _ in range(count):
        taken.append(source.next())
        source.learn(taken[-1], outcome)
    return taken


def test_operations_come_as_often_as_they_weigh() -> None:
    mix = {Operation.PUT: 30, Operation.GET: 60, Operation.MISSING_KEY: 10, Operation.LIST: 0}
    found = Counter(call.operation for call in take(calls(mix), 5000))
    assert found.keys() == {Operation.PUT, Operation.GET, Operation.MISSING_KEY}
    assert 0.27 < found[Operation.PUT] / 5000 < 0.33
    assert 0.57 < found[Operation.GET] / 5000 < 0.63


def test_sizes_come_as_often_as_they_weigh() -> None:
    found = Counter(call.size for call in take(calls({Operation.PUT: 1}), 5000))
    assert found.keys() == SIZES.keys()
    assert 0.87 < found[4096] / 5000 < 0.93


def test_the_same_seed_makes_the_same_calls_and_another_one_others() -> None:
    first, second, other = (
        take(calls(EVEN, seed=seed, buckets=("a", "b")), 500) for seed in (7, 7, 8)
    )
    assert first == second != other


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.FAILED])
def test_a_bucket_never_holds_more_than_its_few_keys(outcome: Outcome) -> None:
    writing = {Operation.PUT: 5, Operation.MULTIPART: 1}
    keys = {call.key for call in take(calls(writing), 5000, outcome)}
    assert len(keys) == KEYS_A_BUCKET


@pytest.mark.parametrize("operation", [Operation.GET, Operation.HEAD, Operation.DELETE])
def test_where_nothing_was_written_something_is(operation: Operation) -> None:
    source = calls({operation: 1})
    first = source.next()
    assert first.operation is Operation.PUT
    source.learn(first, Outcome.OK)
    assert source.next() == Call(operation, "a", first.key)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.DENIED, Outcome.MISSING])
def test_what_was_not_written_is_not_read(outcome: Outcome) -> None:
    found = take(calls({Operation.GET: 1}), 50, outcome)
    assert {call.operation for call in found} == {Operation.PUT}


def test_what_is_being_deleted_is_nobody_elses_business() -> None:
    source = calls({Operation.DELETE: 1})
    source.learn(source.next(), Outcome.OK)
    assert source.next().operation is Operation.DELETE
    assert source.next().operation is Operation.PUT


def test_what_somebody_else_has_deleted_is_forgotten() -> None:
    source = calls({Operation.GET: 1})
    source.learn(source.next(), Outcome.OK)
    source.learn(source.next(), Outcome.MISSING)
    assert source.next().operation is Operation.PUT


def test_what_is_asked_for_in_vain_is_never_written() -> None:
    found = take(calls(EVEN), 3000)
    written = {(c.bucket, c.key) for c in found if c.size}
    missed = {(c.bucket, c.key) for c in found if c.operation.startswith("missing")}
    assert len(missed) == 2
    assert not written & missed


def test_every_bucket_has_calls_and_the_first_one_most() -> None:
    found = take(calls({Operation.PUT: 1}, buckets=("a", "b", "c")), 3000)
    count = Counter(call.bucket for call in found)
    assert count["a"] > count["b"] > count["c"] > 0


@pytest.mark.parametrize(
    ("operation", "lacks"),
    [
        (Operation.PUT, True),
        (Operation.LIST, True),
        (Operation.GET, False),
        (Operation.MISSING_BUCKET, False),
        (Operation.WRONG_CREDENTIALS, False),
    ],
)
def test_only_what_needs_no_object_tells_that_a_bucket_is_gone(
    operation: Operation, lacks: bool
) -> None:
    assert Call(operation, "a", "k").lacks_bucket(Outcome.MISSING) is lacks
    assert not Call(operation, "a", "k").lacks_bucket(Outcome.OK)
