import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.table_catalog.core.answers import Ticket, etag, loaded, matches
from frazil.table_catalog.core.errors import BadRequestError, UnprocessableError
from frazil.table_catalog.core.names import Identifier, check_name, namespace_of
from frazil.table_catalog.core.pages import Paging, page_of

KEY = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\n", "x" * 256])
def test_names_that_could_leave_their_folder_are_refused(name: str) -> None:
    with pytest.raises(BadRequestError):
        check_name(name)


@pytest.mark.parametrize("text", ["", "a\x1f", "a.b", "a\x1f..", "\x1f"])
def test_levels_that_could_not_be_told_apart_are_refused(text: str) -> None:
    with pytest.raises(BadRequestError):
        namespace_of(text)


def test_an_identifier_reads_as_people_write_it() -> None:
    assert str(Identifier.of(("a", "b"), "t")) == "a.b.t"


@given(st.sets(st.text(min_size=1, max_size=5)), st.integers(1, 4))
def test_pages_have_all_names_once_and_in_order(names: set[str], size: int) -> None:
    seen: list[str] = []
    token: str | None = ""
    while token is not None:
        paging = Paging(token, size)
        page = page_of(sorted(name for name in names if name > paging.after), paging)
        assert len(page.items) <= size
        seen += page.items
        token = page.next_token
    assert seen == sorted(names)


def test_who_does_not_ask_for_pages_gets_everything() -> None:
    assert page_of(["a", "b"], Paging(None, 1)).items == ["a", "b"]


def test_an_answer_has_the_metadata_as_they_are() -> None:
    answer = loaded('s3://b/"odd"\\name', b'{"a": 1e400}\n')
    assert b'{"a": 1e400}' in answer
    assert json.loads(answer)["metadata-location"] == 's3://b/"odd"\\name'


def test_a_tag_is_of_a_version_and_of_what_was_asked_for() -> None:
    assert etag("a", "all") != etag("a", "refs")
    assert etag("a", "all") != etag("b", "all")
    assert matches(f'"x", {etag("a", "all")}', etag("a", "all"))
    assert matches(etag("a", "all").removeprefix("W/"), etag("a", "all"))
    assert not matches(None, etag("a", "all"))


def test_a_ticket_is_for_one_request() -> None:
    first = Ticket.of("w", KEY, b"POST", b"/x", b"{}")
    Ticket.of("w", KEY.upper(), b"POST", b"/x", b"{}").check(first.fingerprint)
    with pytest.raises(UnprocessableError):
        Ticket.of("w", KEY, b"POST", b"/x", b"[]").check(first.fingerprint)
    with pytest.raises(BadRequestError):
        Ticket.of("w", "short", b"")
