"""The reconciler: take a name, observe, decide, record, do one thing. Only it touches engines."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins import UnknownPluginError, find_plugin
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.decide import Action, Do, could_not_start, decide
from frazil.control_api.core.errors import EngineError
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import Clock, ConnectorStore, Engine
from frazil.control_api.loops.queue import WorkQueue
from frazil.runtime.logs import get_logger
from frazil.runtime.metrics import RECONCILES, WORKER_STARTS

log = get_logger(__name__)


class Reconciler:
    """Any number of `work_loop`s may share one; the queue keeps them out of each other's way."""

    def __init__(
        self,
        queue: WorkQueue,
        store: ConnectorStore,
        engine: Engine,
        *,
        clock: Clock,
        policy: Policy,
        worker_id: str,
        kafka: Mapping[str, str],
    ) -> None:
        self._queue = queue
        self._store = store
        self._engine = engine
        self._clock = clock
        self._policy = policy
        self._worker_id = worker_id
        self._kafka = dict(kafka)
        # Between counting the starting workers and recording one more, nobody else may count.
        self._deciding = asyncio.Lock()
        self._suspended = False

    async def work_loop(self) -> None:
        while True:
            name = await self._queue.get()
            try:
                again_after = await self.reconcile(name)
            except Exception:  # the loop's edge: one connector's trouble must not stop the others
                log.exception("reconcile_failed", connector=name)
                RECONCILES.labels(action="ERROR").inc()
                self._queue.failed(name)
            else:
                self._queue.done(name, again_after)

    async def reconcile(self, name: str) -> float | None:
        """Make one pass; return the seconds after which another is due."""
        observation = await self._engine.inspect(name)
        async with self._deciding:
            connector, starting = await asyncio.to_thread(self._load, name)
            action = decide(
                connector,
                observation,
                self._clock.now(),
                policy=self._policy,
                starting=starting,
            )
            await self._record(connector, action)
        RECONCILES.labels(action=action.do).inc()
        return await self._perform(connector, action)

    async def suspend(self, seconds: float) -> None:
        """End all workers, without a change of what is wanted, by passes as if all were paused."""
        self._suspended = True
        deadline = self._clock.now() + seconds
        names = set(await self._engine.connectors())
        while names and self._clock.now() < deadline:
            for name in names:
                self._queue.put(name)
            await asyncio.sleep(self._policy.look_soon)
            names = {name for name in names if (await self._engine.inspect(name)).living}

    def _load(self, name: str) -> tuple[Connector, int]:
        """Read the record, after the engine was asked: what is wanted now counts.

        Workers without a record are the rest of a deletion that was cut off.
        """
        connector = self._store.get(name) or Connector(name, {}, Target.DELETED)
        if self._suspended and connector.target is Target.RUNNING:
            connector = replace(connector, target=Target.PAUSED)
        return connector, len(self._store.starting() - {name})

    async def _record(self, connector: Connector, action: Action) -> None:
        before, after = connector.observed, action.observed
        if before != after:
            await asyncio.to_thread(self._store.record, connector.name, after)
        if before.phase is not after.phase or action.do is not Do.NOTHING:
            write = log.warning if after.phase.has_failed else log.info
            write(
                "decided",
                connector=connector.name,
                epoch=after.epoch,
                before=before.phase,
                after=after.phase,
                target=connector.target,
                action=action.do,
                why=action.why,
            )

    async def _perform(self, connector: Connector, action: Action) -> float | None:
        match action.do:
            case Do.START:
                return await self._start(connector, action)
            case Do.STOP:
                for epoch in action.epochs:
                    await self._engine.stop(connector.name, epoch)
            case Do.KILL:
                for epoch in action.epochs:
                    await self._engine.kill(connector.name, epoch)
            case Do.REMOVE:
                await self._engine.remove(connector.name)
                await asyncio.to_thread(self._store.remove, connector.name)
            case Do.NOTHING:
                pass
        return action.after

    async def _start(self, connector: Connector, action: Action) -> float | None:
        try:
            plugin = find_plugin(connector.config.get("connector.class", ""))
            await self._engine.start(self._assignment(connector, action), plugin.worker)
        except (EngineError, UnknownPluginError) as error:
            failed = could_not_start(
                connector.name, action.observed, str(error), self._clock.now(), policy=self._policy
            )
            await self._record(replace(connector, observed=action.observed), failed)
            return failed.after
        WORKER_STARTS.inc()
        return action.after

    def _assignment(self, connector: Connector, action: Action) -> Assignment:
        return Assignment(
            connector=connector.name,
            epoch=action.observed.epoch,
            generation=action.observed.generation,
            worker_id=self._worker_id,
            config=dict(connector.config),
            kafka=self._kafka,
        )
