"""What the proxy of the Docker socket lets through, and what it refuses."""

import json
from dataclasses import replace

import pytest
from tests.support.control_api import assignment
from tests.support.docker_requests import (
    ALLOWED,
    FORBIDDEN,
    NAME,
    NOT_CREATED,
    OPTIONS,
    WORKER,
    host_config,
    target,
)

from frazil.contracts.plugins.group_keys import WORKER_GROUP
from frazil.control_api.docker_proxy.errors import RefusedError
from frazil.control_api.docker_proxy.rules import Rules
from frazil.control_api.engine.docker_host_spec import host_name, host_options, room_for

RULES = Rules(OPTIONS)


def created(body: object, name: str = NAME) -> bytes:
    return RULES.forward(
        "POST", target("/containers/create", name=name), json.dumps(body).encode()
    ).body


@pytest.mark.parametrize(("method", "asked"), ALLOWED)
def test_what_the_control_api_needs_gets_through_as_it_is_asked(method: str, asked: str) -> None:
    forward = RULES.forward(method, asked)
    found = forward.target(forward.container or "")
    assert (forward.method, found) == (method, asked)


@pytest.mark.parametrize(("method", "asked"), FORBIDDEN)
def test_everything_else_is_refused(method: str, asked: str) -> None:
    with pytest.raises(RefusedError):
        RULES.forward(method, asked, b"{}")


def test_a_request_reaches_the_engine_with_a_body_only_where_one_is_needed() -> None:
    assert RULES.forward("POST", "/containers/c1/start", b'{"Privileged": true}').body == b""
    put = RULES.forward("PUT", target("/containers/c1/archive", path="/run/frazil"), b"tar")
    assert (put.body, put.content_type) == (b"tar", "application/x-tar")


def test_what_the_engine_describes_is_created_as_it_is() -> None:
    assert json.loads(created(WORKER)) == WORKER


def test_so_is_a_host() -> None:
    options = replace(OPTIONS, memory=None, cpus=None)
    config = {**assignment("logs", 1).config, WORKER_GROUP: "team"}
    room = room_for("team", [config], options)
    image = host_name("spark-sink", "team", "frazil-worker:1")
    name, body = host_options(image, 1, "frazil.spark_sink", room, options, salt="s")
    asked = target("/containers/create", name=name)
    forward = Rules(options).forward("POST", asked, json.dumps(body).encode())
    assert json.loads(forward.body) == body


@pytest.mark.parametrize("body", NOT_CREATED.values(), ids=NOT_CREATED.keys())
def test_no_container_is_created_with(body: object) -> None:
    with pytest.raises(RefusedError):
        created(body)


def test_what_is_no_json_is_refused() -> None:
    for body in (b"", b"{", b"[" * 100_000, b"\xff"):
        with pytest.raises(RefusedError):
            RULES.forward("POST", target("/containers/create", name=NAME), body)


@pytest.mark.parametrize("name", ["kafka", "frazil-x/../y", "frazil-logs.kafka", ""])
def test_no_container_is_created_by_a_name_of_another(name: str) -> None:
    with pytest.raises(RefusedError):
        created(WORKER, name)
    with pytest.raises(RefusedError):
        RULES.forward("POST", "/containers/create", json.dumps(WORKER).encode())


def test_a_refusal_names_what_differs_and_nothing_else() -> None:
    with pytest.raises(RefusedError, match=r"another Env, CapAdd, Privileged$"):
        created(
            {
                **host_config(Privileged=True, CapAdd=["ALL"]),
                "Env": ["TOKEN=hush"],
            }
        )


def test_a_container_is_ours_by_its_label_and_is_asked_for_by_its_id() -> None:
    forward = RULES.forward("POST", "/v1.45/containers/frazil-logs-1/start")
    inspected = {"Id": "c0ffee", "Config": {"Labels": {"frazil.instance": "blue"}}}
    assert forward.target(RULES.owned(inspected)) == "/v1.45/containers/c0ffee/start"


@pytest.mark.parametrize(
    "inspected",
    [
        {"Id": "c0ffee", "Config": {"Labels": {"frazil.instance": "green"}}},
        {"Id": "c0ffee", "Config": {"Labels": {}}},
        {"Id": "c0ffee", "Config": {"Labels": None}},
        {"Config": {"Labels": {"frazil.instance": "blue"}}},
        {},
        [],
    ],
)
def test_a_container_of_another_is_refused(inspected: object) -> None:
    with pytest.raises(RefusedError):
        RULES.owned(inspected)
