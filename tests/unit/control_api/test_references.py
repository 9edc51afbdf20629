"""References: Connect's grammar, and values put in their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.secrets import FakeSecrets

from frazil.control_api.core.errors import SecretError, SecretMissingError, SecretRefusedError
from frazil.control_api.core.ports import Reference
from frazil.control_api.core.references import NoSecrets, has_references, references_in, resolve

PLANTED = "tr0ub4dor&3"


@pytest.mark.parametrize(
    ("text", "provider", "path", "key"),
    [
        ("${env:NAME}", "env", None, "NAME"),
        ("${file:/a/b.properties:some.key}", "file", "/a/b.properties", "some.key"),
        ("${dir:/a/b:name}", "dir", "/a/b", "name"),
        ("${file:/a:b:c}", "file", "/a", "b:c"),
        ("${file::key}", "file", "", "key"),
        ("${:x}", "", None, "x"),
    ],
)
def test_a_reference_has_a_provider_a_path_if_need_be_and_a_key(
    text: str, provider: str, path: str | None, key: str
) -> None:
    assert list(references_in(f"a {text} b")) == [Reference(text, provider, path, key)]


@pytest.mark.parametrize("text", ["", "$", "${}", "${NAME}", "$env:NAME", "{env:NAME}", "${env:N"])
def test_everything_else_in_dollars_and_braces_is_text(text: str) -> None:
    assert not has_references({"key": text, "none": None})


def test_several_in_one_value_are_filled_with_the_text_around_them() -> None:
    secrets = FakeSecrets({"${env:A}": "one", "${env:B}": "${env:A}"})
    resolved = resolve({"key": "x${env:A}-${env:B}y", "other": "z"}, secrets)
    # What a value holds is not looked at again.
    assert resolved.config == {"key": "xone-${env:A}y", "other": "z"}
    assert resolved.secrets == {"one", "${env:A}"}


@pytest.mark.parametrize(
    ("reference", "error"),
    [("${env:NOPE}", SecretMissingError), ("${vault:a:b}", SecretRefusedError)],
)
def test_what_cannot_be_resolved_is_named_with_its_key(
    reference: str, error: type[SecretError]
) -> None:
    config = {"fine": "${env:A}", "iceberg.catalog.token": f"x{reference}"}
    with pytest.raises(error, match=r"^iceberg\.catalog\.token: ") as caught:
        resolve(config, FakeSecrets({"${env:A}": PLANTED}))
    assert reference in str(caught.value)
    assert PLANTED not in str(caught.value)


def test_whoever_has_no_secrets_refuses_all() -> None:
    with pytest.raises(SecretRefusedError, match="is not allowed"):
        resolve({"key": "${env:A}"}, NoSecrets())


def test_values_are_in_no_representation() -> None:
    assert PLANTED not in repr(resolve({"k": "${env:A}"}, FakeSecrets({"${env:A}": PLANTED})))


@given(st.dictionaries(st.text(), st.text()))
def test_a_configuration_without_references_stays_as_it_is(config: dict[str, str]) -> None:
    if not has_references(config):
        assert resolve(config, NoSecrets()).config == config
