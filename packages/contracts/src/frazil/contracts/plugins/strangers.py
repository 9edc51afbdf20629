"""Keys that nobody defined: seen where a slip of the pen is likely, with the nearest real name."""

from collections.abc import Collection
from difflib import get_close_matches

from frazil.contracts.config import Key, KeyType
from frazil.contracts.secrets import is_secret

UNKNOWN_KEYS = "frazil.unknown.keys"
# Connect ignores every unknown key; under these prefixes nobody but us can have meant one.
_OURS = ("iceberg.", "frazil.")


def is_slip(name: str) -> bool:
    return name.startswith(_OURS)


def objection(name: str, known: Collection[str]) -> str:
    """Say that the key is not known, and which one was probably meant."""
    # The prefix is not compared: it would make any two of our names look alike.
    prefix, dot, tail = name.partition(".")
    tails = [other.removeprefix(prefix + dot) for other in known if other.startswith(prefix + dot)]
    nearest = get_close_matches(tail, tails, n=1)
    guess = f" Did you mean {prefix}.{nearest[0]}?" if nearest else ""
    return f"Unknown key {name}.{guess} Correct or remove it, or set {UNKNOWN_KEYS}=warn."


def stranger(name: str) -> Key:
    """Describe an unknown key, for clients break on an entry without a definition."""
    return Key(
        name,
        KeyType.PASSWORD if is_secret(name) else KeyType.STRING,
        documentation="Not a key of this connector.",
        display_name=name,
    )
