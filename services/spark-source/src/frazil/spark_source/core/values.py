"""Texts to record values, as the converters of Kafka Connect write them."""

import json
from collections.abc import Callable

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.converters import JSON_NAMES, schemas_enabled

Convert = Callable[[str], str]

_SCHEMA = '{"schema":{"type":"string","optional":false},"payload":'


def converter(config: ParsedConfig) -> Convert:
    if config["value.converter"] not in JSON_NAMES:
        return str
    return _with_schema if schemas_enabled(config) else as_json


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _with_schema(text: str) -> str:
    return f"{_SCHEMA}{as_json(text)}}}"
