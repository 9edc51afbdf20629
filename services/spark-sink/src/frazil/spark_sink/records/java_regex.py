"""Regular expressions as Java spells them, for configurations that were written for it."""

import re

# Java's classes are those of ASCII; each as the inside of a set.
_CLASSES = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7F",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1F\x7F",
    "XDigit": "0-9a-fA-F",
    "Space": r" \t\n\x0B\f\r",
    "Horizontal": r" \t\xA0\u1680\u180E\u2000-\u200A\u202F\u205F\u3000",
}
_TOKEN = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)"
    r"|\\(?P<not>[pP])\{(?:Is)?(?P<class>\w+)\}"
    r"|\\(?P<horizontal>[hH])"
    r"|\\x\{(?P<code>[0-9A-Fa-f]+)\}"
    r"|\\k<(?P<reference>\w+)>"
    r"|\(\?<(?P<group>[A-Za-z]\w*)>"
    r"|(?P<escape>\\.)"
    r"|(?P<set>\[\^?\]?)"
    r"|(?P<end>\])"
    r"|(?P<both>&&)",
    re.DOTALL,
)


class BadPatternError(ValueError):
    """The text is no regular expression of Java's, or has a part that Python's lack."""


def compile_java(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of Java's; digits, letters and blanks are those of ASCII, as there."""
    try:
        return re.compile(_translated(pattern), re.ASCII)
    except re.error as error:
        raise BadPatternError(f"{pattern!r} is no regular expression: {error}") from error


def _translated(pattern: str) -> str:
    in_set = False

    def part(match: re.Match[str]) -> str:
        nonlocal in_set
        if match["set"]:
            if in_set:
                raise BadPatternError(f"{pattern!r} has a set inside of a set")
            in_set = True
            return match["set"]
        if match["end"]:
            in_set = False
            return "]"
        if match["both"] and in_set:
            raise BadPatternError(f"{pattern!r} has an intersection of sets")
        return _part(match, pattern, in_set=in_set)

    return _TOKEN.sub(part, pattern)


def _part(match: re.Match[str], pattern: str, *, in_set: bool) -> str:
    if match["quoted"] is not None:
        return re.escape(match["quoted"])
    if match["class"]:
        if match["class"] not in _CLASSES:
            raise BadPatternError(f"{pattern!r} has {match[0]}, which is not supported")
        return _class(match["class"], negated=match["not"] == "P", in_set=in_set)
    if match["horizontal"]:
        return _class("Horizontal", negated=match["horizontal"] == "H", in_set=in_set)
    if match["code"]:
        return re.escape(chr(int(match["code"], 16)))
    if match["reference"]:
        return f"(?P={match['reference']})"
    if match["group"]:
        return match[0] if in_set else f"(?P<{match['group']}>"
    if match["escape"]:
        return _ESCAPES.get(match["escape"], match["escape"])
    return match[0]


_ESCAPES = {r"\z": r"\Z", r"\Z": r"(?=\n?\Z)", r"\e": r"\x1B"}


def _class(name: str, *, negated: bool, in_set: bool) -> str:
    inside = _CLASSES[name]
    if not in_set:
        return f"[^{inside}]" if negated else f"[{inside}]"
    if negated:
        raise BadPatternError(rf"a set holds \P{{{name}}}, which is not supported")
    return inside
