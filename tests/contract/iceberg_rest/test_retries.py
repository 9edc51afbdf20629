"""`Idempotency-Key`: who asks again gets the answer that was given, and nothing is done twice."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from tests.support.iceberg_rest import Rest, Space, append, expect_error, point


@pytest.fixture(autouse=True)
def _offered(rest: Rest) -> None:
    if "idempotency-key-lifetime" not in rest.config:
        pytest.skip("this catalog offers no idempotency keys")


def test_a_commit_that_is_sent_again_is_answered_again(space: Space) -> None:
    space.create()
    key = {"Idempotency-Key": str(uuid4())}
    fresh = ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},)
    updates = (append(1), point("main", 1))
    first = space.commit(*updates, requirements=fresh, headers=key)
    again = space.commit(*updates, requirements=fresh, headers=key)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert len(space.load()["metadata"]["snapshots"]) == 1


def test_a_table_and_a_namespace_are_made_once(rest: Rest, space: Space) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    path, body = f"{space.path}/tables", space.request()
    answers = [space.client.post(path, json=body, headers=key) for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    other = {"Idempotency-Key": str(uuid4())}
    request = {"namespace": [space.name, "below"]}
    made = [
        rest.client.post(f"{rest.root}/namespaces", json=request, headers=other) for _ in range(2)
    ]
    assert made[0].json() == made[1].json()


def test_a_drop_is_done_once(space: Space) -> None:
    space.create()
    key = {"Idempotency-Key": str(uuid4())}
    assert space.client.delete(space.table(), headers=key).status_code == 204
    space.create()
    assert space.client.delete(space.table(), headers=key).status_code == 204
    assert space.client.head(space.table()).status_code == 204


def test_a_key_is_for_one_request(space: Space) -> None:
    space.create()
    key = {"Idempotency-Key": str(uuid4())}
    space.commit(append(1), headers=key).raise_for_status()
    expect_error(space.commit(append(2), headers=key), 422)


def test_a_refusal_is_final(space: Space) -> None:
    key = {"Idempotency-Key": str(uuid4())}
    first = space.client.delete(space.table(), headers=key)
    expect_error(first, 404, "NoSuchTableException")
    space.create()
    again = space.client.delete(space.table(), headers=key)
    assert (again.status_code, again.json()) == (404, first.json())
    assert space.client.head(space.table()).status_code == 204


def test_one_of_many_at_once_is_done_and_all_are_told_so(space: Space) -> None:
    space.create()
    key = {"Idempotency-Key": str(uuid4())}
    fresh = ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None},)
    updates = (append(1), point("main", 1))

    def send(_number: int) -> tuple[int, str]:
        answer = space.commit(*updates, requirements=fresh, headers=key)
        return answer.status_code, answer.text

    with ThreadPoolExecutor(6) as pool:
        answers = set(pool.map(send, range(6)))
    assert [status for status, _ in answers] == [200], answers
    assert len(space.load()["metadata"]["snapshots"]) == 1


def test_a_key_is_a_uuid(space: Space) -> None:
    answer = space.client.delete(space.table(), headers={"Idempotency-Key": "again"})
    expect_error(answer, 400)
