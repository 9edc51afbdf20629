"""What a stream died of, in words that say what to do."""

from frazil.worker.errors import DataLossError, UnavailableError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

_LOST = ("KAFKA_DATA_LOSS", "OffsetOutOfRange", "data may have been lost")
_AWAY = ("org.apache.kafka.common.errors.TimeoutException", "Timeout of", "KafkaException")


def explain(error: BaseException) -> BaseException:
    """Classify an error of Spark's; errors that are ours already say enough."""
    if not isinstance(error, JAVA_ERRORS):
        return error
    return classify(java_message(error)) or error


def classify(message: str) -> WorkerError | None:
    """Tell lost records and an absent broker from everything else."""
    if any(sign in message for sign in _LOST):
        return DataLossError(
            "Kafka no longer holds records that were not written yet. Set frazil.on.data.loss to "
            "`earliest` or `latest` to go on with what is there, then restart.",
            message,
        )
    if any(sign in message for sign in _AWAY):
        return UnavailableError("Kafka stopped answering while records were read.", message)
    return None
