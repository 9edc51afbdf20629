"""The token of a client comes from a file, and is in no message."""

from pathlib import Path

import pytest

from frazil.runtime.bearer import CannotReadTokenError, bearer_from


def test_the_token_of_a_file_is_shown_without_the_lines_end(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("t0ken\n")
    assert bearer_from(file) == {"Authorization": "Bearer t0ken"}
    assert bearer_from(None) == {}


@pytest.mark.parametrize("content", [b"", b"\n", b"hush\nmore", b"hush\xff", b"hu\x00sh"])
def test_what_is_no_token_is_refused_without_showing_it(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(CannotReadTokenError) as caught:
        bearer_from(file)
    assert str(file) in str(caught.value)
    assert "hu" not in str(caught.value).replace(str(file), "")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotReadTokenError, match="No such file"):
        bearer_from(tmp_path / "token")
