"""What `frazil verify` says of a ledger's proof."""

from typing import Any

from frazil.cli import verify

SUMS = {"commits": 3, "offsets": 12_000, "consumed": 11_990, "written": 11_000, "filtered": 900,
        "dead": 90, "nulled": 3, "redriven": 7, "undone": 2}  # fmt: skip


def table(**more: Any) -> dict[str, Any]:
    return {
        "table": "lake.a", "proved": True, "whole": True, "ledger": {}, "sums": SUMS, "jumps": [],
        "imbalances": [], **more,
    }  # fmt: skip


def ledger(*tables: dict[str, Any]) -> dict[str, Any]:
    return {"name": "c", "proved": all(one["proved"] for one in tables), "tables": list(tables)}


def jump(kind: str, ended: int, began: int, wanted: str | None = None) -> dict[str, Any]:
    return {
        "kind": kind, "snapshot_id": 7, "topic": "t", "partition": 1, "ended": ended,
        "began": began, "wanted": wanted,
    }  # fmt: skip


def test_a_proof_is_a_row_of_counts_and_one_sentence() -> None:
    found = ledger(table())
    counts = ("3", "12,000", "11,990", "11,000", "900", "90", "3", "7", "2")
    assert verify.rows(found) == [("lake.a", "yes", *counts)]
    assert list(verify.findings(found)) == []
    assert verify.verdict(found).startswith("Proved")


def test_gaps_and_overlaps_are_named_with_their_place() -> None:
    found = ledger(table(proved=False, jumps=[jump("gap", 10, 15), jump("overlap", 20, 15)]))
    assert verify.rows(found)[0][1] == "NO"
    assert list(verify.findings(found)) == [
        "lake.a: 5 offset(s) of t-1 from 10 are in no commit (snapshot 7).",
        "lake.a: 5 offset(s) of t-1 from 15 are in two commits (snapshot 7).",
    ]
    assert verify.verdict(found) == "Not proved."


def test_what_was_wanted_is_said_too() -> None:
    found = ledger(table(jumps=[jump("overlap", 20, 0, "rewind 1")]))
    assert list(verify.findings(found)) == [
        "lake.a: 20 offset(s) of t-1 from 0 are in two commits (snapshot 7; wanted: rewind 1)."
    ]


def test_counts_that_do_not_add_up_and_histories_that_are_cut_are_told() -> None:
    one = {"snapshot_id": 9, "consumed": 10, "written": 8, "filtered": 1, "dead": 0}
    found = ledger(table(proved=False, whole=False, imbalances=[one]))
    assert list(verify.findings(found)) == [
        "lake.a: older snapshots have expired; what is left proves what came after.",
        "lake.a: snapshot 9 has 8 rows of 10 records, of which 1 were filtered and 0 dead.",
    ]


def test_a_table_without_a_commit_proves_nothing() -> None:
    found = ledger(table(proved=False, ledger=None))
    assert list(verify.findings(found)) == ["lake.a: no commit of c is in its history."]
