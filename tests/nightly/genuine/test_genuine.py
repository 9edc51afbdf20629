"""The genuine sink beside ours: the same records, the same chains, the same tables."""

import json
import re
import sys
from collections.abc import Callable, Iterator

import pytest
from tests.nightly.genuine.case import Case, SourceRecord, case_of
from tests.nightly.genuine.ours import Ours, beside
from tests.nightly.genuine.outcome import Trial, differences
from tests.nightly.genuine.peer import Peer, running
from tests.support.spark import LEAVES_SOCKETS

pytestmark = LEAVES_SOCKETS
_AT_A_TIME = 25
_SHOWN = 20
_CAUSE = re.compile(r"^(?:Caused by: )?(\S+(?:Exception|Error).*)", re.MULTILINE)
JSON = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}
DEADLY = (b'{"a": 1}', b"5", b'{"a": 2}', b'{"a": "x"}')


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    with running(tmp_path_factory.mktemp("genuine")) as started:
        yield started


@pytest.fixture(scope="module")
def ours(peer: Peer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ours]:
    with beside(peer.stack, tmp_path_factory.mktemp("ours")) as started:
        yield started


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> range:
    first, count = (request.config.getoption(name) for name in ("--seed", "--cases"))
    return range(first, first + count)


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Return what prints a line at once."""

    def say(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    return say


def test_both_sinks_write_the_same_tables(
    peer: Peer, ours: Ours, seeds: range, say: Callable[[str], None]
) -> None:
    surprises, unsaid = list[int](), dict[int, str]()
    say(f"seeds {seeds.start} to {seeds.stop - 1}")
    for begin in range(seeds.start, seeds.stop, _AT_A_TIME):
        some = range(begin, min(begin + _AT_A_TIME, seeds.stop))
        for seed, trial in zip(some, peer.trials([*map(case_of, some)], ours.refused), strict=True):
            # What the genuine task died of, and nobody could take out, says nothing.
            if trial.outcome.died:
                unsaid[seed] = _CAUSE.findall(trial.outcome.died)[-1]
            elif found := differences(ours.outcome(trial.case), trial.outcome):
                surprises.append(seed)
                say(_told(seed, trial, found))
        say(f"to seed {some.stop - 1}: {len(surprises)} differ, {len(unsaid)} say nothing")
    for seed, cause in unsaid.items():
        say(f"seed {seed}: the genuine task died: {cause}")
    assert not surprises, f"{len(surprises)} of {len(seeds)} differ: {surprises}"


def _told(seed: int, trial: Trial, found: list[str]) -> str:
    """Say how a case differs, and how it is done again."""
    config = json.dumps(dict(trial.case.config), indent=1, ensure_ascii=False)
    lines = [f"\nseed {seed} differs; alone: make nightly-genuine SEED={seed} COUNT=1", config]
    if trial.deadly:
        lines.append(f"without the offsets {trial.deadly}, of which the genuine task died")
    if trial.case.columns:
        lines.append(f"in tables of {trial.case.columns}")
    return "\n".join([*lines, *found[:_SHOWN], f"{len(found)} differences"])


def test_the_genuine_sink_does_a_case(peer: Peer) -> None:
    case = Case("plain", JSON, (SourceRecord(b'{"a": 1}'),))
    (trial,) = peer.trials([case])
    assert not trial.outcome.died
    assert trial.outcome.rows == ("{a: 1}",)


def test_a_record_that_the_genuine_task_dies_of_is_taken_out(peer: Peer) -> None:
    case = Case("deadly", JSON, tuple(map(SourceRecord, DEADLY)))
    (trial,) = peer.trials([case])
    assert trial.deadly == (1, 3)
    assert trial.outcome.rows == ("{a: 1}", "{a: 2}")
