"""Predicates: which records a transform changes."""

from typing import Any

import pytest
from tests.support.connect_steps import PACKAGE, step, steps
from tests.support.plain_records import record_of

from frazil.spark_sink.records.chain import chain_of
from frazil.spark_sink.records.model import Header

H = (Header("g", None), Header("h", 1))
CASES: list[tuple[str, dict[str, str], Any, bool]] = [
    ("TopicNameMatches", {"pattern": "or.*s"}, record_of({}), True),
    ("TopicNameMatches", {"pattern": "order"}, record_of({}), False),
    ("TopicNameMatches", {"pattern": "(?i)ORDERS"}, record_of({}), True),
    ("HasHeaderKey", {"name": "h"}, record_of({}, headers=H), True),
    ("HasHeaderKey", {"name": "x"}, record_of({}, headers=H), False),
    ("HasHeaderKey", {"name": "h"}, record_of({}), False),
    ("RecordIsTombstone", {}, record_of({}), False),
    ("RecordIsTombstone", {}, record_of(None), True),
]


@pytest.mark.parametrize(("word", "options", "record", "met"), CASES)
@pytest.mark.parametrize("negate", [False, True])
def test_a_predicate_chooses_the_records_of_a_transform(
    word: str, options: dict[str, str], record: Any, *, met: bool, negate: bool
) -> None:
    chain = chain_of(
        steps(
            step("Filter", predicate="p", negate=str(negate).lower()),
            predicates="p",
            **{"predicates.p.type": f"{PACKAGE}predicates.{word}"},
            **{f"predicates.p.{name}": text for name, text in options.items()},
        )
    )
    assert chain is not None
    assert (chain(record) is None) == (met != negate)
