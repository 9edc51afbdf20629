"""Plant: all that lives as long as the application; the one place where objects are built."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from secrets import token_hex

from frazil.contracts.assignment import Assignment
from frazil.control_api.api.gatekeeper import Gatekeeper
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.health import Gauges, Role, Vitals
from frazil.control_api.core.insight import Insight
from frazil.control_api.core.offset_service import (
    ClientProperties,
    MakeRewind,
    OffsetService,
    SinkOffsets,
    SourceOffsets,
)
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import Engine, Secrets
from frazil.control_api.core.previews import Previews
from frazil.control_api.core.properties import parse_properties
from frazil.control_api.core.references import resolve
from frazil.control_api.core.service import ConnectorService
from frazil.control_api.core.sightings import Sightings
from frazil.control_api.engine.claim import Claim
from frazil.control_api.engine.docker import Daemon
from frazil.control_api.engine.docker_engine import DockerEngine
from frazil.control_api.engine.fake import FakeEngine
from frazil.control_api.engine.process import ProcessEngine
from frazil.control_api.kafka.broker import BrokerProbe
from frazil.control_api.kafka.groups import ConsumerGroups
from frazil.control_api.kafka.offsets_topic import KafkaOffsetsTopic
from frazil.control_api.loops.changes import Changes
from frazil.control_api.loops.feed import Feed
from frazil.control_api.loops.leader import Leader
from frazil.control_api.loops.look import look
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.reconciler import Reconciler
from frazil.control_api.loops.rotation import Rotation
from frazil.control_api.loops.spares import Spares
from frazil.control_api.loops.timers import Resync, Wishes
from frazil.control_api.secrets.providers import Providers
from frazil.control_api.settings import EngineKind, Settings
from frazil.control_api.store.repository import Repository
from frazil.control_api.tables.child import Child
from frazil.control_api.tables.reader import TableReader
from frazil.control_api.tables.service import ReaderSocket
from frazil.runtime.logs import get_logger
from frazil.runtime.tasks import Guard

log = get_logger(__name__)

_DRAIN_SECONDS = 10.0
_PLAIN_PASSWORDS = (
    "passwords are taken over plain HTTP, and the network sees them: set FRAZIL_TLS_CERTIFICATE "
    "and FRAZIL_TLS_KEY"
)


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
    secrets: Secrets
    outfitter: Outfitter
    engine: Engine
    reconciler: Reconciler
    resync: Resync
    leader: Leader
    feed: Feed
    broker: BrokerProbe
    policy: Policy
    sightings: Sightings
    gatekeeper: Gatekeeper | None
    tables: TableReader

    def vitals(self) -> Vitals:
        return Vitals(
            ready=self.resync.done_once if self.leader.leads else self.leader.role is not None,
            role=self.leader.role or Role.FOLLOWER,
            failure=self.guard.failure or self.leader.failure,
            broker=self.broker.state,
            engine=self.engine.trouble or "ready",
            cluster_id=self.broker.cluster_id,
            warning=self.warning,
        )

    @property
    def warning(self) -> str | None:
        if self.gatekeeper is None or not self.settings.is_plain_beyond_loopback:
            return None
        return _PLAIN_PASSWORDS if self.gatekeeper.file.content.passwords else None

    def gauges(self) -> Gauges:
        return Gauges(
            queued=self.queue.overdue, trouble=self.engine.trouble, leads=self.leader.leads
        )

    def insight(self) -> Insight:
        return Insight(
            self.engine,
            partial(look, self.engine, seconds=self.policy.inspect_timeout),
            sightings=self.sightings,
            tables=self.tables,
            secrets=self.secrets,
            clock=SystemClock(),
        )

    def previews(self) -> Previews:
        async def outfit(
            connector: Connector, name: str, *, epoch: int, records: int
        ) -> Assignment:
            make = partial(self.outfitter.preview, epoch=epoch, records=records)
            return await asyncio.to_thread(make, connector, name)

        return Previews(
            self.engine,
            partial(look, self.engine, seconds=self.policy.inspect_timeout),
            outfit,
            clock=SystemClock(),
            token=partial(token_hex, 4),
        )

    def start(self) -> None:
        if self.warning is not None:
            log.warning("passwords_in_clear", why=self.warning)
        self.guard.start("leader", self.leader.loop)
        self.guard.start("feed", self.feed.loop)
        self.guard.start("broker", self.broker.loop)
        if self.gatekeeper is not None:
            self.guard.start("credentials", self.gatekeeper.file.watch_loop)

    async def stop(self) -> None:
        """Finish what is at hand; workers go on, unless they are to end with us."""
        if self.settings.stop_workers_on_exit and self.leader.leads:
            await self.reconciler.suspend(2 * self.policy.stop_grace)
        await self.queue.drain(_DRAIN_SECONDS)
        await self.guard.stop()
        await self.engine.close()
        self.store.close()


def build_plant(settings: Settings, engine: Engine | None = None) -> Plant:
    """Build all; an engine is given only by tests, which keep a hand on it."""
    store = Repository(settings.database)
    engine = engine or _engine(settings, store)
    queue = WorkQueue(time.monotonic)
    policy = Policy(max_failures=settings.max_failures)
    sightings = Sightings()
    secrets = Providers(
        settings.environment,
        names=settings.secrets_env,
        folders=settings.secrets_paths,
        own=settings.own_files,
    )
    outfitter = Outfitter(
        worker_id=settings.worker_id,
        kafka=_client_properties(settings),
        secrets=secrets,
        files_folder=settings.files_folder,
        files_anywhere=settings.files_anywhere,
        offsets_topic=settings.offset_storage_topic,
    )
    reconciler = Reconciler(
        queue,
        store,
        engine,
        clock=SystemClock(),
        policy=policy,
        outfitter=outfitter,
        sightings=sightings,
    )
    resync = Resync(queue, store, engine)
    duties = {
        "resync": resync.loop,
        "rotation": Rotation(queue, store, outfitter).loop,
        "changes": Changes(queue, engine).loop,
        "wishes": Wishes(queue, store).loop,
        "spares": Spares(engine, store, settings.waiting_workers).loop,
    } | {f"reconciler-{number}": reconciler.work_loop for number in range(settings.reconcilers)}
    return Plant(
        settings=settings,
        guard=Guard(),
        queue=queue,
        store=store,
        secrets=secrets,
        outfitter=outfitter,
        engine=engine,
        reconciler=reconciler,
        resync=resync,
        leader=Leader(store.leader_lock(), engine, duties),
        feed=Feed(store),
        broker=BrokerProbe(_client_properties(settings)),
        policy=policy,
        sightings=sightings,
        gatekeeper=Gatekeeper(settings.credentials) if settings.credentials else None,
        tables=TableReader(
            ReaderSocket(settings.table_reader) if settings.table_reader else Child(),
            hosts=settings.catalog_hosts,
            folders=settings.catalog_folders,
        ),
    )


def offset_service(
    settings: Settings, secrets: Secrets, service: ConnectorService
) -> OffsetService:
    async def resolved(config: Mapping[str, str]) -> Mapping[str, str]:
        return (await asyncio.to_thread(resolve, config, secrets)).config

    async def remember(name: str, make: MakeRewind) -> None:
        await asyncio.to_thread(service.rewind, name, make)

    properties = ClientProperties(_client_properties(settings), resolved)
    return OffsetService(
        SinkOffsets(ConsumerGroups(), properties, remember, SystemClock()),
        SourceOffsets(KafkaOffsetsTopic(settings.offset_storage_topic), properties),
    )


def _engine(settings: Settings, store: Repository) -> Engine:
    match settings.engine:
        case EngineKind.PROCESS:
            return ProcessEngine(settings.run_root, environment=settings.worker_environment)
        case EngineKind.DOCKER:
            claim = Claim(settings.run_root / ".lock")
            return DockerEngine(
                Daemon(settings.docker_host),
                settings.docker_options,
                claim,
                installation_key=store.installation_key(),
            )
        case EngineKind.FAKE:
            return FakeEngine(SystemClock())


def _client_properties(settings: Settings) -> dict[str, str]:
    own, file = {"bootstrap.servers": settings.bootstrap_servers}, settings.kafka_properties
    return own if file is None else own | parse_properties(file.read_text(encoding="utf-8"))
