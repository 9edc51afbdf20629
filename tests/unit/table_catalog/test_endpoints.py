"""What `/v1/config` lists is what is served."""

from fastapi.routing import APIRoute

from frazil.table_catalog.api import namespaces, tables, views
from frazil.table_catalog.api.config import ENDPOINTS


def test_all_routes_are_listed_and_no_others() -> None:
    served = {
        f"{method} {route.path}"
        for one in (namespaces, tables, views)
        for route in one.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert served == set(ENDPOINTS)
