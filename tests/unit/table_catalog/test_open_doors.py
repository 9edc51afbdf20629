from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from frazil.table_catalog.core.delegation import Lending
from frazil.table_catalog.settings import Settings


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "keys.toml"
    file.touch()
    return file


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "nobody could sign"),
        ({"open": True, "host": "0.0.0.0"}, "lets anybody change tables"),
        ({"open": True, "host": "::"}, "lets anybody change tables"),
    ],
)
def test_nothing_is_open_by_accident(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Settings(**given)


def test_open_to_all_and_closed_to_those_without_a_key_is_a_contradiction(keys: Path) -> None:
    with pytest.raises(ValidationError, match="set only one"):
        Settings(keys=keys, open=True)


def test_with_keys_it_may_listen_anywhere(keys: Path) -> None:
    Settings(keys=keys, host="0.0.0.0")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_it_may_be_open(host: str) -> None:
    Settings(open=True, host=host)


def test_who_says_so_twice_is_believed() -> None:
    Settings(open=True, host="0.0.0.0", allow_remote=True)


def test_nothing_of_the_store_is_given_away_unless_a_setting_says_so() -> None:
    settings = Settings(open=True, warehouse_root="s3://")
    assert settings.vend_credentials is settings.sign_requests is Lending.OFF


@pytest.mark.parametrize("lends", ["vend_credentials", "sign_requests"])
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"warehouse_root": "file:///x"}, "are for S3"),
        ({"s3_secret_key": None}, "`keys` needs FRAZIL_S3_ACCESS_KEY"),
        ({"lending": "session"}, "set FRAZIL_STS_ROLE"),
    ],
)
def test_what_could_not_be_lent_is_not_promised(
    lends: str, given: dict[str, Any], why: str
) -> None:
    good = {"warehouse_root": "s3://", "s3_access_key": "a", "s3_secret_key": "b"}
    told: dict[str, Any] = {**good, "lending": "keys", **given}
    with pytest.raises(ValidationError, match=why):
        Settings(open=True, **told, **{lends: told["lending"]})
