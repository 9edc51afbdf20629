"""SQL over the tables of the container stack: Trino answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trino.dbapi import Connection
from trino.exceptions import Error, TrinoConnectionError, TrinoQueryError

from frazil.cli.kinds import Answer
from frazil.cli.ports import HOST
from frazil.cli.query import as_sql
from frazil.runtime.errors import UserError

_NO_CATALOG = "CATALOG_NOT_FOUND"
_USER = "frazil"


class TrinoAwayError(UserError):
    def __init__(self, port: int) -> None:
        super().__init__(
            f"Trino at {HOST}:{port} does not answer. `frazil status` shows how it is, "
            "`frazil start` starts it."
        )


class TrinoError(UserError):
    """Trino's own sentence."""


class NoCatalogError(UserError):
    def __init__(self, catalog: str) -> None:
        super().__init__(f"Trino has no catalog {catalog} yet. `frazil start` has it made.")


@dataclass(frozen=True)
class Trino:
    port: int
    catalog: str
    schema: str

    def ask(self, sql: str) -> Answer:
        """Answer with this catalog and schema as the session's own."""
        cursor = Connection(
            host=HOST,
            port=self.port,
            user=_USER,
            catalog=self.catalog,
            schema=self.schema,
            max_attempts=1,
        ).cursor()
        try:
            cursor.execute(sql)
            rows = cursor.fetchall()
        except TrinoConnectionError as error:
            raise TrinoAwayError(self.port) from error
        except TrinoQueryError as error:
            raise self.meaning_of(error) from error
        except Error as error:
            raise TrinoError(f"Trino could not answer: {error}") from error
        columns = [str(column[0]) for column in cursor.description or ()]
        return columns, [_cells(row) for row in rows]

    def meaning_of(self, error: TrinoQueryError) -> UserError:
        if error.error_name == _NO_CATALOG:
            return NoCatalogError(self.catalog)
        return TrinoError(f"{error.message}\n`frazil query` lists the tables.")


def counted(ask: Callable[[str], Answer]) -> dict[str, int]:
    """Return the number of rows of each table."""
    _, tables = ask("SHOW TABLES")
    return {name: int(ask(f'SELECT count(*) FROM "{name}"')[1][0][0]) for (name,) in tables}  # noqa: S608


def first_rows_or_sql(question: str) -> str:
    """Trino refuses the semicolon that people end a statement with."""
    return as_sql(question.strip().rstrip(";"))


def _cells(row: list[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in row)
