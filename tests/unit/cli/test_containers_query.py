import pytest
from trino.exceptions import TrinoQueryError

from frazil.cli.containers.trino import (
    NoCatalogError,
    Trino,
    TrinoAwayError,
    TrinoError,
    counted,
    first_rows_or_sql,
)
from frazil.cli.kinds import Answer
from frazil.cli.ports import free_ports


def test_tables_are_counted_one_by_one() -> None:
    answers: dict[str, Answer] = {
        "SHOW TABLES": (["Table"], [("apilogs",), ("a b",)]),
        'SELECT count(*) FROM "apilogs"': (["n"], [("7",)]),
        'SELECT count(*) FROM "a b"': (["n"], [("0",)]),
    }
    assert counted(answers.__getitem__) == {"apilogs": 7, "a b": 0}


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("apilogs", "SELECT * FROM apilogs LIMIT 20"),
        ("streaming.apilogs", "SELECT * FROM streaming.apilogs LIMIT 20"),
        ("SELECT 1; ", "SELECT 1"),
        ("SHOW TABLES", "SHOW TABLES"),
    ],
)
def test_a_lone_name_stands_for_first_rows_and_a_semicolon_for_nothing(
    question: str, sql: str
) -> None:
    assert first_rows_or_sql(question) == sql


def test_a_trino_that_is_not_up_is_a_sentence() -> None:
    trino = Trino(free_ports().api, "lake", "streaming")
    with pytest.raises(TrinoAwayError, match=f"{trino.port} does not answer.*`frazil start`"):
        trino.ask("SELECT 1")


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("CATALOG_NOT_FOUND", NoCatalogError, "Trino has no catalog lake yet. `frazil start`"),
        ("TABLE_NOT_FOUND", TrinoError, "Table x does not exist\n`frazil query`"),
    ],
)
def test_what_trino_refuses_says_what_to_do(name: str, kind: type[Exception], text: str) -> None:
    refused = TrinoQueryError({"errorName": name, "message": "Table x does not exist"})
    meaning = Trino(1, "lake", "streaming").meaning_of(refused)
    assert isinstance(meaning, kind)
    assert str(meaning).startswith(text)
