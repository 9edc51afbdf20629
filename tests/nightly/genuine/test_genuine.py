"""The genuine sink beside ours: the same records, the same chains, the same tables."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.nightly.genuine.case import Case, SourceRecord, case_of
from tests.nightly.genuine.outcome import Sink, differences
from tests.nightly.genuine.peer import Peer, running

_AT_A_TIME = 10
JSON = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
DEADLY = (b'{"a": 1}', b"5", b'{"a": 2}', b'{"a": "x"}')


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with running(tmp_path_factory.mktemp("genuine")) as started:
        yield started


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> list[Case]:
    first, count = (request.config.getoption(name) for name in ("--seed", "--cases"))
    return [case_of(seed) for seed in range(first, first + count)]


@pytest.fixture
def ours() -> Sink:
    """Return what does a case with our own functions."""
    pytest.skip("records become rows by functions that are not here yet")


def test_both_sinks_write_the_same_tables(
    peer: Peer, ours: Sink, cases: list[Case], tmp_path: Path
) -> None:
    surprises = {}
    for begin in range(0, len(cases), _AT_A_TIME):
        for trial in peer.trials(cases[begin : begin + _AT_A_TIME]):
            # What the genuine task died of, and nobody could take out, says nothing.
            if trial.outcome.died:
                continue
            if found := differences(ours(trial.case), trial.outcome):
                config = dict(trial.case.config)
                surprises[trial.case.name] = {"config": config, "differences": found}
    report = tmp_path / "surprises.json"
    report.write_text(json.dumps(surprises, indent=1, ensure_ascii=False))
    assert not surprises, f"{len(surprises)} of {len(cases)} cases differ: {report}"


def test_the_genuine_sink_does_a_case(peer: Peer) -> None:
    (trial,) = peer.trials([case_of(0)])
    outcome = trial.outcome
    assert not outcome.died
    assert outcome.rows
    assert len(outcome.rows) + len(outcome.dead) <= len(trial.case.records)


def test_a_record_that_the_genuine_task_dies_of_is_taken_out(peer: Peer) -> None:
    case = replace(case_of(0), name="deadly", config=JSON, records=tuple(map(SourceRecord, DEADLY)))
    (trial,) = peer.trials([case])
    assert trial.deadly == (1, 3)
    assert trial.outcome.rows == ("{a: 1}", "{a: 2}")
