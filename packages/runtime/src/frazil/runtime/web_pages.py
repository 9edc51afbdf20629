"""Refuses what a web page makes a browser send: it reaches servers that its author cannot.

Two ways are closed. By DNS rebinding a page calls us under a name that its author owns, and reads
the answers too; such a name has dots, and is in the Host header. By CSRF a page of another site
sends a request without reading the answer; browsers say so by `Sec-Fetch-Site` and `Origin`.
Other clients send neither, and take the Host from the address that their user gave them.
"""

import re
import socket
from collections.abc import Callable, Iterable

from frazil.runtime.asgi import App, Message, Receive, Send
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

# With these nothing is changed; pages of other sites cannot read the answers.
_READING = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\[\]:/@\\\s]+)(:[0-9]{0,5})?")
# Reserved: in the public DNS nobody can own a name below them.
_RESERVED = (".localhost", ".internal", ".svc", ".cluster.local")


class AllowedHosts:
    """Names by which a server may be called; `*.example.com` and `*` are patterns."""

    def __init__(self, names: Iterable[str]) -> None:
        given = [name.lower().removesuffix(".") for name in names]
        self._all = "*" in given
        self._names = {name for name in given if not name.startswith("*")}
        self._suffixes = (*_RESERVED, *(name[1:] for name in given if name.startswith("*.")))

    def allow(self, host: str) -> bool:
        """Tell whether a value of the Host header is ours, or no name that somebody can own."""
        if self._all:
            return True
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found["name"].lower().removesuffix(".")
        last_label = name.rpartition(".")[2]
        return (
            # Addresses, and names without a dot: those of Docker and Kubernetes, and `localhost`.
            name.startswith("[")
            or last_label.isdecimal()
            or last_label == name
            or name in self._names
            or name.endswith(self._suffixes)
        )


def names_of_this_machine() -> tuple[str, str]:
    # Not the name that DNS has for it, which would be a request at each start.
    name = socket.gethostname()
    return name, f"{name}.local"


class WebPages:
    """Stands before all routes, and before credentials are asked for.

    `hosts` is None where each caller shows who it is: a browser remembers credentials for the
    name that they were given to, so a page under another name has none. It sends them along with
    a request of another site to that very name, though, so those are always refused.
    """

    def __init__(
        self,
        app: App,
        *,
        hosts: AllowedHosts | None,
        refuse: Callable[[str], App],
        allows_origin: Callable[[str], bool] = lambda _origin: False,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._refuse = refuse
        self._allows_origin = allows_origin

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        why = self._fault(scope)
        if why is None:
            await self._app(scope, receive, send)
            return
        log.info("web_page_refused", why=why, method=scope["method"], path=scope["path"])
        await self._refuse(why)(scope, receive, send)

    def _fault(self, scope: Message) -> str | None:
        hosts = _values(scope, b"host")
        # No browser leaves it out; HTTP/1.0 and health checks of load balancers do.
        host = ", ".join(hosts)
        if self._hosts is not None and host and not self._hosts.allow(host):
            return (
                f'"{host[:100]}" is not known as a name of this server, and a web page could have '
                "made it up: if it is one, name it in FRAZIL_ALLOWED_HOSTS"
            )
        if scope["method"] in _READING:
            return None
        return self._fault_of_page(
            host, _values(scope, b"origin"), _values(scope, b"sec-fetch-site")
        )

    def _fault_of_page(self, host: str, origins: list[str], sites: list[str]) -> str | None:
        if origins and all(map(self._allows_origin, origins)):
            return None
        if sites:
            # Sent by browsers alone, and no page can change it: it outranks what proxies rewrite.
            own = all(site in ("same-origin", "none") for site in sites)
        else:
            # Not its scheme: a proxy may have taken off TLS.
            ours = {f"http://{host}".lower(), f"https://{host}".lower()}
            own = all(origin.lower() in ours for origin in origins)
        if own:
            return None
        page = ", ".join(origins)[:100] or "another site"
        return f"a web page of {page} has sent this, and such a page may change nothing here"


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]
