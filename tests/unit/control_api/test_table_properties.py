"""Java's catalog properties in PyIceberg's words."""

import pytest
from sqlalchemy import make_url

from frazil.control_api.core.errors import BadRequestError
from frazil.control_api.tables.properties import python_properties


def translated(java: dict[str, str], hosts: tuple[str, ...] = ("*",)) -> dict[str, str]:
    return python_properties(java, hosts)


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
    assert translated(java) == {k: v for k, v in java.items() if k not in dropped}


def test_signing_by_sigv4_is_translated_however_it_is_asked_for() -> None:
    keys = {"rest.access-key-id": "a", "rest.secret-access-key": "b", "rest.session-token": "c"}
    for ask in ({"rest.sigv4-enabled": "true"}, {"rest.auth.type": "sigv4"}):
        found = translated(
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
    assert translated(java) == {
        "type": "sql",
        "uri": expected,
        "init_catalog_tables": "false",
    }


def test_a_login_may_stand_in_the_address() -> None:
    uri = "jdbc:postgresql://h/db?user=x&password=y"
    found = translated({"type": "jdbc", "uri": uri})
    assert found["uri"] == "postgresql+psycopg://x:y@h/db"
    assert translated({"type": "jdbc", "uri": "jdbc:postgresql://h/db"})["uri"] == (
        "postgresql+psycopg://h/db"
    )


@pytest.mark.parametrize(("style", "virtual"), [("true", "false"), ("FALSE", "true")])
def test_path_style_is_the_opposite_of_virtual_addressing(style: str, virtual: str) -> None:
    found = translated({"type": "rest", "s3.path-style-access": style})
    assert found["s3.force-virtual-addressing"] == virtual


def test_a_class_of_java_names_the_type_too() -> None:
    found = translated({"catalog-impl": "org.apache.iceberg.rest.RESTCatalog"})
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
        translated(java)


def test_nothing_that_names_python_code_gets_through() -> None:
    java = {"type": "rest", "py-io-impl": "os.system", "py-catalog-impl": "x", "auth": "custom"}
    assert translated(java) == {"type": "rest"}


@pytest.mark.parametrize(
    ("java", "why"),
    [
        (
            {"type": "rest", "uri": "http://h/?x="},
            r"`iceberg\.catalog\.uri` must end with its path",
        ),
        ({"type": "rest", "oauth2-server-uri": "http://u@h/"}, "oauth2-server-uri.*a user"),
        ({"type": "rest", "s3.endpoint": "http://169.254.169.254"}, "no catalog can be at"),
        ({"type": "rest", "header.Host": "other"}, r"header\.Host` must not be chosen"),
        ({"type": "rest", "header.transfer-encoding": "chunked"}, "must not be chosen"),
        ({"type": "rest", "s3.region": "x.evil.example/"}, "is no region"),
        ({"type": "rest", "rest.sigv4-enabled": "true"}, "lends it no identity of its own"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://127.0.0.1/db"}, "this machine"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://u:p@h/db"}, "must name one host"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://h,i/db"}, "must name one host"),
        ({"type": "jdbc", "uri": "jdbc:postgresql:///db"}, "must name one host"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://%2Frun%2Fpostgres/db"}, "must name one host"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://h:x/db"}, "no address"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://h/"}, "must name a database"),
        ({"type": "jdbc", "uri": "jdbc:postgresql://h/db%20host=evil"}, "must name a database"),
        (
            {"type": "jdbc", "uri": "jdbc:postgresql://h/db?sslmode=disable%26passfile=/x"},
            "`sslmode` must be one of",
        ),
    ],
)
def test_what_reaches_beyond_a_catalog_is_refused(java: dict[str, str], why: str) -> None:
    with pytest.raises(BadRequestError, match=why):
        translated(java)


def test_a_file_of_sqlite_keeps_its_name_whatever_signs_are_in_it() -> None:
    found = translated({"type": "jdbc", "uri": "jdbc:sqlite:/a b/c%20d.db"})
    assert make_url(found["uri"]).database == "/a b/c%20d.db"
