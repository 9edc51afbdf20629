"""Community MinIO's audit log in `apilogs`, beside records of AIStor's shape and unlike them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiokafka.admin import NewTopic
from pyiceberg.schema import Schema
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from tests.support.fleet_lab import FleetLab, Run
from tests.support.lab import Lab, wait_until
from tests.support.log_records import declared, parse_time
from tests.support.spark import LEAVES_SOCKETS

from frazil.contracts.log_topics import Topic
from frazil.contracts.offsets import Offsets
from frazil.contracts.plugins import find_plugin
from frazil.log_generator.source import Source
from frazil.provisioner.placeholders import fill
from frazil.spark_sink.core.offset_log import BatchRange
from frazil.spark_sink.outcome import Outcome
from frazil.spark_sink.store import Records

pytestmark = LEAVES_SOCKETS
ROOT = Path(__file__).parents[2]
RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "recorded" / "minio-audit.jsonl").read_text().splitlines()
]
API, AUDIT = "apilogs", "minio-audit"
NOON = 1_795_003_200_000_000_000
PLAIN = {
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
    "iceberg.tables.evolve-schema-enabled": "true",
}
Entry = dict[str, Any]


def chain(warehouse: str = "kafkawarehouse") -> dict[str, str]:
    """Read what the container stack's connector makes of its records."""
    text = (ROOT / "deploy" / "compose" / "desired-state.yaml").read_text()
    connector, *_ = yaml.safe_load(text)["connect"]["connectors"]
    keys: dict[str, str] = {
        key: fill(value, {"WAREHOUSE_NAME": warehouse})
        for key, value in connector["config"].items()
        if key.startswith(("transforms", "predicates", "value.converter", "iceberg.tables.evolve"))
    }
    return keys


_NAMES = {"timestamptz": "timestamp", "long": "bigint"}


def spelled(kind: Any) -> str:
    """Spell a type of Iceberg's schemas as Spark does."""
    if isinstance(kind, str):
        return _NAMES.get(kind, kind)
    if kind["type"] == "map":
        return f"map<{spelled(kind['key'])}, {spelled(kind['value'])}>"
    fields = (f"{field['name']}: {spelled(field['type'])}" for field in kind["fields"])
    return f"struct<{', '.join(fields)}>"


@dataclass
class Logs:
    """The table, and one connector that reads both topics."""

    lake: FleetLab
    run: Run

    def write(self, audit: Sequence[Any] = (), api: Sequence[Any] = ()) -> Outcome:
        """Write one batch of both topics."""
        start = self.run.position
        parts = {AUDIT: audit, API: api}
        end = {name: {0: start[name][0] + len(parts[name])} for name in parts}
        frames = [self._of(name, start, values) for name, values in parts.items() if values]
        records = Records(reduce(DataFrame.unionAll, frames))
        outcome = self.run.fleet.write(records, BatchRange(start, end))
        self.run.position = end
        return outcome

    def _of(self, topic: str, start: Offsets, values: Sequence[Any]) -> DataFrame:
        """Make a batch of another topic than the laboratory's."""
        stand_in = Run(self.run.spark, self.run.fleet, {"t": start[topic]})
        return stand_in.batch(values).withColumn("topic", fn.lit(topic))

    @property
    def rows(self) -> list[Entry]:
        """List the rows in order of time, without what is null."""
        spelling = """map('timestampFormat', "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")"""
        found = self.lake.sql(
            f"SELECT to_json(struct(*), {spelling}) FROM NS.apilogs ORDER BY time"
        )
        return [json.loads(text) for (text,) in found]

    def row_of(self, entry: Entry, **changes: Any) -> Entry:
        """Write one entry alone, and return its row."""
        before = len(self.rows)
        # In front of all others there may be.
        self.write([entry | {"time": f"{1970 - before}-01-01T00:00:00Z"} | changes])
        rows = self.rows
        assert len(rows) == before + 1
        return rows[0]


@pytest.fixture
def logs(lake: FleetLab) -> Logs:
    fields = declared("apilogs")["schema"]["fields"]
    columns = ", ".join(
        f"{field['name']} {spelled(field['type'])}{' NOT NULL' if field['required'] else ''}"
        for field in fields
    )
    lake.sql(f"CREATE TABLE NS.apilogs ({columns}) USING iceberg PARTITIONED BY (bucket)")
    return started(lake, chain())


def started(lake: FleetLab, keys: Mapping[str, str], connector: str = "c") -> Logs:
    keys = {
        **keys,
        "iceberg.tables": f"{lake.namespace}.apilogs",
        "errors.tolerance": "all",
    }
    return Logs(lake, lake.start(1, keys, topics=(API, AUDIT), connector=connector))


