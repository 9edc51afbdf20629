"""What `make images` and `make airgap-images` decide, by a docker that does as a test says."""

import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[3] / "deploy"
BASE = "debian:trixie-slim"


def stub(folder: Path, program: str, *lines: str) -> None:
    (folder / program).write_text("\n".join(("#!/bin/sh", *lines, "")))
    (folder / program).chmod(0o755)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a folder of programs; `docker` fails for what a line of `failing` begins."""
    stub(
        tmp_path,
        "docker",
        f'echo "$*" >> {tmp_path}/calls',
        "while read -r line; do",
        """  case "$*" in "$line"*) echo 'no route to host' >&2; exit 1 ;; esac""",
        f"done < {tmp_path}/failing",
    )
    (tmp_path / "calls").write_text("")
    return tmp_path


def run(path: Path, script: str, *failing: str) -> "subprocess.CompletedProcess[str]":
    (path / "failing").write_text("".join(f"{line}\n" for line in failing))
    return subprocess.run(
        [str(DEPLOY / script)],
        env={"PATH": f"{path}:/usr/bin:/bin", "HOME": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def calls(path: Path) -> list[str]:
    return (path / "calls").read_text().splitlines()


def test_a_base_image_that_is_here_is_not_pulled(path: Path) -> None:
    done = run(path, "docker/require-base.sh")
    assert (done.returncode, done.stderr) == (0, "")
    assert not [call for call in calls(path) if call.startswith("pull")]


def test_a_base_image_that_is_missing_is_pulled(path: Path) -> None:
    assert run(path, "docker/require-base.sh", "image inspect").returncode == 0
    assert calls(path)[-1] == f"pull --quiet {BASE}"


def test_where_no_registry_answers_one_sentence_names_the_way(path: Path) -> None:
    done = run(path, "docker/require-base.sh", "image inspect", "pull")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert BASE in sentence
    assert "`make airgap-images`" in sentence
    assert "no route to host" not in done.stderr


@pytest.mark.parametrize("script", ["docker/require-base.sh", "airgap/images.sh"])
def test_without_an_engine_one_sentence_names_what_brings_it(path: Path, script: str) -> None:
    done = run(path, script, "version", "image", "pull")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert "deploy/airgap/engine.sh" in sentence


def test_airgap_images_begins_with_the_base_image_which_only_root_can_make(path: Path) -> None:
    stub(path, "id", "echo 1000")
    done = run(path, "airgap/images.sh", "image inspect")
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert "sudo deploy/airgap/base-image.sh" in sentence
    assert calls(path) == ["version", f"image inspect {BASE}"]


def test_make_images_looks_for_the_base_image_before_it_builds() -> None:
    planned = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "images"],
        cwd=DEPLOY.parent, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert planned[0] == "deploy/docker/require-base.sh"
    assert any("docker build" in line for line in planned[1:])
