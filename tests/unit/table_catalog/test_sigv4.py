import base64
import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.signed_requests import SECRET, Recording, Sent, recordings, sign

from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.sigv4 import Claim, check_body, claim_of, stated_digest, verify

RECORDED = [
    pytest.param(recording, sent, id=f"{recording.client} {sent.head.method} {sent.head.path}")
    for recording in recordings(Path(__file__).parent / "recorded")
    for sent in recording.requests
]
PATH = "/_iceberg/v1/kafkawarehouse/namespaces/streaming%1Fgr%C3%BCn/tables/a%20b%2Bc~d"


def judge(sent: Sent, secret: str = SECRET) -> Claim:
    claim = claim_of(sent.head, sent.signed_at, services=("s3tables",))
    stated, digest = stated_digest(sent.head), hashlib.sha256(sent.body).digest()
    verify(claim, sent.head, stated or digest, secret=secret)
    check_body(stated or digest, digest)
    return claim


def refusal(sent: Sent, secret: str = SECRET) -> str:
    with pytest.raises(ForbiddenError) as caught:
        judge(sent, secret)
    return caught.value.message


def a_commit() -> Sent:
    headers = {"Content-Type": "application/json", "X-Iceberg-Access-Delegation": "none"}
    return sign("POST", PATH, query="a=1&b=%C3%BC", body=b'{"updates": []}', headers=headers)


@pytest.mark.parametrize(("recording", "sent"), RECORDED)
def test_requests_of_real_clients_are_theirs(recording: Recording, sent: Sent) -> None:
    assert judge(sent, recording.secret).key_id == recording.key_id


@pytest.mark.parametrize(("recording", "sent"), RECORDED)
def test_requests_of_real_clients_are_refused_with_another_secret(
    recording: Recording, sent: Sent
) -> None:
    assert "the signature does not match" in refusal(sent, recording.secret + "!")


def test_what_the_clients_were_recorded_for_is_in_the_recordings() -> None:
    py, java = (
        [one for one in recording.requests if one.body]
        for recording in sorted(
            recordings(Path(__file__).parent / "recorded"), key=lambda one: one.client, reverse=True
        )
    )
    assert all("x-amz-content-sha256" not in one.head.headers for one in py)
    assert all(
        one.head.headers["x-amz-content-sha256"]
        == base64.b64encode(hashlib.sha256(one.body).digest()).decode()
        for one in java
    )


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/_iceberg/v1/config", "warehouse=kafkawarehouse"),
        ("/_iceberg/v1/w/namespaces", "parent=&pageToken=&pageSize=1"),
        ("/_iceberg/v1/w/namespaces", "b=2&a=2&a=1"),
        # Trino of Iceberg 1.9 writes a space in a path as a plus.
        ("/_iceberg/v1/w/namespaces/s/tables/a+b", ""),
        (PATH, "parent=streaming%1Fa%20b"),
        ("/_iceberg/v1/w/namespaces/a%2Fb%25c", ""),
    ],
)
def test_requests_signed_by_botocore_are_let_in(path: str, query: str) -> None:
    judge(sign("GET", path, query=query))


def test_a_digest_that_is_not_signed_is_refused_although_it_is_right() -> None:
    sent = sign("POST", PATH, body=b"{}")
    digest = hashlib.sha256(b"{}").hexdigest()
    assert "has to be signed" in refusal(sent.with_headers(x_amz_content_sha256=digest))


@pytest.mark.parametrize("text", ["UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"])
def test_bodies_have_to_be_signed(text: str) -> None:
    sent = sign("POST", PATH, body=b"{}", headers={"X-Amz-Content-SHA256": text})
    assert refusal(sent) == f"the body is not signed: x-amz-content-sha256 is {text}"


def test_a_header_that_names_another_body_is_refused_as_such() -> None:
    digest = hashlib.sha256(b"{}").hexdigest()
    sent = sign("POST", PATH, body=b"{}", headers={"X-Amz-Content-SHA256": digest})
    judge(sent)
    assert "another than the one that x-amz-content-sha256 names" in refusal(
        replace(sent, body=b"[]")
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda one: one.with_headers(authorization=None), "the request is not signed"),
        (lambda one: one.with_headers(authorization="Basic eDp5"), "is not one of AWS4-HMAC"),
        (lambda one: replace(one, body=b"{}"), "the signature does not match"),
        (lambda one: one.with_head(method="PUT"), "the signature does not match"),
        (lambda one: one.with_head(path=PATH.replace("%C3", "%c3")), "does not match"),
        (lambda one: one.with_headers(host="elsewhere:9100"), "the signature does not match"),
        (lambda one: one.with_headers(content_type=None), "a signed header is missing"),
        (lambda one: one.with_headers(idempotency_key="x"), "has to be signed is not: idempotency"),
        (lambda one: one.with_headers(x_iceberg_scan="x"), "has to be signed is not: x-iceberg"),
    ],
)
def test_every_refusal_has_its_own_reason(change: Callable[[Sent], Sent], reason: str) -> None:
    sent = a_commit()
    judge(sent)
    message = refusal(change(sent))
    assert reason in message
    assert SECRET not in message


def test_another_service_is_refused() -> None:
    assert "signed for another service: s3" in refusal(sign("GET", PATH, service="s3"))


