"""Ask a Confluent schema registry for schemas by id, each once."""

import base64
import json
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

from frazil.worker.errors import BadConfigError, UnavailableError

_SECONDS = 10
_NOT_FOUND, _UNAUTHORIZED, _FORBIDDEN = 404, 401, 403
_SSL = "schema.registry.ssl."


class UnknownSchemaError(Exception):
    """The registry does not have the schema, or it is not a schema of Avro."""


@dataclass(frozen=True)
class RegisteredSchema:
    """An Avro schema, and before it those that it refers to, in the order of their use."""

    text: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class SchemaRegistry:
    """`urls` are tried in turn; `user_info` is `user:password`, if credentials are needed."""

    urls: tuple[str, ...]
    user_info: str | None = None
    ssl_options: Mapping[str, str] | None = None

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "SchemaRegistry":
        urls = tuple(url.strip() for url in options["schema.registry.url"].split(","))
        for url in urls:
            if urlsplit(url).scheme not in ("http", "https"):
                raise BadConfigError(f"schema.registry.url: {url} is no HTTP address.")
        source = options.get("basic.auth.credentials.source", "URL").upper()
        info = options.get("basic.auth.user.info") if source == "USER_INFO" else None
        secured = {
            name.removeprefix(_SSL): text for name, text in options.items() if name.startswith(_SSL)
        }
        return cls(urls, info, secured)

    def schema(self, number: int) -> RegisteredSchema:
        """Return the Avro schema of an id."""
        answer = self._ask(f"/schemas/ids/{number}")
        kind = answer.get("schemaType") or "AVRO"
        if kind != "AVRO":
            raise UnknownSchemaError(f"schema {number} is of {kind}, not of Avro")
        return RegisteredSchema(str(answer["schema"]), tuple(self._references(answer, {})))

    def _references(
        self, answer: Mapping[str, Any], seen: dict[tuple[str, int], None]
    ) -> Sequence[str]:
        """Return the schemas that a schema refers to, each behind those that it needs itself."""
        texts: list[str] = []
        for reference in answer.get("references") or ():
            key = (str(reference["subject"]), int(reference["version"]))
            if key in seen:
                continue
            seen[key] = None
            inner = self._ask(f"/subjects/{quote(key[0], safe='')}/versions/{key[1]}")
            texts += [*self._references(inner, seen), str(inner["schema"])]
        return texts

    def _ask(self, path: str) -> Mapping[str, Any]:
        failure: Exception | None = None
        for url in self.urls:
            try:
                return self._get(url.rstrip("/") + path)
            except HTTPError as error:
                if error.code == _NOT_FOUND:
                    raise UnknownSchemaError(f"the schema registry has no {path}") from error
                if error.code in (_UNAUTHORIZED, _FORBIDDEN):
                    raise BadConfigError(
                        f"The schema registry refuses us ({error.code}). Check "
                        "`basic.auth.credentials.source` and `basic.auth.user.info`."
                    ) from error
                failure = error
            except (URLError, TimeoutError, ConnectionError, HTTPException, ValueError) as error:
                failure = error
        raise UnavailableError(f"The schema registry does not answer: {failure}.") from failure

    def _get(self, url: str) -> Mapping[str, Any]:
        parts = urlsplit(url)
        login, _, host = parts.netloc.rpartition("@")
        request = Request(  # noqa: S310 (the scheme is checked)
            parts._replace(netloc=host).geturl(), headers={"Accept": "application/json"}
        )
        user_info = self.user_info or unquote(login)
        if user_info:
            token = base64.b64encode(user_info.encode()).decode()
            request.add_header("Authorization", f"Basic {token}")
        with urlopen(request, timeout=_SECONDS, context=self._context) as answer:  # noqa: S310
            document = json.loads(answer.read())
        if isinstance(document, dict) and isinstance(document.get("schema"), str):
            return document
        raise ValueError("the answer has no schema")

    @cached_property
    def _context(self) -> ssl.SSLContext | None:
        """Trust and key files in PEM; without them, what the system trusts."""
        given = self.ssl_options or {}
        if not given:
            return None
        try:
            context = ssl.create_default_context(cafile=given.get("truststore.location"))
            if "keystore.location" in given:
                password = given.get("key.password") or given.get("keystore.password")
                context.load_cert_chain(given["keystore.location"], password=password)
        except (OSError, ssl.SSLError) as error:
            raise BadConfigError(
                f"schema.registry.ssl.*: a store cannot be read as PEM: {error}."
            ) from error
        return context


def remembered(
    lookup: Callable[[int], Any],
    *,
    seconds: float = 30,
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[int], Any]:
    """Remember what a lookup by id gives; that there is nothing, for some seconds only."""
    values: dict[int, Any] = {}
    refused: dict[int, tuple[float, UnknownSchemaError]] = {}

    def look(number: int) -> Any:
        if number in values:
            return values[number]
        until, error = refused.get(number, (0.0, None))
        if error is not None and clock() < until:
            raise error
        try:
            values[number] = lookup(number)
        except UnknownSchemaError as unknown:
            refused[number] = (clock() + seconds, unknown)
            raise
        return values[number]

    return look
