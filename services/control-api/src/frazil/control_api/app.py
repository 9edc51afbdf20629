"""create_app: routes and middleware around the plant, whose loops start and end with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import Depends, FastAPI

from frazil.contracts.plugins import Bounds, enabled_plugins
from frazil.control_api.api import (
    admin,
    bulk,
    connectors,
    events,
    history,
    insight,
    internal,
    letters,
    loggers,
    logs,
    metrics,
    offsets,
    plugins,
    previews,
    schemas,
    tables,
    tasks,
)
from frazil.control_api.api.access import Access
from frazil.control_api.api.errors import add_error_handlers, answer_of
from frazil.control_api.api.negotiation import ConnectPaths, negotiate
from frazil.control_api.api.outer import AnswerHeaders, BodyLimit, TimeLimit
from frazil.control_api.api.streams import Streams
from frazil.control_api.core.cors import Cors
from frazil.control_api.core.errors import ForbiddenError
from frazil.control_api.core.ports import Engine
from frazil.control_api.core.rehearsal import Rehearsal
from frazil.control_api.core.service import ConnectorService
from frazil.control_api.core.topics import Tracking
from frazil.control_api.plant import Plant, build_plant, offset_service
from frazil.control_api.settings import Settings
from frazil.runtime.log_levels import LogLevels
from frazil.runtime.timing import Timing
from frazil.runtime.web_pages import AllowedHosts, WebPages

_JSON_ROUTERS = (
    connectors.router,
    tasks.router,
    plugins.router,
    admin.router,
    offsets.router,
    internal.router,
    insight.router,
    history.router,
    letters.router,
    tables.router,
    schemas.router,
    previews.router,
    bulk.router,
)
_TEXT_ROUTERS = (events.router, logs.router, metrics.router)
# A model would be announced with the media type of the route's good answers, which may be text.
_ERRORS: dict[int | str, dict[str, Any]] = {
    "default": {
        "description": "What went wrong.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
    }
}


def create_app(settings: Settings, engine: Engine | None = None) -> FastAPI:
    """Build the application; an engine is given only by tests, which keep a hand on it."""
    plant = build_plant(settings, engine)
    app = FastAPI(
        title="Frazil control API",
        version=admin.VERSION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.plant = plant
    app.state.vitals = plant.vitals
    app.state.gauges = plant.gauges
    app.state.insight = plant.insight()
    app.state.previews = plant.previews()
    app.state.feed = plant.feed
    app.state.ending = asyncio.Event()
    app.state.streams = Streams()
    app.state.worker_id = settings.worker_id
    app.state.tracking = Tracking(on=settings.topic_tracking, reset=settings.topic_tracking_reset)
    app.state.log_levels = LogLevels()
    for router in _JSON_ROUTERS + ((loggers.router,) if settings.admin else ()):
        app.include_router(router, dependencies=[Depends(negotiate)], responses=_ERRORS)
    for router in _TEXT_ROUTERS:
        app.include_router(router, responses=_ERRORS)
    add_error_handlers(app)
    app.add_middleware(BodyLimit)
    if plant.gatekeeper is not None:
        app.add_middleware(
            Access, gatekeeper=plant.gatekeeper, open_to_host=settings.is_open_to_host
        )
    app.add_middleware(Timing)
    app.add_middleware(ConnectPaths)
    app.add_middleware(TimeLimit, seconds=settings.request_timeout)
    cors = Cors(settings.access_control_allow_origin, settings.access_control_allow_methods)
    app.add_middleware(
        WebPages,
        hosts=None if settings.asks_all_callers else AllowedHosts(settings.own_hosts),
        refuse=lambda why: answer_of(ForbiddenError(why)),
        allows_origin=cors.allows,
    )
    app.add_middleware(AnswerHeaders, cors=cors, rules=settings.header_rules)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    plant: Plant = app.state.plant
    # Requests run in threads; the queue belongs to the loop that exists only now.
    loop = asyncio.get_running_loop()

    def notify(name: str) -> None:
        loop.call_soon_threadsafe(partial(plant.queue.put, name))

    plugins = enabled_plugins(
        files=plant.settings.files_folder is not None,
        overrides=plant.settings.client_config_override_policy,
        spark_keys=plant.settings.spark_keys,
        groups=plant.settings.worker_groups,
        bounds=Bounds(plant.settings.max_driver_memory, plant.settings.max_tasks),
    )
    most = plant.settings.max_connectors
    app.state.service = ConnectorService(
        plant.store, notify, plugins, secrets=plant.secrets, most=most
    )
    app.state.offsets = offset_service(plant.settings, plant.secrets, app.state.service)
    app.state.rehearsal = Rehearsal(plant.store, notify, plugins, secrets=plant.secrets, most=most)
    plant.start()
    yield
    await plant.stop()
