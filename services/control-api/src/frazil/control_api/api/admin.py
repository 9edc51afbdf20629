"""Routes about the server itself: who it is and how it is."""

from fastapi import APIRouter, Response

from frazil.control_api.api.deps import IsStranger, VitalSigns
from frazil.control_api.api.models import Health, OwnHealth, ServerInfo
from frazil.control_api.core.health import HealthStatus, verdict

VERSION = "0.1.0"
CONNECT_VERSION = "4.3.1"
"""Clients switch features on by this number."""

router = APIRouter()

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


@router.get(
    "/health",
    response_model_exclude_none=True,
    responses={
        500: {"model": Health, "description": "Unhealthy."},
        503: {"model": Health, "description": "Still starting."},
    },
)
async def get_health(vitals: VitalSigns, stranger: IsStranger, response: Response) -> Health:
    found = verdict(vitals)
    response.status_code = _HTTP_STATUS[found.status]
    own = OwnHealth(
        version=VERSION,
        role=vitals.role,
        loops=vitals.failure or "running",
        broker=vitals.broker,
        engine=vitals.engine,
        warning=vitals.warning,
    )
    return Health(status=found.status, message=found.message, frazil=None if stranger else own)
