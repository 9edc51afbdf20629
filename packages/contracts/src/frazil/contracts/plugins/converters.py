"""Kafka Connect's converters that we can stand in for, and Connect's rule about their settings."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from frazil.contracts.config import Key, KeyType, Width, section
from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.validators import invalid

JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
STRING_CONVERTER = "org.apache.kafka.connect.storage.StringConverter"
BYTES_CONVERTER = "org.apache.kafka.connect.converters.ByteArrayConverter"
HEADER_CONVERTER = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
AVRO_CONVERTER = "io.confluent.connect.avro.AvroConverter"
PROTOBUF_CONVERTER = "io.confluent.connect.protobuf.ProtobufConverter"
_PACKAGE = "org.apache.kafka.connect.converters"


def class_names(full_name: str, kind: str) -> frozenset[str]:
    """Name a class in all ways that Connect understands: in full, its last word, without kind."""
    simple = full_name.rpartition(".")[2]
    return frozenset({full_name, simple, simple.removesuffix(kind)})


JSON_NAMES = class_names(JSON_CONVERTER, "Converter")
STRING_NAMES = class_names(STRING_CONVERTER, "Converter")
BYTES_NAMES = class_names(BYTES_CONVERTER, "Converter")
HEADER_NAMES = class_names(HEADER_CONVERTER, "Converter")
AVRO_NAMES = class_names(AVRO_CONVERTER, "Converter")
PROTOBUF_NAMES = class_names(PROTOBUF_CONVERTER, "Converter")

Word = Literal[
    "json",
    "string",
    "bytes",
    "avro",
    "short",
    "integer",
    "long",
    "float",
    "double",
    "boolean",
    "simple",
]
NUMBER_CONVERTERS: Mapping[Word, str] = {
    "short": f"{_PACKAGE}.ShortConverter",
    "integer": f"{_PACKAGE}.IntegerConverter",
    "long": f"{_PACKAGE}.LongConverter",
    "float": f"{_PACKAGE}.FloatConverter",
    "double": f"{_PACKAGE}.DoubleConverter",
}
BOOLEAN_CONVERTER = f"{_PACKAGE}.BooleanConverter"

CONVERTER_KEYS = section(
    "Converters",
    Key(
        "value.converter.schemas.enable",
        KeyType.BOOLEAN,
        documentation="Whether JSON values carry their schema, as `schema` and `payload`. Beside "
        "`value.converter` it is true if not given, as in Kafka Connect; without that key values "
        "are plain JSON.",
        width=Width.SHORT,
        display_name="Embedded schemas",
    ),
)

_NO_PROTOBUF = "ProtobufConverter is not supported. Write the topic as JSON or Avro."
_DECIMAL_FORMAT = "String must be one of (case insensitive): BASE64, NUMERIC"
_CACHE_SIZE = "Not a number of type INT"
_SCHEMA_CONTENT = "It is not a schema of Connect as JSON"
_ENCODING = "It is not an encoding of text"
_NAMES: Mapping[Word, frozenset[str]] = {
    "json": JSON_NAMES,
    "string": STRING_NAMES,
    "bytes": BYTES_NAMES,
    "avro": AVRO_NAMES,
    **{word: class_names(name, "Converter") for word, name in NUMBER_CONVERTERS.items()},
    "boolean": class_names(BOOLEAN_CONVERTER, "Converter"),
}
_WORDS: Mapping[str, Word] = {name: word for word, names in _NAMES.items() for name in names}
_HEADER_WORDS: Mapping[str, Word] = {
    **{name: word for name, word in _WORDS.items() if word != "avro"},
    **dict.fromkeys(HEADER_NAMES, "simple"),
}
CONVERTER_NAMES = frozenset(_WORDS)
HEADER_CONVERTER_NAMES = frozenset(_HEADER_WORDS)


def schemas_enabled(config: ParsedConfig, part: str = "value") -> bool:
    """Tell whether values, or keys, carry their schema.

    Settings of a converter count beside the converter only, as in Connect; without it those of
    the worker hold, and ours has plain JSON.
    """
    name = f"{part}.converter"
    given = config.is_set(f"{name}.schemas.enable")
    if given:
        return str(config[f"{name}.schemas.enable"]).lower() == "true"
    return config.is_set(name)


@dataclass(frozen=True)
class Converting:
    """How keys or values are read; `options` are the converter's own, as they were given."""

    word: Word
    schemas: bool
    options: Mapping[str, str]


def converting(config: ParsedConfig, part: str) -> Converting:
    """Read the converter of a valid configuration; `part` is `key`, `value` or `header`."""
    name = f"{part}.converter"
    word = (_HEADER_WORDS if part == "header" else _WORDS)[config[name]]
    return Converting(word, schemas_enabled(config, part), config.prefixed(f"{name}."))


def check_converters(config: ParsedConfig) -> Iterator[Complaint]:
    """Refuse converters that there are not, and Avro without a registry."""
    for part in ("key", "value"):
        name = f"{part}.converter"
        given = config[name]
        if given in PROTOBUF_NAMES:
            yield Complaint(name, _NO_PROTOBUF)
        elif given not in _WORDS and part == "value":
            yield Complaint(name, invalid(name, given, f"Class {given} could not be found."))
        url = f"{name}.schema.registry.url"
        if given in AVRO_NAMES and not config.submitted.get(url):
            yield Complaint(name, f"{url} is not set: AvroConverter asks a registry for schemas.")
    for part in ("key", "value", "header"):
        yield from _check_settings(config, f"{part}.converter")


def _check_settings(config: ParsedConfig, name: str) -> Iterator[Complaint]:
    """Refuse settings that the converter itself would refuse when it starts."""
    word = _HEADER_WORDS.get(config[name]) or _WORDS.get(config[name])
    if word == "json":
        yield from _refused(config, f"{name}.decimal.format", _is_decimal_format, _DECIMAL_FORMAT)
        yield from _refused(config, f"{name}.schemas.cache.size", _is_size, _CACHE_SIZE)
        yield from _refused(config, f"{name}.schema.content", _is_object, _SCHEMA_CONTENT)
    elif word == "string":
        yield from _refused(config, f"{name}.converter.encoding", _is_encoding, _ENCODING)


def _refused(
    config: ParsedConfig, name: str, fits: Callable[[str], bool], why: str
) -> Iterator[Complaint]:
    given = config.submitted.get(name)
    if given and not fits(given):
        yield Complaint(name, invalid(name, given, why))


def _is_decimal_format(text: str) -> bool:
    return text.upper() in ("BASE64", "NUMERIC")


def _is_size(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdecimal()


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_encoding(text: str) -> bool:
    try:
        return "".encode(text) is not None
    except (LookupError, ValueError):
        return False
