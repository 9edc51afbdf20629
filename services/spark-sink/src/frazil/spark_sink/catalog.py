"""The Iceberg catalog of a connector: as Spark's settings, and what its refusals mean."""

from collections.abc import Mapping

from frazil.spark_sink.causes import Cause, cause_of, reason_for
from frazil.worker.errors import (
    BadConfigError,
    NoTableError,
    RefusedError,
    UnavailableError,
    WorkerError,
)

FILES_CATALOG = "frazil_files"

_PREFIX = "spark.sql.catalog."
# Everything else may be another in a moment.
_ERRORS: Mapping[Cause | None, type[WorkerError]] = {
    Cause.NO_TABLE: NoTableError,
    Cause.NO_WAREHOUSE: RefusedError,
    Cause.REFUSED_BY_CATALOG: RefusedError,
    Cause.REFUSED_BY_STORE: RefusedError,
    Cause.BAD_CONFIG: BadConfigError,
}


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
    return cause_of(message) is Cause.SILENT


def catalog_error(message: str, table: str) -> WorkerError:
    """Say what to do when the catalog fails; its own words follow as the cause."""
    cause = cause_of(message)
    return _ERRORS.get(cause, UnavailableError)(_advice(cause, message, table), message)


def _advice(cause: Cause | None, message: str, table: str) -> str:
    if cause is Cause.NO_TABLE:
        return (
            f"Table {table} does not exist in the catalog. Create it, or correct `iceberg.tables`."
        )
    if cause is Cause.NO_WAREHOUSE:
        return (
            "The catalog has no such warehouse. Correct `iceberg.catalog.warehouse`, or create it."
        )
    if cause is Cause.REFUSED_BY_CATALOG:
        return (
            f"The catalog refuses this connector: {_reason(message)}. Correct "
            "`iceberg.catalog.rest.access-key-id` and `iceberg.catalog.rest.secret-access-key` "
            "(with OAuth2 `iceberg.catalog.credential` or `iceberg.catalog.token`), or their "
            "rights."
        )
    if cause is Cause.REFUSED_BY_STORE:
        return (
            f"A store or database refuses this connector at table {table}: {reason_for(message)}. "
            "Correct the keys that the connector has for it, or their rights."
        )
    if cause is Cause.SILENT:
        return "The catalog does not answer. Check `iceberg.catalog.uri` and that it is up."
    return (
        f"The catalog could not be asked for table {table}. Check the `iceberg.catalog.*` keys "
        "and that the catalog is up."
    )


def _reason(message: str) -> str:
    """Take the server's own sentence out of Java's."""
    first = message.partition("\n")[0].partition("Exception: ")[2]
    return first.partition(": ")[2] or first
