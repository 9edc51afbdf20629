"""Bodies of requests: read strictly, kept literally, refused with a sentence instead of a trace."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Request

from frazil.contracts.states import Target
from frazil.control_api.core.errors import BadRequestError, MissingContentTypeError
from frazil.control_api.core.offsets import PartitionOffset
from frazil.control_api.core.service import Config, Submission

_FIELDS = ("name", "config", "initial_state")
_ENTRY_FIELDS = ("partition", "offset")
_INITIAL_STATES = (Target.RUNNING, Target.PAUSED, Target.STOPPED)


async def _body(request: Request) -> bytes:
    body = await request.body()
    if body and "content-type" not in request.headers:
        raise MissingContentTypeError
    return body


Body = Annotated[bytes, Depends(_body)]


def json_object(body: Body) -> dict[str, object]:
    return parse_object(body)


JsonObject = Annotated[dict[str, object], Depends(json_object)]


def flat_config(body: JsonObject) -> Config:
    return parse_config(body)


def optional_config(body: Body) -> Config | None:
    return parse_config(parse_object(body)) if body.strip() else None


OptionalConfig = Annotated[Config | None, Depends(optional_config)]
FlatConfig = Annotated[Config, Depends(flat_config)]


def submission(body: JsonObject) -> Submission:
    _refuse_unknown(body, _FIELDS)
    config = body.get("config")
    if not isinstance(config, dict):
        raise BadRequestError('The field "config" must be a JSON object of configuration keys')
    name = body.get("name")
    return Submission(
        name="" if name is None else _text(name, "name") or "",
        config=parse_config(config),
        target=_initial_state(body.get("initial_state")),
    )


def offset_entries(body: Body) -> list[PartitionOffset]:
    """Read the body of an alteration, which has the shape of what is answered."""
    parsed = parse_object(body, number=None)
    _refuse_unknown(parsed, ("offsets",))
    entries = parsed.get("offsets")
    if not entries:
        raise BadRequestError(
            "Partitions / offsets need to be provided for an alter offsets request"
        )
    if not isinstance(entries, list):
        raise BadRequestError('The field "offsets" must be an array')
    return [_offset_entry(entry) for entry in entries]


OffsetEntries = Annotated[list[PartitionOffset], Depends(offset_entries)]


def _offset_entry(entry: object) -> PartitionOffset:
    if not isinstance(entry, dict):
        raise BadRequestError('Each of "offsets" must be an object with a partition and an offset')
    _refuse_unknown(entry, _ENTRY_FIELDS)
    for field in _ENTRY_FIELDS:
        if not isinstance(entry.get(field), dict | None):
            raise BadRequestError(f'The field "{field}" must be a JSON object or null')
    return PartitionOffset(entry.get("partition"), entry.get("offset"))


def parse_object(body: bytes, *, number: Callable[[str], object] | None = str) -> dict[str, object]:
    """Parse JSON, by default with numbers as the text they were sent as: 1.50 stays 1.50."""
    if not body.strip():
        raise BadRequestError("The request needs a JSON object as its body, which is empty")
    try:
        parsed = json.loads(body, parse_int=number, parse_float=number, parse_constant=str)
        # Half a surrogate pair is good JSON and yet no text that could be stored or answered.
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadRequestError(f"The request body is not valid JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise BadRequestError("The request body must be a JSON object")
    return parsed


def _refuse_unknown(body: Mapping[str, object], known: Sequence[str]) -> None:
    unknown = [field for field in body if field not in known]
    if unknown:
        raise BadRequestError(
            f'Unrecognized field "{unknown[0]}"; known fields are {", ".join(known)}'
        )


def parse_config(body: Mapping[str, object]) -> Config:
    return {key: _text(value, key) for key, value in body.items()}


def _text(value: object, key: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    raise BadRequestError(
        f'The value of "{key}" must be a string, a number, a boolean or null, '
        "not a JSON object or array"
    )


def _initial_state(value: object) -> Target:
    if value is None:
        return Target.RUNNING
    for target in _INITIAL_STATES:
        if isinstance(value, str) and value.upper() == target:
            return target
    raise BadRequestError(
        f'The value of "initial_state" must be one of {", ".join(_INITIAL_STATES)}'
    )
