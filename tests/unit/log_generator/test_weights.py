"""Weights from text, and the sentence for each way to get them wrong."""

import pytest

from frazil.log_generator.operations import Operation
from frazil.log_generator.weights import read_mix, read_sizes


def test_a_mix_names_operations() -> None:
    mix = {Operation.PUT: 30, Operation.WRONG_CREDENTIALS: 0}
    assert read_mix("put:30, wrong-credentials:0,") == mix


def test_sizes_are_bytes_or_have_a_unit() -> None:
    assert read_sizes("0:1,100:1,4k:80,6M:2") == {0: 1, 100: 1, 4096: 80, 6 * 1024**2: 2}


def test_one_size_in_two_ways_of_writing_weighs_as_both() -> None:
    assert read_sizes("1k:2,1024:3") == {1024: 5}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("copy:3", "no operation 'copy': take some of put, get,"),
        ("put", "'put' has no weight"),
        ("put:", "has no weight"),
        ("put:-1", "has no weight"),
        ("put:1.5", "has no weight"),
        ("put:1,put:2", "'put' is there twice"),
        ("put:0,get:0", "at least one weight"),
        (",", "at least one weight"),
    ],
)
def test_a_mix_that_makes_no_sense_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_mix(text)


@pytest.mark.parametrize("word", ["", "k", "4g", "-4k", "4.5k", "4kk", "small", "65m", "67108865"])
def test_a_size_that_makes_no_sense_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=f"'{word}' is no size"):
        read_sizes(f"{word}:1")


def test_the_largest_size_is_still_one() -> None:
    assert read_sizes("64m:1") == {64 * 1024**2: 1}
