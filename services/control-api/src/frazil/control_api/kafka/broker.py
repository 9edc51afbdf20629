"""Asks the broker who it is, again and again; nothing waits for the answer."""

import asyncio
import logging

from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_TIMEOUT = 10.0
_PERIOD = 30.0
_PERIOD_WHILE_AWAY = 5.0


class BrokerProbe:
    """`cluster_id` stays known when the broker goes away; `state` says how it is now."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._bootstrap_servers = bootstrap_servers
        self.cluster_id: str | None = None
        self.state = "not asked yet"

    async def loop(self) -> None:
        # The probe says in one line what the client says in many.
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
        while True:
            reachable = await self.ask()
            await asyncio.sleep(_PERIOD if reachable else _PERIOD_WHILE_AWAY)

    async def ask(self) -> bool:
        before = self.state
        try:
            # Not wait_for: before Python 3.12 it may swallow a cancellation.
            async with asyncio.timeout(_TIMEOUT):
                self.cluster_id = await _cluster_id(self._bootstrap_servers)
        except Exception as error:  # noqa: BLE001 (whatever it is: the broker did not answer)
            self.state = f"{self._bootstrap_servers} does not answer: {error!r}"
        else:
            self.state = "connected"
        if self.state != before:
            log.info("broker", state=self.state, cluster_id=self.cluster_id)
        return self.state == "connected"


async def _cluster_id(bootstrap_servers: str) -> str:
    from aiokafka.admin import AIOKafkaAdminClient  # noqa: PLC0415 (the API need not wait for it)

    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap_servers)
    try:
        await admin.start()
        cluster = await admin.describe_cluster()
    finally:
        await admin.close()
    return str(cluster["cluster_id"])
