"""PEM as Java takes it: also on one line, as it stands in properties files and JSON."""

import re
import textwrap

_BLOCK = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]+)-----(?P<body>.*?)-----END (?P=label)-----", re.DOTALL
)
# Headers of encrypted keys in OpenSSL's older form: `DEK-Info: AES-256-CBC,...`.
_HEADER = ":"


def normalize_pem(text: str) -> str:
    """Write each block in lines of 64 characters, as OpenSSL wants it. Raises ValueError."""
    blocks = [_lines(match) for match in _BLOCK.finditer(text)]
    if not blocks:
        raise ValueError("is not PEM: it has no BEGIN and END")
    return "".join(blocks)


def _lines(match: re.Match[str]) -> str:
    label, body = match["label"], match["body"]
    if _HEADER in body:
        return f"{match[0]}\n"
    lines = "\n".join(textwrap.wrap("".join(body.split()), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"
