"""Kafka Connect's converters that we can stand in for, and Connect's rule about their settings."""

from collections.abc import Iterator, Mapping
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

_NO_PROTOBUF = (
    "ProtobufConverter is not supported: Spark's module for Protobuf is not to be had. Write the "
    "topic as JSON or Avro."
)
_Word = Literal["json", "string", "bytes", "avro"]
_KINDS: tuple[tuple[_Word, frozenset[str]], ...] = (
    ("json", JSON_NAMES),
    ("string", STRING_NAMES),
    ("bytes", BYTES_NAMES),
    ("avro", AVRO_NAMES),
)
_WORDS: dict[str, _Word] = {name: word for word, names in _KINDS for name in names}


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

    word: _Word
    schemas: bool
    options: Mapping[str, str]


def converting(config: ParsedConfig, part: str) -> Converting:
    """Read the converter of a valid configuration; `part` is `key` or `value`."""
    name = f"{part}.converter"
    word = _WORDS[config[name]]
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
