"""Java's catalog properties in PyIceberg's words."""

import pytest

from frazil.control_api.core.errors import BadRequestError
from frazil.control_api.tables.properties import python_properties


def test_a_rest_catalog_keeps_what_both_sides_call_the_same() -> None:
    java = {
        "type": "rest",
        "uri": "http://lake/_iceberg",
        "warehouse": "w",
        "credential": "id:secret",
        "oauth2-server-uri": "http://auth",
        "scope": "all",
        "header.X-Tenant": "a",
        "s3.endpoint": "http://s3",
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "cache-enabled": "false",
    }
    dropped = {"io-impl", "cache-enabled"}
    assert python_properties(java) == {k: v for k, v in java.items() if k not in dropped}


def test_signing_by_sigv4_is_translated_however_it_is_asked_for() -> None:
    keys = {"rest.access-key-id": "a", "rest.secret-access-key": "b", "rest.session-token": "c"}
    for ask in ({"rest.sigv4-enabled": "true"}, {"rest.auth.type": "sigv4"}):
        found = python_properties(
            {
                "type": "rest",
                "rest.signing-name": "s3tables",
                "rest.signing-region": "r",
                **ask,
                **keys,
            }
        )
        assert found == {
            "type": "rest",
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3tables",
            "rest.signing-region": "r",
            "client.access-key-id": "a",
            "client.secret-access-key": "b",
            "client.session-token": "c",
        }


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("jdbc:sqlite:/a/b.db", "sqlite:////a/b.db"),
        ("jdbc:sqlite:file:/a/b.db?busy_timeout=10000", "sqlite:////a/b.db"),
        ("jdbc:postgresql://h:5432/db", "postgresql+psycopg://u:p%40ss@h:5432/db"),
        (
            "jdbc:postgresql://h/db?user=x&ssl=true&sslmode=require",
            "postgresql+psycopg://u:p%40ss@h/db?sslmode=require",
        ),
    ],
)
def test_a_jdbc_address_becomes_sqlalchemys(uri: str, expected: str) -> None:
    java = {"type": "jdbc", "uri": uri, "jdbc.user": "u", "jdbc.password": "p@ss"}
    assert python_properties(java) == {
        "type": "sql",
        "uri": expected,
        "init_catalog_tables": "false",
    }


def test_a_login_may_stand_in_the_address() -> None:
    uri = "jdbc:postgresql://h/db?user=x&password=y"
    found = python_properties({"type": "jdbc", "uri": uri})
    assert found["uri"] == "postgresql+psycopg://x:y@h/db"
    assert python_properties({"type": "jdbc", "uri": "jdbc:postgresql://h/db"})["uri"] == (
        "postgresql+psycopg://h/db"
    )


@pytest.mark.parametrize(("style", "virtual"), [("true", "false"), ("FALSE", "true")])
def test_path_style_is_the_opposite_of_virtual_addressing(style: str, virtual: str) -> None:
    found = python_properties({"type": "rest", "s3.path-style-access": style})
    assert found["s3.force-virtual-addressing"] == virtual


def test_a_class_of_java_names_the_type_too() -> None:
    found = python_properties({"catalog-impl": "org.apache.iceberg.rest.RESTCatalog"})
    assert found == {"type": "rest"}


@pytest.mark.parametrize(
    "java",
    [
        {"type": "hadoop"},
        {"type": "hive"},
        {"type": "glue"},
        {"catalog-impl": "org.apache.iceberg.hive.HiveCatalog"},
        {"catalog-impl": "com.example.Own"},
        {"uri": "http://x"},
        {"type": "jdbc", "uri": "jdbc:mysql://h/db"},
        {"type": "jdbc"},
    ],
)
def test_other_catalogs_are_refused_with_a_sentence(java: dict[str, str]) -> None:
    with pytest.raises(BadRequestError, match=r"^The ledger cannot be read .* from here"):
        python_properties(java)


def test_nothing_that_names_python_code_gets_through() -> None:
    java = {"type": "rest", "py-io-impl": "os.system", "py-catalog-impl": "x", "auth": "custom"}
    assert python_properties(java) == {"type": "rest"}
