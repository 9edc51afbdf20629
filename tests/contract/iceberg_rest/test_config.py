"""What a client is told before anything else."""

from tests.support.iceberg_rest import Rest, expect_error


def test_the_answer_has_defaults_overrides_and_endpoints(rest: Rest) -> None:
    assert set(rest.config) >= {"defaults", "overrides", "endpoints"}
    assert "POST /v1/{prefix}/transactions/commit" in rest.config["endpoints"]
    assert "HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}" in rest.config["endpoints"]


def test_an_unknown_route_is_an_error_with_a_body(rest: Rest) -> None:
    answer = rest.client.get(f"{rest.root}/nothing/here")
    assert answer.status_code in (400, 404)
    expect_error(answer, answer.status_code)
