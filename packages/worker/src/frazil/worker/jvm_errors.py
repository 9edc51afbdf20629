"""Java's exceptions as they reach Python: PySpark wraps some of them, py4j the rest."""

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

JAVA_ERRORS = (Py4JJavaError, CapturedException)


def java_message(error: BaseException) -> str:
    """Return class, message and causes on one line each, without the frames of the stack."""
    text = str(error)
    if isinstance(error, Py4JJavaError):
        _, _, text = text.partition("\n: ")
    kept = [line for line in text.splitlines() if line and not line.startswith(("\tat ", "\t..."))]
    return "\n".join(kept)
