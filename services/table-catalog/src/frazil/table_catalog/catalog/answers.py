"""Answers that were given under an `Idempotency-Key`, written with the change they answer.

The row of a key is written once. Of requests that come under it side by side, one is done, and the
others find its answer there: also when they failed only because it was faster.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from frazil.table_catalog.catalog.database import Database
from frazil.table_catalog.catalog.rows import ANSWERS
from frazil.table_catalog.core.answers import LIFETIME_SECONDS, Answer, Ticket
from frazil.table_catalog.core.errors import CatalogError, CommitFailedError, RefusedBeforeError

_OUR_FAULT = 500


def once(database: Database, ticket: Ticket | None, act: Callable[[], Answer]) -> Answer:
    """Do it, unless it was answered before."""
    if ticket is None:
        return act()
    known = _find(database, ticket)
    if known is None:
        try:
            return act()
        except CatalogError as error:
            known = _settle(database, ticket, error)
    if known.refusal is not None:
        raise RefusedBeforeError(**known.refusal)
    return known


def note(connection: Connection, ticket: Ticket | None, answer: Answer) -> Answer:
    """Write the answer into the transaction of the change: both are there, or none."""
    if ticket is None:
        return answer
    row = {
        "warehouse": ticket.warehouse,
        "key": ticket.key,
        "fingerprint": ticket.fingerprint,
        "answer": json.dumps(asdict(answer)),
        "made_ms": _now(),
    }
    connection.execute(delete(ANSWERS).where(ANSWERS.c.made_ms < _oldest()))
    try:
        connection.execute(insert(ANSWERS).values(row))
    except IntegrityError as error:
        raise CommitFailedError("the same request was done at the same time") from error
    return answer


def _settle(database: Database, ticket: Ticket, error: CatalogError) -> Answer:
    """Make a refusal final, unless the key has an answer by now; our own faults never are."""
    if error.status >= _OUR_FAULT:
        raise error
    refusal = {"status": error.status, "kind": error.kind, "message": error.message}
    try:
        with database.write() as connection:
            return note(connection, ticket, Answer(refusal=refusal))
    except CommitFailedError:
        known = _find(database, ticket)
        if known is None:
            raise error from None
        return known


def _find(database: Database, ticket: Ticket) -> Answer | None:
    query = select(ANSWERS.c.fingerprint, ANSWERS.c.answer).where(
        ANSWERS.c.warehouse == ticket.warehouse,
        ANSWERS.c.key == ticket.key,
        ANSWERS.c.made_ms >= _oldest(),
    )
    with database.read() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    ticket.check(row.fingerprint)
    return Answer(**json.loads(row.answer))


def _now() -> int:
    return time.time_ns() // 1_000_000


def _oldest() -> int:
    return _now() - LIFETIME_SECONDS * 1000
