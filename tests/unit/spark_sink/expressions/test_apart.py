"""Which transforms the records of a topic take: decided without Spark running."""

import pytest
from tests.support.records import KAFKA, chain
from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.expressions.apart import patterns_of, steps_for

A, B = "a.*", "b.*"


def steps(*words: str, router: int | None = None) -> tuple[Step, ...]:
    """Make a chain of which each step has a predicate: a pattern, a `!` before it to negate."""
    config: dict[str, str | None] = {"predicates": "p0,p1,p2,p3"}
    for number, word in enumerate(words):
        kind = "TopicNameMatches" if word != "tombstone" else "RecordIsTombstone"
        config[f"predicates.p{number}.type"] = f"{KAFKA}predicates.{kind}"
        if kind == "TopicNameMatches":
            config[f"predicates.p{number}.pattern"] = word.lstrip("!")
        config[f"transforms.t{number}.predicate"] = f"p{number}"
        config[f"transforms.t{number}.negate"] = str(word.startswith("!")).lower()
    config["predicates"] = ",".join(f"p{number}" for number in range(len(words)))
    route = (f"{KAFKA}RegexRouter", {"regex": "x", "replacement": "y"})
    drop = (f"{KAFKA}DropHeaders", {"headers": "h"})
    made = chain(*(route if number == router else drop for number in range(len(words))))
    return steps_of(PLUGIN.parse(changed({**made, **config})))


def taken(met: dict[str, bool], chain: tuple[Step, ...]) -> list[tuple[str, bool]]:
    """List the steps that are left, and whether they still ask."""
    return [(step.alias, step.predicate is not None) for step in steps_for(met, chain)]


@pytest.mark.parametrize(
    ("met", "expected"),
    [
        ({A: True, B: False}, [("t0", False), ("t2", True), ("t3", False)]),
        ({A: False, B: True}, [("t1", False), ("t2", True)]),
        ({A: True, B: True}, [("t0", False), ("t2", True)]),
        ({A: False, B: False}, [("t1", False), ("t2", True), ("t3", False)]),
    ],
)
def test_a_topic_takes_the_steps_whose_patterns_it_matches(
    met: dict[str, bool], expected: list[tuple[str, bool]]
) -> None:
    chain = steps(A, f"!{A}", "tombstone", f"!{B}")
    assert list(patterns_of(chain)) == [A, A, B]
    assert taken(met, chain) == expected


def test_behind_a_router_the_record_tells_its_topic() -> None:
    chain = steps(A, A, B, router=1)
    assert list(patterns_of(chain)) == [A, A]
    assert taken({A: True}, chain) == [("t0", False), ("t1", False), ("t2", True)]
    assert taken({A: False}, chain) == [("t2", True)]
