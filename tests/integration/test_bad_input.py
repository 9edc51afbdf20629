"""Whatever a record is, it is a row or a dead letter with a reason, and the counts add up."""

from typing import Any

from tests.support.fleet_lab import FleetLab
from tests.support.spark import LEAVES_SOCKETS

pytestmark = LEAVES_SOCKETS
COLUMNS = "id BIGINT, kind STRING, small INT, price DECIMAL(10,2), day DATE, at TIMESTAMP"
NO_JSON = "it is no JSON (UTF-8) of the shape that is read"
DEEP = "[" * 3000 + "]" * 3000


def misfit(column: str) -> str:
    name, kind = column.split()
    return f"column {name} ({kind}) cannot hold its value"


DEAD = {
    b"hello": NO_JSON,
    b'{"id": 1': NO_JSON,
    b"[1]": NO_JSON,
    b"5": NO_JSON,
    b'"x"': NO_JSON,
    b"": NO_JSON,
    b"{'id': 10}": NO_JSON,
    b'{"id": 3, "kind": "a\x00b"}': NO_JSON,
    b'{"id": 4, "kind": "\xff\xfe"}': NO_JSON,
    '{"id": 5}'.encode("utf-16"): NO_JSON,
    b'\xef\xbb\xbf{"id": 6}': NO_JSON,
    f'{{"id": 11, "other": {DEEP}}}'.encode(): NO_JSON,
    b'{"id": "x1"}': misfit("id bigint"),
    b'{"id": 1.5}': misfit("id bigint"),
    b'{"id": true}': misfit("id bigint"),
    b'{"id": 9223372036854775808}': misfit("id bigint"),
    b'{"id": 1e400}': misfit("id bigint"),
    b'{"id": NaN}': misfit("id bigint"),
    b'{"small": 2147483648}': misfit("small int"),
    b'{"price": 123456789012.345}': misfit("price decimal(10,2)"),
    b'{"day": "2026-02-30"}': misfit("day date"),
    b'{"at": "yesterday"}': misfit("at timestamp"),
    b'{"at": "2016-12-31T23:59:60Z"}': misfit("at timestamp"),
    b'{"at": 9223372036854775807}': misfit("at timestamp"),
}
ROWS: dict[bytes, tuple[str, Any]] = {
    b'{"id": "17"}': ("id", "17"),
    b'{"id": 2.0}': ("id", "2"),
    b'{"id": 9223372036854775807}': ("id", "9223372036854775807"),
    # As in Kafka Connect: the last of equal names counts, and nothing after the first document.
    b'{"id": 1, "id": 18}': ("id", "18"),
    b'{"id": 7} x': ("id", "7"),
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
NOTHING = [None, b"null"]


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
    assert dead == DEAD
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
