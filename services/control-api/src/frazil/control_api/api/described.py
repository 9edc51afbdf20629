"""What OpenAPI is told of bodies that are read by hand, and of answers besides the usual one."""

from typing import Any

from frazil.control_api.api.models import ErrorBody

_FAULTS = {
    400: "A mistake of the caller, in a sentence.",
    403: "Switched off by a setting.",
    404: "There is no such thing.",
    409: "The name is taken, or another call stands against it.",
    500: "It did not work; the sentence says whether to try again.",
}
_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_CONFIG = {
    "type": "object",
    "additionalProperties": _SCALAR,
    "examples": [{"connector.class": "FileStreamSink", "topics": "connect-test"}],
}
_MAP = {"type": ["object", "null"]}

NO_CONTENT: dict[str, Any] = {"description": "Done, and nothing to say."}
CREATED: dict[str, Any] = {
    "description": "The connector is new.",
    "headers": {"Location": {"schema": {"type": "string", "format": "uri"}}},
}


def faults(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorBody, "description": _FAULTS[status]} for status in statuses}


def _takes(schema: dict[str, Any], *, required: bool = True) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": required, "content": content}}


TAKES_CONFIG = _takes(_CONFIG)
MAY_TAKE_CONFIG = _takes(_CONFIG, required=False)
TAKES_CONNECTOR = _takes(
    {
        "type": "object",
        "required": ["config"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": ["string", "null"]},
            "config": _CONFIG,
            "initial_state": {
                "type": ["string", "null"],
                "enum": ["RUNNING", "PAUSED", "STOPPED", None],
                "description": "In any case.",
            },
        },
    }
)
TAKES_OFFSETS = _takes(
    {
        "type": "object",
        "required": ["offsets"],
        "additionalProperties": False,
        "properties": {
            "offsets": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "partition": _MAP,
                        "offset": _MAP | {"description": "null forgets the partition."},
                    },
                },
            }
        },
    }
)
TAKES_LEVEL = _takes(
    {
        "type": "object",
        "required": ["level"],
        "properties": {"level": {"type": "string", "description": "OFF to ALL, in any case."}},
    }
)
