"""What a process that reads tables inherits."""

import pytest

from frazil.control_api.tables.settings import reader_environment


def test_nothing_is_inherited_that_lends_an_identity_or_a_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "FRAZIL_DATABASE_URL",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "HTTPS_PROXY",
        "PGPASSWORD",
        "PGSERVICEFILE",
        "PYICEBERG_HOME",
    ):
        monkeypatch.setenv(name, "of the control API")
    monkeypatch.setenv("HOME", "/root")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/root/.aws/credentials")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/authority.pem")
    found = reader_environment()
    assert "of the control API" not in found.values()
    assert not any(value.startswith("/root") for value in found.values())
    assert found["REQUESTS_CA_BUNDLE"] == "/etc/authority.pem"
    assert found["AWS_EC2_METADATA_DISABLED"] == "true"
