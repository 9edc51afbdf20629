"""What people do with tables, told to a Spark of its own process with Iceberg's own client."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.catalog_process import WAREHOUSE

from frazil.runtime.jars import JarStore
from frazil.runtime.settings import FrazilSettings

# Statements, each with what it has to answer: rows, a text that is in its error, or None where
# the answer is of no interest.
Story = tuple[tuple[str, list[list[Any]] | str | None], ...]


def signed_by(key: str, uri: str, **more: str) -> dict[str, str]:
    """Configure a catalog of Spark's whose requests a key signs; its secret is `<key>-secret`."""
    return {
        "type": "rest",
        "uri": uri,
        "warehouse": WAREHOUSE,
        "cache-enabled": "false",
        "rest.auth.type": "sigv4",
        "rest.signing-name": "s3tables",
        "rest.signing-region": "us-east-1",
        "rest.access-key-id": key,
        "rest.secret-access-key": f"{key}-secret",
        **more,
    }


def run_spark(catalogs: Mapping[str, Mapping[str, str]], *statements: str) -> list[Any]:
    """Answer each statement with its rows, or with a text if it fails."""
    jars = JarStore(FrazilSettings().home).folder("spark").glob("iceberg-*.jar")
    asked = {
        "catalogs": catalogs,
        "jars": [str(jar) for jar in jars],
        "statements": statements,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.spark_client"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=280,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def tell(catalogs: Mapping[str, Mapping[str, str]], story: Story) -> None:
    """Run a story; each of its statements has to answer as it says."""
    answers = run_spark(catalogs, *(statement for statement, _ in story))
    for (statement, expected), answer in zip(story, answers, strict=True):
        if isinstance(expected, str):
            assert expected in str(answer), f"{statement}: {answer}"
        else:
            assert not isinstance(answer, str), f"{statement}: {answer}"
            assert expected is None or answer == expected, statement
