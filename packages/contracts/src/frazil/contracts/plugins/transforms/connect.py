"""Kafka Connect's own transforms: their options, defaults and rules."""

from collections.abc import Iterator

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType
from frazil.contracts.plugins.common import CONNECT_VERSION
from frazil.contracts.plugins.transforms.forms import (
    BadFormError,
    non_empty_list,
    path_of,
    valid_cast,
    valid_renamings,
)
from frazil.contracts.plugins.transforms.stage import Options, StageClass, StageRule, given, option
from frazil.contracts.validators import OneOf, Optional, non_empty, valid_pattern

_PACKAGE = "org.apache.kafka.connect.transforms"

_DEFAULTS = option(
    "replace.null.with.default",
    KeyType.BOOLEAN,
    default=True,
    documentation="Whether a null becomes the default of its field, where records have schemas.",
)
_FIELDS = option(
    "fields",
    KeyType.LIST,
    default=NO_DEFAULT,
    importance=Importance.HIGH,
    documentation="Names of the fields.",
    validator=non_empty_list,
)


def _check_headers(options: Options) -> Iterator[tuple[str, str]]:
    fields, headers = options["fields"], options["headers"]
    if fields and headers and len(fields) != len(headers):
        yield (
            "fields",
            "'fields' config must have the same number of elements as 'headers' config.",
        )


_INSERTIONS = ("topic.field", "partition.field", "offset.field", "timestamp.field", "static.field")


def _check_insertion(options: Options) -> Iterator[tuple[str, str]]:
    if not given(options, *_INSERTIONS):
        yield "topic.field", "No field insertion configured"
    if options["static.field"] and options["static.value"] is None:
        field = options["static.field"]
        yield "static.value", f"No value specified for static field: {field}"


def _check_metadata(options: Options) -> Iterator[tuple[str, str]]:
    if options["schema.name"] is None and options["schema.version"] is None:
        yield "schema.name", "Neither schema name nor version configured"


def _check_times(options: Options) -> Iterator[tuple[str, str]]:
    if options["target.type"] == "string" and not options["format"]:
        yield (
            "format",
            "TimestampConverter requires format option to be specified when using string "
            "timestamps",
        )


def _check_path(options: Options) -> Iterator[tuple[str, str]]:
    try:
        path_of(options["field"] or "", options["field.syntax.version"])
    except BadFormError as error:
        yield "field", str(error)


def _sided(word: str, *keys: Key, rule: StageRule | None = None) -> StageClass:
    rules = () if rule is None else (rule,)
    return StageClass(
        word, (_PACKAGE,), sided=True, keys=keys, rules=rules, version=CONNECT_VERSION
    )


def _plain(word: str, *keys: Key) -> StageClass:
    return StageClass(word, (_PACKAGE,), keys=keys, version=CONNECT_VERSION)


def _new_field(name: str, what: str) -> Key:
    words = f"Field for {what}; with `!` behind its name it is required, with `?` optional."
    return option(name, documentation=words)


