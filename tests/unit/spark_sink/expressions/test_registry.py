"""The schema registry: schemas by id, each asked for once."""

from typing import Any

import pytest
from tests.support.ports import free_port
from tests.support.schema_registry import schema_registry

from frazil.spark_sink.expressions.registry import SchemaRegistry, UnknownSchemaError
from frazil.worker.errors import BadConfigError, UnavailableError

AVRO = '"long"'


def test_a_schema_is_fetched_once_with_the_credentials_given() -> None:
    with schema_registry({7: {"schema": AVRO}}) as (url, asked):
        registry = SchemaRegistry.of(
            {
                "schema.registry.url": f"{url}/, {url}",
                "basic.auth.credentials.source": "USER_INFO",
                "basic.auth.user.info": "u:p",
            }
        )
        assert [registry.schema(7), registry.schema(7)] == [AVRO, AVRO]
    assert asked == ["/schemas/ids/7 Basic dTpw"]


def test_a_second_address_is_tried_when_the_first_does_not_answer() -> None:
    with schema_registry({7: {"schema": AVRO}}) as (url, _asked):
        dead = f"http://127.0.0.1:{free_port()}"
        assert SchemaRegistry((dead, url)).schema(7) == AVRO


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({}, "does not know it"),
        ({7: {"schema": "x", "schemaType": "PROTOBUF"}}, "one of PROTOBUF, not of Avro"),
        ({7: {"schema": "x", "references": [{"name": "y"}]}}, "refers to others"),
    ],
)
def test_what_cannot_be_read_is_told_apart(answer: Any, why: str) -> None:
    with schema_registry(answer) as (url, _asked), pytest.raises(UnknownSchemaError, match=why):
        SchemaRegistry((url,)).schema(7)


def test_a_registry_that_is_away_is_no_fault_of_a_record() -> None:
    with pytest.raises(UnavailableError, match="schema registry does not answer"):
        SchemaRegistry((f"http://127.0.0.1:{free_port()}",)).schema(7)


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(BadConfigError, match="no HTTP address"):
        SchemaRegistry(("file:///etc",)).schema(7)
