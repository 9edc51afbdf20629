"""SQL over the tables of a local stack: PyIceberg reads, DuckDB answers."""

from typing import Protocol

import duckdb
import pyarrow as pa

from frazil.cli.tables import NAMESPACE
from frazil.runtime.errors import UserError

_ROWS_OF_A_TABLE = 20

# Durations arrive as Go writes them ("1m2.5s", "830µs"); a sum of its parts is a number.
_GO_SECONDS = """
CREATE MACRO go_seconds(duration) AS list_sum(list_transform(
  regexp_extract_all(duration, '[0-9.]+(?:ns|us|µs|ms|s|m|h)'),
  lambda part: CAST(regexp_extract(part, '[0-9.]+') AS DOUBLE)
    * CASE regexp_replace(part, '[0-9.]+', '')
        WHEN 'ns' THEN 1e-9 WHEN 'us' THEN 1e-6 WHEN 'µs' THEN 1e-6 WHEN 'ms' THEN 1e-3
        WHEN 's' THEN 1 WHEN 'm' THEN 60 WHEN 'h' THEN 3600 END))
"""

CALLS_BY_API = """
SELECT name AS api,
  count(*) AS calls,
  round(100 * avg(CAST(callInfo.httpStatusCode >= 400 AS INT)), 1) AS "errors %",
  round(1000 * quantile_cont(go_seconds(callInfo.timeToResponse), 0.99), 1) AS "p99 ms"
FROM apilogs GROUP BY name ORDER BY calls DESC LIMIT 10
"""


class Scannable(Protocol):
    """A table as far as a question goes: its rows."""

    def to_arrow(self) -> pa.Table: ...


class Readable(Protocol):
    def scan(self) -> Scannable: ...


class Catalog(Protocol):
    """Tables by their short names."""

    def names(self) -> list[str]: ...

    def load(self, name: str) -> Readable: ...


class QueryError(UserError):
    def __init__(self, reason: str, names: list[str]) -> None:
        super().__init__(f"{reason}\nTables here: {', '.join(names)}")


def answer(tables: Catalog, question: str) -> pa.Table:
    """Answer SQL; a lone table name stands for its first rows."""
    names = tables.names()
    sql = as_sql(question)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(_GO_SECONDS)
        connection.execute(f"CREATE SCHEMA {NAMESPACE}")
        try:
            for name in _mentioned(connection, sql) & set(names):
                connection.register(name, tables.load(name).scan().to_arrow())
                connection.execute(f"CREATE VIEW {NAMESPACE}.{name} AS FROM memory.main.{name}")
            relation = connection.sql(sql)
            # A statement that asks nothing (`SET`, `CREATE`) has no answer.
            return pa.table({}) if relation is None else relation.to_arrow_table()
        except duckdb.Error as error:
            raise QueryError(str(error), names) from error


def as_sql(question: str) -> str:
    is_name = question.replace(".", "").replace("_", "").isalnum()
    return f"SELECT * FROM {question} LIMIT {_ROWS_OF_A_TABLE}" if is_name else question  # noqa: S608


def _mentioned(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    return {name.rpartition(".")[2] for name in connection.get_table_names(sql)}
