import pyarrow as pa
import pytest

from frazil.cli.query import CALLS_BY_API, QueryError, answer


class FakeScan:
    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def scan(self) -> "FakeScan":
        return self

    def to_arrow(self) -> pa.Table:
        return self._rows


class FakeTables:
    def __init__(self, **tables: pa.Table) -> None:
        self._tables = tables
        self.loaded: list[str] = []

    def names(self) -> list[str]:
        return sorted(self._tables)

    def load(self, name: str) -> FakeScan:
        self.loaded.append(name)
        return FakeScan(self._tables[name])


def _call(api: str, status: int, duration: str) -> dict[str, object]:
    return {"name": api, "callInfo": {"httpStatusCode": status, "timeToResponse": duration}}


@pytest.fixture
def tables() -> FakeTables:
    calls = [_call("s3.GetObject", 200, "5ms"), _call("s3.GetObject", 404, "7ms")]
    return FakeTables(
        apilogs=pa.Table.from_pylist(calls), errorlogs=pa.table({"message": ["disk is full"]})
    )


@pytest.mark.parametrize("name", ["errorlogs", "streaming.errorlogs"])
def test_a_lone_name_shows_the_table(tables: FakeTables, name: str) -> None:
    assert answer(tables, name).to_pylist() == [{"message": "disk is full"}]


def test_only_tables_that_are_asked_for_are_read(tables: FakeTables) -> None:
    answer(tables, "SELECT count(*) FROM streaming.errorlogs")
    assert tables.loaded == ["errorlogs"]


@pytest.mark.parametrize("sql", ["SELECT nothing", "nothing", "SELECT 1 FROM nowhere"])
def test_a_wrong_question_is_answered_with_the_tables_there_are(
    tables: FakeTables, sql: str
) -> None:
    with pytest.raises(QueryError, match="Tables here: apilogs, errorlogs"):
        answer(tables, sql)


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [("5ms", 0.005), ("1m2.5s", 62.5), ("830µs", 0.00083), ("123456ns", 0.000123456), ("2h", 7200)],
)
def test_durations_as_go_writes_them_become_seconds(
    tables: FakeTables, duration: str, seconds: float
) -> None:
    found = answer(tables, f"SELECT go_seconds('{duration}') AS s").to_pylist()[0]["s"]
    assert found == pytest.approx(seconds)


def test_the_demos_question_counts_calls_and_errors_by_api(tables: FakeTables) -> None:
    assert answer(tables, CALLS_BY_API).to_pylist() == [
        {
            "api": "s3.GetObject",
            "calls": 2,
            "errors %": 50.0,
            "p99 ms": pytest.approx(6.98, abs=0.1),
        }
    ]
