"""Opens the systems that a desired state speaks of, in the order they depend on each other."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from frazil.provisioner.converge import System
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.steps.catalog import open_catalog
from frazil.provisioner.steps.connect import open_connect
from frazil.provisioner.steps.kafka import open_kafka


@asynccontextmanager
async def open_systems(desired: DesiredState, seconds: float) -> AsyncIterator[list[System]]:
    """Open topics, then tables, then connectors: a connector needs both of the others."""
    systems: list[System] = []
    async with AsyncExitStack() as stack:
        if desired.kafka:
            systems.append(await stack.enter_async_context(open_kafka(desired.kafka, seconds)))
        if desired.catalog:
            systems.append(await stack.enter_async_context(open_catalog(desired.catalog)))
        if desired.connect:
            systems.append(await stack.enter_async_context(open_connect(desired.connect, seconds)))
        yield systems
