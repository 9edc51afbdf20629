"""Transforms and predicates in a configuration: what is read of them, and what is refused."""

import pytest
from tests.support.sink_configs import PLUGIN, changed, complaints

from frazil.contracts.plugins.transforms.chain import STAGE_PLUGINS, steps_of
from frazil.contracts.plugins.transforms.forms import (
    BadFormError,
    MarkedName,
    cast_spec,
    path_of,
    renamings,
)
from frazil.contracts.plugins.transforms.sql import (
    BadStatementError,
    Statement,
    parse_statement,
)

KAFKA = "org.apache.kafka.connect.transforms."
ICEBERG = "org.apache.iceberg.connect.transforms."


def with_transform(name: str, **options: str) -> dict[str, str | None]:
    """Configure one transform, `t`; underscores in options stand for dots."""
    found = {f"transforms.t.{key.replace('_', '.')}": text for key, text in options.items()}
    return changed({"transforms": "t", "transforms.t.type": name, **found})


def test_every_class_of_connect_and_of_the_iceberg_sinks_is_known_by_its_full_name() -> None:
    names = {plugin.class_name for plugin in STAGE_PLUGINS}
    sided = "Cast ExtractField Flatten HeaderFrom HoistField InsertField MaskField ReplaceField"
    for word in [*sided.split(), "SetSchemaMetadata", "TimestampConverter"]:
        assert {f"{KAFKA}{word}$Key", f"{KAFKA}{word}$Value"} <= names
    plain = "DropHeaders Filter InsertHeader RegexRouter TimestampRouter ValueToKey"
    assert {KAFKA + word for word in plain.split()} <= names
    own = "CopyValue DebeziumTransform DmsTransform JsonToMapTransform KafkaMetadataTransform"
    for word in [*own.split(), "MongoDebeziumTransform"]:
        assert {ICEBERG + word, f"io.tabular.iceberg.connect.transforms.{word}"} <= names
    predicates = "HasHeaderKey RecordIsTombstone TopicNameMatches"
    assert {f"{KAFKA}predicates.{word}" for word in predicates.split()} <= names


def test_a_chain_is_read_in_order_with_typed_options_and_its_predicate() -> None:
    config = PLUGIN.parse(
        changed(
            {
                "transforms": "b, a",
                "transforms.a.type": f"{ICEBERG}JsonToMapTransform",
                "transforms.a.json.root": "TRUE",
                "transforms.b.type": f"{KAFKA}Cast$Key",
                "transforms.b.spec": "x:int8, y:string",
                "transforms.b.predicate": "p",
                "transforms.b.negate": "true",
                "predicates": "p",
                "predicates.p.type": f"{KAFKA}predicates.TopicNameMatches",
                "predicates.p.pattern": "a.*",
            }
        )
    )
    cast, to_map = steps_of(config)
    assert (cast.word, cast.side, cast.options["spec"]) == ("Cast", "Key", ("x:int8", "y:string"))
    assert cast.predicate is not None
    assert (cast.predicate.options, cast.predicate.negate) == ({"pattern": "a.*"}, True)
    assert (to_map.word, to_map.side, to_map.options) == (
        "JsonToMapTransform",
        None,
        {"json.root": True},
    )


def test_validate_shows_the_options_of_each_alias_with_their_defaults() -> None:
    infos = PLUGIN.validate(with_transform(f"{KAFKA}TimestampRouter"))
    shown = {info.value.name: info.value.value for info in infos.configs}
    assert shown["transforms.t.topic.format"] == "${topic}-${timestamp}"
    assert shown["transforms.t.timestamp.format"] == "yyyyMMdd"
    assert shown["transforms.t.negate"] == "false"
    assert "Transforms: t" in infos.groups
    assert infos.error_count == 0


