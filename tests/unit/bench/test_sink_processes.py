"""CPU and memory of a process and its descendants."""

import os
import subprocess
import sys

from bench.iceberg_sink.processes import Processes

BURN = "import time\nwhile time.process_time() < 0.2: pass"


def test_the_cpu_of_a_child_that_has_ended_counts() -> None:
    processes = Processes(os.getpid())
    before = processes.cpu()
    subprocess.run([sys.executable, "-c", BURN], check=True)
    # Times are in ticks of a hundredth, user and system each cut off.
    assert processes.cpu() - before > 0.15


def test_memory_is_that_of_all_that_live() -> None:
    processes = Processes(os.getpid())
    alone = processes.memory_mb()
    block = "import sys; block = b'x' * 60_000_000; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", block], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        assert processes.memory_mb() - alone > 55
        assert processes.count() == 2
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert processes.count() == 1


def test_a_process_that_is_gone_has_used_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    processes = Processes(child.pid)
    assert (processes.cpu(), processes.memory_mb(), processes.count()) == (0, 0, 0)
