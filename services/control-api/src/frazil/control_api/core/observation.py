"""What an engine sees when it looks at the workers of one connector; values, no behaviour."""

from dataclasses import dataclass

from frazil.contracts.worker_status import WorkerStatus


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker, living or dead.

    `status` is what it said last. `silent_for` counts the seconds in which a living one gave no
    answer. `exit_status` is the operating system's word on a dead one (negative: a signal), known
    only to the engine that started it. `cause` is the engine's own word on why it had to die, as
    the rest of a sentence, with the way out. `log_tail` are the last lines of a dead one.
    """

    epoch: int
    alive: bool
    status: WorkerStatus | None = None
    silent_for: float = 0.0
    exit_status: int | None = None
    cause: str | None = None
    log_tail: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """All living workers of a connector, and of the dead ones the last.

    `preparing` says what a start under way waits for before there is a worker, such as an image.
    """

    workers: tuple[Worker, ...] = ()
    preparing: str | None = None

    def worker(self, epoch: int) -> Worker | None:
        return next((worker for worker in self.workers if worker.epoch == epoch), None)

    @property
    def living(self) -> tuple[Worker, ...]:
        return tuple(worker for worker in self.workers if worker.alive)
