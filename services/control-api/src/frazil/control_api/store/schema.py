"""The schema: brought up to date when a process starts, however many start at once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

_MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x46_52_41_5A_00
"""A number for advisory locks of which no other user of the database will think."""


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing, all in one transaction."""
    with engine.begin() as connection:
        # SQLite's transactions exclude each other by themselves.
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(_MIGRATIONS))
        present = _version(connection)
        if present is None and inspect(connection).has_table("connector"):
            command.stamp(config, "1")
        if present != ScriptDirectory.from_config(config).get_current_head():
            command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
