"""CPU and memory of a process and its descendants."""

import os
import subprocess
import sys
from pathlib import Path

from bench.iceberg_sink.processes import Processes

BURN = "import time\nwhile time.process_time() < 0.2: pass"
BLOCK = "block = b'x' * 60_000_000; print(flush=True); input()"
# Its child has the memory. When a line comes, the child ends, and nobody waits for it.
PARENT = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {BLOCK!r}], stdin=subprocess.PIPE)
input()
child.kill()
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
print(flush=True)
input()
"""


def test_the_cpu_of_a_child_that_has_ended_counts() -> None:
    processes = Processes(os.getpid())
    before = processes.cpu()
    subprocess.run([sys.executable, "-c", BURN], check=True)
    # Times are in ticks of a hundredth, user and system each cut off.
    assert processes.cpu() - before > 0.15


def test_memory_is_that_of_all_that_live() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        processes = Processes(parent.pid)
        parent.stdout.readline()
        assert processes.count() == 2
        assert processes.memory_mb() > 60
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        parent.stdout.readline()
        assert processes.count() == 1
        assert processes.memory_mb() < 60


def test_memory_is_told_by_part(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.symlink_to(sys.executable)
    # The child is Java, by its name; the parent is neither that nor a task of Spark's.
    script = f"import subprocess; subprocess.run([{str(java)!r}, '-c', {BLOCK!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        parent.stdout.readline()
        memory = Processes(parent.pid).memory()
        parent.stdin.write(b"\n")
        parent.stdin.close()
    assert memory.jvm > 60 > memory.rest > memory.tasks == 0


def test_a_process_that_is_gone_has_used_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    processes = Processes(child.pid)
    assert (processes.cpu(), processes.memory_mb(), processes.count()) == (0, 0, 0)
