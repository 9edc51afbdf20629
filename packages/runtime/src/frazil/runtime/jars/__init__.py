"""The jars that do not come with PySpark: resolved once, checked against a lock, kept at home."""

from frazil.runtime.jars.lock import JarMismatchError
from frazil.runtime.jars.store import JarStore

__all__ = ["JarMismatchError", "JarStore"]
