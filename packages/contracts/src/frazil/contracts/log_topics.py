"""The topics of an object store's three logs: their roles, and what each is called."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, Field, model_validator

_NAME = r"^[A-Za-z0-9._-]{1,249}$"


class Topic(StrEnum):
    """The role of a topic, which is its name too if it has no other."""

    API = "apilogs"
    ERROR = "errorlogs"
    AUDIT = "auditlogs"


class LogTopics(BaseModel):
    """The part of a process's settings that gives the topics their names."""

    api_logs_topic: str = Field(
        default=Topic.API.value, validation_alias="API_LOGS_TOPIC", pattern=_NAME,
        description="Topic of the log of API calls.",
    )  # fmt: skip
    error_logs_topic: str = Field(
        default=Topic.ERROR.value, validation_alias="ERROR_LOGS_TOPIC", pattern=_NAME,
        description="Topic of the log of errors.",
    )  # fmt: skip
    audit_logs_topic: str = Field(
        default=Topic.AUDIT.value, validation_alias="AUDIT_LOGS_TOPIC", pattern=_NAME,
        description="Topic of the log of administrative changes.",
    )  # fmt: skip

    @property
    def log_topics(self) -> Mapping[Topic, str]:
        """Return the name of each topic by its role."""
        return {
            Topic.API: self.api_logs_topic,
            Topic.ERROR: self.error_logs_topic,
            Topic.AUDIT: self.audit_logs_topic,
        }

    @model_validator(mode="after")
    def _refuse_equal_names(self) -> Self:
        if len(set(self.log_topics.values())) < len(Topic):
            raise ValueError(
                "API_LOGS_TOPIC, ERROR_LOGS_TOPIC and AUDIT_LOGS_TOPIC must be three topics"
            )
        return self


DEFAULT_TOPICS: Mapping[Topic, str] = {topic: topic.value for topic in Topic}
"""The names of topics that nobody has renamed."""


def as_variables(topics: Mapping[Topic, str]) -> dict[str, str]:
    """Return the environment variables that give these names to another process."""
    return {f"{topic.name}_LOGS_TOPIC": name for topic, name in topics.items()}