def test_a_request_with_a_signature_in_its_query_is_told_where_to_put_it() -> None:
    sent = sign("GET", PATH).with_headers(authorization=None)
    query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00"
    assert "signatures in the query are not taken" in refusal(sent.with_head(query=query))


def test_the_host_has_to_be_among_the_signed_headers() -> None:
    sent = sign("GET", PATH)
    without = sent.head.headers["authorization"].replace("host;", "")
    assert "the host is not among" in refusal(sent.with_headers(authorization=without))


@pytest.mark.parametrize(("minutes", "good"), [(15, True), (16, False), (-15, True), (-16, False)])
def test_dates_are_good_for_a_quarter_of_an_hour(minutes: int, good: bool) -> None:
    sent = sign("GET", PATH)
    now = sent.signed_at + timedelta(minutes=minutes)
    if good:
        claim_of(sent.head, now, services=("s3tables",))
        return
    with pytest.raises(ForbiddenError, match="more than 15 minutes from now"):
        claim_of(sent.head, now, services=("s3tables",))


@pytest.mark.parametrize("stamp", ["", "yesterday", "20260131", "20260131T000000", "²" * 16])
def test_what_is_no_date_is_refused(stamp: str) -> None:
    sent = sign("GET", PATH)
    with pytest.raises(ForbiddenError, match="no x-amz-date"):
        claim_of(sent.with_headers(x_amz_date=stamp).head, sent.signed_at, services=("s3tables",))


def test_a_date_of_another_day_than_the_credential_is_refused() -> None:
    sent = sign("GET", PATH)
    tomorrow = sent.signed_at + timedelta(days=1)
    moved = sent.with_headers(x_amz_date=f"{tomorrow:%Y%m%dT%H%M%SZ}")
    assert "of another day" in refusal(moved)


@pytest.mark.parametrize("region", ["us-east-1", "moon-1"])
def test_any_region_is_good(region: str) -> None:
    judge(sign("GET", PATH, region=region))


def changed(text: str, at: int, byte: int) -> str:
    place = at % len(text)
    return text[:place] + chr(byte) + text[place + 1 :]


@given(st.sampled_from(["method", "path"]), st.integers(0, 500), st.integers(33, 126))
def test_no_byte_of_method_or_path_can_change(part: str, at: int, byte: int) -> None:
    sent = a_commit()
    text = getattr(sent.head, part)
    assume(changed(text, at, byte) != text)
    refusal(sent.with_head(**{part: changed(text, at, byte)}))


@given(st.integers(0, 20), st.sampled_from("0123456789ABCDEFabcxyz-_.~%&=+"))
def test_no_byte_of_the_query_can_change(at: int, byte: str) -> None:
    query = "a=1&b=2&list=%C3%BC"
    sent = sign("GET", PATH, query=query)
    other = changed(query, at, ord(byte))
    # %c3 and %C3 are one byte, and signers may spell it as they like.
    assume(unquote_to_bytes(other) != unquote_to_bytes(query))
    refusal(sent.with_head(query=other))


@given(st.integers(0, 10), st.integers(0, 200), st.integers(33, 126))
def test_no_byte_of_a_signed_header_can_change(which: int, at: int, byte: int) -> None:
    sent = a_commit()
    signed = judge(sent).signed
    name = signed[which % len(signed)]
    value = sent.head.headers[name]
    assume(changed(value, at, byte) != value)
    # Judged at the time when the true one was signed, for the date is among them.
    headers = {**sent.head.headers, name: changed(value, at, byte)}
    moved = sent.with_head(headers=headers)
    with pytest.raises(ForbiddenError):
        verify(
            claim_of(moved.head, sent.signed_at, services=("s3tables",)),
            moved.head,
            stated_digest(moved.head) or hashlib.sha256(moved.body).digest(),
            secret=SECRET,
        )


@given(st.binary(max_size=40))
def test_no_byte_of_the_body_can_change(body: bytes) -> None:
    sent = a_commit()
    assume(body != sent.body)
    refusal(replace(sent, body=body))


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_no_other_secret_will_do(secret: str) -> None:
    assume(secret != SECRET)
    refusal(a_commit(), secret)


@given(st.text(max_size=200))
def test_whatever_an_authorization_says_it_is_judged(text: str) -> None:
    with pytest.raises(ForbiddenError):
        Claim.parse(text)


@pytest.mark.parametrize("given", ["", "x", "0" * 63, "A" * 64, "AAAA", "é"])
def test_what_is_no_digest_is_refused_before_there_is_a_body(given: str) -> None:
    with pytest.raises(ForbiddenError, match="is no digest of SHA-256"):
        stated_digest(a_commit().with_headers(x_amz_content_sha256=given).head)


def test_a_request_to_another_server_with_the_same_keys_is_none_to_this_one() -> None:
    sent = sign("GET", PATH, host="Catalog.example:9100")
    asked = {"services": ("s3tables",)}
    claim_of(sent.head, sent.signed_at, **asked)
    claim_of(sent.head, sent.signed_at, **asked, hosts=["catalog.example:9100"])
    with pytest.raises(ForbiddenError, match=r"signed for another host: Catalog\.example:9100"):
        claim_of(sent.head, sent.signed_at, **asked, hosts=["catalog.example"])
