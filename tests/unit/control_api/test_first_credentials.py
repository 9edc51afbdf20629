"""An installation makes its first credentials by itself, once."""

from pathlib import Path

import pytest

from frazil.control_api.core.access import Caller, Credentials, Role
from frazil.control_api.secrets.first_credentials import (
    CannotMakeCredentialsError,
    make_credentials,
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "credentials.toml", tmp_path / "token"


def test_the_token_opens_what_the_credentials_keep(files: tuple[Path, Path]) -> None:
    credentials, token = files
    assert make_credentials(*files)
    known = Credentials.parse(credentials.read_text())
    assert known.caller(f"Bearer {token.read_text()}") == Caller("frazil", Role.WRITE)
    assert token.read_text() not in credentials.read_text()


def test_both_are_their_owners_alone(files: tuple[Path, Path]) -> None:
    make_credentials(*files)
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]


def test_what_is_there_stays(files: tuple[Path, Path]) -> None:
    make_credentials(*files)
    before = [file.read_text() for file in files]
    assert not make_credentials(*files)
    assert [file.read_text() for file in files] == before


def test_a_start_that_was_cut_off_is_begun_anew(files: tuple[Path, Path]) -> None:
    credentials, token = files
    token.write_text("half")
    token.with_name("token.new").write_text("quarter")
    assert make_credentials(*files)
    assert Credentials.parse(credentials.read_text()).caller(f"Bearer {token.read_text()}")


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotMakeCredentialsError, match="FRAZIL_TOKEN_FILE"):
        make_credentials(tmp_path / "x" / "credentials.toml", tmp_path / "x" / "token")
