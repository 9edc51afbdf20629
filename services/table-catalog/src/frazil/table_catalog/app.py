"""create_app: the one place where objects are built, and where they end."""

from asyncio import Semaphore
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime

from fastapi import APIRouter, Depends, FastAPI

from frazil.runtime.tasks import Guard
from frazil.runtime.timing import Timing
from frazil.runtime.web_pages import AllowedHosts, WebPages
from frazil.table_catalog.access.key_file import KeyFile, open_keys
from frazil.table_catalog.api import (
    config,
    delegation,
    health,
    namespaces,
    oauth,
    tables,
    views,
)
from frazil.table_catalog.api.access import Access, Door
from frazil.table_catalog.api.errors import add_error_handlers, answer_of
from frazil.table_catalog.api.journal import Journal
from frazil.table_catalog.api.rights import require_rights
from frazil.table_catalog.api.watch import Watch
from frazil.table_catalog.catalog.delegate import Delegate
from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.lending import Lender, OwnKeys, Sessions, StsOptions
from frazil.table_catalog.catalog.opened import Catalog
from frazil.table_catalog.catalog.s3 import S3Options, S3Store
from frazil.table_catalog.catalog.signer import Signer
from frazil.table_catalog.core.delegation import Lending
from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.keys import Keyring
from frazil.table_catalog.core.oauth import Counter
from frazil.table_catalog.settings import Settings

# Tables whose files are deleted at the same time.
_PURGES = 4


def create_app(settings: Settings) -> FastAPI:
    """Build everything. Raises CatalogError if keys, database or files cannot be used."""
    key_file = open_keys(settings.keys, settings.environment) if settings.keys else None
    catalog = Catalog.open(settings.database, settings.root, _files(settings))
    catalog.begin(settings.warehouses)
    guard = Guard()
    app = FastAPI(
        title="Frazil table catalog",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan(catalog, guard, key_file),
    )
    app.state.catalog = catalog
    app.state.purges = Semaphore(_PURGES)
    app.state.client_properties = settings.client_properties
    app.state.trouble = lambda: {"keys": guard.failure} if guard.failure else {}
    _add_routes(app, settings)
    _add_delegation(app, settings)
    add_error_handlers(app)
    _add_doors(app, settings, key_file)
    return app


def _add_doors(app: FastAPI, settings: Settings, key_file: KeyFile | None) -> None:
    if key_file is not None:
        app.state.counter = lambda: Counter(key_file.content, settings.token_seconds)
    keyring = (lambda: key_file.content) if key_file is not None else None
    # The last one added is the outermost.
    app.add_middleware(Access, door=_door(settings, keyring))
    app.add_middleware(Watch, seconds=settings.request_timeout)
    app.add_middleware(Journal)
    app.add_middleware(Timing)
    if settings.open:
        # Nobody signs here; elsewhere no page can, for browsers know no keys.
        app.add_middleware(
            WebPages,
            hosts=AllowedHosts(settings.own_hosts),
            refuse=lambda why: answer_of(ForbiddenError(why)),
        )


def _files(settings: Settings) -> Files:
    s3 = S3Store(_s3_options(settings)) if settings.on_s3 else None
    each = settings.max_metadata_bytes
    return Files(s3=s3, most_bytes=settings.cache_bytes, most_each=each)


def _s3_options(settings: Settings) -> S3Options:
    secret = settings.s3_secret_key
    return S3Options(
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        access_key=settings.s3_access_key,
        secret_key=secret.get_secret_value() if secret else None,
    )


def _add_delegation(app: FastAPI, settings: Settings) -> None:
    """Let clients have keys and signatures, as far as settings allow it."""
    region, endpoint = settings.s3_region, settings.client_s3_endpoint
    keys = _lender(settings, settings.vend_credentials)
    signatures = _lender(settings, settings.sign_requests)
    app.state.delegate = Delegate(region, endpoint, keys, signs=signatures is not None)
    app.state.more_endpoints = []
    guarded = APIRouter(prefix=settings.prefix, dependencies=[Depends(require_rights)])
    if keys is not None:
        app.state.more_endpoints.append(delegation.KEYS)
        guarded.include_router(delegation.keys_router)
    if signatures is not None:
        app.state.signer = Signer(signatures, region=region, endpoint=endpoint)
        app.state.more_endpoints.append(delegation.SIGNATURES)
        guarded.include_router(delegation.signing_router)
    app.include_router(guarded)


def _lender(settings: Settings, lending: Lending) -> Lender | None:
    match lending:
        case Lending.OFF:
            return None
        case Lending.KEYS:
            return OwnKeys(_s3_options(settings))
        case Lending.SESSION:
            sts = StsOptions(settings.sts_endpoint, settings.sts_role, settings.session_seconds)
            return Sessions(_s3_options(settings), sts)


def _door(settings: Settings, keyring: Callable[[], Keyring] | None) -> Door:
    unlocked = {"/health": 0} | ({"/metrics": 0} if settings.open_metrics else {})
    if settings.oauth:
        unlocked[f"{settings.prefix}/v1/oauth/tokens"] = oauth.MOST_BYTES
    return Door(
        keyring=keyring,
        now=lambda: datetime.now(UTC),
        most_bytes=settings.max_body_bytes,
        most_bytes_at_once=settings.max_bodies_bytes,
        services=settings.services,
        hosts=[host.lower() for host in settings.signed_hosts],
        tokens=settings.oauth,
        unlocked=unlocked,
    )


def _add_routes(app: FastAPI, settings: Settings) -> None:
    # Side by side, the busiest first: of routers within routers each level is searched anew.
    guard = [Depends(require_rights)]
    for router in (tables.router, views.router, namespaces.router, config.router):
        app.include_router(router, prefix=settings.prefix, dependencies=guard)
    app.include_router(health.router)
    if settings.oauth:
        app.include_router(oauth.router, prefix=settings.prefix)


def _lifespan(
    catalog: Catalog, guard: Guard, key_file: KeyFile | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if key_file is not None:
            guard.start("keys", key_file.watch_loop)
        yield
        await guard.stop()
        catalog.close()

    return lifespan
