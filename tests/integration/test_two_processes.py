"""Two processes of the control API on one database: both serve, one reconciles until it dies."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.api_process import ApiProcess
from tests.support.control_api import sink_config
from tests.support.lab import wait_until
from tests.support.postgresql import PostgreSQL

from frazil.contracts.naming import run_folder
from frazil.runtime.child import Child


class Twins:
    """Two processes on one database and one run folder."""

    def __init__(self, folder: Path, database: str) -> None:
        self.database = database
        self.runs = folder / "runs"
        settings = {
            "FRAZIL_HOME": str(folder),
            "FRAZIL_DATABASE_URL": database,
            "FRAZIL_RUN_FOLDER": str(self.runs),
        }
        self.both = [ApiProcess(folder, **settings) for _ in range(2)]

    def roles(self) -> list[str | None]:
        return [process.role() for process in self.both]

    def sorted(self) -> tuple[ApiProcess, ApiProcess]:
        """Wait until one leads and one follows."""
        wait_until(
            "one leads, one follows", lambda: set(self.roles()) == {"leader", "follower"}, 30
        )
        first, second = self.both
        return (first, second) if first.role() == "leader" else (second, first)

    def starts_of(self, connector: str) -> list[str]:
        """Return the first line of each worker that was ever started."""
        logs = (self.runs / run_folder(connector)).glob("*/worker.log")
        lines = [line for log in logs for line in log.read_text().splitlines()]
        return [line for line in lines if line.endswith("starts")]

    def close(self) -> None:
        for process in self.both:
            process.close()
        for run in self.runs.glob("*/*"):
            Child(run).stop(grace=0)


@pytest.fixture(params=["postgresql"])
def twins(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Twins]:
    if request.param == "sqlite":
        database = f"sqlite:///{tmp_path / 'connectors.db'}"
    else:
        cluster: PostgreSQL = request.getfixturevalue("postgresql")
        database = cluster.new_database()
    twins = Twins(tmp_path, database)
    yield twins
    twins.close()


def create(at: ApiProcess, name: str) -> None:
    response = at.http.post("/connectors", json={"name": name, "config": sink_config()})
    assert response.status_code == 201, response.text


def until_running(name: str, *processes: ApiProcess) -> None:
    for process in processes:
        wait_until(f"{name} is running", lambda: process.state(name) == "RUNNING", 30)  # noqa: B023


def test_what_is_wanted_at_either_is_done_by_the_leader_and_seen_at_both(twins: Twins) -> None:
    leader, follower = twins.sorted()
    create(follower, "asked-of-the-follower")
    create(leader, "asked-of-the-leader")
    until_running("asked-of-the-follower", leader, follower)
    until_running("asked-of-the-leader", leader, follower)
    assert follower.http.put("/connectors/asked-of-the-follower/stop").status_code == 204
    stopped = "asked-of-the-follower"
    wait_until("it is stopped", lambda: leader.state(stopped) == "STOPPED", 30)
    assert len(twins.starts_of("asked-of-the-follower")) == 1
    assert len(twins.starts_of("asked-of-the-leader")) == 1


@pytest.mark.parametrize("twins", ["postgresql", "sqlite"], indirect=True)
def test_when_the_leader_is_killed_the_other_takes_over_and_adopts_its_workers(
    twins: Twins,
) -> None:
    leader, follower = twins.sorted()
    create(leader, "logs")
    until_running("logs", follower)
    leader.kill()
    wait_until("the other leads", lambda: follower.role() == "leader", 30)
    create(follower, "more")
    until_running("more", follower)
    assert follower.state("logs") == "RUNNING"
    assert len(twins.starts_of("logs")) == 1


def test_a_leader_that_loses_its_connection_follows_and_no_worker_is_started_twice(
    twins: Twins, postgresql: PostgreSQL
) -> None:
    leader, follower = twins.sorted()
    create(leader, "logs")
    until_running("logs", follower)
    assert postgresql.end_leaders(twins.database) == 1
    wait_until("the other leads", lambda: follower.role() == "leader", 30)
    assert leader.role() == "follower"
    create(leader, "more")
    until_running("more", leader, follower)
    assert leader.state("logs") == "RUNNING"
    assert len(twins.starts_of("logs")) == 1
    assert len(twins.starts_of("more")) == 1
