"""The assignment: all that a worker is told. A file that it alone may read, never environment."""

from pydantic import BaseModel, ConfigDict

ASSIGNMENT_FILE = "assignment.json"
STATUS_FILE = "status.json"


class Assignment(BaseModel):
    """One connector for one worker.

    `epoch` grows with every start of the connector, `generation` with every change of its
    configuration and every restart that a user asks for.
    """

    model_config = ConfigDict(frozen=True)

    connector: str
    epoch: int
    generation: int
    worker_id: str
    config: dict[str, str]
    kafka: dict[str, str]
