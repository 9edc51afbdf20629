"""Which tables a sink writes: what is valid together, and which keys would have no effect."""

import pytest
from tests.support.sink_configs import PLUGIN, changed, complaints

from frazil.contracts.plugins.iceberg_tables import is_dynamic, is_evolving, table_setting

DYNAMIC = "iceberg.tables.dynamic-enabled"
FIELD = "iceberg.tables.route-field"
TEMPLATE = "frazil.tables.route"
WAY_OUT = "Correct or remove it, or set frazil.unknown.keys=warn."


def sentences(changes: dict[str, str | None], *, without: str = "") -> list[str]:
    """List what is said of a configuration, leaving out what is not supported yet."""
    found = complaints(changed(changes, without=without))
    texts = [text for messages in found.values() for text in messages]
    return [text for text in texts if "is not supported yet" not in text]


@pytest.mark.parametrize(
    ("changes", "without", "expected"),
    [
        pytest.param(
            {DYNAMIC: "true"},
            "",
            "iceberg.tables and iceberg.tables.dynamic-enabled=true exclude each other.",
            id="listed and dynamic",
        ),
        pytest.param(
            {TEMPLATE: "lake.${topic}"},
            "",
            "iceberg.tables and frazil.tables.route exclude each other.",
            id="listed and a template",
        ),
        pytest.param(
            {TEMPLATE: "lake.${topic}", FIELD: "kind"},
            "iceberg.tables",
            "iceberg.tables.route-field and frazil.tables.route exclude each other: each names the "
            "table.",
            id="a field and a template",
        ),
        pytest.param(
            {DYNAMIC: "true"},
            "iceberg.tables",
            "iceberg.tables.dynamic-enabled=true needs iceberg.tables.route-field.",
            id="dynamic by nothing",
        ),
        pytest.param(
            {"frazil.takeover.group": "connect-c", TEMPLATE: "lake.${topic}"},
            "iceberg.tables",
            "frazil.takeover.group needs iceberg.tables.",
            id="a takeover of tables that records name",
        ),
        pytest.param(
            {}, "iceberg.tables", "No table is configured: set iceberg.tables.", id="no table"
        ),
        pytest.param(
            {"iceberg.table.apilogs.partition-by": "week(time)"},
            "",
            "iceberg.table.apilogs.partition-by: week(time) is no partition: give a column, "
            "year(c), month(c), day(c), hour(c), bucket(c, n) or truncate(c, n).",
            id="a partition that there is not",
        ),
        pytest.param(
            {"iceberg.table.streaming.apilog.id-columns": "id"},
            "",
            "Key iceberg.table.streaming.apilog.id-columns has no effect: streaming.apilog is not "
            "in iceberg.tables. Did you mean iceberg.table.streaming.apilogs.id-columns? "
            + WAY_OUT,
            id="a table that is not listed",
        ),
        pytest.param(
            {"iceberg.table.apilogs.route-regex": "a.*"},
            "",
            "Key iceberg.table.apilogs.route-regex has no effect: iceberg.tables.route-field is "
            f"not set. {WAY_OUT}",
            id="a pattern for no field",
        ),
        pytest.param(
            {FIELD: "kind"},
            "",
            "iceberg.tables.route-field is set, but no table has a route-regex: nothing would be "
            f"written. {WAY_OUT}",
            id="a field without a pattern",
        ),
        pytest.param(
            {"frazil.tables.namespace": "lake"},
            "",
            "Key frazil.tables.namespace has no effect: the tables are listed. " + WAY_OUT,
            id="a namespace for listed tables",
        ),
        pytest.param(
            {"iceberg.table.apilogs.evolve-schema-enabled": "maybe"},
            "",
            "iceberg.table.apilogs.evolve-schema-enabled: maybe is neither true nor false.",
            id="neither frozen nor not",
        ),
        pytest.param(
            {"frazil.maintenance.file.bytes": "1048576"},
            "",
            "Key frazil.maintenance.file.bytes has no effect: frazil.maintenance.enabled is false. "
            "Set it, or remove the key, or set frazil.unknown.keys=warn.",
            id="an objective that nobody pursues",
        ),
    ],
)
def test_these_are_refused(changes: dict[str, str | None], without: str, expected: str) -> None:
    assert sentences(changes, without=without) == [expected]


@pytest.mark.parametrize(
    ("changes", "without"),
    [
        pytest.param({DYNAMIC: "true", FIELD: "a.b"}, "iceberg.tables", id="dynamic by a field"),
        pytest.param({TEMPLATE: "lake.${topic}"}, "iceberg.tables", id="a template alone"),
        pytest.param(
            {TEMPLATE: "${header.kind}", DYNAMIC: "true", "frazil.tables.namespace": "lake"},
            "iceberg.tables",
            id="a template, dynamic and a namespace",
        ),
        pytest.param(
            {FIELD: "kind", "iceberg.table.apilogs.route-regex": "a.*"}, "", id="by a pattern"
        ),
        pytest.param(
            {"frazil.maintenance.enabled": "true", "frazil.maintenance.history.ms": "-1"},
            "",
            id="maintenance",
        ),
        pytest.param({"iceberg.table.write-props.commit-branch": "x"}, "", id="a trap of spelling"),
        pytest.param({"iceberg.table.write-props.a.id-columns": "x"}, "", id="and another"),
    ],
)
def test_these_are_accepted(changes: dict[str, str | None], without: str) -> None:
    assert sentences(changes, without=without) == []


def test_a_key_without_effect_is_only_a_warning_if_asked_for() -> None:
    key = "iceberg.table.other.id-columns"
    config = PLUGIN.parse(changed({key: "id", "frazil.unknown.keys": "warn"}))
    assert config.warnings == (
        f"Key {key} has no effect: other is not in iceberg.tables. {WAY_OUT}",
    )


@pytest.mark.parametrize("spelling", ["streaming.apilogs", "apilogs"])
def test_a_table_is_named_with_its_namespace_or_without(spelling: str) -> None:
    config = PLUGIN.read(changed({f"iceberg.table.{spelling}.id-columns": "id"}))
    assert table_setting(config, "streaming.apilogs", "id-columns") == "id"
    assert table_setting(config, "streaming.apilogs", "partition-by") is None


@pytest.mark.parametrize("of_all", ["true", "false"])
def test_a_single_table_may_be_frozen_or_let_go(of_all: str) -> None:
    keys: dict[str, str | None] = {"iceberg.tables.evolve-schema-enabled": of_all}
    assert is_evolving(PLUGIN.read(changed(keys)), "streaming.apilogs") is (of_all == "true")
    for own in ("true", "false"):
        keys["iceberg.table.apilogs.evolve-schema-enabled"] = own
        assert is_evolving(PLUGIN.read(changed(keys)), "streaming.apilogs") is (own == "true")


def test_the_full_name_wins() -> None:
    keys: dict[str, str | None] = {
        "iceberg.table.apilogs.id-columns": "a",
        "iceberg.table.streaming.apilogs.id-columns": "b",
    }
    assert table_setting(PLUGIN.read(changed(keys)), "streaming.apilogs", "id-columns") == "b"


def test_a_template_alone_makes_tables_dynamic() -> None:
    assert is_dynamic(PLUGIN.read(changed({TEMPLATE: "${topic}"}, without="iceberg.tables")))
    assert not is_dynamic(PLUGIN.read(changed({})))
