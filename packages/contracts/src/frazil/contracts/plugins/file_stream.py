"""The two connectors of Kafka's quickstart: a file to a topic, topics to a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType, Width
from frazil.contracts.plugins.common import CONNECT_VERSION
from frazil.contracts.plugins.converters import (
    BYTES_NAMES,
    CONVERTER_KEYS,
    JSON_NAMES,
    STRING_NAMES,
)
from frazil.contracts.plugins.frazil_keys import FRAZIL_FAMILIES, FRAZIL_KEYS, READING_KEYS
from frazil.contracts.plugins.not_yet import STAGE_LIMITS
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import About, InvalidOffsetError, Plugin
from frazil.contracts.plugins.sink import (
    SINK_FAMILIES,
    SINK_KEYS,
    check_dead_letters,
    check_topics,
    doubt_dead_letters,
)
from frazil.contracts.plugins.source import SOURCE_FAMILIES, SOURCE_KEYS, check_boundary
from frazil.contracts.validators import invalid, non_empty

FILENAME = "filename"
POSITION = "position"

_VALUES = STRING_NAMES | JSON_NAMES | BYTES_NAMES
_OFF = (
    "The class is off unless `FRAZIL_FILES_FOLDER` is set, for it lets whoever may create "
    "connectors read or write files as the worker's user, as in Kafka since 3.1.1. A file is one "
    "below that folder, links included, unless `FRAZIL_FILES_ANYWHERE` is set; `frazil dev` sets "
    "the folder to the directory that it was started in. With the engine `docker` a file is one in "
    "the worker's container, where nothing of yours is."
)
_SINK_ONCE = (
    "Each line is in the file once, whatever is killed, as long as nobody else writes to it. A "
    "hidden note beside the file holds the position; without it the group `connect-<name>` does. "
    "Lines in the log, without `file`, come at least once."
)
_SOURCE_ONCE = (
    "Each line is sent once, in a transaction with its position. Readers see it so with "
    "`isolation.level=read_committed`; a sink here takes "
    "`consumer.override.isolation.level=read_committed`."
)
_SOURCE_LINES = (
    "A line is sent when its end is there: LF, CR LF or CR. A file that is not there yet is waited "
    "for; one that became shorter than what was read fails the connector."
)


def _file(documentation: str) -> Key:
    # Kafka gives the keys of these classes neither group nor order.
    return Key(
        "file",
        KeyType.STRING,
        importance=Importance.HIGH,
        documentation=documentation,
        width=Width.NONE,
        display_name="file",
    )


_SOURCE_OWN = (
    _file("File to read. Without it the worker's standard input is read, which is empty."),
    Key(
        "topic",
        KeyType.STRING,
        default=NO_DEFAULT,
        importance=Importance.HIGH,
        documentation="Topic to send the lines to.",
        width=Width.NONE,
        display_name="topic",
        validator=non_empty,
    ),
    Key(
        "batch.size",
        KeyType.INT,
        default=2000,
        documentation="Most lines of one batch, and so of one transaction.",
        width=Width.NONE,
        display_name="batch.size",
    ),
)


def check_value_converter(config: ParsedConfig) -> Iterator[Complaint]:
    name = config["value.converter"]
    if name not in _VALUES:
        message = invalid("value.converter", name, f"Class {name} could not be found.")
        yield Complaint("value.converter", message)


def check_text(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse in advance what Connect's converter would refuse at the first line."""
    if config["value.converter"] in BYTES_NAMES:
        message = "ByteArrayConverter does not take text. Use StringConverter or JsonConverter."
        yield Complaint("value.converter", message)


def check_batch_size(config: ParsedConfig) -> Iterator[Complaint]:
    size = config["batch.size"]
    if isinstance(size, int) and size < 1:
        yield Complaint("batch.size", invalid("batch.size", size, "Value must be at least 1"))


def check_position(partition: Mapping[str, Any], offset: Mapping[str, Any] | None) -> None:
    """Let a tombstone pass for anything, so that what does not belong there can be removed."""
    if offset is None:
        return
    if POSITION not in offset:
        raise InvalidOffsetError(
            "Offset objects should either be null or contain the key 'position'"
        )
    position = offset[POSITION]
    if isinstance(position, bool) or not isinstance(position, int):
        raise InvalidOffsetError(
            "The value for the 'position' key in the offset is expected to be a Long value"
        )
    if position < 0:
        raise InvalidOffsetError(
            "The value for the 'position' key in the offset should be a non-negative value"
        )
    if not isinstance(partition.get(FILENAME), str):
        raise InvalidOffsetError("Partition objects should contain the key 'filename'")


FILE_SINK = Plugin(
    "org.apache.kafka.connect.file.FileStreamSinkConnector",
    type="sink",
    version=CONNECT_VERSION,
    worker="spark-sink",
    job="file",
    about=About(
        title="File sink",
        summary="Appends the values of topics to a file, one line each: the sink of Kafka's "
        "quickstart.",
        needs="The least that it needs:",
        example={
            "name": "local-file-sink",
            "connector.class": "FileStreamSink",
            "file": "test.sink.txt",
            "topics": "connect-test",
        },
        notes=(_OFF, _SINK_ONCE),
    ),
    kind_keys=SINK_KEYS,
    keys=(
        _file("File to append to. Without it lines go to the worker's log."),
        *FRAZIL_KEYS,
        *READING_KEYS,
        *CONVERTER_KEYS,
    ),
    families=FRAZIL_FAMILIES + SINK_FAMILIES,
    rules=(check_topics, check_dead_letters, check_value_converter),
    doubts=(doubt_dead_letters,),
    limits=STAGE_LIMITS,
    uses_files=True,
)

FILE_SOURCE = Plugin(
    "org.apache.kafka.connect.file.FileStreamSourceConnector",
    type="source",
    version=CONNECT_VERSION,
    worker="spark-source",
    job="file",
    about=About(
        title="File source",
        summary="Sends the lines of a file to a topic as they come, each exactly once: the source "
        "of Kafka's quickstart.",
        needs="The least that it needs:",
        example={
            "name": "local-file-source",
            "connector.class": "FileStreamSource",
            "file": "test.txt",
            "topic": "connect-test",
        },
        notes=(_OFF, _SOURCE_ONCE, _SOURCE_LINES),
    ),
    kind_keys=SOURCE_KEYS,
    keys=(*_SOURCE_OWN, *FRAZIL_KEYS, *CONVERTER_KEYS),
    families=FRAZIL_FAMILIES + SOURCE_FAMILIES,
    rules=(check_value_converter, check_text, check_batch_size, check_boundary),
    limits=STAGE_LIMITS,
    uses_files=True,
    offset_check=check_position,
)
