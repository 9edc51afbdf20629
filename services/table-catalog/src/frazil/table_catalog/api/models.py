"""Bodies of requests, as the specification names their fields. What is in metadata stays JSON."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from frazil.table_catalog.catalog.shelf import Revision
from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.names import Identifier
from frazil.table_catalog.core.s3_requests import S3Request

Json = dict[str, Any]


class _Body(BaseModel):
    model_config = ConfigDict(populate_by_name=True)


class CreateWarehouse(_Body):
    name: str = Field(pattern="^[a-z0-9][a-z0-9_.-]{0,62}$")
    upgrade_existing: bool = Field(default=False, alias="upgrade-existing")


class CreateNamespace(_Body):
    namespace: list[str]
    properties: dict[str, str] = {}


class UpdateProperties(_Body):
    removals: list[str] = []
    updates: dict[str, str] = {}


class CreateTable(_Body):
    name: str
    table_schema: Json = Field(alias="schema")
    location: str | None = None
    partition_spec: Json | None = Field(default=None, alias="partition-spec")
    write_order: Json | None = Field(default=None, alias="write-order")
    stage_create: bool = Field(default=False, alias="stage-create")
    properties: dict[str, str] | None = None


class RegisterView(_Body):
    name: str
    metadata_location: str = Field(alias="metadata-location")


class RegisterTable(RegisterView):
    overwrite: bool = False


class Named(_Body):
    namespace: list[str]
    name: str

    def parsed(self) -> Identifier:
        return Identifier.of(self.namespace, self.name)


class Rename(_Body):
    source: Named
    destination: Named


class Commit(_Body):
    identifier: Named | None = None
    requirements: list[Json] = []
    updates: list[Json]

    def of(self, identifier: Identifier) -> Revision:
        """Make it one of what the path names."""
        if self.identifier is not None and self.identifier.parsed() != identifier:
            raise BadRequestError(f"the body names another one than the path: {identifier}")
        return Revision(identifier, self.requirements, self.updates)


class NamedCommit(Commit):
    identifier: Named

    def parsed(self) -> Revision:
        return self.of(self.identifier.parsed())


class Transaction(_Body):
    table_changes: list[NamedCommit] = Field(alias="table-changes", min_length=1)


class CreateView(_Body):
    name: str
    view_schema: Json = Field(alias="schema")
    view_version: Json = Field(alias="view-version")
    location: str | None = None
    properties: dict[str, str]


class SignRequest(_Body):
    """A request to the S3 store; the region is ours to know."""

    uri: str
    method: str
    headers: dict[str, list[str]]
    body: str | None = None
    provider: Literal["s3"] = "s3"

    def parsed(self) -> S3Request:
        headers = {name.lower(): ",".join(values) for name, values in self.headers.items()}
        return S3Request(self.method, self.uri, headers, self.body)


class Report(_Body):
    model_config = ConfigDict(extra="allow")

    report_type: str = Field(alias="report-type")
