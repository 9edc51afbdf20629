"""What the `frazil` command may be told, and the environment that its children get."""

import os
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError

from frazil.cli.containers.project import DEFAULT_KEY, STORE_PORT, TABLE_FRONTS, RootKey
from frazil.contracts.log_topics import LogTopics
from frazil.runtime.errors import UserError
from frazil.runtime.settings import FrazilSettings, variable_of

_REPOSITORY = Path(__file__).resolve().parents[5]
_COMPOSE = _REPOSITORY / "deploy" / "compose"
_OWN_STORES = tuple(f"http://{front}:{STORE_PORT}" for front in TABLE_FRONTS)


class BadSettingError(UserError):
    def __init__(self, error: ValidationError) -> None:
        faults = (f"{variable_of(fault['loc'])}: {fault['msg']}." for fault in error.errors())
        super().__init__("\n".join(faults))


class CliSettings(FrazilSettings):
    port: int = Field(default=8083, description="Port of the control API.")
    kafka_port: int = Field(default=9092, description="Port of the local broker.")
    kafka_controller_port: int = Field(default=9093, description="The broker's own second port.")
    catalog_port: int = Field(default=9100, description="Port of the local table catalog.")
    connect_token_file: Path | None = Field(
        default=None,
        description="File with the token that a control API asks for; that of the container stack "
        "is known without.",
    )
    desired_state: Path = Field(
        default=_REPOSITORY / "deploy" / "local" / "desired-state.yaml",
        description="Topics, tables and connectors of the local stack.",
    )

    def environment(self) -> dict[str, str]:
        """Return what a child inherits; the home is spelled out, so that all agree on it."""
        return {**os.environ, "FRAZIL_HOME": str(self.home)}


class ComposeSettings(LogTopics, FrazilSettings):
    """What the command must know of the compose project, which reads the same variables itself."""

    project: str = Field(default="frazil", validation_alias="COMPOSE_PROJECT_NAME")
    warehouse: str = Field(default="kafkawarehouse", validation_alias="WAREHOUSE_NAME")
    namespace: str = Field(default="streaming", validation_alias="NAMESPACE_NAME")
    root_user: str | None = Field(default=None, validation_alias="MINIO_ROOT_USER")
    root_password: SecretStr | None = Field(default=None, validation_alias="MINIO_ROOT_PASSWORD")
    access_key: str | None = Field(default=None, validation_alias="MINIO_ACCESS_KEY")
    secret_key: SecretStr | None = Field(default=None, validation_alias="MINIO_SECRET_KEY")
    brokers: str = Field(default="kafka:29092", validation_alias="KAFKA_BOOTSTRAP_SERVERS")
    connect_url: str = Field(
        default="http://kafka-connect:8083", validation_alias="KAFKA_CONNECT_URL"
    )
    bind_address: str = Field(default="127.0.0.1", validation_alias="BIND_ADDRESS")
    endpoint: str = Field(default="", validation_alias="MINIO_ENDPOINT")
    license: SecretStr = Field(default=SecretStr(""), validation_alias="MINIO_LICENSE")

    @property
    def folder(self) -> Path:
        return _COMPOSE

    @property
    def client_key(self) -> RootKey:
        """Return what clients of the store sign with: their own pair, else the store's."""
        return _key(self.access_key or self.root_user, self.secret_key or self.root_password)

    @property
    def store_key(self) -> RootKey:
        """Return what the stack's store is started with: its own pair, else its clients'."""
        return _key(self.root_user or self.access_key, self.root_password or self.secret_key)

    @property
    def other_brokers(self) -> str | None:
        """Return the address of brokers outside of the stack, if they take the place of its own."""
        return None if self.brokers == _default("brokers") else self.brokers

    @property
    def is_outside(self) -> bool:
        """Tell whether the store or the brokers are outside of the stack."""
        store = self.endpoint.rstrip("/")
        return self.other_brokers is not None or store not in ("", *_OWN_STORES)

    @property
    def other_connect_url(self) -> str | None:
        """Return the address of a Connect server outside of the stack, if connectors go there."""
        url = self.connect_url.rstrip("/")
        return None if url == _default("connect_url") else url


def _key(name: str | None, secret: SecretStr | None) -> RootKey:
    return RootKey(
        name or DEFAULT_KEY.access_key, secret.get_secret_value() if secret else DEFAULT_KEY.secret
    )


def _default(name: str) -> object:
    return ComposeSettings.model_fields[name].default


def read_compose_settings() -> ComposeSettings:
    """Read the environment and, as compose does, the .env beside its files.

    Raise BadSettingError for a variable that makes no sense.
    """
    try:
        return ComposeSettings(_env_file=_COMPOSE / ".env")
    except ValidationError as error:
        raise BadSettingError(error) from error


def read_settings() -> CliSettings:
    """Raise BadSettingError for a variable that makes no sense."""
    try:
        return CliSettings()
    except ValidationError as error:
        raise BadSettingError(error) from error
