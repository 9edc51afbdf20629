"""Weights as people write them: `put:30,get:60` and `4k:80,6m:2`. Pure."""

from frazil.log_generator.operations import Operation

_UNITS = {"k": 1024, "m": 1024**2}
# A body is in memory as a whole, once for each thread.
_MOST_BYTES = 64 * 1024**2


def read_mix(text: str) -> dict[Operation, int]:
    """Read how often each operation comes; raises ValueError with a sentence."""
    known = ", ".join(Operation)
    pairs = _pairs(text, like="put:30,get:60")
    if unknown := sorted(pairs.keys() - set(Operation)):
        raise ValueError(f"there is no operation {unknown[0]!r}: take some of {known}")
    return {Operation(word): weight for word, weight in pairs.items()}


def read_sizes(text: str) -> dict[int, int]:
    """Read how often each size of a body comes; raises ValueError with a sentence."""
    sizes: dict[int, int] = {}
    for word, weight in _pairs(text, like="4k:80,6m:2").items():
        size = _bytes(word)
        sizes[size] = sizes.get(size, 0) + weight
    return sizes


def _pairs(text: str, *, like: str) -> dict[str, int]:
    pairs: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        word, _, weight = part.partition(":")
        if word in pairs:
            raise ValueError(f"{word!r} is there twice")
        if not weight.isdecimal():
            raise ValueError(f"{part!r} has no weight, a whole number: write it like `{like}`")
        pairs[word] = int(weight)
    if not any(pairs.values()):
        raise ValueError(f"at least one weight has to be more than 0: write it like `{like}`")
    return pairs


def _bytes(word: str) -> int:
    unit = _UNITS.get(word[-1:].lower(), 1)
    digits = word if unit == 1 else word[:-1]
    if not digits.isdecimal() or int(digits) * unit > _MOST_BYTES:
        raise ValueError(f"{word!r} is no size: take bytes, or such as `4k` or `6m`, up to `64m`")
    return int(digits) * unit
