"""The tables: what is wanted and what was observed, side by side, for each has its own writer."""

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel


class ConnectorRow(SQLModel, table=True):
    """Written by requests only."""

    __tablename__ = "connector"

    name: str = Field(primary_key=True)
    config: dict[str, str] = Field(sa_type=JSON)
    target: str
    generation: int


class ObservedRow(SQLModel, table=True):
    """Written by the reconciler only."""

    __tablename__ = "observed"

    name: str = Field(primary_key=True)
    phase: str = Field(index=True)
    epoch: int
    generation: int
    since: float
    failures: int
    retry_at: float
    trace: str | None
    topics: list[str] = Field(sa_type=JSON)
