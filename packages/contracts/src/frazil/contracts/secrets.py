"""Which settings are secrets, and which parts of other settings: for answers, logs and errors."""

import re
from collections.abc import Iterator, Mapping

HIDDEN = "[hidden]"

# Words of names: of passwords, of key material, and what Kafka has as type PASSWORD.
_SECRET = re.compile(
    r"pass(word|wd|phrase|code)|pwd|secret|token|credential|authorization|cookie|jaas|user\.info"
    r"|(api|access|account|private|shared)[-_.]?key|(^|[-_.])key(file)?$"
    r"|connection[-_.]?string|(^|[-_.])sas([-_.]|$)"
    r"|keystore\.certificate\.chain|truststore\.certificates",
    re.IGNORECASE,
)
# Last words of names that are about a secret, or about another kind of key, and hold none.
_ORDINARY = re.compile(
    r"[-_.](at|audience|class|client[-_.]id|columns?|enabled?|endpoint|fields?|file|format|location"
    r"|ms|name|path|provider|scope|source|type|ur[il]|version)$"
    r"|(^|[-_.])(foreign|message|partition|primary|record|routing|row|sort|unique)[-_.]key$",
    re.IGNORECASE,
)
# Names with a word of the user's own in them: an alias, a table, a column, a group of topics.
_ALIAS = re.compile(r"(transforms|predicates)\.[^.]+\.")
_OF_TABLE = re.compile(
    r"(frazil\.tables|iceberg\.table\..+?)\.(conflict|type)\."
    r"|iceberg\.table\..+\.(commit-branch|evolve-schema-enabled|id-columns|partition-by"
    r"|route-regex|schema-changes)$"
    r"|topic\.creation\.|iceberg\.tables?\..+\.column\."
)
# A password within a value: `password="x"` of a login module, `password=x` in the query of a URL,
# `AccountKey=x` of a connection string, `//user:x@host`. Lengths are bounded, for time is.
_LOGIN = re.compile(
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:account|access)key|sig(?:nature)?)\w{0,40}"
    r"""(?:\s{0,9}=\s{0,9}\\?"(?P<quoted>[^"\\]+)|='(?P<single>[^']+)|=(?P<bare>[^"'&;\s\\]+))"""
    r"|//(?P<user>[^/:@\s?#]*):(?P<url>[^/\s?#]+)@",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\$\{[^}]*\}")
_PASSWORD = re.compile(r"password$", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Say whether the name of a setting says that its value is a secret."""
    if _OF_TABLE.match(name):
        return False
    name = _ALIAS.sub("", name, count=1) if _ALIAS.match(name) else name
    return _SECRET.search(name) is not None and _ORDINARY.search(name) is None


def shown(name: str, text: str) -> str:
    """Return the text of a setting as it may be shown."""
    return HIDDEN if is_secret(name) else without_logins(text)


def without_secrets(config: Mapping[str, str]) -> dict[str, str]:
    return {name: shown(name, text) for name, text in config.items()}


def without_logins(text: str) -> str:
    """Mask passwords within a text, such as those of URLs; a reference `${...}` is none."""
    return _LOGIN.sub(_masked, text)


def texts_in(config: Mapping[str, str]) -> Iterator[str]:
    """List the texts that no log may have: secrets, passwords within values, `user:password`.

    The last are what HTTP's basic authentication sends, in Base64.
    """
    for name, text in config.items():
        if is_secret(name):
            yield text
        for user in ("user", "username") if _PASSWORD.search(name) else ():
            if login := config.get(_PASSWORD.sub(user, name)):
                yield f"{login}:{text}"
        for found in _LOGIN.finditer(text):
            yield _password(found)
            if found["url"]:
                yield f"{found['user']}:{found['url']}"


def _password(found: re.Match[str]) -> str:
    return found[found.lastgroup or 0]


def _masked(found: re.Match[str]) -> str:
    password = _password(found)
    if _REFERENCE.fullmatch(password):
        return found[0]
    start = found.start(found.lastgroup or 0) - found.start()
    return f"{found[0][:start]}{HIDDEN}{found[0][start + len(password) :]}"
