"""Redrives of dead letters; tables that are paused while their connector runs."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    op.add_column("connector", sa.Column("redrive", sa.JSON()))
    paused = sa.Column("paused_tables", sa.JSON(), nullable=False, server_default="[]")
    op.add_column("connector", paused)