def generated(count: int) -> list[str]:
    moments = iter(range(NOON, NOON + count * 1_000_000, 1_000_000))
    source = Source(Topic.API, seed=7, start_ns=NOON)
    return [value.decode() for value in source.take(count, moments.__next__)]


def of(name: str, **fields: Any) -> Entry:
    """Return the first recorded entry of an API that is a row, changed."""
    found = (one for one in RECORDED if one["api"].get("name") == name and is_written(one))
    return {**next(found), **fields}


def is_written(entry: Entry) -> bool:
    return entry["api"].get("bucket") not in ("kafkawarehouse", ".minio.sys")


def test_every_call_that_is_not_for_the_warehouse_is_a_row(logs: Logs) -> None:
    columns = logs.lake.columns("apilogs")
    outcome = logs.write(RECORDED)
    expected = [entry for entry in RECORDED if is_written(entry)]
    assert len(expected) == 44
    assert (outcome.consumed, outcome.written, outcome.dead) == (57, 44, 0)
    rows = logs.rows
    times = {row["callInfo"]["requestID"]: parse_time(row["time"]) for row in rows}
    assert times == {entry["requestID"]: parse_time(entry["time"]) for entry in expected}
    assert {row.get("bucket") for row in rows} == {None, "audit-demo", "no-such-bucket"}
    assert logs.lake.columns("apilogs") == columns


def test_an_entry_becomes_the_row_that_aistor_would_have_logged(logs: Logs) -> None:
    logs.write(RECORDED)
    rows = {row["callInfo"]["requestID"]: row for row in logs.rows}
    entry = next(e for e in RECORDED if "versionId" in e.get("requestQuery", {}))
    row = rows[entry["requestID"]]
    call = row.pop("callInfo")
    assert row == {
        "version": "1",
        "time": row["time"],
        "origin": "client",
        "type": "object",
        "name": "s3.GetObject",
        "bucket": "audit-demo",
        "object": "dir/hello.txt",
        "versionId": "c1bcb39d-9e68-45fe-bac4-80834648cc4a",
        "tags": {"GetObject": "name=dir/hello.txt,pool=1,set=1"},
    }
    same = ("requestID", "userAgent", "requestPath", "requestHost", "requestQuery", "accessKey",
            "responseHeader")  # fmt: skip
    assert call == {
        "httpStatusCode": 200,
        **{name: entry["api"][name] for name in ("rx", "tx", "txHeaders")},
        **{name: entry["api"][name] for name in ("timeToFirstByte", "timeToResponse")},
        "sourceHost": entry["remotehost"],
        **{name: entry[name] for name in same},
        "requestHeader": entry["requestHeader"] | {"Authorization": "***"},
    }
    alice = rows[RECORDED[-1]["requestID"]]
    assert alice["versionId"] == "78cd980f-7ed6-4aec-b88e-c12e1d01e95a"
    assert alice["callInfo"]["parentUser"] == "alice"
    assert alice["callInfo"]["requestClaims"] == {
        "accessKey": "P31AZ4SUF0IOMU02XCGM", "exp": "1795010883", "parent": "alice",
    }  # fmt: skip


KINDS = [
    ("ListBuckets", "s3.ListBuckets", "bucket"),
    ("HeadBucket", "s3.HeadBucket", "bucket"),
    ("CopyObject", "s3.CopyObject", "object"),
    ("AddUser", "admin.AddUser", "admin"),
    ("AssumeRole", "sts.AssumeRole", "auth"),
]


def test_names_and_types_are_those_of_aistor(logs: Logs) -> None:
    logs.write([of(name) for name, _, _ in KINDS])
    found = {(row["name"], row["type"]) for row in logs.rows}
    assert found == {(name, kind) for _, name, kind in KINDS}


ORIGINS = [
    ("incoming", "client"),
    (" ilm:transition", "ilm"),
    ("ilm:expiry", "ilm"),
    ("replicate:object", "replicate"),
    ("HealObject", "heal"),
    ("DeleteDanglingObject", "heal"),
    ("decommission", "decommission"),
    ("rebalance", "rebalance"),
    ("KeyRotate", "batch"),
    ("scanner:size", None),
]


def test_the_trigger_tells_the_origin(logs: Logs) -> None:
    entry = of("ListBuckets")
    logs.write([entry | {"trigger": trigger, "requestID": trigger} for trigger, _ in ORIGINS])
    found = {row["callInfo"]["requestID"]: row.get("origin") for row in logs.rows}
    assert found == dict(ORIGINS)


def test_what_the_server_does_by_itself_has_no_call(logs: Logs) -> None:
    (heal, *_) = RECORDED
    assert heal["event"] == "HealObject"
    row = logs.row_of(heal, api=heal["api"] | {"bucket": "photos"})
    assert (row["origin"], row["type"], row["bucket"]) == ("heal", "object", "photos")
    assert (row["object"], row["versionId"]) == ("pool.bin", "null")
    assert row["tags"] == {"healObject": "name=pool.bin,pool=1,set=1"}
    assert not {"callInfo", "name"} & set(row)


