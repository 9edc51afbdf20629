"""How a worker ended: whether a new start can help, and the trace that tells a person why."""

import signal
from dataclasses import dataclass

from frazil.contracts.exit_code import ExitCode
from frazil.control_api.core.observation import Worker

# Java's spelling, because clients cut traces up by it: they drop lines that end in a bracket and
# show what follows the first colon.
_CLASS = "org.apache.kafka.connect.errors.ConnectException"

_MEANING = {
    ExitCode.OK: "ended by itself",
    ExitCode.CRASHED: "crashed",
    ExitCode.BAD_CONFIG: "could not work with its configuration",
    ExitCode.UNAVAILABLE: "could not reach a system that it needs",
    ExitCode.BAD_RECORD: "met a record that it could not write",
    ExitCode.SUPERSEDED: "was superseded: a newer driver of this connector has taken over",
    ExitCode.DATA_LOSS: "stopped because going on would lose or repeat records",
    ExitCode.BAD_TABLE: "could not work with its table",
    ExitCode.REFUSED: "was refused by a system that it needs",
}


@dataclass(frozen=True, slots=True)
class Ending:
    retriable: bool
    trace: str


def ending_of(name: str, worker: Worker | None) -> Ending:
    """Read how a dead worker ended; None is a worker of which nothing is left."""
    if worker is None:
        return Ending(retriable=True, trace=make_trace(f"The worker of {name} has vanished"))
    if worker.cause is not None:
        sentence = f"The worker of {name} {worker.cause}"
        return Ending(retriable=True, trace=make_trace(sentence, worker.log_tail))
    if worker.status is not None and worker.status.exit_code is not None:
        code = worker.status.exit_code
        said = worker.status.trace
    else:
        code = ExitCode.of(worker.exit_status)
        said = None
    # A worker that nobody asked to end is missed, even if it ended in peace.
    retriable = code.is_retriable or code is ExitCode.OK
    return Ending(retriable, said or make_trace(_sentence(name, worker, code), worker.log_tail))


def make_trace(sentence: str, log_tail: str = "") -> str:
    lines = [f"{_CLASS}: {sentence}."]
    if log_tail:
        lines += ["The last lines of its log:", *(f"\t{line}" for line in log_tail.splitlines())]
    return "\n".join(lines)


def _sentence(name: str, worker: Worker, code: ExitCode) -> str:
    status = worker.exit_status
    if status is not None and status < 0:
        return f"The worker of {name} was killed by signal {-status}, {_signal_name(-status)}"
    if status is None and (worker.status is None or worker.status.exit_code is None):
        return f"The worker of {name} was killed or crashed without a word"
    return f"The worker of {name} {_MEANING[code]}, exit code {status or code.value}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown to this system"
