"""The transforms of the Iceberg sinks under both package names, and Frazil's own."""

from collections.abc import Iterator

from frazil.contracts.config import NO_DEFAULT, Importance, Key, KeyType
from frazil.contracts.plugins.transforms.sql import valid_statement
from frazil.contracts.plugins.transforms.stage import Options, StageClass, StageRule, option
from frazil.contracts.validators import OneOf, Optional, non_empty

_PACKAGES = ("org.apache.iceberg.connect.transforms", "io.tabular.iceberg.connect.transforms")
_VERSION = "0.1.0"


def _check_external(options: Options) -> Iterator[tuple[str, str]]:
    external = options["external_field"]
    if external is not None and len(external.split(",")) != 2:
        yield "external_field", f"Could not parse {external} for external_field"


def _of_iceberg(word: str, *keys: Key, rule: StageRule | None = None) -> StageClass:
    rules = () if rule is None else (rule,)
    return StageClass(word, _PACKAGES, keys=keys, rules=rules, version=_VERSION)


TRANSFORMS = (
    _of_iceberg(
        "CopyValue",
        option(
            "source.field",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Field to copy.",
        ),
        option(
            "target.field",
            default=NO_DEFAULT,
            importance=Importance.HIGH,
            documentation="Field for the copy.",
        ),
    ),
    _of_iceberg(
        "DebeziumTransform",
        option(
            "cdc.target.pattern",
            documentation="Text of `_cdc.target`, from `{db}` and `{table}`; `{db}.{table}` if not "
            "set.",
        ),
    ),
    _of_iceberg("DmsTransform"),
    _of_iceberg(
        "JsonToMapTransform",
        option(
            "json.root",
            KeyType.BOOLEAN,
            default=False,
            documentation="Whether the whole becomes one map, in the field `payload`.",
        ),
    ),
    _of_iceberg(
        "KafkaMetadataTransform",
        option(
            "field_name",
            default="_kafka_metadata",
            importance=Importance.LOW,
            documentation="Field for the metadata, or what their names begin with.",
            validator=non_empty,
        ),
        option(
            "nested",
            KeyType.BOOLEAN,
            default=False,
            importance=Importance.LOW,
            documentation="Whether they are fields of one field.",
        ),
        option(
            "external_field",
            importance=Importance.LOW,
            documentation="One more field and its text, as `name,text`.",
            validator=Optional(non_empty),
        ),
        rule=_check_external,
    ),
    _of_iceberg(
        "MongoDebeziumTransform",
        option(
            "array_handling_mode",
            default="array",
            documentation="What an array becomes: an `array`, or a `document` with the fields "
            "`_0`, `_1` and so on.",
            validator=OneOf(("array", "document")),
        ),
    ),
    StageClass(
        "Sql",
        ("frazil.transforms",),
        keys=(
            option(
                "statement",
                default=NO_DEFAULT,
                importance=Importance.HIGH,
                documentation="`SELECT ... FROM record`, with a WHERE if you like: what the value "
                "becomes, in Spark's SQL.",
                validator=valid_statement,
            ),
        ),
        version=_VERSION,
    ),
)