def test_many_objects_of_one_call_are_a_tag(logs: Logs) -> None:
    entry = next(e for e in RECORDED if e["api"].get("name") == "DeleteMultipleObjects")
    objects = [{"objectName": "a,b", "versionId": "v1"}, {"objectName": "c"}]
    api = entry["api"] | {"bucket": "photos", "objects": objects}
    row = logs.row_of(entry, api=api)
    assert row["versionId"] == "v1"
    assert set(row["tags"]) == {"DeleteObjects", "objects"}
    assert json.loads(row["tags"]["objects"]) == objects
    # Another tag of that name must not fail the batch.
    row = logs.row_of(entry, api=api, tags={"objects": "x"})
    assert list(row["tags"]) == ["objects"]
    row = logs.row_of(entry, api=api, tags=None)
    assert list(row["tags"]) == ["objects"]


def test_unknown_sizes_are_null(logs: Logs) -> None:
    entry = of("CopyObject", api={"name": "CopyObject", "bucket": "b", "rx": -1, "tx": -1})
    assert not {"rx", "tx"} & set(logs.row_of(entry)["callInfo"])


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    return [value] if isinstance(value, str) else []


def secrets_of(entry: Entry) -> list[str]:
    names = ("Authorization", "X-Amz-Security-Token")
    return [entry["requestHeader"][name] for name in names if name in entry["requestHeader"]]


def test_no_row_holds_a_credential_of_the_recorded_calls(logs: Logs) -> None:
    logs.write(RECORDED)
    written = "\n".join(texts({str(n): row for n, row in enumerate(logs.rows)}))
    secrets = [text for entry in RECORDED if is_written(entry) for text in secrets_of(entry)]
    assert len(secrets) > 40
    assert not [secret for secret in secrets if secret in written]
    assert "Signature=" not in written
    assert "eyJ" not in written


HIDDEN = {
    "requestHeader": ["authorization", "X-AMZ-SECURITY-TOKEN", "Cookie", "Proxy-Authorization",
                      "X-Amz-Server-Side-Encryption-Customer-Key"],
    "requestQuery": ["X-Amz-Signature", "x-amz-credential", "X-Amz-Security-Token", "Signature",
                     "WebIdentityToken", "LDAPPassword"],
    "responseHeader": ["Set-Cookie", "set-cookie"],
    "requestClaims": ["sessionToken", "clientSecret", "PASSWORD"],
}  # fmt: skip
SHOWN: dict[str, Entry] = {
    "requestHeader": {"Host": "h", "X-Amz-Date": "d"},
    "requestQuery": {"continuation-token": "t", "X-Amz-Date": "d", "prefix": "p"},
    "responseHeader": {"ETag": "e"},
    "requestClaims": {"sa-policy": "inherited-policy", "accessKey": "a", "aud": ["x", "y"]},
}


def test_secrets_are_masked_whatever_their_case_and_their_names_stay(logs: Logs) -> None:
    entry = of("GetObject")
    maps = {where: dict.fromkeys(names, "hush") | SHOWN[where] for where, names in HIDDEN.items()}
    call = logs.row_of(entry, **maps)["callInfo"]
    for where, names in HIDDEN.items():
        assert {name: call[where].pop(name) for name in names} == dict.fromkeys(names, "***")
    call["requestClaims"]["aud"] = json.loads(call["requestClaims"]["aud"])
    assert {where: call[where] for where in SHOWN} == SHOWN


def test_a_presigned_url_that_another_page_gave_away_is_cut(logs: Logs) -> None:
    url = "https://minio/b/o?X-Amz-Signature=hush"
    row = logs.row_of(
        of("GetObject"), requestHeader={"Referer": url}, responseHeader={"Location": url}
    )
    assert row["callInfo"]["requestHeader"] == {"Referer": "https://minio/b/o"}
    assert row["callInfo"]["responseHeader"] == {"Location": "https://minio/b/o"}


LEAST = {"version": "1", "time": "2026-11-18T10:00:00Z"}
LEAN: list[tuple[Entry, Entry]] = [
    ({}, {}),
    ({"api": None}, {}),
    ({"api": {}, "tags": {}, "requestID": "r"}, {"tags": {}, "callInfo": {"requestID": "r"}}),
    ({"api": {"objects": []}, "requestQuery": {}}, {}),
    ({"api": {"name": "Odd", "rx": "many"}, "event": ["x"]}, {"name": "s3.Odd", "type": "bucket"}),
    ({"tags": {"a": 1, "b": {"c": None}}, "foo": 1}, {"tags": {"a": "1", "b": '{"c":null}'}}),
]


