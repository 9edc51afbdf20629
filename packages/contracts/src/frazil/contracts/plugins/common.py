"""The keys that every connector accepts, as Kafka Connect 4.3 defines them."""

from collections.abc import Callable
from dataclasses import replace

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType, Width, section
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import (
    AtLeast,
    KnownClass,
    OneOf,
    non_empty_without_control_chars,
    unique_aliases,
)

CONNECT_VERSION = "4.3.1"
JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
BYTES_CONVERTER = "org.apache.kafka.connect.converters.ByteArrayConverter"
HEADER_CONVERTER = "org.apache.kafka.connect.storage.SimpleHeaderConverter"


def class_names(full_name: str, kind: str) -> frozenset[str]:
    """Name a class in all ways that Connect understands: in full, its last word, without kind."""
    simple = full_name.rpartition(".")[2]
    return frozenset({full_name, simple, simple.removesuffix(kind)})


_CONVERTERS = KnownClass(
    class_names(JSON_CONVERTER, "Converter")
    | class_names(STRING_CONVERTER, "Converter")
    | class_names(BYTES_CONVERTER, "Converter")
)
_HEADER_CONVERTERS = KnownClass(_CONVERTERS.names | class_names(HEADER_CONVERTER, "Converter"))


def installed_version(class_name: str, version: str) -> Callable[[ParsedConfig], list[Complaint]]:
    """Make the rule that refuses any version but the one there is, on both keys that name it."""

    def check_version(config: ParsedConfig) -> list[Complaint]:
        wanted = str(config["connector.plugin.version"] or version)
        if wanted in (version, f"[{version}]", f"[{version},{version}]"):
            return []
        wanted_range = wanted if wanted.startswith(("[", "(")) else f"[{wanted},{wanted}]"
        message = (
            f"Plugin {class_name} not found that matches the version range {wanted_range}, "
            f"available versions: [{version}]"
        )
        return [Complaint(k, message) for k in ("connector.class", "connector.plugin.version")]

    return check_version


def _converter(name: str, default: str, *, documentation: str, known: KnownClass | None) -> Key:
    return Key(
        name,
        KeyType.CLASS,
        default=default,
        documentation=documentation,
        width=Width.SHORT,
        display_name=f"{name.replace('.', ' ').capitalize()} class",
        validator=known,
    )


def _plugin_version(name: str, default: str | None) -> Key:
    return Key(
        f"{name}.plugin.version",
        KeyType.STRING,
        default=default,
        importance=Importance.MEDIUM if name == "connector" else Importance.LOW,
        documentation="Version of the class; the one installed is the only one there is.",
        display_name=f"{name.replace('.', ' ').capitalize()} version",
    )


def _aliases(name: str, documentation: str) -> Key:
    return Key(
        name,
        KeyType.LIST,
        default=(),
        documentation=documentation,
        group=name.capitalize(),
        width=Width.LONG,
        display_name=name.capitalize(),
        validator=unique_aliases,
    )


_COMMON_KEYS = section(
    "Common",
    Key(
        "name",
        KeyType.STRING,
        default=NO_DEFAULT,
        importance=Importance.HIGH,
        documentation="Name of the connector, the only one of its kind in this cluster.",
        display_name="Connector name",
        validator=non_empty_without_control_chars,
    ),
    Key(
        "connector.class",
        KeyType.STRING,
        default=NO_DEFAULT,
        importance=Importance.HIGH,
        documentation="Class of the connector: its full name, the last word of it, or that "
        "word without a trailing `Connector`.",
        width=Width.LONG,
        display_name="Connector class",
    ),
    _plugin_version("connector", None),
    Key(
        "tasks.max",
        KeyType.INT,
        default=1,
        importance=Importance.HIGH,
        documentation="Parallelism. A connector is one Spark driver, shown as task 0; this "
        "is the number of cores it works with.",
        width=Width.SHORT,
        display_name="Tasks max",
        validator=AtLeast(1),
    ),
    Key(
        "tasks.max.enforce",
        KeyType.BOOLEAN,
        default=True,
        documentation="Accepted without effect: a connector never has more than one task.",
        width=Width.SHORT,
        display_name="Enforce tasks max",
    ),
    _converter(
        "key.converter",
        STRING_CONVERTER,
        documentation="Reader of record keys. Checked only; keys are not used.",
        known=_CONVERTERS,
    ),
    _plugin_version("key.converter", CONNECT_VERSION),
    _converter(
        "value.converter",
        JSON_CONVERTER,
        documentation="Reader of record values.",
        known=None,
    ),
    _plugin_version("value.converter", CONNECT_VERSION),
    _converter(
        "header.converter",
        HEADER_CONVERTER,
        documentation="Reader of record headers. Checked only; headers are not used.",
        known=_HEADER_CONVERTERS,
    ),
    _plugin_version("header.converter", CONNECT_VERSION),
    _aliases("transforms", "Changes made to each record before it is written, in order."),
    _aliases("predicates", "Conditions that transforms refer to."),
    Key(
        "config.action.reload",
        KeyType.STRING,
        default="restart",
        documentation="What to do when a value behind a `${...}` reference changes. Accepted "
        "without effect: references are not resolved yet.",
        display_name="Reload action",
        validator=OneOf(("none", "restart")),
    ),
)

_ERROR_KEYS = section(
    "Error Handling",
    Key(
        "errors.retry.timeout",
        KeyType.LONG,
        default=0,
        importance=Importance.MEDIUM,
        documentation="Longest time in milliseconds to repeat a failed operation on one record. "
        "Accepted without effect: a record is read or it is not, and failing services are "
        "tried again by restarts.",
        display_name="Retry timeout",
    ),
    Key(
        "errors.retry.delay.max.ms",
        KeyType.LONG,
        default=60000,
        importance=Importance.MEDIUM,
        documentation="Longest pause between such repetitions. Accepted without effect.",
        display_name="Longest retry delay",
    ),
    Key(
        "errors.tolerance",
        KeyType.STRING,
        default="none",
        importance=Importance.MEDIUM,
        documentation="`none`: the first record that cannot be read or written fails the task. "
        "`all`: such records are skipped, and counted as dead in status and ledger.",
        width=Width.SHORT,
        display_name="Error tolerance",
        validator=OneOf(("none", "all")),
    ),
    Key(
        "errors.log.enable",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Log tolerated errors. Accepted without effect: they are always counted.",
        width=Width.SHORT,
        display_name="Log errors",
    ),
    Key(
        "errors.log.include.messages",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Log the bad records themselves. Accepted without effect.",
        width=Width.SHORT,
        display_name="Log error details",
    ),
)


def common_keys(version: str) -> tuple[Key, ...]:
    """Keys of every connector; `version` is the one of its class."""
    return tuple(
        replace(key, default=version) if key.name == "connector.plugin.version" else key
        for key in _COMMON_KEYS + _ERROR_KEYS
    )
