"""Settings of a worker process; everything about its connector is in the assignment instead."""

from enum import StrEnum

from pydantic import Field

from frazil.runtime.settings import FrazilSettings


class ArchiveMode(StrEnum):
    USE = "use"
    TRAIN = "train"
    OFF = "off"


class WorkerSettings(FrazilSettings):
    archive: ArchiveMode = Field(
        default=ArchiveMode.USE,
        description="Class-data archive of the JVM: use it, train (write) it, or do without.",
    )
