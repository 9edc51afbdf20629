"""Opens the systems that a desired state speaks of, in the order they depend on each other."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from frazil.provisioner.converge import System
from frazil.provisioner.desired import DesiredState
from frazil.provisioner.steps.catalog import open_catalog
from frazil.provisioner.steps.cluster import open_cluster
from frazil.provisioner.steps.connect import open_connect
from frazil.provisioner.steps.kafka import open_kafka
from frazil.provisioner.steps.trino import open_trino


@asynccontextmanager
async def open_systems(
    desired: DesiredState, seconds: float, connect_headers: Mapping[str, str]
) -> AsyncIterator[list[System]]:
    """Open them in the order of need: connectors want topics and tables, Trino a warehouse."""
    opening: list[AbstractAsyncContextManager[System]] = [
        open_cluster(cluster, seconds) for cluster in desired.clusters
    ]
    if desired.kafka:
        opening.append(open_kafka(desired.kafka, seconds))
    if desired.catalog:
        opening.append(open_catalog(desired.catalog, seconds))
    if desired.connect:
        opening.append(open_connect(desired.connect, seconds, connect_headers))
    if desired.trino:
        opening.append(open_trino(desired.trino, seconds))
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(one) for one in opening]
