"""Routes about the server itself: who it is, how it is, what it measured."""

from collections import Counter

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from frazil.contracts.states import ConnectState
from frazil.control_api.api.deps import Service, VitalSigns
from frazil.control_api.api.models import Health, OwnHealth, ServerInfo
from frazil.control_api.core.health import HealthStatus, verdict
from frazil.control_api.core.states import public_state
from frazil.runtime.metrics import CONNECTORS

VERSION = "0.1.0"
CONNECT_VERSION = "4.3.1"
"""Clients switch features on by this number."""

router = APIRouter()
metrics_router = APIRouter()

_HTTP_STATUS = {
    HealthStatus.HEALTHY: 200,
    HealthStatus.STARTING: 503,
    HealthStatus.UNHEALTHY: 500,
}


@router.get("/")
async def get_server_info(vitals: VitalSigns) -> ServerInfo:
    return ServerInfo(
        version=CONNECT_VERSION, commit=f"frazil-{VERSION}", kafka_cluster_id=vitals.cluster_id
    )


@router.get("/health")
async def get_health(vitals: VitalSigns, response: Response) -> Health:
    found = verdict(vitals)
    response.status_code = _HTTP_STATUS[found.status]
    own = OwnHealth(version=VERSION, loops=vitals.failure or "running", broker=vitals.broker)
    return Health(status=found.status, message=found.message, frazil=own)


@metrics_router.get("/metrics")
def get_metrics(service: Service) -> Response:
    states = Counter(public_state(connector).connector for connector in service.all())
    for state in ConnectState:
        CONNECTORS.labels(state=state).set(states[state])
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
