"""Which requests the control API needs of the engine, and how each reaches it; pure.

A request is never passed on as it came: method, path, query and body are made anew from what was
read of them, so that the engine cannot read something else in them.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from frazil.control_api.docker_proxy.creation import created
from frazil.control_api.docker_proxy.errors import RefusedError
from frazil.control_api.engine.docker_spec import INSTANCE_LABEL, VOLUME, DockerOptions

# What is put into a container is an assignment, or a note.
LARGEST_BODY = 8 * 1024 * 1024

_VERSION = r"(?P<version>/v1\.[0-9]{1,2})?"
_ID = r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}"
_YES_OR_NO = "0|1|True|False"
_SECONDS = r"[0-9]{1,12}(\.[0-9]{1,9})?"
# Its beginning is nobody else's: a container is found in its network by its name.
_NAME = "frazil-[a-zA-Z0-9-]{1,120}"

Query = dict[str, str]


@dataclass(frozen=True, slots=True)
class Forward:
    """A request for the engine.

    `container`, if there is one, has to be ours; its id goes into `path`.
    """

    method: str
    path: str
    query: Query
    body: bytes = b""
    content_type: str | None = None
    container: str | None = None
    needs_registry: bool = False

    def target(self, container_id: str = "") -> str:
        path = self.path.format(id=container_id)
        return f"{path}?{urlencode(self.query)}" if self.query else path


@dataclass(frozen=True, slots=True)
class _Route:
    """`query` has every parameter that may be there, and what it may be."""

    methods: str
    path: str
    query: Mapping[str, str]
    check: Callable[["Rules", Query], None] = lambda _rules, _query: None
    content_type: str | None = None

    def match(self, method: str, path: str) -> re.Match[str] | None:
        if method not in self.methods.split():
            return None
        return re.fullmatch(_VERSION + self.path, path)


class Rules:
    def __init__(self, options: DockerOptions) -> None:
        self._options = options
        self._label = f"{INSTANCE_LABEL}={options.instance}"

    def forward(self, method: str, target: str, body: bytes = b"") -> Forward:
        """Return what is to be asked of the engine. Raises RefusedError."""
        path, _, asked = target.partition("?")
        for route in _ROUTES:
            if found := route.match(method, path):
                query = _checked(route, asked)
                route.check(self, query)
                return self._forward(route, method, found, query, body)
        raise RefusedError(f"the control API has no need of {method} {path}")

    def owned(self, inspected: object) -> str:
        """Return the id of a container of ours. Raises RefusedError if it is another's.

        Its id is what is asked for then: a name may have passed to another meanwhile.
        """
        match inspected:
            case {"Id": str(found), "Config": {"Labels": {**labels}}}:
                if labels.get(INSTANCE_LABEL) == self._options.instance:
                    return found
        raise RefusedError(f"the container is not one of {self._options.instance}")

    def _forward(
        self, route: _Route, method: str, found: re.Match[str], query: Query, body: bytes
    ) -> Forward:
        parts = found.groupdict()
        path, container = found[0], parts.get("id")
        if container is not None:
            path = f"{path[: found.start('id')]}{{id}}{path[found.end('id') :]}"
        if parts.get("image") is not None:
            name = self._allowed_image(unquote(parts["image"]))
            path = f"{parts['version'] or ''}/images/{quote(name, safe='/:')}/json"
        if route.path == _CREATE:
            body = created(body, self._options)
        elif route.content_type is None:
            body = b""
        pulls = route.path == _PULL
        return Forward(method, path, query, body, route.content_type, container, pulls)

    def _allowed_image(self, name: str) -> str:
        if name not in self._options.allowed_images:
            raise RefusedError(f"the image {name!r} is none of those of workers")
        return name

    def check_name(self, query: Query) -> None:
        if "name" not in query:
            raise RefusedError("the container has no name")

    def check_filters(self, query: Query) -> None:
        """Check that nothing but containers of ours is listed or heard of."""
        try:
            filters = json.loads(query.get("filters", ""))
        except (ValueError, RecursionError):
            filters = None
        labels = filters.get("label") if isinstance(filters, dict) else None
        if not isinstance(labels, list) or self._label not in labels or not _are_lists(filters):
            raise RefusedError(f"the filters have to have the label {self._label}")
        query["filters"] = json.dumps(filters)

    def check_events(self, query: Query) -> None:
        self.check_filters(query)
        # Those of networks and images have no labels of ours, and are not for us.
        if json.loads(query["filters"]).get("type") != ["container"]:
            raise RefusedError("events are heard of containers only")

    def check_pull(self, query: Query) -> None:
        asked = (query.get("fromImage", ""), query.get("tag", ""))
        if asked not in {_repository_and_tag(image) for image in self._options.allowed_images}:
            raise RefusedError(f"the image {':'.join(asked)!r} is none of those of workers")

    def check_reading(self, query: Query) -> None:
        path = PurePosixPath(query.get("path", ""))
        if ".." in path.parts or not path.is_relative_to(VOLUME):
            raise RefusedError(f"files are read below {VOLUME} only")

    def check_writing(self, query: Query) -> None:
        if query.get("path") != str(VOLUME):
            raise RefusedError(f"files are put into {VOLUME} only")


def _checked(route: _Route, asked: str) -> Query:
    try:
        pairs = parse_qsl(asked, keep_blank_values=True, strict_parsing=bool(asked))
    except ValueError:
        raise RefusedError("the query cannot be read") from None
    query = dict(pairs)
    if len(query) != len(pairs):
        raise RefusedError("a parameter is there twice")
    for name, text in pairs:
        if name not in route.query or not re.fullmatch(route.query[name], text, re.DOTALL):
            raise RefusedError(f"the control API has no need of the parameter {name}={text!r}")
    return query


def _are_lists(filters: Mapping[str, Any]) -> bool:
    return all(
        isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        for texts in filters.values()
    )


def _repository_and_tag(image: str) -> tuple[str, str]:
    """Cut a name as Docker's client does."""
    name, at, digest = image.partition("@")
    if at:
        return name, digest
    repository, colon, tag = image.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (image, "latest")


