"""One server of Kafka Connect's REST API, as a mover of connectors needs it."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from frazil.cli.connectors import NO_HEADERS, Headers, reason
from frazil.cli.moving.plan import Place
from frazil.contracts.secrets import texts_in
from frazil.contracts.states import ConnectState
from frazil.runtime.errors import UserError
from frazil.runtime.hiding import Hiding

# Kafka Connect itself gives up after 90 s.
_TIMEOUT_SECONDS = 100
_PATIENCE_SECONDS = 90
_PAUSE_SECONDS = 0.5
# A group of workers finds itself anew, or tasks are about to end: both ask to be called again.
_SOON = re.compile("rebalance|safely retried")


class ServerError(UserError):
    """A server did not do what it was asked; `status` is None if it gave no answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Server:
    def __init__(
        self,
        url: str,
        user: str | None = None,
        password: Path | None = None,
        headers: Headers = NO_HEADERS,
    ) -> None:
        self.url = url.rstrip("/")
        secret = password.read_text().rstrip("\n") if password else ""
        self._http = httpx.Client(
            base_url=self.url,
            auth=(user, secret) if user else None,
            headers=headers,
            timeout=_TIMEOUT_SECONDS,
            # Jetty closes a connection after a refusal, and the next call may be on its way then.
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def require(self, release: tuple[int, int], what: str) -> str:
        """Return the id of its Kafka cluster; raise ServerError if the server is too old."""
        root = self._ask("GET", "/")
        found = re.match(r"(\d+)\.(\d+)", str(root.get("version")))
        if found is None or (int(found[1]), int(found[2])) < release:
            raise ServerError(
                f"{self.url} is Kafka Connect {root.get('version')}, which cannot {what}: that "
                f"needs {release[0]}.{release[1]}. Upgrade it first."
            )
        return root.get("kafka_cluster_id") or ""

    def names(self) -> list[str]:
        return sorted(self._ask("GET", "/connectors"))

    def find(self, name: str) -> Place | None:
        try:
            info = self._ask("GET", _path(name))
            status = self._ask("GET", _path(name, "status"))
        except ServerError as error:
            if error.status == httpx.codes.NOT_FOUND:
                return None
            raise
        state = ConnectState(status["connector"]["state"])
        return Place(info["config"], info["type"], state, len(status["tasks"]))

    def offsets(self, name: str) -> list[Any]:
        """Return the entries as the API has them."""
        found: list[Any] = self._ask("GET", _path(name, "offsets"))["offsets"]
        return found

    def keys_of(self, class_name: str) -> frozenset[str] | None:
        """Name the keys of a class; None if the server has no such class."""
        found = self._look(f"/connector-plugins/{quote(class_name, safe='')}/config")
        return None if found is None else frozenset(key["name"] for key in found)

    def faults(self, config: Mapping[str, str]) -> list[str]:
        """Have a configuration validated; return what is wrong with it, without secrets."""
        hide = Hiding(texts_in(config))
        class_name = quote(config["connector.class"], safe="")
        path = f"/connector-plugins/{class_name}/config/validate"
        try:
            found = self._ask("PUT", path, json=dict(config))
        except ServerError as error:
            if error.status is None:
                raise
            return [hide(str(error))]
        # Connect repeats a complaint at each key that it is about.
        return list(
            dict.fromkeys(
                hide(f"{one['value']['name']}: {text}")
                for one in found["configs"]
                for text in one["value"]["errors"]
            )
        )

    def create_stopped(self, name: str, config: Mapping[str, str]) -> None:
        body = {"name": name, "config": dict(config), "initial_state": ConnectState.STOPPED}
        self._ask("POST", "/connectors", json=body)

    def configure(self, name: str, config: Mapping[str, str]) -> None:
        self._patiently(lambda: self._ask("PUT", _path(name, "config"), json=dict(config)))

    def steer(self, name: str, verb: str) -> None:
        self._patiently(lambda: self._ask("PUT", _path(name, verb)))

    def wait_until_ended(self, name: str) -> None:
        """Wait until a stopped connector has no tasks left."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (found := self.find(name)) is not None and not found.has_ended:
            if time.monotonic() > deadline:
                raise ServerError(f"its tasks have not ended within {_PATIENCE_SECONDS} s")
            time.sleep(_PAUSE_SECONDS)

    def alter_offsets(self, name: str, entries: Sequence[Any]) -> None:
        body = {"offsets": list(entries)}
        self._patiently(lambda: self._ask("PATCH", _path(name, "offsets"), json=body))

    def ledgers(self, name: str) -> dict[str, Any]:
        """Return the newest ledger of each table; only Frazil's servers know."""
        side = self._look(_path(name, "offsets", "branch"))
        if side is not None:
            raise ServerError(
                f"its rows go to branch {side['branch']} of its tables, and its offsets are of "
                "that. Publish or drop it there, and let it run, before it moves"
            )
        tables = self._ask("GET", _path(name, "ledger"))["tables"]
        return {table["table"]: table["ledger"] for table in tables}

    def _patiently(self, call: Callable[[], object]) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                call()
            except ServerError as error:
                if not _SOON.search(str(error)) or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE_SECONDS)
            else:
                return

    def _look(self, path: str) -> Any | None:
        """Return what is there; None if nothing is."""
        try:
            return self._ask("GET", path)
        except ServerError as error:
            if error.status == httpx.codes.NOT_FOUND:
                return None
            raise

    def _ask(self, method: str, path: str, json: object = None) -> Any:
        try:
            answer = self._http.request(method, path, json=json)
        except httpx.HTTPError as error:
            raise ServerError(f"{self.url} gave no answer: {error}") from error
        if answer.is_error:
            raise ServerError(f"{self.url} said: {reason(answer)}", answer.status_code)
        return answer.json() if answer.content else {}


def _path(name: str, *parts: str) -> str:
    return "/".join(("/connectors", quote(name, safe=""), *parts))
