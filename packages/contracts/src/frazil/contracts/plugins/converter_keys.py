"""Converters as the plugin endpoints show them: which there are, and the keys of each."""

from dataclasses import dataclass
from typing import Literal

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType, Width, section
from frazil.contracts.config_infos import ConfigDefinition
from frazil.contracts.plugins.common import CONNECT_VERSION
from frazil.contracts.plugins.converters import (
    AVRO_CONVERTER,
    BOOLEAN_CONVERTER,
    BYTES_CONVERTER,
    HEADER_CONVERTER,
    JSON_CONVERTER,
    NUMBER_CONVERTERS,
    STRING_CONVERTER,
    class_names,
)

_TYPE = Key(
    "converter.type",
    KeyType.STRING,
    default=NO_DEFAULT,
    documentation="What is converted: `key`, `value` or `header`. Nobody has to give it.",
    width=Width.NONE,
    display_name="converter.type",
)
_JSON_KEYS = (
    *section(
        "Schemas",
        Key(
            "schemas.enable",
            KeyType.BOOLEAN,
            default=True,
            importance=Importance.HIGH,
            documentation="Whether each record carries its schema.",
            display_name="Enable Schemas",
        ),
        Key(
            "schemas.cache.size",
            KeyType.INT,
            default=1000,
            importance=Importance.HIGH,
            documentation="Most schemas to remember.",
            display_name="Schema Cache Size",
        ),
        Key(
            "schema.content",
            KeyType.STRING,
            importance=Importance.HIGH,
            documentation="Schema of all records, as JSON; a record is a bare payload then. It "
            "counts if `schemas.enable` is true.",
            display_name="Schema Content",
        ),
        first=0,
    ),
    *section(
        "Serialization",
        Key(
            "decimal.format",
            KeyType.STRING,
            default="BASE64",
            documentation="How decimals are written, BASE64 or NUMERIC. Both are read, whatever "
            "this says.",
            display_name="Decimal Format",
        ),
        Key(
            "replace.null.with.default",
            KeyType.BOOLEAN,
            default=True,
            documentation="Whether a null becomes the default of its field.",
            display_name="Replace null with default",
        ),
        first=0,
    ),
)
_ENCODING = Key(
    "converter.encoding",
    KeyType.STRING,
    default="UTF-8",
    importance=Importance.HIGH,
    documentation="How text is encoded.",
    display_name="Encoding",
)


@dataclass(frozen=True)
class Converter:
    class_name: str
    keys: tuple[Key, ...] = ()
    types: tuple[Literal["converter", "header_converter"], ...] = ("converter", "header_converter")
    version: str = CONNECT_VERSION

    @property
    def names(self) -> frozenset[str]:
        return class_names(self.class_name, "Converter")

    def definitions(self) -> list[ConfigDefinition]:
        return [ConfigDefinition.of(key) for key in self.keys]


_AVRO_KEYS = (
    Key(
        "schema.registry.url",
        KeyType.LIST,
        default=NO_DEFAULT,
        importance=Importance.HIGH,
        documentation="Addresses of the schema registry, tried in turn.",
        display_name="schema.registry.url",
    ),
    Key(
        "basic.auth.credentials.source",
        KeyType.STRING,
        default="URL",
        importance=Importance.MEDIUM,
        documentation="`USER_INFO` takes the credentials from `basic.auth.user.info`.",
        display_name="basic.auth.credentials.source",
    ),
    Key(
        "basic.auth.user.info",
        KeyType.PASSWORD,
        default="",
        importance=Importance.MEDIUM,
        documentation="Credentials for the registry, as `user:password`.",
        display_name="basic.auth.user.info",
    ),
    Key(
        "schema.registry.ssl.truststore.location",
        KeyType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="File of certificates in PEM to trust, for addresses with `https`.",
        display_name="schema.registry.ssl.truststore.location",
    ),
    Key(
        "schema.registry.ssl.keystore.location",
        KeyType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="File in PEM with a certificate and its key, if the registry asks for one.",
        display_name="schema.registry.ssl.keystore.location",
    ),
    Key(
        "schema.registry.ssl.key.password",
        KeyType.PASSWORD,
        default="",
        importance=Importance.MEDIUM,
        documentation="Password of that key.",
        display_name="schema.registry.ssl.key.password",
    ),
    Key(
        "enhanced.avro.schema.support",
        KeyType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether the members of a union are called by their full names.",
        display_name="enhanced.avro.schema.support",
    ),
)

CONVERTERS = (
    Converter(AVRO_CONVERTER, _AVRO_KEYS, types=("converter",)),
    Converter(BOOLEAN_CONVERTER, (_TYPE,)),
    *(Converter(name, (_TYPE,)) for name in NUMBER_CONVERTERS.values()),
    Converter(BYTES_CONVERTER, (_TYPE,)),
    Converter(JSON_CONVERTER, (_TYPE, *_JSON_KEYS)),
    Converter(HEADER_CONVERTER, types=("header_converter",)),
    Converter(STRING_CONVERTER, (_TYPE, _ENCODING)),
)
