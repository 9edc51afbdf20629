"""What is wanted and what was observed: the tables that were once made without migrations."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "connector",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
    )
    op.create_table(
        "observed",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("phase", sa.String(), nullable=False, index=True),
        sa.Column("epoch", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("retry_at", sa.Float(), nullable=False),
        sa.Column("trace", sa.String()),
        sa.Column("topics", sa.JSON(), nullable=False),
    )
