"""Settings: where things are by default, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from frazil.control_api import settings as settings_module
from frazil.control_api.plant import _client_properties
from frazil.control_api.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_is_open_to_nobody_else(host: str) -> None:
    assert Settings(host=host).host == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com"])
def test_listening_to_the_world_has_to_be_wanted(host: str) -> None:
    with pytest.raises(ValidationError, match="FRAZIL_ALLOW_REMOTE=true"):
        Settings(host=host)
    assert Settings(host=host, allow_remote=True).host == host


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    file = tmp_path / "x.pem"
    file.touch()
    return file


@pytest.mark.parametrize(
    "known", [["credentials"], ["tls_certificate", "tls_key", "tls_client_ca"]]
)
def test_the_world_may_come_if_callers_are_known(pem: Path, known: list[str]) -> None:
    files: dict[str, Any] = dict.fromkeys(known, pem)
    assert Settings(host="0.0.0.0", **files).host == "0.0.0.0"


def test_tls_alone_tells_nothing_of_callers(pem: Path) -> None:
    with pytest.raises(ValidationError, match="FRAZIL_CREDENTIALS"):
        Settings(host="0.0.0.0", tls_certificate=pem, tls_key=pem)


@pytest.mark.parametrize("half", ["tls_certificate", "tls_key", "tls_client_ca"])
def test_half_of_tls_is_refused(pem: Path, half: str) -> None:
    files: dict[str, Any] = {half: pem}
    with pytest.raises(ValidationError, match="need"):
        Settings(**files)


def test_clients_see_what_is_advertised() -> None:
    assert Settings().worker_id == "127.0.0.1:8083"
    assert Settings(advertised_host="connect", advertised_port=443).worker_id == "connect:443"


def test_what_references_may_name_is_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_SECRETS_ENV", "DB_*, TOKEN,")
    monkeypatch.setenv("FRAZIL_SECRETS_PATHS", "/run/secrets,/etc/frazil")
    settings = Settings()
    assert settings.secrets_env == ("DB_*", "TOKEN")
    assert settings.secrets_paths == (Path("/run/secrets"), Path("/etc/frazil"))


def test_workers_inherit_what_they_need_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "FRAZIL_TOKEN", "OTHER", "LC_TIME", "FRAZIL_PROBE_HOST"):
        monkeypatch.setenv(name, "x")
    found = Settings().worker_environment
    assert {"LC_TIME", "FRAZIL_PROBE_HOST", "PATH"} <= found.keys()
    assert not {"AWS_SECRET_ACCESS_KEY", "FRAZIL_TOKEN", "OTHER"} & found.keys()
    # Nor do libraries look up who the machine is.
    assert found["AWS_EC2_METADATA_DISABLED"] == "true"
    assert found["AWS_SHARED_CREDENTIALS_FILE"] == "/dev/null"


def test_an_operator_lists_what_workers_inherit_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "DB_PASSWORD", "FRAZIL_DATABASE_URL"):
        monkeypatch.setenv(name, "sqlite://")
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED", raising=False)
    settings = Settings(worker_env=("AWS_*", "HTTPS_PROXY", "DB_*"), secrets_env=("DB_*",))
    assert "DB_PASSWORD" in settings.environment
    found = settings.worker_environment
    assert {"AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"} <= found.keys()
    assert "AWS_EC2_METADATA_DISABLED" not in found
    assert not {"DB_PASSWORD", "FRAZIL_DATABASE_URL"} & found.keys()


def test_addresses_for_tokens_reach_workers_in_containers_too() -> None:
    settings = Settings(oauthbearer_urls=("https://a/", "https://b/"))
    told = dict(settings.docker_options_of("i").environment)
    assert told["FRAZIL_OAUTHBEARER_URLS"] == "https://a/,https://b/"
    assert "FRAZIL_OAUTHBEARER_URLS" not in dict(Settings().docker_options_of("i").environment)


def test_everything_lies_in_the_home_folder_unless_told_otherwise(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert settings.database == f"sqlite:///{tmp_path}/control-api/connectors.db"
    assert settings.run_root == tmp_path / "control-api" / "runs"
    assert Settings(run_folder=tmp_path / "x").run_root == tmp_path / "x"


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_PORT", "9999")
    assert Settings().port == 9999


def test_client_properties_are_read_as_java_writes_them_and_win_over_ours(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("# comment\n! another\n\nsecurity.protocol = SSL\nsasl.jaas.config=a=b;\n")
    settings = Settings(bootstrap_servers="k:1", kafka_properties=file)
    read = {"security.protocol": "SSL", "sasl.jaas.config": "a=b;"}
    assert _client_properties(settings) == {"bootstrap.servers": "k:1", **read}
    file.write_text("bootstrap.servers=other:1")
    assert _client_properties(settings) == {"bootstrap.servers": "other:1"}
    assert _client_properties(Settings(bootstrap_servers="k:1")) == {"bootstrap.servers": "k:1"}


def test_its_own_files_are_those_of_settings_of_the_database_and_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings_module, "SECRETS", tmp_path)
    for name in ("frazil_database_url", "FRAZIL_TLS_KEY", "lake-token", "pem"):
        (tmp_path / name).touch()
    settings = Settings(home=tmp_path / "home", credentials=tmp_path / "pem")
    assert set(settings.own_files) == {
        tmp_path / "pem",
        tmp_path / "frazil_database_url",
        tmp_path / "FRAZIL_TLS_KEY",
        tmp_path / "home" / "control-api" / "connectors.db",
        tmp_path / "home" / "control-api" / "runs",
    }
    elsewhere = Settings(database_url="postgresql://u:p@db/control", run_folder=tmp_path / "r")
    assert tmp_path / "r" in elsewhere.own_files
    assert not any("postgresql" in str(one) for one in elsewhere.own_files)


def test_the_readme_lists_every_setting_with_its_words() -> None:
    readme = (Path(__file__).parents[3] / "services" / "control-api" / "README.md").read_text()
    for name, field in Settings.model_fields.items():
        (row,) = [line for line in readme.splitlines() if f"| `FRAZIL_{name.upper()}` |" in line]
        assert row.endswith(f"| {field.description} |")


@pytest.mark.parametrize("name", ["tls_key", "tls_client_ca"])
def test_files_of_tls_that_others_may_change_are_refused(tmp_path: Path, name: str) -> None:
    files: dict[str, Any] = {}
    for kind in ("tls_certificate", "tls_key", "tls_client_ca"):
        files[kind] = tmp_path / f"{kind}.pem"
        files[kind].touch(0o444)
    Settings(**files)
    files[name].chmod(0o664)
    with pytest.raises(ValidationError, match=r"others may change .*: `chmod go-w"):
        Settings(**files)


@pytest.mark.parametrize(
    ("given", "is_plain"),
    [
        ({}, False),
        ({"host": "::1"}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "0.0.0.0", "published_on": "127.0.0.1"}, False),
        ({"host": "0.0.0.0", "published_on": "10.0.0.1"}, True),
    ],
)
def test_what_is_sent_is_seen_by_others_beyond_loopback_alone(
    tmp_path: Path, given: dict[str, Any], *, is_plain: bool
) -> None:
    file = tmp_path / "file"
    file.touch()
    assert Settings(credentials=file, **given).is_plain_beyond_loopback is is_plain
    secured = Settings(credentials=file, tls_certificate=file, tls_key=file, **given)
    assert not secured.is_plain_beyond_loopback
