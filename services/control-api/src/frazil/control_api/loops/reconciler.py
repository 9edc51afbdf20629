"""The reconciler: take a name, observe, decide, record, do one thing. Only it touches engines."""

import asyncio
from dataclasses import replace

from frazil.contracts.plugins import UnknownPluginError, find_plugin
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.decide import Action, Do, could_not_start, decide
from frazil.control_api.core.errors import EngineError, SecretError
from frazil.control_api.core.policy import Policy
from frazil.control_api.core.ports import Clock, ConnectorStore, Engine
from frazil.control_api.core.previews import seconds_left
from frazil.control_api.core.sightings import Sightings
from frazil.control_api.loops.look import look
from frazil.control_api.loops.outfitter import Outfitter
from frazil.control_api.loops.queue import WorkQueue
from frazil.control_api.loops.turns import Turns
from frazil.runtime.logs import get_logger
from frazil.runtime.metrics import RECONCILE_SECONDS, RECONCILES, WORKER_RESTARTS, WORKER_STARTS

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
        outfitter: Outfitter,
        sightings: Sightings | None = None,
    ) -> None:
        self._queue = queue
        self._store = store
        self._engine = engine
        self._clock = clock
        self._policy = policy
        self._outfitter = outfitter
        self._sightings = sightings or Sightings()
        # Between counting the starting workers and recording one more, nobody else may count.
        self._deciding = asyncio.Lock()
        self._turns = Turns(policy)
        self._suspended = False

    async def work_loop(self) -> None:
        while True:
            name = await self._queue.get()
            try:
                with RECONCILE_SECONDS.time():
                    again_after = await self.reconcile(name)
            except asyncio.CancelledError:
                # Cut off because another process leads now; here it is due if we lead again.
                self._queue.done(name, again_after=0.0)
                raise
            except EngineError as error:
                log.warning("engine_unavailable", connector=name, why=str(error))
                RECONCILES.labels(action="ERROR").inc()
                self._queue.failed(name)
            except Exception:  # the loop's edge: one connector's trouble must not stop the others
                log.exception("reconcile_failed", connector=name)
                RECONCILES.labels(action="ERROR").inc()
                self._queue.failed(name)
            else:
                self._queue.done(name, again_after)

    async def reconcile(self, name: str) -> float | None:
        """Make one pass; return the seconds after which another is due."""
        preview_ends_in = seconds_left(name, self._clock.now())
        if preview_ends_in and not self._suspended:
            # Until then it belongs to those who ask for it; what is left of it is nobody's.
            return preview_ends_in
        # A look that takes for ever would keep one of the loops for ever.
        observation = await look(self._engine, name, self._policy.inspect_timeout)
        self._sightings.see(name, observation)
        async with self._deciding:
            connector, starting = await asyncio.to_thread(self._load, name)
            now = self._clock.now()
            taken = self._turns.taken(name, starting, now)
            action = decide(connector, observation, now, policy=self._policy, starting=taken)
            await self._record(connector, action)
        RECONCILES.labels(action=action.do).inc()
        return await self._perform(connector, action)

    async def suspend(self, seconds: float) -> None:
        """End all workers, without a change of what is wanted, by passes as if all were paused."""
        self._suspended = True
        try:
            await self._until_suspended(self._clock.now() + seconds)
        except EngineError as error:
            log.warning("workers_go_on", why=str(error))

    async def _until_suspended(self, deadline: float) -> None:
        names = set(await self._engine.connectors())
        # Then those that linger without a connector: a network cannot go with one of them in it.
        while names or await self._engine.keep_waiting(0):
            if self._clock.now() >= deadline:
                return
            for name in names:
                self._queue.put(name)
            await asyncio.sleep(self._policy.look_soon)
            names = {name for name in names if (await self._engine.inspect(name)).living}

    def _load(self, name: str) -> tuple[Connector, int]:
        """Read the record, after the engine was asked: what is wanted now counts.

        Workers without a record are the rest of a deletion that was cut off.
        """
        connector, starting = self._store.look(name)
        if self._suspended and connector.target is Target.RUNNING:
            connector = replace(connector, target=Target.PAUSED)
        return connector, starting

    async def _record(self, connector: Connector, action: Action) -> None:
        before, after = connector.observed, action.observed
        if before != after:
            await asyncio.to_thread(self._store.record, connector.name, after)
        self._turns.note(connector.name, after, waits=action.do is Do.WAIT)
        if next_to_start := self._turns.call(self._clock.now()):
            self._queue.put(next_to_start)
        if before.phase is not after.phase or action.do not in (Do.NOTHING, Do.WAIT):
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
                self._sightings.forget(connector.name)
            case Do.NOTHING | Do.WAIT:
                pass
        return action.after

    async def _start(self, connector: Connector, action: Action) -> float | None:
        try:
            plugin = find_plugin(connector.config.get("connector.class", ""))
            assignment = await asyncio.to_thread(
                self._outfitter.assignment, connector, action.observed
            )
            await self._engine.start(assignment, plugin.worker)
        except (EngineError, SecretError, UnknownPluginError) as error:
            if self._engine.trouble is not None:
                raise  # not this connector's failure: its start is resumed when the engine is back
            connector = replace(connector, observed=action.observed)
            failed = could_not_start(connector, str(error), self._clock.now(), policy=self._policy)
            await self._record(connector, failed)
            return failed.after
        WORKER_STARTS.inc()
        if connector.observed.epoch:
            WORKER_RESTARTS.inc()
        return action.after
