"""Statements for Trino: quoted whatever is in them, in the words of each version."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.provisioner.desired import TrinoCatalog
from frazil.provisioner.trino_sql import create_catalog, show_schemas

SIGV4 = {"iceberg.rest-catalog.security": "SIGV4"}
S3 = {"fs.s3.enabled": "true"}


def statement(properties: dict[str, str], version: str) -> str:
    catalog = TrinoCatalog(name="lake", properties=properties)
    return create_catalog(catalog, version)


def test_a_catalog_is_created_if_nobody_was_quicker() -> None:
    properties = {"iceberg.catalog.type": "rest", "s3.aws-secret-key": "${ENV:KEY}"}
    assert statement(properties, "481") == (
        'CREATE CATALOG IF NOT EXISTS "lake" USING iceberg WITH '
        "(\"iceberg.catalog.type\" = 'rest', \"s3.aws-secret-key\" = '${ENV:KEY}')"
    )


def test_a_catalog_without_properties_has_no_empty_brackets() -> None:
    assert statement({}, "481").endswith("USING iceberg")


@pytest.mark.parametrize(
    ("properties", "version", "spelled"),
    [
        (SIGV4, "476", "\"iceberg.rest-catalog.sigv4-enabled\" = 'true'"),
        (SIGV4, "476-e.3", "\"iceberg.rest-catalog.sigv4-enabled\" = 'true'"),
        (SIGV4, "477", "\"iceberg.rest-catalog.security\" = 'SIGV4'"),
        (SIGV4, "testversion", "\"iceberg.rest-catalog.security\" = 'SIGV4'"),
        (
            {"iceberg.rest-catalog.security": "OAUTH2"},
            "476",
            "\"iceberg.rest-catalog.security\" = 'OAUTH2'",
        ),
        (S3, "480", "\"fs.native-s3.enabled\" = 'true'"),
        (S3, "481", "\"fs.s3.enabled\" = 'true'"),
        (S3, "testversion", "\"fs.s3.enabled\" = 'true'"),
        ({"fs.native-s3.enabled": "true"}, "481", "\"fs.native-s3.enabled\" = 'true'"),
    ],
)
def test_each_version_is_spoken_to_in_its_words(
    properties: dict[str, str], version: str, spelled: str
) -> None:
    assert statement(properties, version).endswith(f"WITH ({spelled})")


@given(name=st.text(min_size=1), value=st.text())
def test_no_name_and_no_value_leaves_its_quotes(name: str, value: str) -> None:
    # Not validated: of the names, some say that the value is a secret.
    catalog = TrinoCatalog.model_construct(
        name="lake", connector="iceberg", properties={f"x{name}x": value}
    )
    written = create_catalog(catalog, "481")
    pattern = r"""WITH \("((?:[^"]|"")*)" = '((?:[^']|'')*)'\)"""
    found = re.search(pattern + r"\Z", written)
    assert found
    assert found[1].replace('""', '"') == f"x{name}x"
    assert found[2].replace("''", "'") == value


def test_schemas_are_asked_for_by_quoted_name() -> None:
    assert show_schemas("a-b") == 'SHOW SCHEMAS FROM "a-b"'
