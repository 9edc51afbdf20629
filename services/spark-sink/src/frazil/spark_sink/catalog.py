"""The Iceberg catalog of a connector: as Spark's settings, and what its refusals mean."""

from collections.abc import Mapping

from frazil.worker.errors import NoTableError, RefusedError, UnavailableError, WorkerError

FILES_CATALOG = "frazil_files"

_PREFIX = "spark.sql.catalog."
_NO_TABLE = ("TABLE_OR_VIEW_NOT_FOUND", "NoSuchTable", "NoSuchNamespace")
_REFUSED = ("ForbiddenException", "NotAuthorizedException")
# A request without an answer, or with one that may be another in a moment.
_SILENT = (
    "RESTException: Error occurred while processing",
    "CommitStateUnknownException",
    "ServiceFailureException",
    "ServiceUnavailableException",
)


def catalog_conf(catalog: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Pass the connector's `iceberg.catalog.*` keys on; caching would hide others' commits."""
    own = _PREFIX + catalog
    return {
        own: "org.apache.iceberg.spark.SparkCatalog",
        f"{own}.cache-enabled": "false",
        **{f"{own}.{key}": value for key, value in properties.items()},
        _PREFIX + FILES_CATALOG: "org.apache.iceberg.spark.SparkRewriteTableCatalog",
    }


def is_silent(message: str) -> bool:
    """Tell whether the catalog gave no answer that is good for ever: it may be asked again."""
    return any(sign in message for sign in _SILENT)


def catalog_error(message: str, table: str) -> WorkerError:
    """Say what to do when the catalog fails; its own words follow as the cause."""
    if any(sign in message for sign in _NO_TABLE):
        return NoTableError(
            f"Table {table} does not exist in the catalog. Create it, or correct `iceberg.tables`.",
            message,
        )
    refused = any(sign in message for sign in _REFUSED)
    return (RefusedError if refused else UnavailableError)(_advice(message, table), message)


def _advice(message: str, table: str) -> str:
    if "NoSuchWarehouse" in message:
        return (
            "The catalog has no such warehouse. Correct `iceberg.catalog.warehouse`, or create it."
        )
    if any(sign in message for sign in _REFUSED):
        return (
            f"The catalog refuses this connector: {_reason(message)}. Correct "
            "`iceberg.catalog.rest.access-key-id` and `iceberg.catalog.rest.secret-access-key` "
            "(with OAuth2 `iceberg.catalog.credential` or `iceberg.catalog.token`), or their "
            "rights."
        )
    if is_silent(message):
        return "The catalog does not answer. Check `iceberg.catalog.uri` and that it is up."
    return (
        f"The catalog could not be asked for table {table}. Check the `iceberg.catalog.*` keys "
        "and that the catalog is up."
    )


def _reason(message: str) -> str:
    """Take the server's own sentence out of Java's."""
    first = message.partition("\n")[0].partition("Exception: ")[2]
    return first.partition(": ")[2] or first