_CREATE, _PULL = "/containers/create", "/images/create"
_CONTAINER = rf"/containers/(?P<id>{_ID})"
_ROUTES = (
    _Route("GET HEAD", "/_ping", {}),
    _Route("GET", "/version", {}),
    _Route(
        "GET",
        "/events",
        {"since": _SECONDS, "filters": ".*"},
        Rules.check_events,
    ),
    _Route("GET", r"/images/(?P<image>[^?]+)/json", {}),
    _Route("POST", _PULL, {"fromImage": ".*", "tag": ".*"}, Rules.check_pull),
    _Route(
        "GET",
        "/containers/json",
        {"all": "0|1", "limit": "-1", "size": "0", "trunc_cmd": "0", "filters": ".*"},
        Rules.check_filters,
    ),
    _Route("POST", _CREATE, {"name": _NAME}, Rules.check_name, content_type="application/json"),
    _Route("GET", f"{_CONTAINER}/json", {}),
    _Route(
        "GET",
        f"{_CONTAINER}/logs",
        {
            "stdout": "0|1",
            "stderr": "0|1",
            "timestamps": "0|1",
            "follow": "0|1",
            "tail": "all|[0-9]{1,9}",
            "since": _SECONDS,
        },
    ),
    _Route("GET", f"{_CONTAINER}/archive", {"path": ".*"}, Rules.check_reading),
    _Route(
        "PUT",
        f"{_CONTAINER}/archive",
        {"path": ".*"},
        Rules.check_writing,
        content_type="application/x-tar",
    ),
    _Route("POST", f"{_CONTAINER}/start", {}),
    _Route("POST", f"{_CONTAINER}/kill", {"signal": "SIGTERM|SIGKILL"}),
    _Route("DELETE", _CONTAINER, {"v": _YES_OR_NO, "link": "0|False", "force": "0|False"}),
)
