"""How the log generator is called; it runs as a process of its own."""

import sys


def generator_command(*arguments: str, servers: str) -> list[str]:
    module = [sys.executable, "-m", "frazil.log_generator", "produce"]
    return [*module, *arguments, "--bootstrap-servers", servers]
