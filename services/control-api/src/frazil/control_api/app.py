"""create_app: the one place where objects are built, and where the loops start and end."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from fastapi import Depends, FastAPI

from frazil.control_api.api import admin, connectors, plugins, tasks
from frazil.control_api.api.errors import add_error_handlers
from frazil.control_api.api.models import ErrorBody
from frazil.control_api.api.negotiation import ConnectPaths, negotiate
from frazil.control_api.api.timing import Timing
from frazil.control_api.core.health import Vitals
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import Engine
from frazil.control_api.core.service import ConnectorService
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.kafka.broker import BrokerProbe
from frazil.control_api.kafka.properties import read_properties
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.loops.timers import Resync
from frazil.control_api.settings import EngineKind, Settings
from frazil.control_api.store.repository import Repository
from frazil.runtime.tasks import Guard

_DRAIN_SECONDS = 10.0


class SystemClock:
    def now(self) -> float:
        return time.time()


@dataclass(frozen=True)
class Plant:
    """All that lives as long as the application."""

    settings: Settings
    guard: Guard
    queue: WorkQueue
    store: Repository
    engine: Engine
    reconciler: Reconciler
    resync: Resync
    broker: BrokerProbe
    policy: Policy

    def vitals(self) -> Vitals:
        return Vitals(
            ready=self.resync.done_once,
            failure=self.guard.failure,
            broker=self.broker.state,
            cluster_id=self.broker.cluster_id,
        )

    def start(self) -> None:
        for number in range(self.settings.reconcilers):
            self.guard.start(f"reconciler-{number}", self.reconciler.work_loop)
        self.guard.start("resync", self.resync.loop)
        self.guard.start("broker", self.broker.loop)

    async def stop(self) -> None:
        """Finish what is at hand; workers go on, unless they are to end with us."""
        if self.settings.stop_workers_on_exit:
            await self.reconciler.suspend(2 * self.policy.stop_grace)
        await self.queue.drain(_DRAIN_SECONDS)
        await self.guard.stop()
        await self.engine.close()
        self.store.close()


def create_app(settings: Settings, engine: Engine | None = None) -> FastAPI:
    """Build the application; an engine is given only by tests, which keep a hand on it."""
    plant = _build(settings, engine or _engine(settings))
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
    app.state.worker_id = _worker_id(settings)
    for router in (connectors.router, tasks.router, plugins.router, admin.router):
        app.include_router(
            router,
            dependencies=[Depends(negotiate)],
            responses={"default": {"model": ErrorBody, "description": "What went wrong."}},
        )
    app.include_router(admin.metrics_router)
    add_error_handlers(app)
    app.add_middleware(Timing)
    app.add_middleware(ConnectPaths)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    plant: Plant = app.state.plant
    # Requests run in threads; the queue belongs to the loop that exists only now.
    loop = asyncio.get_running_loop()

    def notify(name: str) -> None:
        loop.call_soon_threadsafe(partial(plant.queue.put, name))

    app.state.service = ConnectorService(plant.store, notify)
    plant.start()
    yield
    await plant.stop()


def _build(settings: Settings, engine: Engine) -> Plant:
    store = Repository(settings.database)
    queue = WorkQueue(time.monotonic)
    policy = Policy(max_failures=settings.max_failures)
    reconciler = Reconciler(
        queue,
        store,
        engine,
        clock=SystemClock(),
        policy=policy,
        worker_id=_worker_id(settings),
        kafka=_client_properties(settings),
    )
    return Plant(
        settings=settings,
        guard=Guard(),
        queue=queue,
        store=store,
        engine=engine,
        reconciler=reconciler,
        resync=Resync(queue, store, engine),
        broker=BrokerProbe(settings.bootstrap_servers),
        policy=policy,
    )


def _engine(settings: Settings) -> Engine:
    match settings.engine:
        case EngineKind.PROCESS:
            engine = ProcessEngine(settings.run_root)
            engine.claim()
            return engine
        case EngineKind.FAKE:
            return FakeEngine(SystemClock())


def _client_properties(settings: Settings) -> dict[str, str]:
    own = {"bootstrap.servers": settings.bootstrap_servers}
    return (
        own
        if settings.kafka_properties is None
        else own | read_properties(settings.kafka_properties)
    )


def _worker_id(settings: Settings) -> str:
    return f"{settings.host}:{settings.port}"
