"""A case: records, and how a connector reads and changes them; made from a seed."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

KAFKA = "org.apache.kafka.connect.transforms."
ICEBERG = "org.apache.iceberg.connect.transforms."
_CONVERTERS = "org.apache.kafka.connect"
_JSON = f"{_CONVERTERS}.json.JsonConverter"
_STRING = f"{_CONVERTERS}.storage.StringConverter"
_MILLIS = 1_700_000_000_500
_RECORDS = 40
_FEW = 0.1

# A transform's class and its options.
Transform = tuple[str, Mapping[str, str]]


@dataclass(frozen=True)
class SourceRecord:
    """A record as a producer sends it; its offset is its place in the case."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp: int = _MILLIS


@dataclass(frozen=True)
class Case:
    """`config` has a connector's keys of converters and transforms."""

    name: str
    config: Mapping[str, str]
    records: tuple[SourceRecord, ...]

    def without(self, offset: int, name: str) -> "Case":
        """Put a tombstone in the place of one record, so that the others keep their offsets."""
        records = list(self.records)
        records[offset] = SourceRecord(None, records[offset].key)
        return replace(self, name=name, records=tuple(records))


def case_of(seed: int) -> Case:
    """Make the case of a seed, always the same."""
    chance = random.Random(seed)  # noqa: S311
    converter, write = chance.choice(_CONVERTING)
    steps = _steps(chance, texts=converter["value.converter"] == _STRING)
    fields = _Fields(chance)
    records = tuple(_record(chance, fields, write, number) for number in range(_RECORDS))
    return Case(f"case_{seed}", {**converter, **chain_keys(steps)}, records)


def chain_keys(steps: Sequence[Transform]) -> dict[str, str]:
    """Configure transforms in their order."""
    keys = {"transforms": ",".join(f"t{number}" for number in range(len(steps)))}
    for number, (name, options) in enumerate(steps):
        prefix = f"transforms.t{number}."
        keys[f"{prefix}type"] = name
        keys |= {prefix + option: text for option, text in options.items()}
    return keys if steps else {}


_Write = Callable[[Mapping[str, Any]], bytes]


