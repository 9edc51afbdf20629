import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.table_catalog.core.errors import NotAuthorizedError, OAuthError
from frazil.table_catalog.core.keys import Key, Keyring
from frazil.table_catalog.core.oauth import Counter
from frazil.table_catalog.core.rights import Principal
from frazil.table_catalog.core.tokens import find_bearer, issue

KEY = Key("sink-secret: %ü", Principal("sink"))
KEYRING = Keyring({"sink": KEY, "other": Key("other-secret", Principal("other"))})
COUNTER = Counter(KEYRING, seconds=600)
FORM = b"grant_type=client_credentials&client_id=sink&client_secret=sink-secret%3A+%25%C3%BC"


def basic(text: str) -> str:
    return f"Basic {base64.b64encode(text.encode()).decode()}"


def test_a_token_is_its_keys_until_it_ends() -> None:
    token = issue("sink", KEY, expires=1000)
    assert find_bearer(token, KEYRING, now=999.9) is KEY
    with pytest.raises(NotAuthorizedError, match="the token has expired"):
        find_bearer(token, KEYRING, now=1000)


def test_a_token_ends_with_the_secret_it_was_made_with() -> None:
    token = issue("sink", KEY, expires=1000)
    changed = Keyring({"sink": Key("another-secret", KEY.principal)})
    with pytest.raises(NotAuthorizedError, match="not one of ours"):
        find_bearer(token, changed, now=0)


def test_a_token_for_another_key_cannot_be_made_with_ones_own_secret() -> None:
    with pytest.raises(NotAuthorizedError):
        find_bearer(issue("other", KEY, expires=1000), KEYRING, now=0)


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_no_letter_of_a_token_can_change(at: int, letter: str) -> None:
    token = issue("sink", KEY, expires=1000)
    place = at % len(token)
    changed = token[:place] + letter + token[place + 1 :]
    if changed != token:
        with pytest.raises(NotAuthorizedError):
            find_bearer(changed, KEYRING, now=0)


@given(st.text())
def test_whatever_is_shown_as_a_token_is_judged(text: str) -> None:
    with pytest.raises(NotAuthorizedError):
        find_bearer(text, KEYRING, now=0)


@pytest.mark.parametrize(
    ("body", "authorization"),
    [
        (FORM, None),
        (b"grant_type=client_credentials", basic("sink:sink-secret%3A+%25%C3%BC")),
    ],
)
def test_a_pair_in_the_form_or_by_basic_is_good_for_a_token(
    body: bytes, authorization: str | None
) -> None:
    token = COUNTER.token(body, authorization, now=100.5)
    assert find_bearer(token, KEYRING, now=699) is KEY
    with pytest.raises(NotAuthorizedError):
        find_bearer(token, KEYRING, now=700)


@pytest.mark.parametrize(
    ("body", "authorization", "code"),
    [
        (b"", None, "unsupported_grant_type"),
        (FORM.replace(b"client_credentials", b"password"), None, "unsupported_grant_type"),
        (FORM + b"!", None, "invalid_client"),
        (FORM.replace(b"=sink&", b"=nobody&"), None, "invalid_client"),
        (b"grant_type=client_credentials&client_id=nobody", None, "invalid_client"),
        (FORM, basic("sink:wrong"), "invalid_client"),
        (FORM, "Basic ?", "invalid_client"),
    ],
)
def test_no_token_without_the_pair(body: bytes, authorization: str | None, code: str) -> None:
    with pytest.raises(OAuthError) as caught:
        COUNTER.token(body, authorization, now=0)
    assert caught.value.code == code
