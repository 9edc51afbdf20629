"""Only requests for files of the table are signed, whatever they are made to look like."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.table_catalog.core.delegation import Reach
from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.rights import Action
from frazil.table_catalog.core.s3_requests import (
    DIGEST,
    Deed,
    S3Request,
    check_request,
    origin,
    spelled,
)

STORE = "http://store:9000"
TABLE = "lake/wh/n/t"
READS = Reach(Action.READ, (f"s3://{TABLE}",))
WRITES = Reach(Action.WRITE, (f"s3://{TABLE}", "s3a://lake/wh/n/more"))
NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'


def check(
    method: str,
    path: str,
    *,
    reach: Reach = WRITES,
    body: str | None = None,
    store: str = STORE,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Deed:
    request = S3Request(method, f"{store}/{path}", headers, body)
    return check_request(request, reach, endpoints={origin(STORE)})


def listing(*keys: str) -> str:
    objects = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    return f"<Delete {NAMESPACE}>{objects}<Quiet>true</Quiet></Delete>"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{TABLE}/data/a%3D1/x.parquet"),
        ("GET", f"{TABLE}/x?x-id=GetObject"),
        ("HEAD", f"{TABLE}/metadata/1.avro"),
        ("GET", "lake?list-type=2&prefix=wh%2Fn%2Ft%2F&max-keys=5"),
        ("GET", "lake/?list-type=2&prefix=wh/n/t/data"),
    ],
)
def test_readers_read_and_list(method: str, path: str) -> None:
    assert check(method, path, reach=READS).action is Action.READ


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", f"{TABLE}/x"),
        ("PUT", "lake/wh/n/more/x"),
        ("PUT", f"{TABLE}/x?partNumber=1&uploadId=u"),
        ("POST", f"{TABLE}/x?uploads"),
        ("POST", f"{TABLE}/x?uploadId=u"),
        ("DELETE", f"{TABLE}/x"),
        ("DELETE", f"{TABLE}/x?uploadId=u"),
    ],
)
def test_only_writers_write(method: str, path: str) -> None:
    assert check(method, path).action is Action.WRITE
    with pytest.raises(ForbiddenError, match="a right to read signs no"):
        check(method, path, reach=READS)


@pytest.mark.parametrize(
    "path",
    [
        "lake/wh/n/other/x",
        "lake/wh/n/t2/x",
        "lake/wh/n/t",
        f"{TABLE}/../other/x",
        f"{TABLE}/%2e%2e/other/x",
        f"{TABLE}/%252e%252e/other/x",
        "other/wh/n/t/x",
        "lake?list-type=2",
        "lake?list-type=2&prefix=wh/n/t",
        "lake?list-type=2&prefix=wh/n/t2/",
        "lake?list-type=2&prefix=wh/n/t/../",
    ],
)
def test_what_is_not_in_the_tables_folders_is_not_signed(path: str) -> None:
    with pytest.raises(ForbiddenError, match="is not in the table's folders"):
        check("GET", path)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", f"{TABLE}/x?acl"),
        ("PUT", f"{TABLE}/x?tagging"),
        ("GET", f"{TABLE}/x?versionId=1"),
        ("POST", f"{TABLE}/x?select&select-type=2"),
        ("PATCH", f"{TABLE}/x"),
        ("GET", "lake"),
        ("GET", "lake?prefix=wh/n/t/"),
        ("GET", "lake?list-type=2&prefix=wh/n/t/&versions"),
        ("PUT", "lake?policy"),
        ("DELETE", "lake"),
        ("HEAD", "lake"),
        ("GET", ""),
        ("GET", "lake?list-type=2&prefix=wh/n/t/&prefix=wh/"),
        ("GET", "lake?list-type=2&prefix=wh/n/t/+x"),
        ("GET", f"{TABLE}/%ff"),
        ("GET", f"{TABLE}/x#fragment"),
    ],
)
def test_what_is_not_known_is_not_signed(method: str, path: str) -> None:
    with pytest.raises(
        ForbiddenError, match=r"not signed|two things|cannot be read|not the address"
    ):
        check(method, path)


@pytest.mark.parametrize(
    "store",
    [
        "http://elsewhere:9000",
        "https://store:9000",
        "http://store",
        "http://store:9000@elsewhere",
        "http://user@store:9000",
        # The name of a bucket before the host's is a bucket to the store.
        "http://other.store:9000",
        "http://store:port",
        "/lake",
    ],
)
def test_only_requests_to_our_store_are_signed(store: str) -> None:
    with pytest.raises(ForbiddenError, match=r"not the address|cannot be read"):
        check("GET", f"{TABLE}/x", store=store)


@pytest.mark.parametrize(
    "header",
    ["x-amz-copy-source", "x-amz-acl", "x-amz-grant-read", "x-amz-security-token", "x-amz-new"],
)
def test_headers_that_reach_further_are_not_signed(header: str) -> None:
    with pytest.raises(ForbiddenError, match="with the header"):
        check("PUT", f"{TABLE}/x", headers={header: "1"})


def test_a_client_may_say_itself_what_the_digest_is() -> None:
    assert check("PUT", f"{TABLE}/x").digest == "UNSIGNED-PAYLOAD"
    assert check("PUT", f"{TABLE}/x", headers={DIGEST: "ab"}).digest == "ab"


def test_a_deletion_is_good_for_the_very_body_that_was_looked_at() -> None:
    body = listing("wh/n/t/a b", "wh/n/more/ü")
    digest = sha256(body.encode()).hexdigest()
    deed = check("POST", "lake?delete", body=body)
    assert deed == Deed(Action.WRITE, [f"s3://{TABLE}/a b", "s3://lake/wh/n/more/ü"], digest)
    assert check("POST", "lake?delete", body=body, headers={DIGEST: digest}) == deed
    with pytest.raises(ForbiddenError, match="the body is another"):
        check("POST", "lake?delete", body=body, headers={DIGEST: "UNSIGNED-PAYLOAD"})
    with pytest.raises(ForbiddenError, match="a right to read"):
        check("POST", "lake?delete", body=body, reach=READS)


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "keys",
        listing("wh/n/t/a", "wh/n/other/b"),
        listing("wh/n/t/../other/b"),
        listing("wh/n/t/a</Key><Key>wh/n/other/b"),
        listing("wh/n/t/a</Key><VersionId>1</VersionId><Key>wh/n/t/b"),
        listing("wh/n/t/<b>a</b>"),
        listing(""),
        f"<Delete {NAMESPACE}><Quiet><Object/></Quiet></Delete>",
        f"<Other {NAMESPACE}><Object><Key>wh/n/t/a</Key></Object></Other>",
        '<!DOCTYPE d [<!ENTITY k "wh/n/other/b">]>' + listing("&k;"),
        listing("wh/n/t/<!-- -->a"),
        listing("<![CDATA[wh/n/other/b]]>"),
    ],
)
def test_a_deletion_of_anything_else_is_not_signed(body: str | None) -> None:
    with pytest.raises(ForbiddenError):
        check("POST", "lake?delete", body=body)


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_no_spelling_of_a_key_leads_out_of_the_table(key: str) -> None:
    try:
        deed = check("GET", f"lake/{quote(key)}")
    except ForbiddenError:
        return
    assert deed.locations == [f"s3://lake/{key}"]
    assert key.startswith(("wh/n/t/", "wh/n/more/"))


def test_a_uri_is_spelled_as_the_store_reads_it() -> None:
    given = f"{STORE}/{TABLE}/a=1/ü+%20!x?prefix=a/b&delete"
    assert spelled(given) == (f"{STORE}/{TABLE}/a%3D1/%C3%BC%2B%20%21x?prefix=a%2Fb&delete=")
    assert spelled(spelled(given)) == spelled(given)


def test_aws_is_known_by_both_of_its_names() -> None:
    assert origin("https://S3.eu-1.amazonaws.com/x") == "https://s3.eu-1.amazonaws.com:443"