def _plain(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def _with_schema(document: Mapping[str, Any]) -> bytes:
    fields = [{"field": name, **_schema(value)} for name, value in document.items()]
    schema = {"type": "struct", "optional": False, "fields": fields}
    return json.dumps({"schema": schema, "payload": document}).encode()


_TYPES = {bool: "boolean", int: "int64", float: "double", str: "string"}


def _schema(value: Any) -> dict[str, Any]:
    """Return the schema of a value; that of null is a string's."""
    if isinstance(value, dict):
        fields = [{"field": name, **_schema(item)} for name, item in value.items()]
        return {"type": "struct", "optional": True, "fields": fields}
    if isinstance(value, list):
        items = _schema(value[0]) if value else {"type": "string", "optional": True}
        return {"type": "array", "optional": True, "items": items}
    return {"type": _TYPES.get(type(value), "string"), "optional": True}


_JSON_KEYS = {"key.converter": _STRING, "value.converter": _JSON}
_CONVERTING: tuple[tuple[dict[str, str], _Write], ...] = (
    ({**_JSON_KEYS, "value.converter.schemas.enable": "false"}, _plain),
    ({**_JSON_KEYS, "value.converter.schemas.enable": "true"}, _with_schema),
    ({"key.converter": _STRING, "value.converter": _STRING}, _plain),
)

_TEXTS = ("", "x", "12", " 7", "1.5", "true", "2022-05-04T14:12:00Z", "Ünï")
_KINDS: tuple[Callable[[random.Random], Any], ...] = (
    lambda chance: chance.choice((0, 1, -5, 2**31, 2**53 + 1)),
    lambda chance: chance.choice((0.0, 1.5, -2.25, 1e10, 1e-7)),
    lambda chance: chance.random() < 0.5,
    lambda chance: chance.choice(_TEXTS),
    lambda chance: [chance.randrange(9) for _ in range(chance.randrange(1, 3))],
    lambda chance: {"x": chance.randrange(9), "y": chance.choice(_TEXTS)},
    lambda chance: {"in": {"deep": chance.random() < 0.5}},
)
_NAMES = ("a", "b", "c", "Name", "é", "n.d")


class _Fields:
    """A kind of value for each name; in some cases a few values are of another kind."""

    def __init__(self, chance: random.Random) -> None:
        self._kinds = {name: chance.choice(_KINDS) for name in _NAMES}
        self._odd = chance.random() < 0.3

    def document(self, chance: random.Random, number: int) -> dict[str, Any]:
        document: dict[str, Any] = {"id": number}
        for name, kind in self._kinds.items():
            if chance.random() < 0.8:
                odd = self._odd and chance.random() < _FEW
                document[name] = (chance.choice(_KINDS) if odd else kind)(chance)
            elif chance.random() < 0.5:
                document[name] = None
        return document


_BROKEN = (b"{", b"", b"[1]", b"5", b'"text"', b"null", b"{}", b"\xff", b'{"id": NaN}')


def _record(chance: random.Random, fields: _Fields, write: _Write, number: int) -> SourceRecord:
    document = fields.document(chance, number)
    # The first is a plain one, for the sink makes its table from the first record it gets.
    if number and chance.random() < _FEW:
        return SourceRecord(chance.choice((None, *_BROKEN)), b"odd")
    headers = (("h", chance.choice((b"1", b"x"))),) if chance.random() < 0.5 else ()
    key = chance.choice((None, b"k", b'{"id": 1}'))
    return SourceRecord(write(document), key, headers, _MILLIS + number)


_VALUE_STEPS: tuple[Transform, ...] = (
    (f"{KAFKA}InsertField$Value", {"topic.field": "t", "offset.field": "o!"}),
    (f"{KAFKA}InsertField$Value", {"partition.field": "p", "timestamp.field": "at"}),
    (f"{KAFKA}InsertField$Value", {"static.field": "s", "static.value": "x"}),
    (f"{KAFKA}ReplaceField$Value", {"exclude": "a,é"}),
    (f"{KAFKA}ReplaceField$Value", {"include": "id,a,b,c"}),
    (f"{KAFKA}ReplaceField$Value", {"renames": "a:z,b:y"}),
    (f"{KAFKA}MaskField$Value", {"fields": "a,b"}),
    (f"{KAFKA}Cast$Value", {"spec": "a:string,b:string"}),
    (f"{KAFKA}Cast$Value", {"spec": "id:int32,c:boolean"}),
    (f"{KAFKA}Cast$Value", {"spec": "id:float64"}),
    (f"{KAFKA}TimestampConverter$Value", {"field": "id", "target.type": "Timestamp"}),
    (f"{KAFKA}Flatten$Value", {"delimiter": "_"}),
    (f"{KAFKA}HoistField$Value", {"field": "row"}),
    (f"{KAFKA}ExtractField$Value", {"field": "in"}),
    (f"{KAFKA}ValueToKey", {"fields": "id,a"}),
    (f"{ICEBERG}CopyValue", {"source.field": "id", "target.field": "copy"}),
    # Always with these options: a genuine worker has one set of them for all its connectors.
    (f"{ICEBERG}KafkaMetadataTransform", {}),
)
_ANY_STEPS: tuple[Transform, ...] = (
    (f"{KAFKA}RegexRouter", {"regex": "(.*)", "replacement": "routed-$1"}),
    (f"{KAFKA}InsertHeader", {"header": "new", "value.literal": "5"}),
    (f"{KAFKA}DropHeaders", {"headers": "h"}),
)


def _steps(chance: random.Random, *, texts: bool) -> list[Transform]:
    """Draw up to three; texts become structs first, or no record could be a row."""
    steps = [chance.choice((*_VALUE_STEPS, *_ANY_STEPS)) for _ in range(chance.randrange(4))]
    if not texts:
        return steps
    root = str(chance.random() < 0.3).lower()
    return [(f"{ICEBERG}JsonToMapTransform", {"json.root": root}), *steps[:2]]
