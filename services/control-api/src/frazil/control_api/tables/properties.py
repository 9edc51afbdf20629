"""The connector's `iceberg.catalog.*` keys, which are Java's, in PyIceberg's words."""

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qs, quote, unquote, urlsplit

from frazil.control_api.core.addresses import AddressRefusedError, require_host, require_url
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
_HEADER = "header."
# They say where a request goes and where it ends, which is not for a configuration to say.
_OWN_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_ADDRESSES = ("uri", "oauth2-server-uri", "s3.endpoint")
_SSL_MODES = frozenset({"disable", "allow", "prefer", "require", "verify-ca", "verify-full"})
_DATABASE_NAME = re.compile(r"[\w$.-]+")
_HOST = re.compile(r"[a-z0-9._:-]+")
_REGION = re.compile(r"[a-z0-9-]*")
_KEYS_TO_SIGN = ("client.access-key-id", "client.secret-access-key")
_RENAMED = {
    "rest.access-key-id": "client.access-key-id",
    "rest.secret-access-key": "client.secret-access-key",
    "rest.session-token": "client.session-token",
}


def python_properties(java: Properties, hosts: Sequence[str]) -> dict[str, str]:
    """Translate; `type` is then rest or sql.

    Raises BadRequestError for other catalogs, and for addresses that may not be asked: `hosts` are
    the operator's entries of those that may.
    """
    kind = java.get("type") or _IMPLEMENTATIONS.get(java.get("catalog-impl", ""), "")
    translate = _TRANSLATIONS.get(kind.lower())
    if translate is None:
        named = java.get("type") or java.get("catalog-impl") or "of no type"
        raise BadRequestError(
            f"The ledger cannot be read through a catalog {named}: catalogs of the types rest and "
            "jdbc can be asked from here, others by their own tools."
        )
    try:
        properties = translate(java, hosts) | _files(java)
        for name in _ADDRESSES:
            if name in properties and not (name == "uri" and properties["type"] == "sql"):
                require_url(f"iceberg.catalog.{name}", properties[name], hosts)
    except AddressRefusedError as error:
        raise BadRequestError(f"The ledger cannot be read from here: {error}.") from None
    return properties


def _rest(java: Properties, _: Sequence[str]) -> dict[str, str]:
    renamed = {ours: java[theirs] for theirs, ours in _RENAMED.items() if theirs in java}
    signed = {"rest.sigv4-enabled": "true"} if java.get("rest.auth.type") == "sigv4" else {}
    properties = {"type": "rest", **_same(java), **_headers(java), **renamed, **signed}
    is_signed = properties.get("rest.sigv4-enabled", "").lower() == "true"
    if is_signed and not all(properties.get(name) for name in _KEYS_TO_SIGN):
        raise BadRequestError(
            "The ledger cannot be read from here: a catalog that wants signed requests needs "
            "`iceberg.catalog.rest.access-key-id` and `iceberg.catalog.rest.secret-access-key`; "
            "the control API lends it no identity of its own."
        )
    return properties


def _sql(java: Properties, hosts: Sequence[str]) -> dict[str, str]:
    # Reading must not leave anything behind, not even empty tables of a catalog.
    return {
        "type": "sql",
        "init_catalog_tables": "false",
        **_same(java),
        "uri": _database(java, hosts),
    }


_TRANSLATIONS: dict[str, Callable[[Properties, Sequence[str]], dict[str, str]]] = {
    "rest": _rest,
    "jdbc": _sql,
}


def _same(java: Properties) -> dict[str, str]:
    for name in ("client.region", "s3.region"):
        # It becomes part of the name of a host.
        if not _REGION.fullmatch(java.get(name, "")):
            raise AddressRefusedError(f"`iceberg.catalog.{name}` is no region")
    return {name: value for name, value in java.items() if name in _SAME}


def _headers(java: Properties) -> dict[str, str]:
    headers = {name: value for name, value in java.items() if name.startswith(_HEADER)}
    for name in headers:
        if name.removeprefix(_HEADER).strip().lower() in _OWN_HEADERS:
            raise AddressRefusedError(f"`iceberg.catalog.{name}` must not be chosen")
    return headers


def _files(java: Properties) -> dict[str, str]:
    style = java.get("s3.path-style-access")
    if style is None:
        return {}
    return {"s3.force-virtual-addressing": "false" if style.lower() == "true" else "true"}


def _database(java: Properties, hosts: Sequence[str]) -> str:
    uri = java.get("uri", "").removeprefix("jdbc:")
    kind, _, rest = uri.partition(":")
    if kind == "sqlite":
        return "sqlite:///" + quote(rest.removeprefix("file:").partition("?")[0])
    if kind == "postgresql":
        return _postgresql(uri, java, hosts)
    raise BadRequestError(
        f"The ledger cannot be read from a catalog in a {kind or 'nameless'} database: SQLite and "
        "PostgreSQL can be asked from here."
    )


def _postgresql(uri: str, java: Properties, hosts: Sequence[str]) -> str:
    """Spell a JDBC address as SQLAlchemy's; user and password may stand in it or beside it."""
    parts = urlsplit(uri)
    given = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    user = java.get("jdbc.user") or given.get("user")
    password = java.get("jdbc.password") or given.get("password")
    secret = f":{quote(password, safe='')}" if password else ""
    login = f"{quote(user, safe='')}{secret}@" if user else ""
    mode = f"?sslmode={_ssl_mode(given['sslmode'])}" if "sslmode" in given else ""
    return f"postgresql+psycopg://{login}{_server(uri, hosts)}/{_database_name(parts.path)}{mode}"


def _server(uri: str, hosts: Sequence[str]) -> str:
    parts = urlsplit(uri)
    try:
        host, port = parts.hostname or "", parts.port or 5432
    except ValueError:
        raise AddressRefusedError("`iceberg.catalog.uri` is no address") from None
    if not _HOST.fullmatch(host) or "@" in parts.netloc:
        raise AddressRefusedError("`iceberg.catalog.uri` must name one host, and no user before it")
    require_host("iceberg.catalog.uri", host, port, hosts)
    return parts.netloc


def _database_name(path: str) -> str:
    name = unquote(path.removeprefix("/"))
    if not _DATABASE_NAME.fullmatch(name):
        raise AddressRefusedError("`iceberg.catalog.uri` must name a database")
    return name


def _ssl_mode(mode: str) -> str:
    # What else stood in it would become parameters of the connection.
    if mode not in _SSL_MODES:
        raise AddressRefusedError(f"`sslmode` must be one of {', '.join(sorted(_SSL_MODES))}")
    return mode
