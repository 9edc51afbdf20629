"""Routes that look closer at one connector: how it is, and what its tables prove."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from frazil.control_api.api.deps import Insights, Present
from frazil.control_api.api.own_models import ConnectorHealth
from frazil.control_api.api.proof_models import ConnectorLedger
from frazil.control_api.core.proof import TableSource

router = APIRouter(prefix="/connectors/{connector}")


@router.get("/health")
async def get_connector_health(connector: Present, insight: Insights) -> ConnectorHealth:
    """Ask the worker now. The answer is 200 also for a connector that is not healthy."""
    return ConnectorHealth.of(connector.name, await insight.look(connector))


def _source(
    connector: Present,
    insight: Insights,
    branch: Annotated[
        str | None, Query(description="A branch to read, such as the one of a rewind.")
    ] = None,
) -> TableSource:
    return insight.source(connector, branch)


@router.get("/ledger")
async def get_ledger(
    source: Annotated[TableSource, Depends(_source)], insight: Insights
) -> ConnectorLedger:
    """Read the connector's tables and prove what of its topics is in them."""
    return ConnectorLedger.of(source.connector, await insight.proofs(source))
