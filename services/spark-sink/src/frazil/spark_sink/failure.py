"""What a stream died of, in words that say what to do."""

from frazil.contracts.plugins.frazil_keys import MOST_DEAD
from frazil.spark_sink.catalog import is_silent
from frazil.spark_sink.counts import BadRecord
from frazil.worker.errors import BadRecordError, DataLossError, UnavailableError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

_LOST = ("KAFKA_DATA_LOSS", "OffsetOutOfRange", "data may have been lost")
_TOO_LARGE = "RecordTooLargeException"
_AWAY = ("org.apache.kafka.common.errors.TimeoutException", "Timeout of", "KafkaException")


def explain(error: BaseException) -> BaseException:
    """Classify an error of Spark's; errors that are ours already say enough."""
    if not isinstance(error, JAVA_ERRORS):
        return error
    return classify(java_message(error)) or error


def classify(message: str) -> WorkerError | None:
    """Tell lost records, an absent catalog and an absent broker from everything else."""
    if any(sign in message for sign in _LOST):
        return DataLossError(
            "Kafka no longer holds records that were not written yet. Set frazil.on.data.loss to "
            "`earliest` or `latest` to go on with what is there, then restart.",
            message,
        )
    if is_silent(message):
        return UnavailableError("The catalog stopped answering.", message)
    if _TOO_LARGE in message:
        return BadRecordError(
            "A dead letter is larger than its topic takes. Raise "
            "`producer.override.max.request.size` and the topic's `max.message.bytes`, or keep "
            "dead letters in a table, then restart.",
            message,
        )
    if any(sign in message for sign in _AWAY):
        return UnavailableError("Kafka stopped answering.", message)
    return None


def bad_record_error(dead: int, first: BadRecord | None, store: str) -> BadRecordError:
    return BadRecordError(
        f"{_cannot_be_written(dead, first, store)} Nothing of this batch was written. To skip and "
        "count such records set errors.tolerance=all; else correct the producer or the "
        "destination, then restart."
    )


def conflict_error(first: BadRecord, store: str) -> BadRecordError:
    place = f"{first.topic}-{first.partition} at offset {first.offset}"
    return BadRecordError(
        f"A record cannot be written to {store}, and the policy of its column is `fail`: {place}: "
        f"{first.reason}. Nothing of this batch was written. Correct the producer, the column, or "
        "its policy (frazil.tables.conflict), then restart."
    )


def too_many_dead_error(
    dead: int, first: BadRecord | None, store: str, *, most: int
) -> BadRecordError:
    return BadRecordError(
        f"{_cannot_be_written(dead, first, store)} That is more than {MOST_DEAD}={most} bears, and "
        "nothing of this batch was written. Correct the producer or the destination, or raise the "
        "limit, then restart."
    )


def _cannot_be_written(dead: int, first: BadRecord | None, store: str) -> str:
    where = f"{first.topic}-{first.partition} at offset {first.offset}" if first else "the batch"
    reason = first.reason if first else "it cannot be read"
    return f"{dead} record(s) cannot be written to {store}; the first is in {where}: {reason}."
