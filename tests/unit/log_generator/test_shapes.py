"""Good records: of real shape, of every generation, and each with an id of its own."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.document_records import EXAMPLES
from tests.support.log_records import misfits, parse_time

from frazil.contracts.log_topics import Topic
from frazil.log_generator.shapes.apilog import APIS, ERRORS, TABLE_APIS
from frazil.log_generator.shapes.errorlog import FAULTS
from frazil.log_generator.source import Source

Record = dict[str, Any]
NOW_NS = 1_790_000_000_123_456_789
MANY = 12_000


def records(topic: Topic, count: int, seed: int = 7) -> list[Record]:
    source = Source(topic, seed=seed, start_ns=NOW_NS)
    return [json.loads(value) for value in source.take(count, lambda: NOW_NS)]


@pytest.fixture(scope="module")
def api() -> list[Record]:
    return records(Topic.API, MANY)


@pytest.fixture(scope="module")
def errors() -> list[Record]:
    return records(Topic.ERROR, MANY)


@pytest.fixture(scope="module")
def audits() -> list[Record]:
    return records(Topic.AUDIT, MANY)


def id_of(topic: Topic, record: Record) -> str:
    place = {Topic.API: "callInfo", Topic.ERROR: "tags"}.get(topic)
    text: str = (record[place] if place else record)["requestID"]
    return text


@pytest.mark.parametrize("topic", Topic)
def test_the_example_of_the_documents_fits_its_table(topic: Topic) -> None:
    assert misfits(topic, json.loads(EXAMPLES[topic])) == []


@pytest.mark.parametrize("topic", Topic)
@given(seed=st.integers(0, 2**63), now=st.integers(0, 4 * 10**18))
@settings(max_examples=6)
def test_every_record_fits_its_table(topic: Topic, seed: int, now: int) -> None:
    source = Source(topic, seed=seed, start_ns=now)
    for value in source.take(150, lambda: now):
        record = json.loads(value)
        assert misfits(topic, record) == []
        seconds_off = parse_time(record["time"]).timestamp() - now / 10**9
        assert -1.001 < seconds_off <= 0.001


@pytest.mark.parametrize("topic", Topic)
@given(seed=st.integers(0, 2**32), bad=st.sampled_from([0.0, 0.3]))
@settings(max_examples=3)
def test_the_same_seed_makes_the_same_bytes(topic: Topic, seed: int, bad: float) -> None:
    first, second = (Source(topic, seed=seed, start_ns=NOW_NS, bad=bad) for _ in range(2))
    assert first.take(300, lambda: NOW_NS) == second.take(300, lambda: NOW_NS)


@pytest.mark.parametrize("topic", Topic)
def test_other_seeds_make_other_records(topic: Topic) -> None:
    assert records(topic, 5, seed=1) != records(topic, 5, seed=2)


@pytest.mark.parametrize("topic", Topic)
def test_no_id_comes_twice_even_when_a_seed_is_used_again(topic: Topic) -> None:
    starts = (NOW_NS, NOW_NS + 1, NOW_NS + 10**9)
    ids = [
        id_of(topic, json.loads(value))
        for start in starts
        for value in Source(topic, seed=7, start_ns=start).take(MANY // 2, lambda: NOW_NS)
    ]
    assert len(set(ids)) == len(ids)


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    yield value


def test_zero_fields_are_left_out_of_api_records(api: list[Record]) -> None:
    for record in api:
        assert all(value not in (0, {}, None) for value in leaves(record))
        empty = [name for name, value in record["callInfo"].items() if value == ""]
        assert not empty
    assert any("rx" not in r["callInfo"] for r in api)
    assert any("tx" not in r["callInfo"] for r in api)


def test_a_status_fits_the_api_and_an_error_is_smaller_than_an_answer(api: list[Record]) -> None:
    by_name = {a.name: a for a in (*APIS, *TABLE_APIS)}
    for record in api:
        profile, info = by_name[record["name"]], record["callInfo"]
        failures = {status for status, _ in ERRORS[profile.scope]}
        assert info["httpStatusCode"] in {profile.ok} | failures
        if info["httpStatusCode"] in failures:
            assert info.get("tx", 0) < 400


def test_apis_differ_in_how_often_they_fail(api: list[Record]) -> None:
    calls = Counter(r["name"] for r in api)
    failed = Counter(r["name"] for r in api if r["callInfo"]["httpStatusCode"] >= 400)
    assert len(calls) >= 10
    assert failed["s3.HeadObject"] / calls["s3.HeadObject"] > 0.04
    assert failed["s3.PutObject"] / calls["s3.PutObject"] < 0.03


def test_a_few_buckets_take_most_calls(api: list[Record]) -> None:
    calls = Counter(r["bucket"] for r in api if "bucket" in r).most_common()
    assert calls[0][1] > 1.6 * calls[1][1] > 0
    assert len(calls) >= 8


def test_calls_on_the_account_name_no_bucket(api: list[Record]) -> None:
    account = [r for r in api if r["name"] in {"s3.ListBuckets", "sts.AssumeRole"}]
    assert account
    assert all("bucket" not in r and r["callInfo"]["requestPath"] == "/" for r in account)


def test_paths_name_bucket_and_object(api: list[Record]) -> None:
    for record in api:
        if "object" in record:
            path = f"/{record['bucket']}/{record['object']}"
            assert record["callInfo"]["requestPath"] == path


def test_api_records_of_all_generations_occur(api: list[Record]) -> None:
    infos = [r["callInfo"] for r in api]
    claims = [c for c in (i.get("requestClaims") for i in infos) if c]
    assert any("requestTime" not in i for i in infos), "v4.2.10 has no timings"
    assert any("requestTime" in i for i in infos), "v4.3.13 has"
    assert any(isinstance(c["exp"], int) for c in claims), "v4.3.13 has claims of any type"
    assert any(isinstance(c.get("groups"), list) for c in claims)
    assert any(isinstance(c["exp"], str) for c in claims), "v4.6.4 renders them"
    assert any(r["type"] == "table" for r in api), "v4.7.1 logs calls on tables"


def test_enums_have_values_that_no_list_knows(api: list[Record], audits: list[Record]) -> None:
    assert "tiering" in {r["origin"] for r in api}
    assert "vector" in {r["type"] for r in api}
    assert "inventory" in {r.get("category") for r in audits}


def test_times_come_with_all_digits_and_in_other_zones(api: list[Record]) -> None:
    fractions = {len(r["time"].partition(".")[2].rstrip("Z").split("+")[0]) for r in api}
    assert {9, 8, 6, 3} <= fractions
    assert any("." not in r["time"] for r in api)
    assert any(not r["time"].endswith("Z") for r in api)


def test_an_error_fits_its_api_and_has_a_trace_where_the_fault_has_one(
    errors: list[Record],
) -> None:
    by_message = {fault.message: fault for fault in FAULTS}
    for record in errors:
        fault = by_message[record["message"]]
        assert record["apiName"] in fault.apis
        assert record.get("trace", {}).get("source", []) == list(fault.source)


def test_error_records_keep_empty_names(errors: list[Record]) -> None:
    assert "" in {r["apiName"] for r in errors}


def test_audit_records_of_all_generations_occur(audits: list[Record]) -> None:
    oldest = [r for r in audits if "category" not in r]
    middle = [r for r in audits if "action" in r]
    newest = [r for r in audits if "message" in r]
    assert oldest
    assert middle
    assert newest
    assert len(oldest) + len(middle) + len(newest) == len(audits)
    assert all("details" not in r and "action" not in r for r in newest)
    assert any("diff" in r.get("metadata", {}) for r in newest)


def test_details_are_an_object_with_exactly_one_member(audits: list[Record]) -> None:
    details = [r["details"] for r in audits if "details" in r]
    assert details
    assert all(isinstance(d, dict) and len(d) == 1 for d in details)
    accounts = [d["serviceAccount"] for d in details if "serviceAccount" in d]
    assert all("expiration" in account for account in accounts)


def test_no_placeholder_is_left_in_audit_records(audits: list[Record]) -> None:
    text = json.dumps(audits)
    assert not [name for name in ("{user}", "{bucket}", "{node}") if name in text]
