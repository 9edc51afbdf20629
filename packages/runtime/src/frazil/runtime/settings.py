"""The base of every settings class: FRAZIL_* variables, frozen, unknown ones left alone."""

import sys
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def _cache_directory() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "frazil"
    return Path.home() / ".cache" / "frazil"


# Children run in folders of their own, where a relative path would mean another place.
AbsolutePath = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]


class FrazilSettings(BaseSettings):
    """What every process of the house may be told."""

    model_config = SettingsConfigDict(
        env_prefix="FRAZIL_",
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
