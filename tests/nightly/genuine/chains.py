"""Chains of transforms, with predicates; made by chance."""

import random
from collections.abc import Mapping, Sequence

KAFKA = "org.apache.kafka.connect.transforms."
ICEBERG = "org.apache.iceberg.connect.transforms."

# A transform's class and its options.
Transform = tuple[str, Mapping[str, str]]

_FORMAT = "yyyy-MM-dd'T'HH:mm:ssX"
_VALUES: tuple[Transform, ...] = (
    ("InsertField$Value", {"topic.field": "t", "offset.field": "o!"}),
    ("InsertField$Value", {"partition.field": "p", "timestamp.field": "at"}),
    ("InsertField$Value", {"static.field": "s", "static.value": "x"}),
    ("ReplaceField$Value", {"exclude": "a,é"}),
    ("ReplaceField$Value", {"include": "id,to,a,b,c"}),
    ("ReplaceField$Value", {"renames": "a:z,b:y"}),
    ("MaskField$Value", {"fields": "a,b"}),
    ("MaskField$Value", {"fields": "c", "replacement": "7"}),
    ("Cast$Value", {"spec": "a:string,b:string"}),
    ("Cast$Value", {"spec": "id:int32,c:boolean"}),
    ("Cast$Value", {"spec": "id:float64"}),
    ("Cast$Value", {"spec": "a:int64"}),
    ("TimestampConverter$Value", {"field": "id", "target.type": "Timestamp"}),
    ("TimestampConverter$Value", {"field": "id", "target.type": "string", "format": _FORMAT}),
    ("TimestampConverter$Value", {"field": "a", "target.type": "unix", "format": _FORMAT}),
    ("Flatten$Value", {"delimiter": "_"}),
    ("Flatten$Value", {}),
    ("HoistField$Value", {"field": "row"}),
    ("ExtractField$Value", {"field": "b"}),
    ("ExtractField$Value", {"field": "b.x", "field.syntax.version": "V2"}),
    ("ValueToKey", {"fields": "id,a"}),
    ("HeaderFrom$Value", {"fields": "a,id", "headers": "ha,hid", "operation": "copy"}),
    ("HeaderFrom$Value", {"fields": "b", "headers": "hb", "operation": "move"}),
    ("SetSchemaMetadata$Value", {"schema.name": "n", "schema.version": "3"}),
)  # fmt: skip
_ANY: tuple[Transform, ...] = (
    ("RegexRouter", {"regex": "(.*)_(\\d+)", "replacement": "routed-$2"}),
    ("TimestampRouter", {"topic.format": "${topic}-${timestamp}", "timestamp.format": "yyyyMM"}),
    ("InsertHeader", {"header": "new", "value.literal": "5"}),
    ("DropHeaders", {"headers": "h"}),
    ("Cast$Key", {"spec": "string"}),
    ("HoistField$Key", {"field": "k"}),
    ("MaskField$Key", {"fields": "id"}),
    ("ExtractField$Key", {"field": "id"}),
)
_ICEBERG: tuple[Transform, ...] = (
    (f"{ICEBERG}CopyValue", {"source.field": "id", "target.field": "copy"}),
    # Always with these options: a genuine worker has one set of them for all its connectors.
    (f"{ICEBERG}KafkaMetadataTransform", {}),
)
_STEPS = (*((KAFKA + name, options) for name, options in (*_VALUES, *_ANY)), *_ICEBERG)
_PREDICATES = f"{KAFKA}predicates."
_CONDITIONS: tuple[Transform, ...] = (
    *((f"{_PREDICATES}HasHeaderKey", {"name": name}) for name in ("h", "hb", "new")),
    (f"{_PREDICATES}RecordIsTombstone", {}),
    (f"{_PREDICATES}TopicNameMatches", {"pattern": "case_\\d*[02468](_.*)?"}),
)
_FILTER: Transform = (f"{KAFKA}Filter", {})


def chain_keys(steps: Sequence[Transform]) -> dict[str, str]:
    """Configure transforms in their order."""
    return _listed("transforms", "t", steps)


def random_chain(chance: random.Random, first: Sequence[Transform]) -> dict[str, str]:
    """Configure up to three transforms after the given ones, some of them under a condition."""
    steps = [*first, *(chance.choice(_STEPS) for _ in range(chance.randrange(4)))]
    conditions = list[Transform]()
    for number in range(len(first), len(steps)):
        if chance.random() < 0.25:
            _put_under(chance, steps, number, f"p{len(conditions)}")
            conditions.append(chance.choice(_CONDITIONS))
    return chain_keys(steps) | _listed("predicates", "p", conditions)


def _put_under(chance: random.Random, steps: list[Transform], number: int, name: str) -> None:
    kind, options = _FILTER if chance.random() < 0.3 else steps[number]
    negate = str(chance.random() < 0.5).lower()
    steps[number] = kind, {**options, "predicate": name, "negate": negate}


def _listed(word: str, letter: str, plugins: Sequence[Transform]) -> dict[str, str]:
    if not plugins:
        return {}
    keys = {word: ",".join(f"{letter}{number}" for number in range(len(plugins)))}
    for number, (name, options) in enumerate(plugins):
        prefix = f"{word}.{letter}{number}."
        keys |= {
            f"{prefix}type": name,
            **{prefix + option: text for option, text in options.items()},
        }
    return keys
