"""Java's exceptions as they reach Python: PySpark wraps some of them, py4j the rest."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JJavaError, Py4JNetworkError
from pyspark.errors.exceptions.captured import CapturedException

from frazil.worker.bridge import java_stack
from frazil.worker.errors import WorkerError

JAVA_ERRORS = (Py4JJavaError, CapturedException)
# What a call to the JVM raises when that has failed, or has ended already.
JVM_GONE = (*JAVA_ERRORS, Py4JNetworkError, ConnectionError)
_CAUSE = "Caused by: "
_FRAME = re.compile(r"\t+(at |\.\.\. )")


def java_message(error: BaseException) -> str:
    """Return class, message and causes on one line each, without the frames of the stack.

    Ask for it while the JVM lives: py4j's errors fetch their words from there.
    """
    text = str(error)
    if isinstance(error, Py4JJavaError):
        _, _, text = text.partition("\n: ")
    elif isinstance(error, CapturedException):
        before, cause, causes = java_stack(error).partition(f"\n{_CAUSE}")
        text = f"{_class_of(before)}: {text}\n{cause}{causes}"
    return "\n".join(line for line in text.splitlines() if line and not _FRAME.match(line))


@contextmanager
def java_errors_as(meaning: Callable[[str], WorkerError]) -> Iterator[None]:
    """Say what an error of Java's means here; `meaning` gets its own words."""
    try:
        yield
    except JAVA_ERRORS as error:
        raise meaning(java_message(error)) from None


def in_words(error: BaseException) -> WorkerError:
    """Make an error of ours that outlives the JVM and knows where in Python it came up."""
    message = java_message(error)
    first = message.partition("\n")[0]
    failed = WorkerError(f"The worker failed unexpectedly: {first}", message)
    return failed.with_traceback(error.__traceback__)


def _class_of(stack: str) -> str:
    return stack.partition(":")[0].partition("\n")[0]