TRANSFORMS = (
    _sided(
        "Cast",
        option(
            "spec",
            KeyType.LIST,
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Fields and their new types, as `field:type`; one type alone casts the "
            "whole. Types: int8, int16, int32, int64, float32, float64, boolean, string.",
            validator=valid_cast,
        ),
        _DEFAULTS,
    ),
    _plain(
        "DropHeaders",
        option(
            "headers",
            KeyType.LIST,
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Names of the headers to remove.",
            validator=non_empty_list,
        ),
    ),
    _sided(
        "ExtractField",
        option("field", default=NO_DEFAULT, documentation="Field that becomes the whole."),
        option(
            "field.syntax.version",
            default="V1",
            importance=Importance.HIGH,
            documentation="`V2` reads dots in the field as steps into nested fields.",
            validator=OneOf(("V1", "V2"), ignore_case=True),
        ),
        _DEFAULTS,
        rule=_check_path,
    ),
    _plain("Filter"),
    _sided(
        "Flatten",
        option(
            "delimiter", default=".", documentation="What stands between outer and inner names."
        ),
    ),
    _sided(
        "HeaderFrom",
        _FIELDS,
        option(
            "headers",
            KeyType.LIST,
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Names of the headers, one for each field.",
            validator=non_empty_list,
        ),
        option(
            "operation",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="`copy` the fields, or `move` them, so that the record loses them.",
            validator=OneOf(("move", "copy")),
        ),
        _DEFAULTS,
        rule=_check_headers,
    ),
    _sided(
        "HoistField",
        option("field", default=NO_DEFAULT, documentation="Field that takes the whole."),
    ),
    _sided(
        "InsertField",
        _new_field("topic.field", "the name of the topic"),
        _new_field("partition.field", "the number of the partition"),
        _new_field("offset.field", "the offset"),
        _new_field("timestamp.field", "the time of the record"),
        _new_field("static.field", "`static.value`"),
        option("static.value", documentation="Text for `static.field`."),
        _DEFAULTS,
        rule=_check_insertion,
    ),
    _plain(
        "InsertHeader",
        option(
            "header",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Name of the header.",
            validator=non_empty,
        ),
        option(
            "value.literal",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Text of the header.",
        ),
    ),
    _sided(
        "MaskField",
        _FIELDS,
        option(
            "replacement",
            importance=Importance.LOW,
            documentation="What takes the place of numbers and texts; without it the empty text, "
            "0, false and so on.",
            validator=Optional(non_empty),
        ),
        _DEFAULTS,
    ),
    _plain(
        "RegexRouter",
        option(
            "regex",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Pattern of the whole name of the topic.",
            validator=valid_pattern,
        ),
        option(
            "replacement",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="New name; `$1` is the first group of the pattern.",
        ),
    ),
    _sided(
        "ReplaceField",
        option("exclude", KeyType.LIST, default=(), documentation="Fields to leave out."),
        option("include", KeyType.LIST, default=(), documentation="Fields to keep; all if empty."),
        option(
            "renames",
            KeyType.LIST,
            default=(),
            documentation="New names of fields, as `old:new`.",
            validator=valid_renamings,
        ),
        _DEFAULTS,
    ),
    _sided(
        "SetSchemaMetadata",
        option("schema.name", importance=Importance.HIGH, documentation="Name of the schema."),
        option(
            "schema.version",
            KeyType.INT,
            importance=Importance.HIGH,
            documentation="Version of the schema.",
        ),
        _DEFAULTS,
        rule=_check_metadata,
    ),
    _sided(
        "TimestampConverter",
        option(
            "field",
            default="",
            importance=Importance.HIGH,
            documentation="Field with the time; empty if the whole is one.",
        ),
        option(
            "target.type",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="What it becomes: string, unix, Date, Time or Timestamp.",
            validator=OneOf(("string", "unix", "Date", "Time", "Timestamp")),
        ),
        option(
            "format",
            default="",
            documentation="Pattern of times as text, as of Java's SimpleDateFormat, in UTC.",
        ),
        option(
            "unix.precision",
            default="milliseconds",
            importance=Importance.LOW,
            documentation="What numbers count: seconds, milliseconds, microseconds, nanoseconds.",
            validator=OneOf(("nanoseconds", "microseconds", "milliseconds", "seconds")),
        ),
        _DEFAULTS,
        rule=_check_times,
    ),
    _plain(
        "TimestampRouter",
        option(
            "topic.format",
            default="${topic}-${timestamp}",
            importance=Importance.HIGH,
            documentation="New name of the topic, from `${topic}` and `${timestamp}`.",
        ),
        option(
            "timestamp.format",
            default="yyyyMMdd",
            importance=Importance.HIGH,
            documentation="Pattern of `${timestamp}`, as of Java's SimpleDateFormat, in UTC.",
        ),
    ),
    _plain("ValueToKey", _FIELDS, _DEFAULTS),
)
