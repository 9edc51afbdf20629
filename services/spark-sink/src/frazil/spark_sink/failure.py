"""What a stream died of, in words that say what to do."""

from collections.abc import Mapping

from frazil.contracts.plugins.frazil_keys import MOST_DEAD
from frazil.spark_sink.causes import Cause, cause_of, reason_for
from frazil.spark_sink.counts import BadRecord
from frazil.spark_sink.tasks.errors import StorageError
from frazil.spark_sink.tasks.read_errors import AccessError, ReadError, UnknownPartitionError
from frazil.spark_sink.tasks.read_errors import DataLossError as LostRecordsError
from frazil.worker.errors import (
    BadConfigError,
    BadRecordError,
    DataLossError,
    RefusedError,
    UnavailableError,
    UnfitError,
    WorkerError,
)
from frazil.worker.jvm_errors import JAVA_ERRORS, java_message

# A new start helps against UnavailableError alone; of others a person has to know.
_MEANINGS: Mapping[Cause | None, tuple[type[WorkerError], str]] = {
    Cause.LOST: (
        DataLossError,
        "Kafka no longer holds records that were not written yet. Set frazil.on.data.loss to "
        "`earliest` or `latest` to go on with what is there, then restart.",
    ),
    Cause.TOO_LARGE: (
        BadRecordError,
        "A dead letter is larger than its topic takes. Raise "
        "`producer.override.max.request.size` and the topic's `max.message.bytes`, or keep dead "
        "letters in a table, then restart.",
    ),
    Cause.EXPIRED: (UnavailableError, "The keys for a store have expired: {reason}."),
    Cause.REFUSED_BY_CATALOG: (
        RefusedError,
        "The catalog refuses this connector: {reason}. Correct its keys under `iceberg.catalog.`, "
        "or their rights, then restart.",
    ),
    Cause.REFUSED_BY_STORE: (
        RefusedError,
        "A store or database refuses this connector: {reason}. Correct the keys that the "
        "connector has for it, or their rights, then restart.",
    ),
    Cause.REFUSED_BY_KAFKA: (
        RefusedError,
        "Kafka refuses this connector: {reason}. Correct how it shows who it is "
        "(`consumer.override.*`, `producer.override.*`), or what it may do, then restart.",
    ),
    Cause.SILENT: (UnavailableError, "The catalog stopped answering."),
    Cause.BAD_CONFIG: (
        BadConfigError,
        "The connector cannot work with its configuration: {reason}. Correct it, then restart.",
    ),
    Cause.UNFIT: (
        UnfitError,
        "Spark cannot do with the table what the connector wants: {reason}. Correct the table or "
        "the configuration, then restart.",
    ),
    Cause.KAFKA_AWAY: (UnavailableError, "Kafka stopped answering."),
}


# What S3 says to keys that it does not know, or that have too few rights.
_REFUSALS = (
    "Permission denied",
    "ACCESS_DENIED",
    "INVALID_ACCESS_KEY_ID",
    "SIGNATURE_DOES_NOT_MATCH",
    "HTTP status 403",
)


def explain(error: BaseException) -> BaseException:
    """Classify an error of Spark's; errors that are ours already say enough."""
    if isinstance(error, ReadError):
        return _of_reader(error)
    if isinstance(error, StorageError):
        return _of_storage(error)
    if not isinstance(error, JAVA_ERRORS):
        return error
    return classify(java_message(error)) or error


def _of_reader(error: ReadError) -> WorkerError:
    """Say what it means that a task cannot read Kafka."""
    if isinstance(error, LostRecordsError | UnknownPartitionError):
        return _meant(Cause.LOST, str(error))
    if isinstance(error, AccessError):
        return _meant(Cause.REFUSED_BY_KAFKA, error.reason)
    return _meant(Cause.KAFKA_AWAY, str(error))


def _of_storage(error: StorageError) -> WorkerError:
    """Say what it means that a task cannot write a file."""
    words = str(error)
    if any(sign in words for sign in _REFUSALS):
        return _meant(Cause.REFUSED_BY_STORE, words)
    return UnavailableError("Files cannot be written to the table's storage.", words)


def _meant(cause: Cause, words: str) -> WorkerError:
    kind, sentence = _MEANINGS[cause]
    return kind(sentence.format(reason=words), words)


def classify(message: str) -> WorkerError | None:
    """Say what an error means for the connector, if anybody knows."""
    meaning = _MEANINGS.get(cause_of(message))
    if meaning is None:
        return None
    kind, sentence = meaning
    return kind(sentence.format(reason=reason_for(message)), message)


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
