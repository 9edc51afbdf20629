"""The MERGE of changes, as text: whatever columns are called, and values contain."""

from pyspark.sql.types import LongType, StringType, StructField, StructType

from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.tables.changes import merge_statement, type_at

SCHEMA = StructType([StructField("id", LongType()), StructField("odd `name`", StringType())])


def test_every_column_is_set_and_found_by_its_key() -> None:
    assert merge_statement(SCHEMA, ChangeRules(keys=("id",))) == (
        "MERGE INTO target AS t USING changes AS s ON t.`id` <=> s.`id` "
        "WHEN MATCHED AND s.frazil_change.deletes THEN DELETE "
        "WHEN MATCHED AND NOT s.frazil_change.deletes THEN UPDATE SET "
        "t.`id` = s.`id`, t.`odd ``name``` = s.`odd ``name``` "
        "WHEN NOT MATCHED AND NOT s.frazil_change.deletes THEN "
        "INSERT (`id`, `odd ``name```) VALUES (s.`id`, s.`odd ``name```)"
    )


def test_older_changes_match_nothing() -> None:
    text = merge_statement(SCHEMA, ChangeRules(keys=("id",), sequence=("cdc", "n")))
    assert text.count("AND coalesce(s.`cdc`.`n` >= t.`cdc`.`n`, true)") == 2


def test_texts_may_stand_for_what_the_row_has() -> None:
    rules = ChangeRules(keys=("id",), operation=("op",), unavailable="it's\\same")
    text = merge_statement(SCHEMA, rules)
    name = "`odd ``name```"
    kept = f"CASE WHEN s.{name} = 'it\\'s\\\\same' THEN t.{name} ELSE s.{name} END"
    assert f"t.{name} = {kept}" in text
    assert "t.`id` = s.`id`," in text


def test_without_an_operation_no_text_stands_for_anything() -> None:
    assert "CASE" not in merge_statement(SCHEMA, ChangeRules(keys=("id",), unavailable="x"))


def test_the_type_of_a_path_leads_into_structs_only() -> None:
    inner = StructType([StructField("n", LongType())])
    schema = StructType([StructField("cdc", inner), StructField("s", StringType())])
    assert type_at(schema, ("cdc", "n")) == LongType()
    assert type_at(schema, ("cdc", "m")) is None
    assert type_at(schema, ("s", "n")) is None
