"""A Confluent schema registry, asked by the driver: schemas by id, each fetched once."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from frazil.worker.errors import BadConfigError, UnavailableError

_SECONDS = 10
_NOT_FOUND, _UNAUTHORIZED, _FORBIDDEN = 404, 401, 403


class UnknownSchemaError(Exception):
    """The registry does not have it, or it is none that can be read here; says which."""


@dataclass
class SchemaRegistry:
    """`urls` are tried in turn; `user_info` is `user:password`, if one is needed."""

    urls: tuple[str, ...]
    user_info: str | None = None
    _known: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "SchemaRegistry":
        urls = [url.strip() for url in options["schema.registry.url"].split(",")]
        source = options.get("basic.auth.credentials.source", "")
        user_info = options.get("basic.auth.user.info") if source == "USER_INFO" else None
        return cls(tuple(urls), user_info)

    def schema(self, number: int) -> str:
        """Return the Avro schema of an id, as JSON."""
        if number not in self._known:
            self._known[number] = _avro(number, self._ask(f"/schemas/ids/{number}"))
        return self._known[number]

    def _ask(self, path: str) -> Mapping[str, object]:
        failure: OSError | None = None
        for url in self.urls:
            try:
                return self._ask_one(url.rstrip("/") + path)
            except HTTPError as error:
                if error.code == _NOT_FOUND:
                    raise UnknownSchemaError("the schema registry does not know it") from error
                if error.code in (_UNAUTHORIZED, _FORBIDDEN):
                    raise BadConfigError(
                        f"The schema registry refuses us ({error.code}). Check "
                        "`basic.auth.credentials.source` and `basic.auth.user.info`."
                    ) from error
                failure = error
            except (URLError, TimeoutError, ConnectionError) as error:
                failure = error
        raise UnavailableError(f"The schema registry does not answer: {failure}.") from failure

    def _ask_one(self, url: str) -> Mapping[str, object]:
        if urlsplit(url).scheme not in ("http", "https"):
            raise BadConfigError(f"schema.registry.url: {url} is no HTTP address.")
        request = Request(url, headers={"Accept": "application/json"})  # noqa: S310 (checked)
        if self.user_info:
            token = base64.b64encode(self.user_info.encode()).decode()
            request.add_header("Authorization", f"Basic {token}")
        with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 (checked)
            found: Mapping[str, object] = json.load(answer)
        return found


def _avro(number: int, answer: Mapping[str, object]) -> str:
    kind = answer.get("schemaType", "AVRO")
    if kind != "AVRO":
        raise UnknownSchemaError(f"schema {number} is one of {kind}, not of Avro")
    if answer.get("references"):
        raise UnknownSchemaError(f"schema {number} refers to others, which is not supported yet")
    return str(answer["schema"])
