"""Statements for Trino, as its version spells them. Pure."""

import re
from collections.abc import Mapping

from frazil.provisioner.desired import TrinoCatalog

_SIGV4_IS_A_SECURITY = 477
_S3_IS_NATIVE = 481


def create_catalog(catalog: TrinoCatalog, version: str) -> str:
    properties = _spelled(catalog.properties, _release(version))
    listed = ", ".join(f"{_quoted(name)} = {_text(value)}" for name, value in properties.items())
    head = f"CREATE CATALOG IF NOT EXISTS {_quoted(catalog.name)} USING {catalog.connector}"
    return f"{head} WITH ({listed})" if listed else head


def show_schemas(catalog: str) -> str:
    return f"SHOW SCHEMAS FROM {_quoted(catalog)}"


def _release(version: str) -> int | None:
    """Read `476` or `476-e.2`; what is built from sources has no number, and is new."""
    found = re.match(r"\d+", version)
    return int(found[0]) if found else None


def _spelled(properties: Mapping[str, str], release: int | None) -> dict[str, str]:
    """Take the words of a new Trino, return those of this one."""
    return dict(_word(name, value, release) for name, value in properties.items())


def _word(name: str, value: str, release: int | None) -> tuple[str, str]:
    if release is None:
        return name, value
    is_sigv4 = name == "iceberg.rest-catalog.security" and value.upper() == "SIGV4"
    if is_sigv4 and release < _SIGV4_IS_A_SECURITY:
        return "iceberg.rest-catalog.sigv4-enabled", "true"
    if name == "fs.s3.enabled" and release < _S3_IS_NATIVE:
        return "fs.native-s3.enabled", value
    return name, value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
