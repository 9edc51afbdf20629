"""`frazil import connect` and `frazil export connect`: one procedure, in both directions."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from frazil.cli.connectors import NO_HEADERS, Headers
from frazil.cli.moving.mover import Mover
from frazil.cli.moving.plan import COLUMNS, cells
from frazil.cli.moving.server import Server
from frazil.cli.screen import Screen
from frazil.runtime.errors import UserError

PROBLEMS = 3
"""Exit code: some connectors cannot be moved as they are."""

Names = Annotated[list[str] | None, typer.Argument(help="Connectors; or --all.")]
All = Annotated[bool, typer.Option("--all", help="All connectors that are there.")]
Apply = Annotated[bool, typer.Option("--apply", help="Do it; without this it is only told.")]
Url = Annotated[str, typer.Option("--url", help="The Kafka Connect server.")]
Ours = Annotated[str | None, typer.Option("--to", help="Control API, if not the stack's.")]
OursFrom = Annotated[str | None, typer.Option("--from", help="Control API, if not the stack's.")]
User = Annotated[str | None, typer.Option("--user", help="Who asks the Kafka Connect server.")]
Password = Annotated[
    Path | None,
    typer.Option(
        "--password-file", exists=True, dir_okay=False, help="File with that user's password."
    ),
]
OurUser = Annotated[str | None, typer.Option("--api-user", help="Who asks the control API.")]
OurPassword = Annotated[
    Path | None,
    typer.Option(
        "--api-password-file", exists=True, dir_okay=False, help="File with that user's password."
    ),
]


class NothingNamedError(UserError):
    def __init__(self) -> None:
        super().__init__("Name connectors, or give --all; one of the two.")


Api = Callable[[str | None], tuple[str, Headers]]


def add_verbs(app: typer.Typer, api: Api, screen: Screen) -> None:
    """Add the two verbs; `api` finds the control API, also if none is named."""
    importing, exporting = typer.Typer(), typer.Typer()
    app.add_typer(importing, name="import", help="Take connectors over from another server.")
    app.add_typer(exporting, name="export", help="Give connectors to another server.")
    # With a callback it stays a group, though it has one verb only.
    importing.callback()(lambda: None)
    exporting.callback()(lambda: None)

    @importing.command("connect")
    def import_connect(
        url: Url,
        names: Names = None,
        every: All = False,
        apply: Apply = False,
        to: Ours = None,
        user: User = None,
        password: Password = None,
        api_user: OurUser = None,
        api_password: OurPassword = None,
    ) -> None:
        """Take connectors, states and offsets over from Kafka Connect; exit 3 if some cannot be."""
        old = Server(url, user, password)
        new = Server(*_asked_by(api(to), api_user, api_password))
        move(Mover(old, new, screen), _chosen(names, every=every), screen, apply=apply)

    @exporting.command("connect")
    def export_connect(
        url: Url,
        names: Names = None,
        every: All = False,
        apply: Apply = False,
        from_: OursFrom = None,
        user: User = None,
        password: Password = None,
        api_user: OurUser = None,
        api_password: OurPassword = None,
    ) -> None:
        """Give connectors, states and offsets to Kafka Connect; exit 3 if some cannot be."""
        old = Server(*_asked_by(api(from_), api_user, api_password))
        new = Server(url, user, password)
        move(Mover(old, new, screen), _chosen(names, every=every), screen, apply=apply)


def _asked_by(
    api: tuple[str, Headers], user: str | None, password: Path | None
) -> tuple[str, str | None, Path | None, Headers]:
    """Say who asks: a user, if one is named, else who has the token."""
    url, headers = api
    return url, user, password, NO_HEADERS if user else headers


def _chosen(names: list[str] | None, *, every: bool) -> list[str]:
    if bool(names) == every:
        raise NothingNamedError
    return names or []


def move(mover: Mover, names: list[str], screen: Screen, *, apply: bool) -> None:
    """Show what would happen, and do it if that is wanted; ends with the command's exit code."""
    plans = mover.plans(names)
    screen.table(COLUMNS, [cells(one) for one in plans])
    for one in plans:
        for problem in one.problems:
            screen.warn(f"{one.name}: {problem}")
    fine = [one for one in plans if not one.problems]
    for one in fine if apply else ():
        mover.move(one)
    if not apply and any(one.steps for one in fine):
        screen.say("Nothing was changed. --apply does it.")
    raise typer.Exit(PROBLEMS if len(fine) < len(plans) else 0)
