"""The command: `plan`, `apply` and `check`, and the one place where errors become exit codes."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from frazil.provisioner.converge import System, apply_all, plan_all
from frazil.provisioner.desired import DesiredState, Part, load
from frazil.provisioner.errors import ExitCode, InvalidOptionError, ProvisionerError
from frazil.provisioner.patience import Patience
from frazil.provisioner.plan import Plan
from frazil.provisioner.settings import ProvisionerSettings, environment
from frazil.provisioner.systems import open_systems
from frazil.runtime.bearer import bearer_from
from frazil.runtime.errors import UserError
from frazil.runtime.logs import configure
from frazil.runtime.settings import read_settings

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Make topics, tables, connectors and Trino's catalogs what one file says.\n\n"
    "Exit codes: 0 done, 1 a system or a step failed, 2 drift (check), "
    "3 refused, 4 the file, an option or a setting is wrong.",
)
console = Console(highlight=False, soft_wrap=True)

File = Annotated[Path, typer.Argument(help="The desired state, a YAML file.")]
Values = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Value for ${NAME}; wins over environment."),
]
Files = Annotated[
    list[str] | None,
    typer.Option(
        "--set-file", metavar="NAME=PATH", help="The same, from a file: command lines are public."
    ),
]
Only = Annotated[str, typer.Option(help=f"Parts to look at, comma separated: {', '.join(Part)}.")]
_ALL = ",".join(Part)
Work = Callable[[Sequence[System], Patience], Awaitable[Plan]]


@app.command()
def plan(file: File, values: Values = None, files: Files = None, only: Only = _ALL) -> None:
    """Print what would be done; change nothing."""
    found = _with_systems(file, _known(values, files), only, work=_look)
    _print(found)
    if found.is_empty:
        console.print(f"Everything is as {file} says.")
    raise typer.Exit(ExitCode.REFUSED if found.refusals else ExitCode.OK)


@app.command()
def apply(file: File, values: Values = None, files: Files = None, only: Only = _ALL) -> None:
    """Do what is left to do; run twice, it changes nothing."""

    async def work(systems: Sequence[System], patience: Patience) -> Plan:
        return await apply_all(systems, _Journal(), patience=patience)

    done = _with_systems(file, _known(values, files), only, work=work)
    _print(Plan(drifts=done.drifts))
    count = len(done.steps)
    console.print(
        f"Done: {count} {'step' if count == 1 else 'steps'}." if count else "Nothing to do."
    )


@app.command()
def check(file: File, values: Values = None, files: Files = None, only: Only = _ALL) -> None:
    """Exit with 2 and name the drift if something is not as the file says."""
    found = _with_systems(file, _known(values, files), only, work=_look)
    _print(found)
    if not found.is_empty:
        raise typer.Exit(ExitCode.DRIFT)
    console.print(f"Everything is as {file} says.")


async def _look(systems: Sequence[System], _patience: Patience) -> Plan:
    return await plan_all(systems)


def _with_systems(file: Path, known: Mapping[str, str], only: str, *, work: Work) -> Plan:
    settings = read_settings(ProvisionerSettings)
    configure(settings.log_level, settings.log_format)
    # Their errors come to us as exceptions, and we say them once and in our words.
    for library in ("aiokafka", "urllib3"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    desired = load(file, known, parts=_parts(only))
    shown = _shown(settings, desired)

    async def run() -> Plan:
        async with open_systems(desired, settings.timeout_seconds, shown) as systems:
            return await work(systems, Patience(settings.wait_seconds))

    return asyncio.run(run())


def _shown(settings: ProvisionerSettings, desired: DesiredState) -> Mapping[str, str]:
    """Show the token to the server that it is for, and to no other."""
    url = settings.connect_token_url
    if desired.connect is None or url not in (None, desired.connect.url):
        return {}
    return bearer_from(settings.connect_token_file)


def _known(values: list[str] | None, files: list[str] | None) -> dict[str, str]:
    contents = {name: _content(Path(path)) for name, path in _pairs("--set-file", files).items()}
    return {**environment(), **_pairs("--set", values), **contents}


def _pairs(option: str, given: list[str] | None) -> dict[str, str]:
    for text in given or []:
        if "=" not in text:
            raise InvalidOptionError(f"{option} takes NAME=VALUE, not {text!r}.")
    return dict(text.split("=", 1) for text in given or [])


def _content(file: Path) -> str:
    try:
        # Editors and `echo` leave a line's end behind.
        return file.read_text().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOptionError(f"--set-file cannot read {file}: {error}.") from error


def _parts(only: str) -> set[Part]:
    words = {word.strip() for word in only.split(",")}
    if unknown := words - set(Part):
        raise InvalidOptionError(
            f"--only does not know {', '.join(sorted(unknown))}: it takes {', '.join(Part)}."
        )
    return {Part(word) for word in words}


def _print(found: Plan) -> None:
    """One line each: to be done (+), left to others (~), refused (!)."""
    for step in found.steps:
        _line("+", step.sentence, style="green")
    for sentence in found.drifts:
        _line("~", sentence, style="yellow")
    for sentence in found.refusals:
        _line("!", sentence, style="red")


def _line(mark: str, sentence: str, *, style: str) -> None:
    console.print(Text.assemble((mark, style), " ", sentence))


class _Journal:
    """Lines that are good for a container's log; a terminal also shows what is under way."""

    def note(self, line: str) -> None:
        console.print(Text(line))

    @contextmanager
    def step(self, sentence: str) -> Iterator[None]:
        begin = time.monotonic()
        with console.status(Text(f"{sentence} ...")):
            yield
        _line("✓", f"{sentence} ({time.monotonic() - begin:.1f} s)", style="green")


def main() -> None:
    try:
        app()
    except UserError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            str(error), style="red", markup=False
        )
        code = error.exit_code if isinstance(error, ProvisionerError) else ExitCode.INVALID
        raise SystemExit(code) from error


if __name__ == "__main__":
    main()