@pytest.mark.parametrize(
    ("config", "key", "part"),
    [
        pytest.param(
            with_transform(f"{KAFKA}ReplaceFields$Value"),
            "transforms.t.type",
            f"could not be found. Did you mean {KAFKA}ReplaceField$Value?",
            id="an unknown class, with the nearest",
        ),
        pytest.param(
            changed({"transforms": "t"}),
            "transforms.t.type",
            "Missing required configuration",
            id="no class",
        ),
        pytest.param(
            with_transform(f"{KAFKA}HoistField$Value", feild="x", field="x"),
            "transforms.t.feild",
            "Unknown key transforms.t.feild. Did you mean transforms.t.field?",
            id="an unknown option, with the nearest",
        ),
        pytest.param(
            with_transform(f"{KAFKA}HoistField$Value"),
            "transforms.t.field",
            "Missing required configuration",
            id="a missing option",
        ),
        pytest.param(
            with_transform(f"{KAFKA}Cast$Value", spec="a:int9"),
            "transforms.t.spec",
            "a:int9 names no type",
            id="a cast to no type",
        ),
        pytest.param(
            with_transform(f"{KAFKA}ReplaceField$Value", renames="a"),
            "transforms.t.renames",
            "Invalid rename mapping: a",
            id="a renaming without a new name",
        ),
        pytest.param(
            with_transform(f"{KAFKA}InsertField$Value"),
            "transforms.t.topic.field",
            "No field insertion configured",
            id="an insertion of nothing",
        ),
        pytest.param(
            with_transform(f"{KAFKA}InsertField$Value", static_field="a"),
            "transforms.t.static.value",
            "No value specified for static field: a",
            id="a static field without a value",
        ),
        pytest.param(
            with_transform(f"{KAFKA}HeaderFrom$Value", fields="a,b", headers="c", operation="copy"),
            "transforms.t.fields",
            "same number of elements",
            id="more fields than headers",
        ),
        pytest.param(
            with_transform(f"{KAFKA}TimestampConverter$Value", target_type="string"),
            "transforms.t.format",
            "requires format option",
            id="a text of time without a format",
        ),
        pytest.param(
            with_transform(f"{KAFKA}SetSchemaMetadata$Value"),
            "transforms.t.schema.name",
            "Neither schema name nor version configured",
            id="metadata of nothing",
        ),
        pytest.param(
            with_transform(f"{KAFKA}RegexRouter", regex="(a", replacement="b"),
            "transforms.t.regex",
            "Not a regular expression",
            id="a broken pattern",
        ),
        pytest.param(
            with_transform(f"{ICEBERG}KafkaMetadataTransform", external_field="a"),
            "transforms.t.external.field",
            "Unknown key",
            id="an option with dots for underscores",
        ),
        pytest.param(
            with_transform(f"{KAFKA}Filter", predicate="p"),
            "transforms.t.predicate",
            "no predicate in `predicates` has this alias",
            id="a predicate that nobody defined",
        ),
        pytest.param(
            with_transform(f"{KAFKA}Filter", negate="true"),
            "transforms.t.negate",
            "defining a predicate to be negated",
            id="nothing to negate",
        ),
        pytest.param(
            changed({"predicates": "p", "predicates.p.type": f"{KAFKA}predicates.HasHeaderKeys"}),
            "predicates.p.type",
            f"Did you mean {KAFKA}predicates.HasHeaderKey?",
            id="an unknown predicate",
        ),
        pytest.param(
            with_transform("frazil.transforms.Sql", statement="SELECT a FROM other"),
            "transforms.t.statement",
            "it reads something else",
            id="another table than the record",
        ),
    ],
)
def test_a_chain_that_cannot_work_is_refused(
    config: dict[str, str | None], key: str, part: str
) -> None:
    assert part in " ".join(complaints(config)[key])


def test_options_of_an_alias_that_is_not_in_use_are_ignored() -> None:
    assert complaints(changed({"transforms.old.type": "Nope", "transforms.old.x": "y"})) == {}


@pytest.mark.parametrize(
    "pattern", ["(?<year>[0-9]+)-\\p{Alpha}+", "a++", "[a-z&&[^b]]", "\\Qx\\E"]
)
def test_what_only_java_understands_of_patterns_is_left_to_java(pattern: str) -> None:
    config = with_transform(f"{KAFKA}RegexRouter", regex=pattern, replacement="b")
    assert complaints(config) == {}


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT * FROM record", Statement(("*",), None)),
        ("select a, b AS c from record where a > 1", Statement(("a", "b AS c"), "a > 1")),
        (
            "SELECT extract(day FROM t) AS d, 'from, record' AS s FROM record",
            Statement(("extract(day FROM t) AS d", "'from, record' AS s"), None),
        ),
        (
            "SELECT f(a, b) AS x -- FROM other\n FROM record WHERE s <> 'where'",
            Statement(("f(a, b) AS x -- FROM other",), "s <> 'where'"),
        ),
        (
            "SELECT *, to_json(struct(*, 2 * a)) AS j, * EXCEPT (b) FROM record WHERE f(*) * 2 > 1",
            Statement(
                ("*", "to_json(struct(record.*, 2 * a)) AS j", "record.* EXCEPT (b)"),
                "f(record.*) * 2 > 1",
            ),
        ),
    ],
)
def test_a_statement_is_taken_apart(text: str, statement: Statement) -> None:
    assert parse_statement(text) == statement


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin with SELECT"),
        ("DELETE FROM record", "does not begin with SELECT"),
        ("SELECT a", "reads something else"),
        ("SELECT FROM record", "selects nothing"),
        ("SELECT a, FROM record", "selects nothing"),
        ("SELECT a FROM record;", "without a semicolon"),
        ("SELECT a FROM record; DROP TABLE x", "without a semicolon"),
        ("SELECT DISTINCT a FROM record", "DISTINCT would need"),
        ("SELECT a FROM record GROUP BY a", "GROUP would need"),
        ("SELECT a FROM record JOIN b", "JOIN would need"),
        ("SELECT a FROM record r", "R is not understood"),
        ("SELECT a FROM record WHERE", "WHERE is not understood"),
        ("SELECT a FROM record WHERE b IN (SELECT 1)", "second SELECT"),
        ("SELECT (TABLE text.`/etc/hostname`) FROM record", "may not read another table"),
        ("SELECT (FROM t |> AGGREGATE max(a)) FROM record", "may not read another table"),
        ("SELECT a FROM record WHERE b IN (VALUES (1))", "may not read another table"),
        ("SELECT reflect('a', 'b') FROM record", "may not call reflect"),
        ("SELECT f(a FROM record", "not closed"),
        ("SELECT a) FROM record", "not opened"),
    ],
)
def test_a_statement_of_another_shape_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadStatementError, match=why):
        parse_statement(text)


def test_little_languages_are_read() -> None:
    assert cast_spec(["a.b:int8", "c: STRING"]) == {"a.b": "int8", "c": "string"}
    assert cast_spec(["int64"]) == {None: "int64"}
    assert renamings(["a:b", "c:d"]) == {"a": "b", "c": "d"}
    assert MarkedName.of("a!") == MarkedName("a", required=True)
    assert MarkedName.of("a?") == MarkedName.of("a") == MarkedName("a", required=False)
    assert path_of("a.b", "V1") == ("a.b",)
    assert path_of("a.`b.c`.d", "V2") == ("a", "b.c", "d")
    with pytest.raises(BadFormError):
        path_of("a.`b", "V2")
