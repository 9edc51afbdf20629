"""Whatever a record is, it is a row or a dead letter with a reason, and the counts add up."""

from typing import Any

from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

pytestmark = LEAVES_SOCKETS
COLUMNS = "id BIGINT, kind STRING, small INT, price DECIMAL(10,2), day DATE, at TIMESTAMP"
NO_JSON = "it is not JSON in UTF-8"
NO_FIELDS = "a record that is {} cannot be a row"
DEEP = "[" * 3000 + "]" * 3000


def misfit(column: str, what: str) -> str:
    name, _, kind = column.partition(" ")
    return f"column {name} of type {kind} cannot hold {what}"


# Of those that are no JSON, the parser says more.
DEAD = {
    b"hello": NO_JSON,
    b'{"id": 1': NO_JSON,
    b"[1]": NO_FIELDS.format("a list"),
    b"5": NO_FIELDS.format("a number"),
    b'"x"': NO_FIELDS.format("text"),
    b"{'id': 10}": NO_JSON,
    b'{"id": 3, "kind": "a\x00b"}': NO_JSON,
    b'{"id": 4, "kind": "\xff\xfe"}': NO_JSON,
    '{"id": 5}'.encode("utf-16"): NO_JSON,
    f'{{"id": 11, "other": {DEEP}}}'.encode(): "the JSON is nested too deeply",
    b'{"id": 7} x': NO_JSON,
    b'{"id": "x1"}': misfit("id long", "text that is not a number"),
    b'{"id": 1.5}': misfit("id long", "a number with a fraction"),
    b'{"id": true}': misfit("id long", "a boolean"),
    b'{"id": 9223372036854775808}': misfit("id long", "a number beyond its range"),
    b'{"id": 1e400}': NO_JSON,
    b'{"id": NaN}': NO_JSON,
    b'{"small": 2147483648}': misfit("small int", "a number beyond its range"),
    b'{"price": 123456789012.345}': misfit("price decimal(10, 2)", "a number beyond its range"),
    b'{"day": "2026-02-30"}': misfit("day date", "text of a date that does not exist"),
    b'{"at": "yesterday"}': misfit("at timestamptz", "text that is not a timestamp"),
    b'{"at": "2016-12-31T23:59:60Z"}': misfit(
        "at timestamptz", "text of a time that does not exist"
    ),
    b'{"at": 9223372036854775807}': misfit("at timestamptz", "a number beyond its range"),
}
ROWS: dict[bytes, tuple[str, Any]] = {
    b'{"id": "17"}': ("id", "17"),
    b'{"id": 2.0}': ("id", "2"),
    b'{"id": 9223372036854775807}': ("id", "9223372036854775807"),
    # As in Kafka Connect: the last of equal names counts.
    b'{"id": 1, "id": 18}': ("id", "18"),
    b'{"kind": "a\\u0000b"}': ("kind", "a\0b"),
    b'{"price": 12.345}': ("price", "12.35"),
    b'{"day": "2026-11-18"}': ("day", "2026-11-18"),
    b'{"day": 20000}': ("day", "2024-10-04"),
    b'{"at": "2026-11-18T10:00:00.123456Z"}': ("at", "2026-11-18 10:00:00.123456"),
    b'{"at": "2026-11-18T10:00:00+01:00"}': ("at", "2026-11-18 09:00:00"),
    b'{"at": "2026-11-18 10:00:00.5+0100"}': ("at", "2026-11-18 09:00:00.5"),
    b'{"at": 1795000000000}': ("at", "2026-11-18 11:06:40"),
    b'{"at": -1}': ("at", "1969-12-31 23:59:59.999"),
    b'{"at": "2026-11-18T10:00:00"}': ("at", "2026-11-18 10:00:00"),
    b'{"at": "2026-11-18"}': ("at", "2026-11-18 00:00:00"),
}
NOTHING = [None, b"null", b""]


def test_each_record_is_a_row_or_a_letter_with_its_reason(lake: FleetLab) -> None:
    lake.sql(f"CREATE TABLE NS.a ({COLUMNS}) USING iceberg")
    run = lake.start(
        1,
        {
            "iceberg.tables": f"{lake.namespace}.a",
            "errors.tolerance": "all",
            "frazil.dead.letters.table": f"{lake.namespace}.dead",
        },
    )
    run.write([*DEAD, *NOTHING, *ROWS])
    dead = {bytes(value): why for value, why in lake.sql("SELECT value, message FROM NS.dead")}
    assert {value: why.partition(": ")[0] for value, why in dead.items()} == DEAD
    texts = ", ".join(f"CAST({part.split()[0]} AS STRING)" for part in COLUMNS.split(", "))
    names = [part.split()[0] for part in COLUMNS.split(", ")]
    rows = [
        (name, value)
        for row in lake.sql(f"SELECT {texts} FROM NS.a")
        for name, value in zip(names, row, strict=True)
        if value is not None
    ]
    assert sorted(rows) == sorted(ROWS.values())
    (ledger,) = lake.ledgers("a")
    assert (ledger.consumed, ledger.written) == (len(DEAD) + len(NOTHING) + len(ROWS), len(ROWS))
    assert (ledger.dead, ledger.filtered) == (len(DEAD), len(NOTHING))
