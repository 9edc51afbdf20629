"""Keys and signatures for the files of a table: there only if a setting says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from frazil.table_catalog.api.deps import Opened, TableName
from frazil.table_catalog.api.models import SignRequest
from frazil.table_catalog.api.rights import principal_of
from frazil.table_catalog.catalog.delegate import Delegate
from frazil.table_catalog.catalog.opened import Catalog
from frazil.table_catalog.catalog.tables import Terms
from frazil.table_catalog.core.delegation import asked_for
from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.names import Identifier
from frazil.table_catalog.core.rights import Principal

_TABLE = "/v1/{prefix}/namespaces/{namespace}/tables/{table}"
KEYS = f"GET {_TABLE}/credentials"
SIGNATURES = f"POST {_TABLE}/sign"

keys_router = APIRouter()
signing_router = APIRouter()


@dataclass(frozen=True, slots=True)
class Wish:
    """What a caller asked to have with a table, whichever that will be."""

    delegate: Delegate
    catalog: Catalog
    principal: Principal
    warehouse: str
    kinds: frozenset[str]

    def terms(self, table: Identifier) -> Terms:
        def terms(places: Sequence[str]) -> Mapping[str, Any]:
            reach = self.catalog.tables.reach(self.principal, self.warehouse, table, places)
            path = _path(self.warehouse, table)
            return self.delegate.terms(self.kinds, self.principal.name, reach, path=path)

        return terms


async def wished(request: Request, catalog: Opened) -> Wish | None:
    delegate: Delegate = request.app.state.delegate
    kinds = asked_for(request.headers.get("X-Iceberg-Access-Delegation")) & delegate.kinds
    if not kinds:
        return None
    return Wish(delegate, catalog, principal_of(request), request.path_params["prefix"], kinds)


Wished = Annotated[Wish | None, Depends(wished)]


def terms_of(wish: Wish | None, table: Identifier) -> Terms | None:
    return None if wish is None else wish.terms(table)


@keys_router.get(f"{_TABLE}/credentials")
def load_credentials(
    request: Request, catalog: Opened, prefix: str, table: TableName
) -> dict[str, Any]:
    principal, delegate = principal_of(request), request.app.state.delegate
    places = catalog.tables.places_at(catalog.tables.locate(prefix, table))
    reach = catalog.tables.reach(principal, prefix, table, places)
    found: dict[str, Any] = delegate.credentials(principal.name, reach, path=_path(prefix, table))
    return found


@signing_router.post(f"{_TABLE}/sign")
def sign_request(
    request: Request, catalog: Opened, prefix: str, table: TableName, body: SignRequest
) -> Response:
    principal, signer = principal_of(request), request.app.state.signer
    reach = catalog.tables.signable(principal, prefix, table)
    if reach is None:
        raise ForbiddenError(f"{principal.name} has no right to the folders of {table}")
    uri, added = signer.sign(principal.name, reach, body.parsed())
    answer = {"uri": uri, "headers": {name: [value] for name, value in added.items()}}
    # Java's client may use a signature for reading again, for half a minute.
    kept = "private" if body.method in ("GET", "HEAD") else "no-cache"
    return JSONResponse(answer, headers={"Cache-Control": kept})


def _path(warehouse: str, table: Identifier) -> str:
    """Name a table's own address, relative to the one that its client has the catalog at."""
    space, name = (quote(one, safe="") for one in ("\x1f".join(table.namespace), table.name))
    return f"v1/{quote(warehouse, safe='')}/namespaces/{space}/tables/{name}"
