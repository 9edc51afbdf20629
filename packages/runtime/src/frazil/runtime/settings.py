"""The base of every settings class: FRAZIL_* variables, frozen, unknown ones left alone."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from frazil.runtime.errors import UserError


def _cache_directory() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "frazil"
    return Path.home() / ".cache" / "frazil"


# Children run in folders of their own, where a relative path would mean another place.
AbsolutePath = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


# Where Docker and Kubernetes put secrets, as files: their variables can be read by all who may ask
# the engine. A file is named as its variable is, `frazil_database_url`; variables win.
SECRETS = Path("/run/secrets")


# Without NoDecode a list in the environment would have to be JSON.
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Folders = Annotated[tuple[AbsolutePath, ...], NoDecode, BeforeValidator(_split)]


class FrazilSettings(BaseSettings):
    """What every process of the house may be told."""

    model_config = SettingsConfigDict(
        env_prefix="FRAZIL_",
        secrets_dir=SECRETS if SECRETS.is_dir() else None,
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        populate_by_name=True,
    )

    home: AbsolutePath = Field(
        default_factory=_cache_directory,
        description="Where jars, Java archives and local stacks are kept.",
    )
    java_home: AbsolutePath | None = Field(
        default=None,
        validation_alias=AliasChoices("FRAZIL_JAVA_HOME", "JAVA_HOME"),
        description="A Java 17 or newer; found by itself when not set.",
    )
    log_level: str = Field(default="INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_format: str = Field(default="json", description="json, or text for people.")


_Settings = TypeVar("_Settings", bound=FrazilSettings)


class BadSettingsError(UserError):
    def __init__(self, error: ValidationError) -> None:
        complaints = (f"{variable_of(fault['loc'])}: {fault['msg']}" for fault in error.errors())
        super().__init__("The settings are not good:\n" + "\n".join(complaints))


def variable_of(place: Iterable[str | int]) -> str:
    """Name the variable at the place of a fault; one with a name of its own is in capitals."""
    name = "_".join(map(str, place))
    return name if name.isupper() else f"FRAZIL_{name}".rstrip("_").upper()


def read_settings(kind: type[_Settings]) -> _Settings:
    """Raise BadSettingsError, which names each variable that makes no sense."""
    try:
        return kind()
    except ValidationError as error:
        raise BadSettingsError(error) from error
