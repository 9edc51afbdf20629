import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from tests.support.schema_registry import schema_registry

from frazil.spark_sink.records import registry
from frazil.spark_sink.records.registry import (
    RegisteredSchema,
    SchemaRegistry,
    UnknownSchemaError,
    remembered,
)
from frazil.worker.errors import BadConfigError, UnavailableError


def registry_at(*urls: str, **options: str) -> SchemaRegistry:
    named = {name.replace("_", "."): text for name, text in options.items()}
    return SchemaRegistry.of({"schema.registry.url": " , ".join(urls), **named})


def test_a_schema_is_asked_for_by_its_id() -> None:
    with schema_registry({7: {"schema": '"string"'}}) as (url, asked):
        assert registry_at(url + "/").schema(7) == RegisteredSchema('"string"')
        assert asked == ["/schemas/ids/7"]


def test_references_come_before_the_schemas_that_need_them() -> None:
    def answer(text: str, *references: tuple[str, int]) -> Mapping[str, Any]:
        named = [{"name": "n", "subject": s, "version": v} for s, v in references]
        return {"schema": text, "references": named, "schemaType": "AVRO"}

    answers: dict[int | str, Mapping[str, Any]] = {
        1: answer("main", ("b", 1), ("c/d", 2)),
        "/subjects/b/versions/1": answer("B", ("c/d", 2)),
        "/subjects/c%2Fd/versions/2": answer("C"),
    }
    with schema_registry(answers) as (url, asked):
        assert registry_at(url).schema(1) == RegisteredSchema("main", ("C", "B"))
        assert len(asked) == 3


def test_references_in_a_circle_end() -> None:
    circle = {"schema": "x", "references": [{"name": "n", "subject": "a", "version": 1}]}
    with schema_registry({1: circle}) as (url, asked):
        assert registry_at(url).schema(1) == RegisteredSchema("x", ("x",))
        assert len(asked) == 2


@pytest.mark.parametrize(
    ("options", "credentials"),
    [
        ({}, ""),
        (
            {"basic_auth_credentials_source": "USER_INFO", "basic_auth_user_info": "u:p"},
            " Basic dTpw",
        ),
        ({"basic_auth_user_info": "u:p"}, ""),
    ],
)
def test_credentials_are_sent_if_they_are_configured(
    options: dict[str, str], credentials: str
) -> None:
    with schema_registry({7: {"schema": "{}"}}) as (url, asked):
        registry_at(url, **options).schema(7)
        assert asked == [f"/schemas/ids/7{credentials}"]


def test_credentials_may_be_in_the_address() -> None:
    with schema_registry({7: {"schema": "{}"}}) as (url, asked):
        registry_at(url.replace("//", "//u%40x:p@")).schema(7)
        assert asked == ["/schemas/ids/7 Basic dUB4OnA="]


def test_addresses_are_tried_in_turn() -> None:
    with schema_registry({7: {"schema": "{}"}}) as (url, _):
        assert registry_at("http://127.0.0.1:1", url).schema(7).text == "{}"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({}, "the schema registry has no /schemas/ids/7"),
        ({7: {"schema": "x", "schemaType": "PROTOBUF"}}, "schema 7 is of PROTOBUF, not of"),
    ],
)
def test_a_schema_that_is_not_there_or_not_avro_is_unknown(
    answers: dict[int | str, Any], why: str
) -> None:
    with schema_registry(answers) as (url, _), pytest.raises(UnknownSchemaError, match=why):
        registry_at(url).schema(7)


def test_a_registry_that_is_away_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="The schema registry does not answer"):
        registry_at("http://127.0.0.1:1", "http://127.0.0.1:1").schema(7)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (401, BadConfigError),
        (403, BadConfigError),
        (500, UnavailableError),
        (429, UnavailableError),
    ],
)
def test_an_error_of_the_registry_says_whether_to_try_again(
    code: int, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(request: Any, **_: Any) -> Any:
        raise HTTPError(request.full_url, code, "no", {}, None)  # type: ignore[arg-type]

    monkeypatch.setattr(registry, "urlopen", refuse)
    with pytest.raises(error, match=str(code)):
        registry_at("http://registry").schema(7)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}"])
def test_an_answer_that_is_no_schema_is_unavailable(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Answer:
        def __enter__(self) -> "Answer":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def read(self) -> bytes:
            return body

    monkeypatch.setattr(registry, "urlopen", lambda *_, **__: Answer())
    with pytest.raises(UnavailableError, match="The schema registry does not answer"):
        registry_at("http://registry").schema(7)


@pytest.mark.parametrize("url", ["registry:8081", "ftp://registry", ""])
def test_an_address_has_to_be_one_of_http(url: str) -> None:
    with pytest.raises(BadConfigError, match=r"schema\.registry\.url: .* is no HTTP address"):
        registry_at(url)


def test_a_store_that_is_not_pem_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    store = tmp_path / "store.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed")
    with pytest.raises(BadConfigError, match="a store cannot be read as PEM"):
        registry_at("https://registry", schema_registry_ssl_truststore_location=str(store)).schema(
            7
        )


def test_the_systems_certificates_count_without_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    contexts: list[ssl.SSLContext | None] = []

    def answer(_request: Any, *, context: ssl.SSLContext | None, **_: Any) -> Any:
        contexts.append(context)
        raise TimeoutError

    monkeypatch.setattr(registry, "urlopen", answer)
    with pytest.raises(UnavailableError):
        registry_at("https://registry").schema(7)
    assert contexts == [None]


def test_a_schema_is_looked_up_once_and_one_that_is_missing_again_after_a_while() -> None:
    asked: list[int] = []
    now = [0.0]

    def lookup(number: int) -> str:
        asked.append(number)
        if number < 0:
            raise UnknownSchemaError(str(number))
        return json.dumps(number)

    look = remembered(lookup, seconds=30, clock=lambda: now[0])
    assert [look(1), look(1), look(2)] == ["1", "1", "2"]
    for moment in (0, 29, 30, 59):
        now[0] = moment
        with pytest.raises(UnknownSchemaError, match="-1"):
            look(-1)
    assert asked == [1, 2, -1, -1]
