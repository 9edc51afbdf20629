"""What a worker's job has to offer to the loop that runs it."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from frazil.contracts.assignment import Assignment
from frazil.worker.board import StatusBoard


class StreamMovedError(Exception):
    """The stream has to begin again from the position in its tables."""


class Job(Protocol):
    """One connector's work. Errors are WorkerErrors; anything else counts as a crash."""

    @property
    def memory(self) -> str:
        """Heap of the driver, as Java writes it: `512m`."""
        ...

    @property
    def spark_conf(self) -> dict[str, str]: ...

    def start(self, spark: SparkSession) -> StreamingQuery:
        """Find the position and start the stream; called again after a StreamMovedError."""
        ...

    def tick(self, query: StreamingQuery) -> None:
        """Look after things between batches; called about once a second from the main thread."""
        ...

    def settle(self) -> None:
        """Let the batch at hand finish and no other begin."""
        ...

    def close(self) -> None:
        """Let go of what the last start has opened."""
        ...

    def explain(self, error: BaseException) -> BaseException:
        """Turn what the stream died of into an error that says what to do."""
        ...


@runtime_checkable
class Errand(Protocol):
    """Work that ends by itself. Errors are as those of a job."""

    @property
    def memory(self) -> str: ...

    @property
    def spark_conf(self) -> dict[str, str]: ...

    def run(self, spark: SparkSession) -> None: ...


JobFactory = Callable[[Assignment, StatusBoard], Job | Errand]
