"""Namespaces, as the specification words them."""

from uuid import uuid4

from tests.support.iceberg_rest import Rest, Space, expect_error


def test_a_created_one_is_listed_loaded_and_has_its_properties(rest: Rest) -> None:
    name = f"n{uuid4().hex}"
    body = {"namespace": [name], "properties": {"owner": "me"}}
    made = rest.client.post(f"{rest.root}/namespaces", json=body)
    assert made.status_code == 200
    assert made.json()["namespace"] == [name]
    loaded = rest.client.get(rest.at(name)).json()
    assert loaded["namespace"] == [name]
    assert loaded["properties"]["owner"] == "me"
    assert [name] in rest.client.get(f"{rest.root}/namespaces").json()["namespaces"]
    assert rest.client.head(rest.at(name)).status_code == 204


def test_one_has_a_location_though_nobody_gave_it_one(space: Space) -> None:
    assert space.client.get(space.path).json()["properties"]["location"]


def test_one_that_is_there_is_not_made_again(rest: Rest, space: Space) -> None:
    again = rest.client.post(f"{rest.root}/namespaces", json={"namespace": [space.name]})
    expect_error(again, 409, "AlreadyExistsException")


def test_one_that_is_not_there_is_404_everywhere(rest: Rest) -> None:
    for path in (rest.at("missing"), rest.at("missing") + "/tables", rest.at("missing") + "/views"):
        expect_error(rest.client.get(path), 404, "NoSuchNamespaceException")
    assert rest.client.head(rest.at("missing")).status_code == 404
    expect_error(rest.client.delete(rest.at("missing")), 404, "NoSuchNamespaceException")
    parent = {"parent": "missing"}
    answer = rest.client.get(f"{rest.root}/namespaces", params=parent)
    expect_error(answer, 404, "NoSuchNamespaceException")


def test_levels_are_listed_below_their_parent_alone(rest: Rest, space: Space) -> None:
    for child in ("one", "two"):
        body = {"namespace": [space.name, child]}
        assert rest.client.post(f"{rest.root}/namespaces", json=body).status_code == 200
    listed = rest.client.get(f"{rest.root}/namespaces", params={"parent": space.name}).json()
    assert sorted(listed["namespaces"]) == [[space.name, "one"], [space.name, "two"]]
    assert rest.client.get(rest.at(space.name, "one")).json()["namespace"] == [space.name, "one"]
    top = rest.client.get(f"{rest.root}/namespaces").json()["namespaces"]
    assert [space.name, "one"] not in top


def test_one_with_something_in_it_stays(rest: Rest, space: Space) -> None:
    space.create("t")
    expect_error(rest.client.delete(space.path), 409, "NamespaceNotEmptyException")
    assert rest.client.delete(space.table("t")).status_code == 204
    assert rest.client.delete(space.path).status_code == 204
    assert rest.client.head(space.path).status_code == 404


def test_one_with_a_level_below_stays(rest: Rest, space: Space) -> None:
    body = {"namespace": [space.name, "below"]}
    rest.client.post(f"{rest.root}/namespaces", json=body).raise_for_status()
    expect_error(rest.client.delete(space.path), 409, "NamespaceNotEmptyException")


def test_properties_are_set_replaced_and_removed(space: Space) -> None:
    def change(removals: list[str], updates: dict[str, str]) -> dict[str, list[str]]:
        body = {"removals": removals, "updates": updates}
        answer = space.client.post(f"{space.path}/properties", json=body)
        changed: dict[str, list[str]] = answer.raise_for_status().json()
        return changed

    assert sorted(change([], {"a": "1", "b": "2"})["updated"]) == ["a", "b"]
    answer = change(["b", "c"], {"a": "3"})
    assert answer["updated"] == ["a"]
    assert answer["removed"] == ["b"]
    assert answer["missing"] == ["c"]
    properties = space.client.get(space.path).json()["properties"]
    assert properties["a"] == "3"
    assert "b" not in properties


def test_a_key_is_not_removed_and_set_at_once(space: Space) -> None:
    body = {"removals": ["a"], "updates": {"a": "1"}}
    answer = space.client.post(f"{space.path}/properties", json=body)
    expect_error(answer, 422, "UnprocessableEntityException")


def test_pages_hold_all_of_a_list_once(rest: Rest, space: Space) -> None:
    wanted = [[space.name, f"c{number}"] for number in range(5)]
    for namespace in wanted:
        rest.client.post(f"{rest.root}/namespaces", json={"namespace": namespace})
    seen, token = [], ""
    for _ in range(3):
        query = {"parent": space.name, "pageSize": "2", "pageToken": token}
        page = rest.client.get(f"{rest.root}/namespaces", params=query).json()
        assert len(page["namespaces"]) <= 2
        seen += page["namespaces"]
        token = page.get("next-page-token")
        if not token:
            break
    assert not token
    assert sorted(seen) == wanted


def test_a_body_that_is_none_is_a_bad_request(rest: Rest) -> None:
    headers = {"content-type": "application/json"}
    for body in ("{", "[]", '{"namespace": "text"}'):
        answer = rest.client.post(f"{rest.root}/namespaces", content=body, headers=headers)
        expect_error(answer, 400)
