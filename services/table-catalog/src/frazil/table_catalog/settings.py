"""What the catalog may be told: FRAZIL_* variables."""

import os
from collections.abc import Mapping
from typing import Self

from pydantic import Field, FilePath, SecretStr, model_validator

from frazil.runtime.http_settings import HttpSettings, is_loopback
from frazil.runtime.settings import Names
from frazil.runtime.web_pages import names_of_this_machine
from frazil.table_catalog.core.delegation import Lending


class Settings(HttpSettings):
    """Settings of `python -m frazil.table_catalog`."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=9100, ge=0, le=65535, description="Port to listen on; 0 takes a free one."
    )
    prefix: str = Field(
        default="/_iceberg",
        pattern="^(/[A-Za-z0-9_.-]+)*$",
        description="What stands before `/v1` in every path; may be empty.",
    )
    database_url: str | None = Field(
        default=None,
        description="Where pointers to metadata are kept; by default SQLite in the home folder.",
    )
    warehouse_root: str | None = Field(
        default=None,
        pattern="^(file:///|s3://)",
        description="Where warehouses are: `file:///folder`, `s3://bucket/folder`, or `s3://` for "
        "a bucket each; by default a folder in the home folder.",
    )
    warehouses: Names = Field(
        default=(), description="Warehouses made at the start, separated by commas."
    )
    keys: FilePath | None = Field(default=None, description="File of the keys that may sign.")
    open: bool = Field(default=False, description="Serve everybody, signed or not.")
    oauth: bool = Field(
        default=False, description="Hand out and take bearer tokens for keys (OAuth2)."
    )
    token_seconds: int = Field(
        default=3600, ge=60, le=86_400, description="How long a bearer token is good for."
    )
    services: Names = Field(
        default=("s3tables",), description="Service names that a signature may be for."
    )
    signed_hosts: Names = Field(
        default=(),
        description="Values of Host that a signature may be for, such as `catalog.example:9100`; "
        "any if not set. Set it where another server takes the same keys.",
    )
    allow_remote: bool = Field(
        default=False, description="Listen beyond loopback although everybody is served."
    )
    s3_endpoint: str | None = Field(
        default=None, description="Address of the S3 store; AWS's own if not set."
    )
    s3_region: str = Field(default="us-east-1", description="Region of the S3 store.")
    s3_access_key: str | None = Field(default=None, description="Access key of the S3 store.")
    s3_secret_key: SecretStr | None = Field(default=None, description="Its secret.")
    vend_credentials: Lending = Field(
        default=Lending.OFF,
        description="Give clients that ask for it keys of the S3 store with a table: `session` for "
        "short-lived ones, which STS narrows to it; `keys` for the catalog's own.",
    )
    sign_requests: Lending = Field(
        default=Lending.OFF,
        description="Sign requests of clients to the files of a table, with keys as above.",
    )
    sts_endpoint: str | None = Field(
        default=None, description="Address of STS, if it is not that of the S3 store."
    )
    sts_role: str | None = Field(
        default=None, description="ARN of the role that sessions are of; MinIO needs none."
    )
    session_seconds: int = Field(
        default=3600, ge=900, le=43_200, description="How long the keys of a session are good for."
    )
    client_properties: Mapping[str, str] = Field(
        default_factory=dict,
        description="What clients are told by `/v1/config`, as a JSON object: such as "
        '`{"s3.endpoint": ...}`.',
    )
    open_metrics: bool = Field(
        default=False, description="Show `/metrics` to those without a key too."
    )
    max_body_bytes: int = Field(
        default=64 * 1024 * 1024, ge=1024, description="Largest body that is taken."
    )
    max_bodies_bytes: int = Field(
        default=160 * 1024 * 1024,
        ge=2048,
        description="Memory for all bodies in flight, at least twice the largest; a request that "
        "finds none left is answered 503.",
    )
    max_metadata_bytes: int = Field(
        default=256 * 1024 * 1024,
        ge=1024,
        description="Largest metadata file or manifest that is read, unpacked.",
    )
    request_timeout: float = Field(
        default=60.0, gt=0, description="Seconds until a request without an answer is given up."
    )
    cache_bytes: int = Field(
        default=32 * 1024 * 1024, ge=0, description="Memory for metadata that was read lately."
    )

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.home / 'table-catalog' / 'catalog.db'}"

    @property
    def root(self) -> str:
        return self.warehouse_root or f"file://{self.home / 'table-catalog' / 'warehouses'}"

    @property
    def on_s3(self) -> bool:
        return self.root.startswith("s3://")

    @property
    def client_s3_endpoint(self) -> str | None:
        """Where clients find the store, which may have another name for them."""
        return self.client_properties.get("s3.endpoint", self.s3_endpoint)

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """Names by which this server may be called."""
        return (self.host, *names_of_this_machine(), *self.allowed_hosts)

    @property
    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    @model_validator(mode="after")
    def _refuse_bodies_without_room(self) -> Self:
        if self.max_bodies_bytes < 2 * self.max_body_bytes:
            raise ValueError("FRAZIL_MAX_BODIES_BYTES is less than twice FRAZIL_MAX_BODY_BYTES")
        return self

    @model_validator(mode="after")
    def _refuse_empty_promises(self) -> Self:
        lent = {self.vend_credentials, self.sign_requests}
        if lent != {Lending.OFF} and not self.on_s3:
            raise ValueError(
                "keys and signatures are for S3: set FRAZIL_WAREHOUSE_ROOT to s3://..."
            )
        if Lending.KEYS in lent and not (self.s3_access_key and self.s3_secret_key):
            raise ValueError("`keys` needs FRAZIL_S3_ACCESS_KEY and FRAZIL_S3_SECRET_KEY")
        if Lending.SESSION in lent and not (self.s3_endpoint or self.sts_role):
            raise ValueError("AWS lends sessions of a role: set FRAZIL_STS_ROLE")
        return self

    @model_validator(mode="after")
    def _refuse_open_doors(self) -> Self:
        if self.keys is not None and self.open:
            raise ValueError("FRAZIL_OPEN=true would serve those without a key too: set only one")
        if self.keys is None and not self.open:
            raise ValueError(
                "nobody could sign: set FRAZIL_KEYS to a file of keys; FRAZIL_OPEN=true serves all"
            )
        if self.open and not (self.allow_remote or is_loopback(self.host)):
            raise ValueError(
                f"listening on {self.host} lets anybody change tables: set FRAZIL_KEYS; "
                "FRAZIL_ALLOW_REMOTE=true allows it to all"
            )
        return self
