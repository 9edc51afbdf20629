"""What the tables of a connector prove, in the words of `frazil verify`."""

from collections.abc import Iterator
from typing import Any

Ledger = dict[str, Any]
"""The body of `GET /connectors/{name}/ledger`."""

_COUNTS = (
    *("commits", "offsets", "consumed", "written", "filtered", "dead"),
    *("nulled", "redriven", "undone"),
)
COLUMNS = ("table", "proved", *_COUNTS)


def rows(ledger: Ledger) -> list[tuple[str, ...]]:
    return [
        (
            table["table"],
            "yes" if table["proved"] else "NO",
            *(f"{table['sums'][name]:,}" for name in _COUNTS),
        )
        for table in ledger["tables"]
    ]


def findings(ledger: Ledger) -> Iterator[str]:
    """Say what is amiss in each table, and what looks so but was wanted."""
    for table in ledger["tables"]:
        name = table["table"]
        if table["ledger"] is None:
            yield f"{name}: no commit of {ledger['name']} is in its history."
        elif not table["whole"]:
            yield f"{name}: older snapshots have expired; what is left proves what came after."
        yield from (_jump(name, jump) for jump in table["jumps"])
        yield from (_imbalance(name, one) for one in table["imbalances"])


def verdict(ledger: Ledger) -> str:
    if ledger["proved"]:
        return "Proved: each offset is in one commit, and each record is written, filtered or dead."
    return "Not proved."


def _jump(table: str, jump: dict[str, Any]) -> str:
    count = abs(jump["began"] - jump["ended"])
    what = "are in no commit" if jump["kind"] == "gap" else "are in two commits"
    why = f"; wanted: {jump['wanted']}" if jump["wanted"] else ""
    first = min(jump["began"], jump["ended"])
    place = f"{jump['topic']}-{jump['partition']}"
    return (
        f"{table}: {count:,} offset(s) of {place} from {first} {what} "
        f"(snapshot {jump['snapshot_id']}{why})."
    )


def _imbalance(table: str, one: dict[str, Any]) -> str:
    snapshot, consumed, written = one["snapshot_id"], one["consumed"], one["written"]
    return (
        f"{table}: snapshot {snapshot} has {written:,} rows of {consumed:,} records, of which "
        f"{one['filtered']:,} were filtered and {one['dead']:,} dead."
    )
