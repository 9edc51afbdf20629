"""The doctor's rules about connectors and the rows that they should bring."""

from collections.abc import Iterator

from frazil.cli.containers.facts import Away, Connector, Facts
from frazil.cli.containers.findings import Finding
from frazil.cli.containers.project import CONTROL_API
from frazil.contracts.states import ConnectState

# In the sentences of our workers, and in those of the store's clients that they pass on.
_REFUSED = ("refuses this connector", "SignatureDoesNotMatch", "InvalidAccessKeyId", "AccessDenied")
_NO_TOPIC = ("topic of the connector does not exist", "UnknownTopicOrPartition")
_NOT_READY = (
    "The catalog does not answer",
    "The catalog could not be asked",
    "ServiceUnavailable",
    "XMinioServerNotInitialized",
    "Connection refused",
    "Connect to ",
)


def connectors(facts: Facts) -> Iterator[Finding]:
    if isinstance(facts.connectors, Away):
        if facts.answers(CONTROL_API):
            yield Finding(
                "The control API lists no connectors.",
                facts.connectors.reason,
                f"`frazil logs {CONTROL_API}`; then `frazil restart`",
            )
        return
    if not facts.connectors:
        yield Finding(
            "There are no connectors.",
            "Nobody made one, or all were deleted.",
            "`frazil start` makes those that are declared",
        )
    for one in facts.connectors:
        if one.state is ConnectState.FAILED or not one.healthy:
            yield _ailing(one, facts)


def _ailing(one: Connector, facts: Facts) -> Finding:
    seen = f"Connector {one.name} is {one.state}: {one.reason}"
    text, restart = f"{one.trace}\n{one.reason}", _restart(one, facts)
    if _has(text, _REFUSED):
        return Finding(
            seen,
            "Its access key or secret is not that of the store (MINIO_ROOT_USER and "
            "MINIO_ROOT_PASSWORD, or MINIO_ACCESS_KEY and MINIO_SECRET_KEY), or lacks rights.",
            "Correct both in deploy/compose/.env; then `frazil restart`",
        )
    if _has(text, _NO_TOPIC):
        return Finding(
            seen,
            _no_topic(facts),
            f"`frazil start` runs the provisioner again; then {restart}",
        )
    if _has(text, _NOT_READY):
        return Finding(
            seen,
            "The store or its catalog was not ready when it was needed.",
            f"Wait until `frazil status` shows the store as healthy; then {restart}",
        )
    return Finding(seen, "Its worker says more in its log.", f"`frazil logs {one.name}`; {restart}")


def _no_topic(facts: Facts) -> str:
    if facts.provisioned:
        return "A topic was deleted, or the connector names another than was made."
    return f"The provisioner has not made the topics. The end of its log:\n{facts.provisioner_log}"


def empty_tables(facts: Facts) -> Iterator[Finding]:
    """Say of each table without rows which of the possible causes it is."""
    if isinstance(facts.rows, Away) or isinstance(facts.connectors, Away):
        return
    if not facts.rows:
        yield Finding(
            f"There are no tables in {facts.warehouse}.{facts.namespace}.",
            "The provisioner has not made them.",
            "`frazil start` runs it again",
        )
    for table, rows in facts.rows.items():
        if rows == 0:
            name = f"{facts.namespace}.{table}"
            writer = next((one for one in facts.connectors if name in one.tables), None)
            yield Finding(f"{name} has no rows.", *_emptiness(writer, facts))


def _emptiness(writer: Connector | None, facts: Facts) -> tuple[str, str]:
    if writer is None:
        return "No connector writes it.", "`frazil start` makes the connectors that are declared"
    if writer.state is not ConnectState.RUNNING:
        return f"{writer.name} is {writer.state}, not RUNNING.", _back(writer, facts)
    if writer.dead:
        return (
            f"{writer.dead} of its records could not be written, and none could.",
            f"`frazil logs {writer.name}` names the first of them",
        )
    if writer.lag == 0:
        return (
            f"There are no records in {writer.topics}.",
            _filling(writer, facts),
        )
    waiting = "Records" if writer.lag is None else f"{writer.lag} records"
    return (
        f"{waiting} may wait for the next commit, which comes every {writer.commit_seconds:g} s.",
        f"Wait {writer.commit_seconds:g} s; then `frazil query`, or `frazil logs {writer.name}`",
    )


def _filling(writer: Connector, facts: Facts) -> str:
    """Name the topics that the generator can fill; others are for the store to write."""
    topics = (topic.strip() for topic in writer.topics.split(","))
    commands = [
        f"`frazil produce {topic} -n 1000`" for topic in topics if topic in facts.log_topics
    ]
    return ", or ".join([*commands, "`frazil logs log-generator`"])


def _back(writer: Connector, facts: Facts) -> str:
    match writer.state:
        case ConnectState.PAUSED | ConnectState.STOPPED:
            return f"`curl -X PUT {facts.api_url}/connectors/{writer.name}/resume`"
        case ConnectState.FAILED:
            return f"Mend what it fails of; then {_restart(writer, facts)}"
        case _:
            return "Wait until `frazil status` shows it as RUNNING."


def _restart(one: Connector, facts: Facts) -> str:
    return f"`curl -X POST '{facts.api_url}/connectors/{one.name}/restart?includeTasks=true'`"


def _has(text: str, signs: tuple[str, ...]) -> bool:
    return any(sign in text for sign in signs)
