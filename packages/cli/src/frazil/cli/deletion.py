"""Ask before the data of a stack is deleted."""

import sys
from collections.abc import Sequence

import typer

from frazil.runtime.errors import UserError


class NotConfirmedError(UserError):
    def __init__(self, reason: str) -> None:
        super().__init__(f"Nothing was deleted: {reason}")


def confirm_deletion(stack: str, things: Sequence[str], *, yes: bool) -> None:
    """List what is deleted and ask for consent. Raises NotConfirmedError without it."""
    typer.echo(f"This deletes the stack '{stack}' with all its data:")
    for thing in things:
        typer.echo(f"  {thing}")
    if yes:
        return
    if not has_terminal():
        raise NotConfirmedError(
            "there is no terminal to ask at. "
            f"`frazil clean --stack {stack} --yes` deletes it without a question."
        )
    if not typer.confirm("Delete it?"):
        raise NotConfirmedError("the answer was no.")


def has_terminal() -> bool:
    return sys.stdin.isatty()
