"""The keys that every connector accepts, as Kafka Connect 4.3 defines them."""

from collections.abc import Callable
from dataclasses import replace

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.converters import (
    BYTES_CONVERTER,
    CONVERTER_NAMES,
    HEADER_CONVERTER,
    HEADER_CONVERTER_NAMES,
    JSON_CONVERTER,
    STRING_CONVERTER,
)
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import (
    AtLeast,
    KnownClass,
    OneOf,
    non_empty_without_control_chars,
    unique_aliases,
)
from frazil.contracts.version_range import LATEST, InvalidVersionError, unmatched

CONNECT_VERSION = "4.3.1"

_CONVERTER_CLASSES = (BYTES_CONVERTER, JSON_CONVERTER, STRING_CONVERTER)
_CONVERTERS = KnownClass(CONVERTER_NAMES)
_HEADER_CONVERTERS = KnownClass(HEADER_CONVERTER_NAMES)


def installed_version(class_name: str, version: str) -> Callable[[ParsedConfig], list[Complaint]]:
    """Make the rule that refuses any version but the one there is, on both keys that name it."""

    def check_version(config: ParsedConfig) -> list[Complaint]:
        try:
            wanted = str(config["connector.plugin.version"] or LATEST)
            message = unmatched(class_name, wanted, [version])
        except InvalidVersionError as error:
            message = str(error)
        keys = ("connector.class", "connector.plugin.version")
        return [Complaint(key, message) for key in keys if message is not None]

    return check_version


def _converter(
    name: str,
    default: str,
    *,
    documentation: str,
    known: KnownClass | None,
    recommended: tuple[str, ...] = _CONVERTER_CLASSES,
) -> Key:
    return Key(
        name,
        KeyType.CLASS,
        default=default,
        documentation=documentation,
        width=Width.SHORT,
        display_name=f"{name.replace('.', ' ').capitalize()} class",
        validator=known,
        recommended=recommended,
    )


def _plugin_version(name: str, default: str | None) -> Key:
    return Key(
        f"{name}.plugin.version",
        KeyType.STRING,
        default=default,
        importance=Importance.MEDIUM if name == "connector" else Importance.LOW,
        documentation="Version of the class; the one installed is the only one there is.",
        width=Width.MEDIUM if name == "connector" else Width.SHORT,
        recommended=() if default is None else (default,),
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
        documentation="Parallelism. A connector is one Spark driver, and this is the number of "
        "cores it works with. A sink shows as many tasks, which run, fail and restart together; a "
        "source shows one.",
        width=Width.SHORT,
        display_name="Tasks max",
        validator=AtLeast(1),
    ),
    Key(
        "tasks.max.enforce",
        KeyType.BOOLEAN,
        default=True,
        documentation="Accepted without effect: a connector never has more tasks than that.",
        width=Width.SHORT,
        display_name="Enforce tasks max",
    ),
    _converter(
        "key.converter",
        STRING_CONVERTER,
        documentation="Reader of record keys, for transforms of them.",
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
        documentation="Reader of record headers.",
        known=_HEADER_CONVERTERS,
        recommended=(*_CONVERTER_CLASSES, HEADER_CONVERTER),
    ),
    _plugin_version("header.converter", CONNECT_VERSION),
    _aliases("transforms", "Changes made to each record before it is written, in order."),
    _aliases("predicates", "Conditions that transforms refer to."),
    Key(
        "config.action.reload",
        KeyType.STRING,
        default="restart",
        documentation="What to do when the value behind a `${...}` reference changes: `restart` "
        "the connector within half a minute, or `none`.",
        display_name="Reload Action",
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
        documentation="How long, in milliseconds from the first failure without progress on, a "
        "failing worker is started again; -1: for ever. 0: as often as the control API allows to "
        "all (`FRAZIL_MAX_FAILURES`).",
        display_name="Retry Timeout for Errors",
    ),
    Key(
        "errors.retry.delay.max.ms",
        KeyType.LONG,
        default=60000,
        importance=Importance.MEDIUM,
        documentation="Longest pause between such starts, in milliseconds. Pauses double from 5 s "
        "on, and are shorter by up to a quarter, so that connectors that failed together do not "
        "start together.",
        display_name="Maximum Delay Between Retries for Errors",
    ),
    Key(
        "errors.tolerance",
        KeyType.STRING,
        default="none",
        importance=Importance.MEDIUM,
        documentation="`none`: the first record that cannot be read or written fails the task. "
        "`all`: such records are skipped, and counted as dead in status and ledger.",
        width=Width.SHORT,
        display_name="Error Tolerance",
        validator=OneOf(("none", "all")),
    ),
    Key(
        "errors.log.enable",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Log how many records of a batch were set aside, and the reason of the "
        "first. They are counted in any case.",
        width=Width.SHORT,
        display_name="Log Errors",
    ),
    Key(
        "errors.log.include.messages",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Log also where the first of them is: topic, partition and offset.",
        width=Width.SHORT,
        display_name="Log Error Details",
    ),
)

COMMON_FAMILIES = tuple(
    KeyFamily(
        f"{part}.converter.*",
        documentation=f"Other settings of the {part} converter. Those that a converter here does "
        "not know are accepted without effect.",
        group="Converters",
    )
    for part in ("key", "value", "header")
)


def common_keys(version: str) -> tuple[Key, ...]:
    """Keys of every connector; `version` is the one of its class."""
    return tuple(
        replace(key, default=version, recommended=(version,))
        if key.name == "connector.plugin.version"
        else key
        for key in _COMMON_KEYS + _ERROR_KEYS
    )
