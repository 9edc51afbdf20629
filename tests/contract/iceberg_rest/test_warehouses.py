"""Warehouses, by AIStor's calls; and that nothing leaves its own."""

from uuid import uuid4

from tests.support.iceberg_rest import SCHEMA, Rest, Space, expect_error


def test_a_warehouse_is_made_listed_shown_and_deleted(rest: Rest) -> None:
    name = f"w{uuid4().hex[:8]}"
    assert rest.client.post("/v1/warehouses", json={"name": name}).status_code == 200
    listed = rest.client.get("/v1/warehouses").json()["warehouses"]
    assert name in [one["name"] for one in listed]
    assert rest.client.get(f"/v1/warehouses/{name}").json()["name"] == name
    config = rest.client.get("/v1/config", params={"warehouse": name}).json()
    assert config["overrides"]["prefix"] == name
    assert rest.client.delete(f"/v1/warehouses/{name}").status_code == 204
    expect_error(rest.client.get(f"/v1/warehouses/{name}"), 404, "NoSuchWarehouseException")


def test_one_that_is_there_is_only_upgraded(rest: Rest) -> None:
    body = {"name": f"w{uuid4().hex[:8]}"}
    rest.client.post("/v1/warehouses", json=body).raise_for_status()
    again = rest.client.post("/v1/warehouses", json=body)
    expect_error(again, 409, "WarehouseAlreadyExistsException")
    upgraded = rest.client.post("/v1/warehouses", json={**body, "upgrade-existing": True})
    assert upgraded.status_code == 200


def test_one_with_a_namespace_stays(rest: Rest) -> None:
    name = f"w{uuid4().hex[:8]}"
    rest.client.post("/v1/warehouses", json={"name": name}).raise_for_status()
    rest.client.post(f"/v1/{name}/namespaces", json={"namespace": ["n"]}).raise_for_status()
    answer = rest.client.delete(f"/v1/warehouses/{name}")
    expect_error(answer, 409, "WarehouseNotEmptyException")


def test_names_are_those_of_buckets(rest: Rest) -> None:
    for name in ("Upper", "a/b", "", "../up"):
        expect_error(rest.client.post("/v1/warehouses", json={"name": name}), 400)


def test_an_unknown_warehouse_is_404(rest: Rest) -> None:
    answer = rest.client.get("/v1/config", params={"warehouse": "nope"})
    expect_error(answer, 404, "NoSuchWarehouseException")
    expect_error(rest.client.get("/v1/nope/namespaces"), 404, "NoSuchWarehouseException")
    body = {"namespace": ["n"]}
    answer = rest.client.post("/v1/nope/namespaces", json=body)
    expect_error(answer, 404, "NoSuchWarehouseException")


def test_no_table_leaves_its_warehouse(space: Space) -> None:
    for location in ("file:///etc", "s3://other/t", "/etc"):
        body = {"name": "t", "schema": SCHEMA, "location": location}
        expect_error(space.client.post(f"{space.path}/tables", json=body), 400)
    space.create()
    expect_error(space.commit({"action": "set-location", "location": "file:///etc"}), 400)
    update = {"action": "set-properties", "updates": {"write.metadata.path": "file:///etc"}}
    expect_error(space.commit(update), 400)
    body = {"name": "u", "metadata-location": "file:///etc/passwd"}
    expect_error(space.client.post(f"{space.path}/register", json=body), 400)


def test_no_namespace_has_its_tables_elsewhere(rest: Rest, space: Space) -> None:
    elsewhere = {"location": "file:///elsewhere"}
    body = {"namespace": [f"n{uuid4().hex}"], "properties": elsewhere}
    expect_error(rest.client.post(f"{rest.root}/namespaces", json=body), 400)
    properties = f"{space.path}/properties"
    expect_error(space.client.post(properties, json={"updates": elsewhere}), 400)
    below = space.client.get(space.path).json()["properties"]["location"] + "/below"
    space.client.post(properties, json={"updates": {"location": below}}).raise_for_status()
    assert space.create()["metadata"]["location"].startswith(f"{below}/")
