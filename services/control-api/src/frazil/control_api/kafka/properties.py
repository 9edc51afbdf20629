"""Client properties in Java's file format, as people keep them for Kafka's own tools."""

from pathlib import Path


def read_properties(path: Path) -> dict[str, str]:
    """Read `key=value` lines; lines that start with # or ! are comments."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    return {key.strip(): value.strip() for key, _, value in pairs}
