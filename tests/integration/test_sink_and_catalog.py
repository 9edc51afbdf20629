"""A sink and its catalog: killed at any moment, away for long, or none but a file of SQLite."""

from collections.abc import Callable
from itertools import cycle, islice

import pytest
from bench.catalog_peers import fixture
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import ForbiddenError
from tests.support.lab import SCHEMA, SPEC, Lab, Moment, wait_until

from frazil.contracts.exit_code import ExitCode

COUNT = 40_000
FEW = 10_000
KILLS = 6
# Of a driver that works before it ends, beside others.
PATIENCE = 240
SMALL_BATCHES = {"frazil.max.records.per.commit": "2000"}


def files_written(lab: Lab) -> Callable[[], bool]:
    """The batch is on disk, and its commit is about to be asked for."""
    known = lab.data_files()
    return lambda: bool(lab.data_files() - known)


def metadata_written(lab: Lab) -> Callable[[], bool]:
    """The catalog has written the metadata of a commit, whose pointer may not have moved yet."""
    known = lab.metadata_files()
    return lambda: bool(lab.metadata_files() - known)


def pointer_moved(lab: Lab) -> Callable[[], bool]:
    """The commit is done, and perhaps not yet answered."""
    before = lab.metadata_location()
    return lambda: lab.metadata_location() != before


MOMENTS: tuple[Moment, ...] = (metadata_written, pointer_moved, files_written)


def test_a_catalog_killed_while_a_sink_commits_costs_no_record_and_no_driver(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(COUNT))
    worker = lab.start(1, SMALL_BATCHES)
    wait_until("the first commit", lambda: worker.commits > 0)
    for moment in islice(cycle(MOMENTS), KILLS):
        wait_until("the moment to kill", moment(lab), 60, every=0.001)
        lab.kill_catalog()
    wait_until("all rows are visible", lambda: lab.rows() >= COUNT)
    assert lab.ids() == list(range(COUNT))
    assert lab.proof().proved
    assert "commit_tried_again" in worker.log, "no kill hit a commit"
    assert worker.stop() == ExitCode.OK


def test_a_catalog_that_stays_away_ends_the_driver_and_the_next_one_goes_on(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(FEW))
    worker = lab.start(1, SMALL_BATCHES)
    wait_until("the first commit", lambda: worker.commits > 0)
    wait_until("the moment to kill", metadata_written(lab), 60, every=0.001)
    lab.server.kill()
    assert worker.exit_code() is ExitCode.UNAVAILABLE
    assert "The catalog does not answer. Check `iceberg.catalog.uri`" in worker.trace
    lab.restart_catalog()
    lab.start(2, SMALL_BATCHES)
    wait_until("all rows are visible", lambda: lab.rows() >= FEW)
    assert lab.ids() == list(range(FEW))


@pytest.mark.parametrize(
    ("config", "code", "sentence"),
    [
        pytest.param(
            {"iceberg.catalog.rest.secret-access-key": "wrong-secret"},
            ExitCode.REFUSED,
            "The catalog refuses this connector: the signature does not match",
            id="wrong-secret",
        ),
        pytest.param(
            {"iceberg.catalog.rest.access-key-id": "nobody"},
            ExitCode.REFUSED,
            "The catalog refuses this connector: the access key is not known: nobody. Correct "
            "`iceberg.catalog.rest.access-key-id`",
            id="unknown-key",
        ),
        pytest.param(
            {"iceberg.catalog.uri": "http://127.0.0.1:1/_iceberg"},
            ExitCode.UNAVAILABLE,
            "The catalog does not answer. Check `iceberg.catalog.uri`",
            id="unreachable",
        ),
        pytest.param(
            {"iceberg.catalog.warehouse": "nowhere"},
            ExitCode.REFUSED,
            "The catalog has no such warehouse. Correct `iceberg.catalog.warehouse`",
            id="unknown-warehouse",
        ),
    ],
)
def test_a_catalog_that_cannot_be_used_is_a_sentence_that_names_the_key(
    lab: Lab, config: dict[str, str], code: ExitCode, sentence: str
) -> None:
    worker = lab.start(1, config)
    assert worker.exit_code() is code
    assert sentence in worker.trace
    assert "wrong-secret" not in worker.log + worker.trace


def may(lab: Lab, right: str) -> None:
    """Let the sink's key read, or write, and wait until the catalog knows."""
    other = {"read": "write", "write": "read"}[right]
    text = lab.key.file.read_text()
    lab.key.file.write_text(text.replace(f"{other} =", f"{right} ="))
    wait_until("the catalog knows", lambda: can_write(lab) == (right == "write"), 30)


def can_write(lab: Lab) -> bool:
    try:
        lab.catalog.update_namespace_properties("streaming", updates={"seen": "yes"})
    except ForbiddenError:
        return False
    return True


def test_a_right_that_is_missing_is_final_unless_it_was_there_until_now(lab: Lab) -> None:
    lab.create_table()
    lab.produce(range(30))
    may(lab, "read")
    worker = lab.start(1)
    assert worker.exit_code(PATIENCE) is ExitCode.REFUSED
    assert "The catalog refuses this connector: " in worker.trace
    may(lab, "write")
    worker = lab.start(2)
    wait_until("all rows are visible", lambda: lab.rows() == 30)
    may(lab, "read")
    lab.produce(range(30, 60))
    assert worker.exit_code(PATIENCE) is ExitCode.UNAVAILABLE
    assert lab.start(3).exit_code(PATIENCE) is ExitCode.REFUSED
    assert lab.rows() == 30


def test_a_catalog_in_a_file_of_sqlite_does_without_a_server(lab: Lab) -> None:
    file, warehouse = lab.folder / "embedded.db", f"file://{lab.folder}/embedded"
    catalog = SqlCatalog("iceberg", uri=f"sqlite:///{file}", warehouse=warehouse)
    catalog.create_namespace("streaming")
    catalog.create_table("streaming.rows", SCHEMA, partition_spec=SPEC)
    lab.produce(range(1000))
    embedded = {
        "iceberg.catalog.type": "jdbc",
        "iceberg.catalog.uri": f"jdbc:sqlite:{file}?busy_timeout=10000",
        "iceberg.catalog.jdbc.schema-version": "V1",
        "iceberg.catalog.warehouse": warehouse,
    }
    worker = lab.start(1, embedded)
    wait_until("its commit", lambda: bool(worker.status and worker.status.records == 1000))
    assert worker.stop() == ExitCode.OK
    rows = catalog.load_table("streaming.rows").scan(selected_fields=("id",)).to_arrow()
    catalog.engine.dispose()
    assert sorted(rows["id"].to_pylist()) == list(range(1000))


def test_icebergs_own_catalog_serves_a_sink_as_ours_does(lab: Lab) -> None:
    with fixture(lab.folder / "fixture", "fixture", database=None) as peer:
        url = f"http://127.0.0.1:{peer.port}"
        catalog = RestCatalog("iceberg", uri=url)
        catalog.create_namespace("streaming")
        catalog.create_table("streaming.rows", SCHEMA, partition_spec=SPEC)
        lab.produce(range(FEW))
        unsigned = {"iceberg.catalog.uri": url, "iceberg.catalog.rest.sigv4-enabled": "false"}
        worker = lab.start(1, {**SMALL_BATCHES, **unsigned})
        wait_until("its commits", lambda: bool(worker.status and worker.status.records == FEW))
        assert worker.stop() == ExitCode.OK
        rows = catalog.load_table("streaming.rows").scan(selected_fields=("id",)).to_arrow()
    assert sorted(rows["id"].to_pylist()) == list(range(FEW))
