import json

import pytest

from frazil.table_catalog.core.errors import BadRequestError
from frazil.table_catalog.core.needs import Need, needs
from frazil.table_catalog.core.rights import Action

READ, WRITE, ADMIN = Action
LAKE = "/_iceberg/v1/{prefix}"
TABLE = f"{LAKE}/namespaces/{{namespace}}/tables/{{table}}"
PARAMS = {"prefix": "lake", "namespace": "logs\x1fraw", "table": "t"}
LOGS = ("logs", "raw")


def body(document: object) -> bytes:
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("method", "route", "action"),
    [
        ("GET", TABLE, READ),
        ("HEAD", TABLE, READ),
        ("POST", TABLE, WRITE),
        ("DELETE", TABLE, WRITE),
        ("POST", f"{TABLE}/metrics", READ),
        ("POST", f"{TABLE}/plan", READ),
        ("POST", f"{TABLE}/sign", READ),
        ("POST", f"{LAKE}/namespaces/{{namespace}}/register", WRITE),
        ("POST", f"{LAKE}/namespaces/{{namespace}}/properties", WRITE),
    ],
)
def test_what_is_in_a_namespace_needs_the_right_to_it(
    method: str, route: str, action: Action
) -> None:
    assert needs(method, route, params=PARAMS) == (Need(action, "lake", LOGS),)


def test_lists_need_a_right_somewhere_in_the_warehouse() -> None:
    found = needs("GET", f"{LAKE}/namespaces", params={"prefix": "lake"})
    assert found == (Need(READ, "lake"),)


def test_a_namespace_is_made_by_those_who_may_write_it() -> None:
    found = needs(
        "POST",
        f"{LAKE}/namespaces",
        params={"prefix": "lake"},
        body=body({"namespace": ["logs", "raw"]}),
    )
    assert found == (Need(WRITE, "lake", LOGS),)


def test_to_rename_needs_both_ends() -> None:
    document = {
        "source": {"namespace": ["logs", "raw"], "name": "t"},
        "destination": {"namespace": ["other"], "name": "t"},
    }
    found = needs("POST", f"{LAKE}/tables/rename", params={"prefix": "lake"}, body=body(document))
    assert found == (Need(WRITE, "lake", LOGS), Need(WRITE, "lake", ("other",)))


def test_a_transaction_needs_all_its_tables() -> None:
    changes = [{"identifier": {"namespace": [name], "name": "t"}} for name in ("a", "b")]
    found = needs(
        "POST",
        f"{LAKE}/transactions/commit",
        params={"prefix": "lake"},
        body=body({"table-changes": changes}),
    )
    assert found == (Need(WRITE, "lake", ("a",)), Need(WRITE, "lake", ("b",)))


@pytest.mark.parametrize(
    ("route", "document"),
    [
        ("tables/rename", {}),
        ("tables/rename", {"source": {"namespace": ["a"]}}),
        ("transactions/commit", {"table-changes": []}),
        ("namespaces", []),
        ("something-new", {"namespace": ["a"]}),
    ],
)
def test_what_changes_something_and_names_no_namespace_is_for_administrators(
    route: str, document: object
) -> None:
    found = needs("POST", f"{LAKE}/{route}", params={"prefix": "lake"}, body=body(document))
    assert found == (Need(ADMIN, "lake"),)


@pytest.mark.parametrize(
    ("route", "sent"),
    [
        ("namespaces", b"{"),
        ("namespaces", body({"namespace": [1]})),
        ("namespaces", body({"namespace": "a"})),
        ("tables/rename", body({"source": {}, "destination": {}})),
        ("transactions/commit", body({"table-changes": [{}]})),
    ],
)
def test_what_cannot_be_understood_is_a_bad_request(route: str, sent: bytes) -> None:
    with pytest.raises(BadRequestError):
        needs("POST", f"{LAKE}/{route}", params={"prefix": "lake"}, body=sent)


def test_warehouses_are_listed_by_all_and_changed_by_administrators() -> None:
    route = "/_iceberg/v1/warehouses"
    assert needs("GET", route, params={}) == ()
    assert needs("GET", "/_iceberg/v1/config", params={}) == ()
    assert needs("POST", route, params={}, body=b"{}") == (Need(ADMIN, "*"),)
    found = needs("DELETE", f"{route}/{{name}}", params={"name": "lake"})
    assert found == (Need(ADMIN, "lake"),)
