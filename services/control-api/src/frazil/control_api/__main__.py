"""Read the settings, take the port, serve; each failure to start is a sentence.

    python -m frazil.control_api                            serves
    python -m frazil.control_api password NAME read|write   asks for a password, prints an entry
    python -m frazil.control_api token NAME read|write      makes a token, prints an entry

Entries are lines for the file that FRAZIL_CREDENTIALS names.
"""

import asyncio
import gc
import getpass
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from frazil.contracts.secrets import is_secret, without_logins
from frazil.control_api.app import create_app
from frazil.control_api.core.access import Caller, PasswordHash, Role, entry, token_hash
from frazil.control_api.core.errors import ControlError
from frazil.control_api.secrets.first_credentials import make_credentials
from frazil.control_api.settings import EngineKind, FirstCredentials, Settings
from frazil.runtime import logs
from frazil.runtime.errors import UserError
from frazil.runtime.private import keep_private
from frazil.runtime.serving import configured, listen, serve
from frazil.runtime.settings import read_settings

log = logs.get_logger("frazil.control_api")


def main(arguments: Sequence[str] = ()) -> None:
    match arguments:
        case []:
            try:
                sys.exit(0 if _run() else 1)
            except UserError as error:
                sys.exit(str(error))
        case [("password" | "token") as kind, name, ("read" | "write") as role] if ":" not in name:
            make_entry = _password_entry if kind == "password" else _token_entry
            sys.stdout.write(make_entry(Caller(name, Role(role))))
        case _:
            sys.exit(__doc__)


def _password_entry(caller: Caller) -> str:
    if sys.stdin.isatty():
        password = getpass.getpass(f"Password of {caller.name}: ")
    else:
        password = sys.stdin.readline().removesuffix("\n")
    return entry(caller, password=str(PasswordHash.of(password, os.urandom(16))))


def _token_entry(caller: Caller) -> str:
    token = secrets.token_urlsafe(32)
    sys.stderr.write(f"The token of {caller.name}, shown only now: {token}\n")
    return entry(caller, token=token_hash(token))


def _run() -> bool:
    """Serve until a signal; false if the application did not come up."""
    keep_private()
    made = _make_credentials(read_settings(FirstCredentials))
    settings = read_settings(Settings)
    logs.configure(
        settings.log_level, settings.log_format, is_secret=is_secret, hiding=without_logins
    )
    if settings.engine is EngineKind.PROCESS and os.geteuid() == 0:
        log.warning(
            "workers_run_as_root",
            text="Who may write connectors reaches all of this machine. Run the control API as a "
            "user of its own: docs/how-to/secure-the-api.md.",
        )
    if made:
        log.info("first_credentials_made", file=str(made))
    with listen(settings.host, settings.port, who="The control API") as listener:
        port: int = listener.getsockname()[1]
        try:
            app = create_app(settings.model_copy(update={"port": port}))
        except (ControlError, OSError) as error:
            sys.exit(f"The control API cannot start: {error}")
        # Who is let in by an address must not be able to claim it.
        config = configured(app, settings, proxy_headers=not settings.is_open_to_host)
        server = _Server(config, app.state.ending)
        # What is there by now stays; to go through it each time would halt all calls for 0.1 s.
        gc.freeze()
        serve(server.serve(sockets=[listener]))
        return server.started


def _make_credentials(first: FirstCredentials) -> Path | None:
    """Return the file of credentials if it was made just now."""
    if first.credentials is None or first.token_file is None:
        return None
    made = make_credentials(first.credentials, first.token_file)
    return first.credentials if made else None


class _Server(uvicorn.Server):
    """Ends open streams with the first signal: else it would wait for readers that never leave."""

    def __init__(self, config: uvicorn.Config, ending: asyncio.Event) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # A signal may come in the midst of anything that the loop does.
        asyncio.get_running_loop().call_soon_threadsafe(self._ending.set)
        super().handle_exit(sig, frame)


if __name__ == "__main__":
    main(sys.argv[1:])
