"""Revisions, by which processes learn of each other's writes; rewinds, topic resets, history."""

import time

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"

_LONG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _add_revisions()
    _add_rewinds()
    _add_failing_since()
    _add_topic_resets()
    _add_config_versions()
    _add_state_changes()


def _add_revisions() -> None:
    made = op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("value", _LONG, nullable=False),
    )
    op.bulk_insert(made, [{"id": 1, "value": 0}])
    op.add_column("connector", sa.Column("revision", _LONG, nullable=False, server_default="0"))
    op.create_index("ix_connector_revision", "connector", ["revision"])


def _add_rewinds() -> None:
    op.create_table(
        "rewind",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("rewind", sa.JSON(), nullable=False),
    )
    op.add_column("observed", sa.Column("rewind", _LONG, nullable=False, server_default="0"))


def _add_failing_since() -> None:
    since = sa.Column("failing_since", sa.Float(), nullable=False, server_default="0")
    op.add_column("observed", since)


def _add_topic_resets() -> None:
    for table in ("connector", "observed"):
        count = sa.Column("topics_reset", sa.Integer(), nullable=False, server_default="0")
        op.add_column(table, count)
    op.add_column(
        "observed", sa.Column("topics_base", sa.JSON(), nullable=False, server_default="{}")
    )


def _add_config_versions() -> None:
    op.create_table(
        "config_version",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("config", sa.JSON()),
    )
    # What connectors have now is the first version of which anything is known.
    op.execute(
        sa.text(
            "INSERT INTO config_version (name, version, at, config) "
            "SELECT name, 1, :now, config FROM connector WHERE target <> 'DELETED'"
        ).bindparams(now=time.time())
    )


def _add_state_changes() -> None:
    op.create_table(
        "state_change",
        sa.Column("id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("state", sa.String()),
        sa.Column("task", sa.String()),
        sa.Column("reason", sa.String()),
    )
    op.create_index("ix_state_change_name_id", "state_change", ["name", "id"])
