"""Settings of Kafka's clients in a connector: of the type that the clients know."""

import pytest
from tests.support.sink_configs import PLUGIN, VALID


def errors_of(name: str, text: str) -> list[str]:
    infos = PLUGIN.validate(VALID | {name: text})
    (errors,) = [one.value.errors for one in infos.configs if one.value.name == name]
    assert infos.error_count == len(errors)
    return errors


@pytest.mark.parametrize(
    ("setting", "text", "why"),
    [
        ("max.poll.records", "abc", "Not a number of type INT"),
        ("max.poll.records", "9999999999", "Not a number of type INT"),
        ("metadata.max.age.ms", "1.5", "Not a number of type LONG"),
        ("check.crcs", "yes", "Expected value to be either true or false"),
        ("sasl.login.refresh.window.factor", "much", "Not a number of type DOUBLE"),
    ],
)
@pytest.mark.parametrize("client", ["consumer", "producer"])
def test_a_text_that_is_no_value_is_an_error_of_its_key(
    client: str, setting: str, text: str, why: str
) -> None:
    name = f"{client}.override.{setting}"
    assert errors_of(name, text) == [f"Invalid value {text} for configuration {name}: {why}"]


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("max.poll.records", "100"),
        ("metadata.max.age.ms", "9999999999"),
        ("check.crcs", "TRUE"),
        ("bootstrap.servers", "a:1,b:2"),
        ("what.nobody.knows", "abc"),
    ],
)
def test_whatever_a_client_could_take_is_taken(setting: str, text: str) -> None:
    assert errors_of(f"consumer.override.{setting}", text) == []
