"""Alembic's way into the migrations; the connection comes from `store.schema`."""

from alembic import context
from sqlmodel import SQLModel

context.configure(
    connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata
)
context.run_migrations()
