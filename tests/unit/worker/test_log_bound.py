"""A worker's log begins anew when it is too long, and no line is lost by that."""

import subprocess
import sys
from pathlib import Path

_WRITER = """
import os, sys, time
from pathlib import Path
from frazil.worker import log_bound
log_bound.MOST_BYTES, log_bound._LOOK_SECONDS = 2000, 0.001
file = Path(sys.argv[1])
log_bound.bound_log(file)
log_bound.bound_log(file.with_name("another.log"))
first, line, deadline = file.stat().st_ino, 0, time.monotonic() + 20
while file.stat().st_ino == first and time.monotonic() < deadline:
    for _ in range(50):
        os.write(1 + line % 2, b"line %d\\n" % line)
        line += 1
    time.sleep(0.001)
print(f"{line} lines")
"""


def numbers(*files: Path) -> list[int]:
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert lines.pop() == f"{len(lines)} lines"
    return [int(line.removeprefix("line ")) for line in lines]


def run(code: str, file: Path) -> None:
    with file.open("ab") as log:
        subprocess.run([sys.executable, "-c", code, file], stdout=log, stderr=log, check=True)


def test_a_log_that_is_too_long_is_followed_by_another_without_a_gap(tmp_path: Path) -> None:
    file, older = tmp_path / "worker.log", tmp_path / "worker.1.log"
    run(_WRITER, file)
    assert {path.name for path in tmp_path.iterdir()} == {"worker.log", "worker.1.log"}
    found = numbers(older, file)
    assert found == list(range(len(found)))
    assert older.stat().st_size > 2000


def test_output_that_goes_elsewhere_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "worker.log").write_text("x" * 5000)
    code = _WRITER.replace("time.monotonic() + 20", "time.monotonic() + 0.05")
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "worker.log"], capture_output=True, check=True
    )
    assert b"lines" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["worker.log"]


def test_only_one_older_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "worker.log"
    code = (
        "import sys; from pathlib import Path; from frazil.worker.log_bound import begin_new\n"
        "for number in range(3):\n"
        "    print('round', number); begin_new(Path(sys.argv[1]))\n"
        "print('end')"
    )
    run(code, file)
    assert file.read_text() == "end\n"
    assert (tmp_path / "worker.1.log").read_text() == "round 2\n"
    assert len(list(tmp_path.iterdir())) == 2