@pytest.mark.parametrize(("fields", "expected"), LEAN)
def test_a_batch_in_which_nobody_has_a_field(logs: Logs, fields: Entry, expected: Entry) -> None:
    columns = logs.lake.columns("apilogs")
    logs.write([LEAST | fields])
    (row,) = logs.rows
    assert parse_time(row.pop("time")) == parse_time(LEAST["time"])
    assert row == {"version": "1"} | expected
    assert logs.lake.columns("apilogs") == columns


def test_what_is_no_audit_entry_is_set_aside_alone(logs: Logs) -> None:
    columns = logs.lake.columns("apilogs")
    alien: list[Any] = [{"foo": 1}, {"time": "x"}, {"api": "x"}, "not json", "[1]", "5", None]
    outcome = logs.write([*alien, of("ListBuckets")])
    assert (outcome.consumed, outcome.written, outcome.dead) == (8, 1, 6)
    assert [row["name"] for row in logs.rows] == ["s3.ListBuckets"]
    assert logs.write(alien[:1]).dead == 1
    assert logs.lake.columns("apilogs") == columns


# What no server sends, but a program may.
ODD = [
    {"time": "2030-01-01T00:00:00Z", "tags": {}, "versionId": "", "callInfo": {"rx": "12"}},
    {"time": "2030-01-01T00:00:01Z", "tags": {"a": None, "b": 1.50}, "callInfo": {}},
    {"time": "2030-01-01T00:00:02Z", "callInfo": {"requestClaims": {"exp": 1, "aud": ["x"]}}},
]


@pytest.mark.parametrize("api", [[*generated(200), *ODD], ODD[:1]])
def test_records_of_the_other_topic_are_written_as_without_transforms(
    lake: FleetLab, logs: Logs, api: list[Any]
) -> None:
    started(lake, PLAIN, "plain").write(api=api)
    alone = logs.rows
    lake.sql("DELETE FROM NS.apilogs WHERE true")
    columns = lake.columns("apilogs")
    logs.write(RECORDED, api)
    theirs = {entry.get("requestID") for entry in RECORDED}
    rows = logs.rows
    beside = [row for row in rows if row["callInfo"].get("requestID") not in theirs - {None}]
    # Where rows are in files is nobody's promise.
    assert (len(alone), sorted(map(repr, beside))) == (len(api), sorted(map(repr, alone)))
    assert len(rows) == len(api) + 44
    assert lake.columns("apilogs") == columns


def test_only_the_other_topic_makes_columns(lake: FleetLab, logs: Logs) -> None:
    extra = json.loads(generated(1)[0]) | {"zone": "z"}
    logs.write([of("ListBuckets", rack=1)], [extra])
    assert "zone" in lake.columns("apilogs")
    assert "rack" not in lake.columns("apilogs")
    assert [row["zone"] for row in logs.rows if "zone" in row] == ["z"]


def test_records_of_an_odd_type_change_nothing_for_the_other_topic(logs: Logs) -> None:
    """One type for all would make texts of the call, and then no row of the entry."""
    odd = json.loads(generated(1)[0]) | {"callInfo": "none"}
    outcome = logs.write([of("ListBuckets")], [odd])
    assert (outcome.written, outcome.dead) == (1, 1)
    assert [row["name"] for row in logs.rows] == ["s3.ListBuckets"]


def test_the_configuration_is_valid() -> None:
    config: Mapping[str, str] = {
        "name": "iceberg-sink-apilogs",
        "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
        "topics": f"{API},{AUDIT}",
        "iceberg.tables": "streaming.apilogs",
        "iceberg.catalog.type": "rest",
        **chain(),
    }
    found = find_plugin(config["connector.class"]).validate(dict(config))
    assert [info.value.errors for info in found.configs if info.value.errors] == []


def test_a_worker_writes_both_topics_into_the_declared_table(lab: Lab) -> None:
    schema = Schema.model_validate(declared("apilogs")["schema"])
    lab.catalog.create_table("streaming.apilogs", schema)
    lab.produce_raw(json.dumps(entry).encode() for entry in RECORDED)
    other = f"{lab.topic}-api"
    lab.ask_admin(lambda admin: admin.create_topics([NewTopic(other, 1, 1)]))
    lab.produce_raw((text.encode() for text in generated(100)), partitions=1, topic=other)
    keys = chain() | {"predicates.minio.pattern": lab.topic, "topics": f"{lab.topic},{other}"}
    worker = lab.start(1, keys | {"iceberg.tables": "streaming.apilogs"})
    wait_until("the rows visible", lambda: lab.rows("apilogs") == 144 or not worker.is_alive())
    table = lab.catalog.load_table("streaming.apilogs")
    assert table.schema().column_names == schema.column_names
    assert worker.is_running()
    assert table.scan().to_arrow().num_rows == 144
