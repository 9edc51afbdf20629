"""Dead letters of a fleet, without a broker: each in its table once, whatever befalls the rest."""

import json

import pytest
from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.naming import letter_ledger
from frazil.contracts.offsets import Rewind
from frazil.worker.errors import BadRecordError, BadTableError, SupersededError, UnavailableError

MISFIT = "column id of type long cannot hold text that is not a number"
pytestmark = LEAVES_SOCKETS
BROKEN = b'{"id": 2'
WRONG = b'{"id": "x", "kind": "k"}'


def create(lake: FleetLab, *tables: str) -> None:
    for table in tables:
        lake.sql(f"CREATE TABLE NS.{table} (id BIGINT, kind STRING) USING iceberg")


def keys(lake: FleetLab, *tables: str, **more: str) -> dict[str, str]:
    return {
        "iceberg.tables": ",".join(f"{lake.namespace}.{table}" for table in tables),
        "iceberg.control.commit.threads": "1",
        "errors.tolerance": "all",
        "frazil.dead.letters.table": f"{lake.namespace}.dead",
        **more,
    }


def letters(lake: FleetLab, columns: str = "offset") -> list[object]:
    found = lake.sql(f"SELECT {columns} FROM NS.dead ORDER BY connector, table, offset")
    return [row[0] if len(row) == 1 else tuple(row) for row in found]


def test_a_letter_has_the_original_bytes_and_says_where_it_came_from_and_why(
    lake: FleetLab,
) -> None:
    create(lake, "a")
    run = lake.start(1, keys(lake, "a"))
    run.write(
        [{"id": 1}, BROKEN, WRONG, None],
        keys=["k0", "k1", None, None],
        headers=[{}, {"h": "1"}, {}, {}],
    )
    assert lake.ids("a") == [1]
    broken, wrong = lake.sql(
        "SELECT connector, table, topic, partition, offset, key, value, headers, reason, message, "
        "timestamp < failed_at FROM NS.dead ORDER BY offset"
    )
    table = f"{lake.namespace}.a"
    assert broken[:7] == ["c", table, "t", 0, 1, bytearray(b"k1"), bytearray(BROKEN)]
    assert [tuple(header) for header in broken[7]] == [("h", bytearray(b"1"))]
    assert broken[8] == "converter"
    assert wrong[4:7] == [2, None, bytearray(WRONG)]
    assert wrong[8:] == ["row", MISFIT, True]
    (ledger,) = lake.ledgers("a")
    assert (ledger.consumed, ledger.written, ledger.dead, ledger.filtered) == (4, 1, 2, 1)


def test_a_batch_without_faults_leaves_the_letters_alone(lake: FleetLab) -> None:
    create(lake, "a")
    run = lake.start(1, keys(lake, "a"))
    run.write([{"id": 1}])
    assert lake.sql("SHOW TABLES IN NS") == [[lake.namespace, "a", False]]


def test_each_table_that_refuses_a_record_has_a_letter(lake: FleetLab) -> None:
    create(lake, "a")
    lake.sql("CREATE TABLE NS.b (id STRING, kind STRING) USING iceberg")
    run = lake.start(1, keys(lake, "a", "b"))
    run.write([WRONG, BROKEN])
    a, b = (f"{lake.namespace}.{table}" for table in "ab")
    assert letters(lake, "table, offset") == [(a, 0), (a, 1), (b, 1)]
    assert lake.sql("SELECT id FROM NS.b") == [["x"]]


def test_letters_of_a_batch_that_was_not_committed_are_not_repeated(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, "a")
    run = lake.start(1, keys(lake, "a"))
    run.write([{"id": 0}])

    def fail(*_: object) -> None:
        raise UnavailableError("killed here")

    store = run.fleet._committers[f"{lake.namespace}.a"].store
    monkeypatch.setattr(store, "append", fail)
    with pytest.raises(UnavailableError):
        run.write([BROKEN, {"id": 2}, WRONG])
    assert letters(lake) == [1, 3]
    # The next driver cuts its batches elsewhere.
    again = lake.start(2, keys(lake, "a"))
    assert again.at == 1
    again.write([BROKEN, {"id": 2}])
    again.write([WRONG, BROKEN, {"id": 5}])
    assert letters(lake) == [1, 3, 4]
    assert lake.ids("a") == [0, 2, 5]
    (first, second) = lake.ledgers("dead", of=letter_ledger("c", f"{lake.namespace}.a"))
    assert first.end == second.start == {"t": {0: 4}}
    assert (first.written, second.written) == (2, 1)


