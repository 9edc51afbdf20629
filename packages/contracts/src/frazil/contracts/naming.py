"""Names derived from a connector's name, each rule in one place."""

from urllib.parse import quote, unquote


def consumer_group(connector: str) -> str:
    """Group whose committed offsets show a sink's progress to lag tools, as in Kafka Connect."""
    return f"connect-{connector}"


def run_folder(connector: str) -> str:
    """Folder name of a connector: any legal name fits, and two names never meet."""
    escaped = quote(connector, safe=" ")
    return escaped.replace(".", "%2E") if set(escaped) == {"."} else escaped


def connector_of(folder: str) -> str:
    return unquote(folder)
