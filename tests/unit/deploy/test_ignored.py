"""Files with licences and keys get neither into a commit nor into an image."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def _is_ignored(path: str) -> bool:
    """Ask git; 1 is its word for no, and more than that is a failure."""
    asked = subprocess.run(
        ["git", "check-ignore", "--quiet", "--no-index", path], cwd=ROOT, check=False
    )
    assert asked.returncode in (0, 1)
    return asked.returncode == 0


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone, so nothing to commit")
@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        (".env", True),
        ("deploy/compose/.env", True),
        ("deploy/compose/.env.local", True),
        ("deploy/compose/.env.example", False),
        ("deploy/compose/compose.yaml", False),
    ],
)
def test_git_ignores_files_of_keys_and_keeps_their_example(path: str, ignored: bool) -> None:
    assert _is_ignored(path) is ignored


def test_builds_of_images_do_not_see_them() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert {"**/.env", "**/.env.*"} <= set(lines)
