"""A plain HTTP client of an Iceberg REST catalog, and documents to send to one."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx

Json = dict[str, Any]

SCHEMA: Json = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "required": True, "type": "long"},
        {"id": 2, "name": "word", "required": False, "type": "string"},
    ],
}
WIDER: Json = {
    **SCHEMA,
    "schema-id": 1,
    "fields": [*SCHEMA["fields"], {"id": 3, "name": "more", "required": False, "type": "int"}],
}


class Rest:
    """Knows where a catalog has its prefix, and what it puts between the levels of a namespace."""

    def __init__(self, client: httpx.Client, warehouse: str | None = None) -> None:
        self.client = client
        asked = {"warehouse": warehouse} if warehouse else {}
        self.config: Json = client.get("/v1/config", params=asked).raise_for_status().json()
        told = {**self.config["defaults"], **self.config["overrides"]}
        self.root = f"/v1/{told['prefix']}" if "prefix" in told else "/v1"
        self.separator = told.get("namespace-separator", "%1F")

    def at(self, *namespace: str) -> str:
        levels = self.separator.join(quote(level, safe="") for level in namespace)
        return f"{self.root}/namespaces/{levels}"

    def namespace(self) -> "Space":
        """Make a namespace that nobody else has."""
        name = f"n{uuid4().hex[:10]}"
        body = {"namespace": [name]}
        self.client.post(f"{self.root}/namespaces", json=body).raise_for_status()
        return Space(self, name)


class Space:
    def __init__(self, rest: Rest, name: str) -> None:
        self.rest = rest
        self.client = rest.client
        self.name = name
        self.path = rest.at(name)

    def table(self, name: str = "t") -> str:
        return f"{self.path}/tables/{quote(name, safe='')}"

    def named(self, name: str) -> Json:
        return {"namespace": [self.name], "name": name}

    def create(self, name: str = "t", **more: Any) -> Json:
        made = self.client.post(f"{self.path}/tables", json=self.request(name, **more))
        document: Json = made.raise_for_status().json()
        return document

    def request(self, name: str = "t", **more: Any) -> Json:
        return {"name": name, "schema": SCHEMA, **more}

    def load(self, name: str = "t", **query: str) -> Json:
        found = self.client.get(self.table(name), params=query)
        document: Json = found.raise_for_status().json()
        return document

    def commit(
        self,
        *updates: Json,
        name: str = "t",
        requirements: tuple[Json, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        body = {
            "identifier": self.named(name),
            "requirements": list(requirements),
            "updates": list(updates),
        }
        return self.client.post(self.table(name), json=body, headers=headers)

    def view_request(self, name: str = "v", sql: str = "SELECT 1 AS id") -> Json:
        return {
            "name": name,
            "schema": SCHEMA,
            "view-version": self.view_version(1, sql),
            "properties": {"a": "1"},
        }

    def view_version(self, number: int, sql: str) -> Json:
        return {
            "version-id": number,
            "schema-id": 0,
            "timestamp-ms": 1_700_000_000_000,
            "summary": {"engine-name": "spark"},
            "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
            "default-namespace": [self.name],
        }


def set_property(name: str, value: str) -> Json:
    return {"action": "set-properties", "updates": {name: value}}


def append(number: int, *, parent: int | None = None, sequence: int = 1) -> Json:
    """An update that adds a snapshot, whose files nobody looks at."""
    snapshot: Json = {
        "snapshot-id": number,
        "sequence-number": sequence,
        "timestamp-ms": time.time_ns() // 1_000_000,
        "manifest-list": f"file:///nowhere/snap-{number}.avro",
        "summary": {"operation": "append"},
        "schema-id": 0,
    }
    if parent is not None:
        snapshot["parent-snapshot-id"] = parent
    return {"action": "add-snapshot", "snapshot": snapshot}


def point(ref: str, number: int, kind: str = "branch") -> Json:
    return {"action": "set-snapshot-ref", "ref-name": ref, "type": kind, "snapshot-id": number}


def expect_error(answer: httpx.Response, status: int, *kinds: str) -> Json:
    """Check an error's status and body; return the body."""
    assert answer.status_code == status, answer.text
    error: Json = answer.json()["error"]
    assert error["code"] == status
    assert isinstance(error["message"], str)
    assert error["type"] in kinds or not kinds, error
    return error