def test_a_table_that_comes_again_after_its_fault_still_finds_its_letters(
    lake: FleetLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(lake, "a", "b")
    run = lake.start(1, keys(lake, "a", "b"))
    run.write([{"id": 0}])

    def fail(*_: object) -> None:
        raise BadTableError("broken for now")

    store = run.fleet._committers[f"{lake.namespace}.b"].store
    monkeypatch.setattr(store, "write", fail)
    run.write([BROKEN, {"id": 2}])
    run.write([WRONG])
    a, b = (f"{lake.namespace}.{table}" for table in "ab")
    assert letters(lake, "table, offset") == [(a, 1), (a, 3)]
    again = lake.start(2, keys(lake, "a", "b"))
    assert again.at == 1
    again.write([BROKEN, {"id": 2}, WRONG])
    assert letters(lake, "table, offset") == [(a, 1), (a, 3), (b, 1), (b, 3)]


def test_an_older_driver_puts_away_no_letter_after_a_newer_one_has(lake: FleetLab) -> None:
    create(lake, "a")
    older = lake.start(1, keys(lake, "a"))
    older.write([BROKEN])
    newer = lake.start(2, keys(lake, "a"))
    newer.write([WRONG])
    with pytest.raises(SupersededError, match="epoch 2"):
        older.write([WRONG])
    assert letters(lake) == [0, 1]


def test_a_record_too_broken_to_name_its_table_is_a_letter_without_one(lake: FleetLab) -> None:
    create(lake, "a")
    route = {
        "iceberg.tables": "",
        "iceberg.tables.dynamic-enabled": "true",
        "iceberg.tables.route-field": "kind",
        "frazil.tables.namespace": lake.namespace,
    }
    run = lake.start(1, keys(lake, **route))
    outcome = run.write([{"id": 1, "kind": "a"}, BROKEN, {"id": 3, "kind": "nowhere"}])
    assert (outcome.written, outcome.dead, outcome.astray) == (1, 1, 1)
    assert letters(lake, "table, offset, reason") == [(None, 1, "converter")]
    # The newest batch is read again, and leaves nothing behind that is there already.
    again = lake.start(2, keys(lake, **route))
    again.write([{"id": 1, "kind": "a"}, BROKEN][again.at :])
    assert letters(lake, "table, offset, reason") == [(None, 1, "converter")]


def test_a_rewind_brings_the_letters_again_as_it_does_the_rows(lake: FleetLab) -> None:
    create(lake, "a")
    run = lake.start(1, keys(lake, "a"))
    run.write([BROKEN, {"id": 1}])
    again = lake.start(2, keys(lake, "a"), rewind=Rewind(number=1, offsets={"t": {0: 0}}))
    again.write([BROKEN, {"id": 1}])
    assert letters(lake) == [0, 0]
    assert lake.ids("a") == [1, 1]


def test_more_dead_than_the_limit_fail_the_batch_and_nothing_of_it_is_written(
    lake: FleetLab,
) -> None:
    create(lake, "a")
    run = lake.start(1, keys(lake, "a", **{"frazil.max.dead.per.commit": "1"}))
    run.write([{"id": 0}, BROKEN])
    with pytest.raises(BadRecordError, match=r"2 record.*frazil\.max\.dead\.per\.commit=1"):
        run.write([{"id": 2}, BROKEN, WRONG])
    assert (lake.ids("a"), letters(lake)) == ([0], [1])


def test_a_table_that_is_no_table_of_letters_is_told_by_what_it_lacks(lake: FleetLab) -> None:
    create(lake, "a", "dead")
    run = lake.start(1, keys(lake, "a"))
    with pytest.raises(BadTableError, match="cannot hold dead letters: it has no connector, table"):
        run.write([BROKEN])


def test_connectors_may_share_a_table_of_letters(lake: FleetLab) -> None:
    create(lake, "a")
    lake.start(1, keys(lake, "a")).write([BROKEN])
    lake.start(1, keys(lake, "a"), connector="other").write([BROKEN, {"id": 1}])
    assert letters(lake, "connector, offset") == [("c", 0), ("other", 0)]


def test_an_offset_of_a_topic_that_left_is_kept_until_it_comes_back(lake: FleetLab) -> None:
    create(lake, "a")
    plain = {"iceberg.tables": f"{lake.namespace}.a"}
    run = lake.start(1, plain, topics=("t", "u"))
    run.write([{"id": 0}])
    run.position = {"t": {0: 1}, "u": {0: 5}}
    run.write([{"id": 1}])
    alone = lake.start(2, plain)
    assert alone.position == {"t": {0: 2}}
    alone.write([{"id": 2}])
    both = lake.start(3, plain, topics=("t", "u"))
    assert both.position == {"t": {0: 3}, "u": {0: 5}}
    assert json.loads(lake.ledgers("a")[-1].model_dump_json())["topic_ids"]["u"] == "id-u"


def test_a_reset_forgets_topics_that_left_too(lake: FleetLab) -> None:
    create(lake, "a")
    plain = {"iceberg.tables": f"{lake.namespace}.a"}
    run = lake.start(1, plain, topics=("t", "u"))
    run.position = {"t": {0: 0}, "u": {0: 5}}
    run.write([{"id": 0}])
    lake.start(2, plain, rewind=Rewind(number=1, everything=True))
    both = lake.start(3, plain, topics=("t", "u"), rewind=Rewind(number=1, everything=True))
    assert both.position == {"t": {0: 0}, "u": {0: 0}}
