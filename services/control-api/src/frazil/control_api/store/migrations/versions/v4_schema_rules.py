"""What users have said of changes of tables."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"


def upgrade() -> None:
    rules = sa.Column("schema_rules", sa.JSON(), nullable=False, server_default="{}")
    op.add_column("connector", rules)
