"""The desired state: what the file may say, and how it is read."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    HttpUrl,
    ValidationError,
    model_validator,
)
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema

from frazil.provisioner.errors import InvalidDesiredStateError, MissingValuesError
from frazil.provisioner.placeholders import fill, missing


class Part(StrEnum):
    """What can be asked for alone; tables bring their namespaces along."""

    CLUSTERS = "clusters"
    TOPICS = "topics"
    TABLES = "tables"
    CONNECTORS = "connectors"
    TRINO = "trino"


_SECTIONS = {
    Part.CLUSTERS: "clusters",
    Part.TOPICS: "kafka",
    Part.TABLES: "catalog",
    Part.CONNECTORS: "connect",
    Part.TRINO: "trino",
}
# What AIStor is asked with for a warehouse.
_SIGNING = (
    "uri",
    "warehouse",
    "rest.signing-name",
    "rest.signing-region",
    "client.access-key-id",
    "client.secret-access-key",
)
_SECRET_NAME = re.compile(r"secret|password|passphrase|access-key|(token|credential)$")
_OF_TRINO = re.compile(r"\$\{ENV:[A-Za-z_][A-Za-z0-9_]*\}")


def _as_text(value: object) -> object:
    """Take YAML's numbers and booleans where configurations are text on the wire."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


Text = Annotated[str, BeforeValidator(_as_text)]
Configs = dict[str, Text]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Cluster(_Model):
    """Only looked at: `health` answers 200 when it is well."""

    name: str = Field(min_length=1)
    url: HttpUrl
    health: str = Field(default="/minio/health/cluster", pattern="^/")


class Topic(_Model):
    name: str = Field(pattern=r"^[A-Za-z0-9._-]{1,249}$")
    partitions: int = Field(ge=1)
    replication: int = Field(default=1, ge=1)
    configs: Configs = {}


class Kafka(_Model):
    bootstrap_servers: str = Field(alias="bootstrap.servers", min_length=1)
    topics: list[Topic]


class TableDefinition(_Model):
    """A table as the Iceberg REST catalog is asked to create it."""

    name: str = Field(min_length=1)
    table_schema: Schema = Field(alias="schema")
    partition_spec: PartitionSpec = Field(
        default=UNPARTITIONED_PARTITION_SPEC, alias="partition-spec"
    )
    properties: Configs = {}


class Table(_Model):
    namespace: str
    definition: TableDefinition

    @property
    def name(self) -> str:
        return f"{self.namespace}.{self.definition.name}"


class Catalog(_Model):
    name: str
    properties: Configs
    create_warehouse: bool = Field(default=False, alias="create-warehouse")
    namespaces: list[str]
    tables: list[Table]

    @model_validator(mode="after")
    def _warehouse_can_be_created(self) -> Self:
        missing = [name for name in _SIGNING if not self.properties.get(name)]
        if self.create_warehouse and missing:
            raise ValueError(f"`create-warehouse` needs {', '.join(missing)} in `properties`")
        return self

    @model_validator(mode="after")
    def _tables_have_a_namespace(self) -> Self:
        for table in self.tables:
            if table.namespace not in self.namespaces:
                raise ValueError(f"table {table.name} needs {table.namespace} in `namespaces`")
        return self


class Connector(_Model):
    name: str = Field(min_length=1)
    config: Configs


class Connect(_Model):
    url: HttpUrl
    connectors: list[Connector]


class TrinoCatalog(_Model):
    # Trino makes names small letters: others would never be seen.
    name: str = Field(pattern=r"^[a-z0-9_][a-z0-9_-]*$")
    # Trino takes it for a name with quotes in it, if it has them.
    connector: str = Field(default="iceberg", pattern="^[a-z][a-z0-9_]*$")
    properties: Configs

    @model_validator(mode="after")
    def _secrets_are_told_by_name(self) -> Self:
        for name, value in self.properties.items():
            if _SECRET_NAME.search(name) and not _OF_TRINO.fullmatch(value):
                raise ValueError(
                    f"{name} would be in Trino's log: write ${{ENV:NAME}}, a variable of Trino's "
                    "own environment"
                )
        return self


class Trino(_Model):
    url: HttpUrl
    user: str = "frazil"
    catalogs: list[TrinoCatalog]


class DesiredState(_Model):
    """One section a system; a section that is not there is nobody's wish."""

    clusters: list[Cluster] = []
    kafka: Kafka | None = None
    catalog: Catalog | None = None
    connect: Connect | None = None
    trino: Trino | None = None

    @model_validator(mode="after")
    def _no_name_twice(self) -> Self:
        _refuse_twice("cluster", self.clusters)
        _refuse_twice("topic", self.kafka.topics if self.kafka else ())
        _refuse_twice("table", self.catalog.tables if self.catalog else ())
        _refuse_twice("connector", self.connect.connectors if self.connect else ())
        _refuse_twice("catalog of Trino", self.trino.catalogs if self.trino else ())
        return self


def _refuse_twice(
    kind: str, items: Iterable[Cluster | Topic | Table | Connector | TrinoCatalog]
) -> None:
    for name, count in Counter(item.name for item in items).items():
        if count > 1:
            raise ValueError(f"{kind} {name} is there {count} times")


def load(
    file: Path, values: Mapping[str, str], *, parts: Collection[Part] = tuple(Part)
) -> DesiredState:
    """Read the parts asked for; placeholders of the others need no value."""
    document = _read(file)
    wanted = {_SECTIONS[part] for part in parts}
    chosen = {key: part for key, part in document.items() if key in wanted}
    if names := missing(chosen, values):
        raise MissingValuesError(file, names)
    filled = fill(chosen, values)
    _bring_tables(filled, file)
    try:
        return DesiredState.model_validate(filled)
    except ValidationError as error:
        raise InvalidDesiredStateError(file, _sentences(error)) from error


def _read(file: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(file.read_text())
    except (OSError, yaml.YAMLError) as error:
        raise InvalidDesiredStateError(file, [str(error)]) from error
    if not isinstance(document, dict):
        raise InvalidDesiredStateError(file, ["it is no mapping of sections"])
    known = list(_SECTIONS.values())
    if unknown := [str(key) for key in document if key not in known]:
        complaint = f"unknown section {', '.join(unknown)}; sections are {', '.join(known)}"
        raise InvalidDesiredStateError(file, [complaint])
    return document


def _bring_tables(document: Mapping[str, Any], file: Path) -> None:
    """Put the definition in the place of each table's `file`, a path relative to ours."""
    catalog = document.get("catalog")
    tables = catalog.get("tables") if isinstance(catalog, dict) else None
    for table in tables if isinstance(tables, list) else ():
        if isinstance(table, dict) and isinstance(table.get("file"), str):
            table["definition"] = _definition(file.parent / table.pop("file"))


def _definition(file: Path) -> Any:
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise InvalidDesiredStateError(file, [str(error)]) from error


def _sentences(error: ValidationError) -> list[str]:
    return [_sentence(one["loc"], one["type"], one["msg"]) for one in error.errors()]


def _sentence(place: tuple[int | str, ...], kind: str, message: str) -> str:
    where = ".".join(str(part) for part in place)
    if kind == "extra_forbidden":
        return f"{where}: unknown key"
    text = message.removeprefix("Value error, ")
    return f"{where}: {text}" if where else text
