"""Configurations of the Iceberg sink: the least that is valid, and changes of it."""

from frazil.contracts.plugins import Plugin, find_plugin

PLUGIN: Plugin = find_plugin("org.apache.iceberg.connect.IcebergSinkConnector")

VALID = {
    "name": "logs",
    "connector.class": "IcebergSink",
    "topics": "apilogs",
    "iceberg.tables": "streaming.apilogs",
    "iceberg.catalog.type": "jdbc",
}


def changed(changes: dict[str, str | None], *, without: str = "") -> dict[str, str | None]:
    """Change the valid configuration; `without` names keys to leave out, a blank between."""
    return {
        name: text for name, text in {**VALID, **changes}.items() if name not in without.split()
    }


def complaints(config: dict[str, str | None]) -> dict[str, list[str]]:
    """Return what validate says, by key; keys without a complaint are left out."""
    return {
        info.value.name: info.value.errors
        for info in PLUGIN.validate(config).configs
        if info.value.errors
    }
