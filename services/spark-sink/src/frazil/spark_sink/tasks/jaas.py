"""The login in `sasl.jaas.config`: a login module of Java, and its options."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/
    | "(?P<double>(?:[^"\\\n]|\\.)*)"
    | '(?P<single>(?:[^'\\\n]|\\.)*)'
    | (?P<mark>[=;])
    | (?P<word>[^\s"'=;]+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3]?[0-7]{1,2}|.)", re.DOTALL)
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_FLAGS = frozenset({"REQUIRED", "REQUISITE", "SUFFICIENT", "OPTIONAL"})


class JaasError(ValueError):
    """The text is not a login module with its options; the message has nothing of the text."""


@dataclass(frozen=True)
class Login:
    """A login module's class and its options, which hold secrets."""

    module: str
    options: Mapping[str, str] = field(repr=False)


def parse_login(text: str) -> Login:
    """Parse `<class> <flag> <option>=<value> ...;` by the rules of Java's StreamTokenizer."""
    tokens = _tokens(text)
    if len(tokens) < 3 or tokens[-1] != (";", True):
        raise JaasError("does not end in a semicolon")
    (module, _), (flag, _), *rest = tokens[:-1]
    if flag.upper() not in _FLAGS:
        raise JaasError("does not begin with a login module and a control flag")
    if (";", True) in rest:
        raise JaasError("has more than one login module")
    return Login(module, _options(rest))


def _options(tokens: list[tuple[str, bool]]) -> dict[str, str]:
    triples = [tokens[at : at + 3] for at in range(0, len(tokens), 3)]
    if any(len(triple) < 3 or triple[1] != ("=", True) for triple in triples):
        raise JaasError("has an option without a value")
    return {name: value for (name, _), _, (value, _) in triples}


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Return the tokens, each with whether it is a mark: `=` or `;` outside of quotes."""
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise JaasError("has a quote that is not closed")
        position = match.end()
        if match.lastgroup is not None:
            tokens.append((_text_of(match), match.lastgroup == "mark"))
    return tokens


def _text_of(match: re.Match[str]) -> str:
    text = match[match.lastgroup or 0]
    return _ESCAPE.sub(_unescape, text) if match.lastgroup in {"double", "single"} else text


def _unescape(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] in "01234567":
        return chr(int(escaped, 8))
    return _CONTROLS.get(escaped, escaped)
