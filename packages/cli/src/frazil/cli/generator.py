"""How the log generator is called; it runs as a process of its own."""

import sys
from collections.abc import Mapping

from frazil.contracts.log_topics import Topic, as_variables

RECORDS = 1_000
"""How many a topic, if nothing is said; the generator itself would go on until a signal."""


def generator_command(*arguments: str, servers: str) -> list[str]:
    module = [sys.executable, "-m", "frazil.log_generator", "produce"]
    return [*module, *arguments, "--bootstrap-servers", servers]


def generator_environment(
    inherited: Mapping[str, str], topics: Mapping[Topic, str]
) -> dict[str, str]:
    return {**inherited, **as_variables(topics)}
