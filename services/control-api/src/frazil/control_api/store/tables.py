"""The tables: what is wanted and what was observed, side by side, for each has its own writer."""

from typing import Any

from sqlalchemy import JSON, BigInteger, Dialect, Index, Integer, String, TypeDecorator
from sqlmodel import Field, SQLModel

# Seconds since 1970, and what counts from there, outgrow PostgreSQL's INTEGER in 2038.
LONG = BigInteger().with_variant(Integer(), "sqlite")


class AnyText(TypeDecorator[str]):
    """Text that may come from a URL or a log: what no database can hold is replaced."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace("\0", "\ufffd").encode(errors="replace").decode()


class RevisionRow(SQLModel, table=True):
    """One row; whoever writes anything counts it up first and so waits for the writer before."""

    __tablename__ = "revision"

    id: int = Field(primary_key=True)
    value: int = Field(sa_type=LONG)


class InstallationRow(SQLModel, table=True):
    """One row, written once: what all processes on this database know, and nobody else."""

    __tablename__ = "installation"

    id: int = Field(primary_key=True)
    key: str


class ConnectorRow(SQLModel, table=True):
    """Written by requests only; `revision` is that of the last request."""

    __tablename__ = "connector"

    name: str = Field(primary_key=True, sa_type=AnyText)
    config: dict[str, str] = Field(sa_type=JSON)
    target: str
    generation: int
    topics_reset: int
    paused_tables: list[str] = Field(sa_type=JSON)
    schema_rules: dict[str, Any] = Field(sa_type=JSON)
    redrive: dict[str, Any] | None = Field(sa_type=JSON(none_as_null=True))
    revision: int = Field(sa_type=LONG, index=True)


class RewindRow(SQLModel, table=True):
    """Written by requests only; stays when the connector goes."""

    __tablename__ = "rewind"

    name: str = Field(primary_key=True, sa_type=AnyText)
    rewind: dict[str, Any] = Field(sa_type=JSON)


class ObservedRow(SQLModel, table=True):
    """Written by the reconciler only."""

    __tablename__ = "observed"

    name: str = Field(primary_key=True, sa_type=AnyText)
    phase: str = Field(index=True)
    epoch: int = Field(sa_type=LONG)
    generation: int
    since: float
    failures: int
    retry_at: float
    trace: str | None = Field(sa_type=AnyText)
    topics: list[str] = Field(sa_type=JSON)
    topics_reset: int
    topics_base: dict[str, dict[int, int]] = Field(sa_type=JSON)
    rewind: int = Field(sa_type=LONG)
    failing_since: float


class ConfigVersionRow(SQLModel, table=True):
    """Written along with a connector."""

    __tablename__ = "config_version"

    name: str = Field(primary_key=True, sa_type=AnyText)
    version: int = Field(primary_key=True)
    at: float
    config: dict[str, str] | None = Field(sa_type=JSON(none_as_null=True))


class StateChangeRow(SQLModel, table=True):
    """Written along with a connector or with what was observed of it; the revision is its id."""

    __tablename__ = "state_change"
    __table_args__ = (Index("ix_state_change_name_id", "name", "id"),)

    id: int = Field(primary_key=True, sa_type=LONG)
    name: str = Field(sa_type=AnyText)
    at: float
    state: str | None
    task: str | None
    reason: str | None = Field(sa_type=AnyText)
