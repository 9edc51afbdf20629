"""Hiding: however a secret is spelled on its way out, it does not get out."""

import json
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frazil.runtime.hiding import MASK, Hiding

PLANTED = 'tr0ub"4dor&ü\\3'


@pytest.mark.parametrize(
    "text",
    [
        PLANTED,
        f"url=jdbc:x?password={quote(PLANTED, safe='')}",
        json.dumps({"why": f"no: {PLANTED}"}),
        json.dumps([PLANTED], ensure_ascii=False),
        repr([PLANTED]),
    ],
)
def test_a_secret_is_hidden_in_every_spelling(text: str) -> None:
    hidden = Hiding([PLANTED])(text)
    assert MASK in hidden
    assert "4dor" not in hidden


def test_the_lines_of_a_key_are_hidden_one_by_one() -> None:
    hiding = Hiding(["-----BEGIN KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n"])
    assert hiding("log: MIIEvQIBADAN") == f"log: {MASK}"


def test_of_two_secrets_one_in_the_other_nothing_is_left() -> None:
    assert Hiding(["secret", "secret-and-more"])("a secret-and-more b") == f"a {MASK} b"


def test_what_is_too_short_to_be_a_secret_does_not_blot_out_the_rest() -> None:
    assert Hiding(["1", "true", ""])("1 is true") == "1 is true"


def test_secrets_may_become_known_later() -> None:
    hiding = Hiding()
    assert hiding("the planted one") == "the planted one"
    hiding.add(["planted"])
    assert hiding("the planted one") == f"the {MASK} one"


@pytest.mark.parametrize("login", ["ada:tr0ub4dor", "ada:tr0ub4dor!", "ada:tr0ub4dor!!"])
def test_a_login_is_hidden_as_http_sends_it(login: str) -> None:
    sent = b64encode(login.encode()).decode()
    assert Hiding([login])(f"Basic {sent}").rstrip("=") == f"Basic {MASK}"


@given(st.text(min_size=6), st.text(), st.text())
def test_no_secret_survives_whatever_stands_around_it(secret: str, before: str, after: str) -> None:
    assume(len(secret.strip()) >= 6)
    assume(secret not in MASK and MASK not in secret)
    assume(secret not in before + MASK + after)
    assert secret not in Hiding([secret])(before + secret + after)
