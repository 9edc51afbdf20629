"""A cluster's health: 200 from its path, and nothing else."""

import httpx
import pytest

from frazil.provisioner.desired import Cluster
from frazil.provisioner.errors import UnavailableError
from frazil.provisioner.plan import Plan
from frazil.provisioner.steps.cluster import ClusterSystem


async def look(answer: httpx.Response | httpx.HTTPError, **cluster: str) -> list[str]:
    """Plan against a cluster that answers so; return the addresses that were asked."""
    asked = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if isinstance(answer, httpx.HTTPError):
            raise answer
        return answer

    wanted = Cluster.model_validate({"name": "source", "url": "http://s3:9000", **cluster})
    async with httpx.AsyncClient(transport=httpx.MockTransport(respond)) as client:
        system = ClusterSystem(client, wanted)
        assert await system.plan() == Plan()
        assert system.title == f"Cluster source at {asked[0]}"
    return asked


async def test_a_healthy_cluster_leaves_nothing_to_do() -> None:
    assert await look(httpx.Response(200)) == ["http://s3:9000/minio/health/cluster"]


async def test_health_may_be_at_another_path() -> None:
    assert await look(httpx.Response(200), health="/up") == ["http://s3:9000/up"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (httpx.Response(503), "it answered 503 Service Unavailable"),
        (httpx.Response(204), "it answered 204 No Content"),
        (httpx.Response(301, headers={"location": "/"}), "it answered 301 Moved Permanently"),
        (httpx.ConnectError("refused"), "refused"),
        (httpx.ReadTimeout(""), "no answer in time"),
    ],
)
async def test_all_else_is_a_sentence_with_the_address(
    answer: httpx.Response | httpx.HTTPError, why: str
) -> None:
    with pytest.raises(UnavailableError) as raised:
        await look(answer)
    where = "http://s3:9000/minio/health/cluster"
    assert str(raised.value) == f"Cluster source does not answer at {where}: {why}."
