"""Asks the broker who it is, again and again; nothing waits for the answer."""

import asyncio
import logging
from collections.abc import Mapping

from aiokafka.protocol.metadata import MetadataRequest

from frazil.control_api.core.errors import BrokerError
from frazil.control_api.kafka.clients import connected
from frazil.runtime.logs import get_logger

log = get_logger(__name__)

_PERIOD = 30.0
_PERIOD_WHILE_AWAY = 5.0


class BrokerProbe:
    """`cluster_id` stays known when the broker goes away; `state` says how it is now."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = properties
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
            self.cluster_id = await _cluster_id(self._properties)
        except BrokerError as error:
            self.state = error.message
        else:
            self.state = "connected"
        if self.state != before:
            log.info("broker", state=self.state, cluster_id=self.cluster_id)
        return self.state == "connected"


async def _cluster_id(properties: Mapping[str, str]) -> str:
    async with connected(properties) as client:
        metadata = await client.send(client.get_random_node(), MetadataRequest([]))
    return str(metadata.cluster_id)
