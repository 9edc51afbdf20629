"""A random key of the installation."""

from secrets import token_hex

import sqlalchemy as sa
from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    installation = op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(), nullable=False),
    )
    op.bulk_insert(installation, [{"id": 1, "key": token_hex(32)}])
