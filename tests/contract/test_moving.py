"""`frazil import connect` and `export connect` between two servers of Connect's REST API."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from tests.support.access import CREDENTIALS, PASSWORD
from tests.support.control_api import sink_config
from tests.support.served import served
from typer.testing import CliRunner, Result

from frazil.cli import __main__ as command
from frazil.cli.moving.plan import MOVING
from frazil.cli.moving.server import Server, ServerError
from frazil.cli.moving.verbs import PROBLEMS
from frazil.contracts.offsets import Offsets
from frazil.control_api import plant
from frazil.control_api.app import create_app
from frazil.control_api.core.offsets import PartitionOffset, Positions
from frazil.control_api.settings import EngineKind, Settings

SOURCE = {"connector.class": "FileStreamSource", "file": "in.txt", "topic": "lines"}
AT_SEVEN = [{"partition": {"filename": "in.txt"}, "offset": {"position": 7}}]


class Groups:
    """Consumer groups of the one Kafka that both servers have."""

    kept: ClassVar[dict[str, Offsets]] = {}

    async def read(self, _properties: Mapping[str, str], group: str) -> Offsets:
        return self.kept.get(group, {})

    async def alter(self, _properties: Mapping[str, str], group: str, positions: Positions) -> None:
        for (topic, partition), offset in positions.items():
            self.kept.setdefault(group, {}).setdefault(topic, {})[partition] = offset or 0

    async def delete(self, _properties: Mapping[str, str], group: str) -> None:
        self.kept.pop(group, None)


class OffsetsTopic:
    """Offsets of sources, which each server has for itself."""

    def __init__(self, _name: str) -> None:
        self._kept: dict[str, list[PartitionOffset]] = {}

    async def read(self, _properties: Mapping[str, str], connector: str) -> list[PartitionOffset]:
        return self._kept.get(connector, [])

    async def write(
        self, _properties: Mapping[str, str], connector: str, entries: Sequence[PartitionOffset]
    ) -> None:
        self._kept[connector] = list(entries)


@dataclass
class Side:
    http: httpx.Client

    @property
    def url(self) -> str:
        return str(self.http.base_url).rstrip("/")

    def create(self, name: str, state: str = "RUNNING", **config: str) -> None:
        body = {"name": name, "config": SOURCE | config, "initial_state": state}
        self.http.post("/connectors", json=body).raise_for_status()

    def state(self, name: str) -> str:
        return str(self.http.get(f"/connectors/{name}/status").json()["connector"]["state"])

    def config(self, name: str) -> dict[str, str]:
        found: dict[str, str] = self.http.get(f"/connectors/{name}/config").json()
        return found

    def offsets(self, name: str) -> Any:
        return self.http.get(f"/connectors/{name}/offsets").json()["offsets"]

    def set_offsets(self, name: str) -> None:
        answer = self.http.patch(f"/connectors/{name}/offsets", json={"offsets": AT_SEVEN})
        assert answer.is_success, answer.text


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Side, Side]]:
    monkeypatch.setattr(plant, "ConsumerGroups", Groups)
    monkeypatch.setattr(plant, "KafkaOffsetsTopic", OffsetsTopic)
    monkeypatch.setattr(Groups, "kept", {})
    settings = [
        Settings(
            home=tmp_path / name,
            engine=EngineKind.FAKE,
            files_folder=tmp_path,
            bootstrap_servers="127.0.0.1:1",
        )
        for name in ("old", "new")
    ]
    with (
        served(create_app(settings[0])) as old,
        served(create_app(settings[1])) as new,
        httpx.Client(base_url=old) as one,
        httpx.Client(base_url=new) as other,
    ):
        yield Side(one), Side(other)


def frazil(verb: str, *arguments: str) -> Result:
    return CliRunner().invoke(command.app, [verb, "connect", *arguments])


def importing(sides: tuple[Side, Side], *arguments: str) -> Result:
    old, new = sides
    return frazil("import", "--url", old.url, "--to", new.url, *arguments)


def test_a_dry_run_changes_nothing(sides: tuple[Side, Side]) -> None:
    old, new = sides
    old.create("a")
    done = importing(sides, "--all")
    assert done.exit_code == 0, done.output
    assert "--apply" in done.output
    assert (new.http.get("/connectors").json(), old.state("a")) == ([], "RUNNING")


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED", "STOPPED"])
def test_states_offsets_and_configurations_move(sides: tuple[Side, Side], state: str) -> None:
    old, new = sides
    old.create("a", "STOPPED")
    old.set_offsets("a")
    steer = {"RUNNING": "resume", "PAUSED": "pause", "STOPPED": "stop"}[state]
    old.http.put(f"/connectors/a/{steer}")
    done = importing(sides, "a", "--apply")
    assert done.exit_code == 0, done.output
    assert (old.state("a"), new.state("a"), new.offsets("a")) == ("STOPPED", state, AT_SEVEN)
    assert new.config("a") == old.config("a")
    again = importing(sides, "a", "--apply")
    assert (again.exit_code, new.state("a")) == (0, state), again.output


def test_it_comes_back_with_what_it_has_done_since(sides: tuple[Side, Side]) -> None:
    old, new = sides
    old.create("a")
    assert importing(sides, "a", "--apply").exit_code == 0
    new.http.put("/connectors/a/stop")
    new.set_offsets("a")
    new.http.put("/connectors/a/resume")
    done = frazil("export", "--url", old.url, "--from", new.url, "a", "--apply")
    assert done.exit_code == 0, done.output
    assert (old.state("a"), new.state("a"), old.offsets("a")) == ("RUNNING", "STOPPED", AT_SEVEN)
    assert MOVING not in old.config("a")


STEPS = ("create_stopped", "steer", "wait_until_ended", "alter_offsets", "configure")


@pytest.mark.parametrize("step", STEPS)
def test_one_that_was_interrupted_goes_on_when_called_again(
    sides: tuple[Side, Side], step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = sides
    old.create("a", "STOPPED")
    old.set_offsets("a")
    old.http.put("/connectors/a/resume")

    def broken(*_: object) -> None:
        raise ServerError("the line went dead")

    with monkeypatch.context() as patch:
        patch.setattr(Server, step, broken)
        failed = importing(sides, "a", "--apply")
    told = " ".join(str(failed.exception).split())
    assert f"It is {old.state('a')} at {old.url} and" in told
    assert "the line went dead" in told
    done = importing(sides, "a", "--apply")
    assert done.exit_code == 0, done.output
    assert (old.state("a"), new.state("a"), new.offsets("a")) == ("STOPPED", "RUNNING", AT_SEVEN)
    assert new.config("a") == old.config("a")


def test_what_cannot_move_is_named_and_the_others_move(
    sides: tuple[Side, Side], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    old.create("a")
    old.create("both")
    new.create("both")
    done = importing(sides, "--all", "--apply")
    assert done.exit_code == PROBLEMS
    assert "both: It runs at both servers." in done.output + capsys.readouterr().err
    assert (new.state("a"), old.state("both")) == ("RUNNING", "RUNNING")


def pretend_genuine(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a server taken for one that knows no keys but Kafka Connect's."""
    keys_of, genuine = Server.keys_of, frozenset({"topics", "iceberg.tables"})
    monkeypatch.setattr(
        Server,
        "keys_of",
        lambda self, name: genuine if self.url == side.url else keys_of(self, name),
    )


