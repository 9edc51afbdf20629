"""The connector's `iceberg.catalog.*` keys, which are Java's, in PyIceberg's words."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, quote, urlsplit

from frazil.control_api.core.errors import BadRequestError

Properties = Mapping[str, str]

_IMPLEMENTATIONS = {
    "org.apache.iceberg.rest.RESTCatalog": "rest",
    "org.apache.iceberg.jdbc.JdbcCatalog": "jdbc",
    "org.apache.iceberg.hadoop.HadoopCatalog": "hadoop",
    "org.apache.iceberg.hive.HiveCatalog": "hive",
    "org.apache.iceberg.aws.glue.GlueCatalog": "glue",
}

# Both sides call these the same. Nothing else passes: PyIceberg also knows properties that name
# Python classes to load, and a configuration must not choose what runs here.
_SAME = frozenset(
    {
        "warehouse",
        "uri",
        "prefix",
        "credential",
        "token",
        "scope",
        "audience",
        "resource",
        "oauth2-server-uri",
        "rest.sigv4-enabled",
        "rest.signing-name",
        "rest.signing-region",
        "client.region",
        "s3.endpoint",
        "s3.access-key-id",
        "s3.secret-access-key",
        "s3.session-token",
        "s3.region",
    }
)
_SAME_PREFIXES = ("header.", "gcs.oauth2.")
_RENAMED = {
    "rest.access-key-id": "client.access-key-id",
    "rest.secret-access-key": "client.secret-access-key",
    "rest.session-token": "client.session-token",
}


def python_properties(java: Properties) -> dict[str, str]:
    """Translate; `type` is then rest or sql. Raises BadRequestError for other catalogs."""
    kind = java.get("type") or _IMPLEMENTATIONS.get(java.get("catalog-impl", ""), "")
    translate = _TRANSLATIONS.get(kind.lower())
    if translate is None:
        named = java.get("type") or java.get("catalog-impl") or "of no type"
        raise BadRequestError(
            f"The ledger cannot be read through a catalog {named}: catalogs of the types rest and "
            "jdbc can be asked from here, others by their own tools."
        )
    return translate(java) | _files(java)


def _rest(java: Properties) -> dict[str, str]:
    renamed = {ours: java[theirs] for theirs, ours in _RENAMED.items() if theirs in java}
    signed = {"rest.sigv4-enabled": "true"} if java.get("rest.auth.type") == "sigv4" else {}
    return {"type": "rest", **_same(java), **renamed, **signed}


def _sql(java: Properties) -> dict[str, str]:
    # Reading must not leave anything behind, not even empty tables of a catalog.
    return {
        "type": "sql",
        "init_catalog_tables": "false",
        **_same(java),
        "uri": _database(java),
    }


_TRANSLATIONS: dict[str, Callable[[Properties], dict[str, str]]] = {"rest": _rest, "jdbc": _sql}


def _same(java: Properties) -> dict[str, str]:
    return {
        name: value
        for name, value in java.items()
        if name in _SAME or name.startswith(_SAME_PREFIXES)
    }


def _files(java: Properties) -> dict[str, str]:
    style = java.get("s3.path-style-access")
    if style is None:
        return {}
    return {"s3.force-virtual-addressing": "false" if style.lower() == "true" else "true"}


def _database(java: Properties) -> str:
    uri = java.get("uri", "").removeprefix("jdbc:")
    kind, _, rest = uri.partition(":")
    if kind == "sqlite":
        return f"sqlite:///{rest.removeprefix('file:').partition('?')[0]}"
    if kind == "postgresql":
        return _postgresql(uri, java)
    raise BadRequestError(
        f"The ledger cannot be read from a catalog in a {kind or 'nameless'} database: SQLite and "
        "PostgreSQL can be asked from here."
    )


def _postgresql(uri: str, java: Properties) -> str:
    """Spell a JDBC address as SQLAlchemy's; user and password may stand in it or beside it."""
    parts = urlsplit(uri)
    given = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user = java.get("jdbc.user") or given.get("user")
    password = java.get("jdbc.password") or given.get("password")
    secret = f":{quote(password, safe='')}" if password else ""
    login = f"{quote(user, safe='')}{secret}@" if user else ""
    mode = f"?sslmode={given['sslmode']}" if "sslmode" in given else ""
    return f"postgresql+psycopg://{login}{parts.netloc}{parts.path}{mode}"
