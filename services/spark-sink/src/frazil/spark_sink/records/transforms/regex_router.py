"""RegexRouter: the topic gets another name if a pattern matches all of it."""

import re
from collections.abc import Iterator

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.java_regex import BadPatternError, compile_java
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.transforms import Transform

_PART = re.compile(
    r"\\(?P<escaped>.)|\$\{(?P<name>[A-Za-z][A-Za-z0-9]*)\}|\$(?P<digits>[0-9]+)"
    r"|(?P<wrong>[\\$])|(?P<text>[^\\$]+)",
    re.DOTALL,
)


def regex_router(step: Step) -> Transform:
    """Compile `regex` and `replacement`, both as Java spells them."""
    pattern = compile_java(step.options["regex"])
    parts = list(_parts(step.options["replacement"], pattern))

    def name_of(match: re.Match[str]) -> str:
        return "".join([part if type(part) is str else match[part] or "" for part in parts])

    def transform(record: Record) -> Record:
        topic = record.topic
        if pattern.fullmatch(topic) is None:
            return record
        # As in Connect, the first match is replaced, which may be shorter than the whole.
        return record.with_topic(pattern.sub(name_of, topic, count=1))

    return transform


def _parts(replacement: str, pattern: re.Pattern[str]) -> Iterator[str | int]:
    """Split a replacement into texts and numbers of groups."""
    for match in _PART.finditer(replacement):
        if match["wrong"] or (match["name"] and match["name"] not in pattern.groupindex):
            raise BadPatternError(f"the replacement {replacement!r} has {match[0]!r}, no group")
        if match["digits"]:
            yield from _group(match["digits"], replacement, pattern)
        elif match["name"]:
            yield pattern.groupindex[match["name"]]
        else:
            yield match["escaped"] or match["text"]


def _group(digits: str, replacement: str, pattern: re.Pattern[str]) -> Iterator[str | int]:
    """Take as many digits as there are groups for; the rest is text."""
    if int(digits[0]) > pattern.groups:
        raise BadPatternError(f"the replacement {replacement!r} has ${digits}, no group")
    length = 1
    while length < len(digits) and int(digits[: length + 1]) <= pattern.groups:
        length += 1
    yield int(digits[:length])
    if digits[length:]:
        yield digits[length:]