def test_an_iceberg_sink_that_writes_aside_stays_until_that_is_over(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = sides
    pretend_genuine(old, monkeypatch)
    body = {"name": "s", "config": sink_config(), "initial_state": "STOPPED"}
    new.http.post("/connectors", json=body).raise_for_status()
    moved = new.http.delete("/connectors/s/offsets?mode=branch&branch=mine")
    assert moved.is_success, moved.text
    done = frazil("export", "--url", old.url, "--from", new.url, "s", "--apply")
    said = done.output + capsys.readouterr().err
    assert done.exit_code == PROBLEMS, said
    assert "rows go to branch mine of its tables" in " ".join(said.split())


def test_an_iceberg_sink_is_told_whose_work_it_goes_on_with(
    sides: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = sides
    old.http.post("/connectors", json={"name": "s", "config": sink_config()}).raise_for_status()
    pretend_genuine(old, monkeypatch)
    done = importing(sides, "s", "--apply")
    assert done.exit_code == 0, done.output
    assert new.config("s")["frazil.takeover.group"] == "cg-control-s"
    assert (old.state("s"), new.state("s")) == ("STOPPED", "RUNNING")


@pytest.mark.parametrize("arguments", [(), ("a", "--all")])
def test_one_says_which_connectors(sides: tuple[Side, Side], arguments: tuple[str, ...]) -> None:
    assert "Name connectors, or give --all" in str(importing(sides, *arguments).exception)


def test_a_name_that_is_not_there_is_an_error(sides: tuple[Side, Side]) -> None:
    assert "has no connector nope" in str(importing(sides, "nope").exception)


def test_a_server_that_is_too_old_says_so(sides: tuple[Side, Side]) -> None:
    _, new = sides

    async def ancient(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"version": "3.4.1"}'})

    with served(ancient) as url:
        done = frazil("import", "--url", url, "--to", new.url, "--all")
    assert "is Kafka Connect 3.4.1, which cannot stop connectors" in str(done.exception)


def test_it_asks_as_the_user_that_it_is_told(sides: tuple[Side, Side], tmp_path: Path) -> None:
    _, new = sides
    password, credentials = tmp_path / "password", tmp_path / "credentials.toml"
    password.write_text(f"{PASSWORD}\n")
    credentials.write_text(CREDENTIALS)
    settings = Settings(home=tmp_path, engine=EngineKind.FAKE, credentials=credentials)
    who = ("--user", "writer", "--password-file", str(password))
    with served(create_app(settings)) as url:
        asked = ("--url", url, "--to", new.url, "--all")
        done, stranger = frazil("import", *asked, *who), frazil("import", *asked)
    assert done.exit_code == 0, done.output
    assert "401 Unauthorized" in str(stranger.exception)
