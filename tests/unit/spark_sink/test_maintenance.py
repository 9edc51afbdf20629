"""What is put together, and when: small files first, none of them twice in the same tier."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.spark_sink.core.maintenance import (
    FAN_IN,
    Compaction,
    DataFile,
    compaction,
    has_enough_to_expire,
    has_too_many_manifests,
    rest_after_step,
    tiers,
)

MIB = 1024 * 1024
OBJECTIVE = 64 * MIB


def new(*sizes: int, partition: int = 1) -> list[DataFile]:
    return [DataFile(partition, size, is_new=True) for size in sizes]


def old(*sizes: int, partition: int = 1) -> list[DataFile]:
    return [DataFile(partition, size, is_new=False) for size in sizes]


def test_tiers_end_at_what_is_nearly_the_objective() -> None:
    assert tiers(OBJECTIVE) == [98_304, 786_432, 6_291_456, 50_331_648]
    assert tiers(64 * 1024) == [49_152]


def test_as_many_small_files_as_make_one_of_the_next_tier_are_put_together() -> None:
    assert compaction(new(*[50_000] * 7), 0, OBJECTIVE) is None
    assert compaction(new(*[50_000] * 8), 0, OBJECTIVE) == Compaction(98_304, FAN_IN)
    assert compaction(new(*[5 * MIB] * 8), 0, OBJECTIVE) == Compaction(6_291_456, FAN_IN)


def test_small_files_of_different_partitions_have_nothing_to_do_with_each_other() -> None:
    files = [file for number in range(50) for file in new(*[50_000] * 7, partition=number)]
    assert compaction(files, 0, OBJECTIVE) is None


def test_files_that_are_large_enough_are_left_alone() -> None:
    assert compaction(old(*[49 * MIB] * 100), 0, OBJECTIVE) is None


def test_what_a_partition_has_left_is_put_together_once_it_rests() -> None:
    left = [5 * MIB, 2 * MIB, 40_000]
    assert compaction(new(*left), 0, OBJECTIVE) is None
    assert compaction(old(*left), 0, OBJECTIVE) == Compaction(6_291_456, 3)
    # A record that comes late to another partition keeps nobody from it.
    both = [*old(*left), *new(1000, partition=2)]
    assert compaction(both, 0, OBJECTIVE) == Compaction(6_291_456, 3)


def test_a_large_file_is_not_written_again_for_crumbs() -> None:
    assert compaction(old(40 * MIB, 1000, 1000), 0, OBJECTIVE) == Compaction(98_304, 2)
    assert compaction(old(40 * MIB, 2000), 0, OBJECTIVE) is None


def test_files_of_which_much_was_deleted_are_rewritten() -> None:
    assert compaction(new(60 * MIB), 0.09, OBJECTIVE) is None
    assert compaction(new(60 * MIB), 0.1, OBJECTIVE) is not None


@given(st.integers(0, 2**32))
def test_a_trickle_ends_in_large_files_and_each_byte_is_written_few_times(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    objective, written, rewritten = 8 * MIB, 0, 0
    sizes: list[int] = []
    for _ in range(600):
        sizes.append(chance.randint(10_000, 60_000))
        written += sizes[-1]
        step = compaction(new(*sizes), 0, objective)
        if step is not None:
            merged = sum(size for size in sizes if size < step.below)
            sizes = [size for size in sizes if size >= step.below] + [merged]
            rewritten += merged
    assert rewritten <= (len(tiers(objective)) + 1) * written
    assert len(sizes) < FAN_IN * (len(tiers(objective)) + 1)
    while (step := compaction(old(*sizes), 0, objective)) is not None:
        merged = sum(size for size in sizes if size < step.below)
        sizes = [size for size in sizes if size >= step.below] + [merged]
    assert len([size for size in sizes if size < tiers(objective)[-1]]) <= len(tiers(objective))


def test_snapshots_expire_a_tenth_at_a_time() -> None:
    assert not has_enough_to_expire(0, 3)
    assert has_enough_to_expire(1, 3)
    assert not has_enough_to_expire(99, 1000)
    assert has_enough_to_expire(100, 1000)


def test_many_small_manifests_are_too_many() -> None:
    assert not has_too_many_manifests([8000] * 29)
    assert has_too_many_manifests([8000] * 30)
    assert not has_too_many_manifests([7 * MIB] * 40)


@pytest.mark.parametrize(("budget", "rest"), [(1.0, 0.0), (0.5, 3.0), (0.2, 12.0)])
def test_the_budget_is_the_share_of_the_time(budget: float, rest: float) -> None:
    assert rest_after_step(3.0, budget) == pytest.approx(rest)
