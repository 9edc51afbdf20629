"""Routes by which Kafka Connect's workers talk to each other; ours have none who could sign."""

from fastapi import APIRouter

from frazil.control_api.core.errors import BadRequestError

router = APIRouter(prefix="/connectors/{connector}", include_in_schema=False)


@router.post("/tasks")
@router.put("/fence")
def refuse_unsigned() -> None:
    raise BadRequestError("Internal request missing required signature")
