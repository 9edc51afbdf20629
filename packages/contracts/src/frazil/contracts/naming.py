"""Names derived from a connector's name, each rule in one place."""

import re
from hashlib import sha256
from urllib.parse import quote, unquote


def consumer_group(connector: str) -> str:
    """Group whose committed offsets show a sink's progress to lag tools, as in Kafka Connect."""
    return f"connect-{connector}"


def run_folder(connector: str) -> str:
    """Folder name of a connector: any legal name fits, and two names never meet.

    Capitals are escaped too, for some file systems do not tell them from small letters.
    """
    escaped = "".join(
        f"%{ord(c):02X}" if "A" <= c <= "Z" else quote(c, safe=" ") for c in connector
    )
    return escaped.replace(".", "%2E") if set(escaped) == {"."} else escaped


def connector_of(folder: str) -> str:
    return unquote(folder)


def container_name(instance: str, connector: str, epoch: int) -> str:
    """Name of a worker's container: readable, and no two workers have the same.

    Engines allow few characters there, hence the digest of the true names.
    """
    readable = re.sub(r"[^a-zA-Z0-9]+", "-", connector).strip("-")[:40]
    digest = sha256(f"{instance}/{connector}".encode()).hexdigest()[:12]
    return "-".join(filter(None, ("frazil", readable, digest, str(epoch))))


def letter_ledger(connector: str, table: str) -> str:
    """Name the ledgers in a table of dead letters about what one table has refused."""
    return f"{connector}/dead/{table}"


def side_tag(connector: str, branch: str) -> str:
    """Name the tag of the newest ledger in a side branch; no other tag of ours begins like it."""
    return f"frazil@{connector}@{branch}"


def side_of(tag: str, connector: str) -> str | None:
    """Return the side branch that this tag is about, if it is one of this connector."""
    owner, _, branch = tag.rpartition("@")
    return branch if owner == f"frazil@{connector}" else None
