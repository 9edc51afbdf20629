from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.fake_docker import FakeDocker, described

from frazil.cli.containers.doctor import diagnose
from frazil.cli.containers.facts import Away, Connector, Facts, Refused, connector
from frazil.cli.containers.gather import gather
from frazil.cli.containers.project import Project, RootKey
from frazil.cli.containers.seen import Container
from frazil.cli.containers.stack import ContainerStack
from frazil.cli.ports import free_ports
from frazil.cli.screen import Screen
from frazil.contracts.states import ConnectState

KAFKA = Container("1", "kafka", health="healthy", ports={9092: 9092})
INIT = Container("2", "kafka-iceberg-init", state="exited")
CONNECT = Container("3", "kafka-connect", health="healthy", ports={8083: 8083})
TRINO = Container("4", "trino", health="healthy", ports={8080: 9999})
CATALOG = Container("6", "table-catalog", health="healthy")
MINIO = Container("5", "minio", health="healthy", ports={9000: 9000, 9001: 9001})
SINK = Connector("sink", lag=3, tables=("streaming.apilogs",), topics="apilogs", commit_seconds=10)
HEALTHY = Facts(
    warehouse="lake",
    namespace="streaming",
    services=(KAFKA, INIT, CONNECT, TRINO, MINIO),
    connectors=(SINK,),
    trino=("lake", "system"),
    rows={"apilogs": 7},
    free=0.5,
)


def _with(changed: Container, facts: Facts = HEALTHY) -> Facts:
    services = [changed if one.name == changed.name else one for one in facts.services]
    return replace(facts, services=services)


def _failed(reason: str, facts: Facts = HEALTHY, trace: str = "") -> Facts:
    failed = replace(SINK, state=ConnectState.FAILED, healthy=False, reason=reason, trace=trace)
    return replace(facts, connectors=(failed,))


def _empty(**changes: object) -> Facts:
    writer = replace(SINK, **changes)  # type: ignore[arg-type]
    return replace(HEALTHY, connectors=(writer,), rows={"apilogs": 0})


FAILED_INIT = _with(
    replace(INIT, exit_code=1), replace(HEALTHY, provisioner_log="Kafka does not answer.")
)
RESTART = "`curl -X POST 'http://127.0.0.1:8083/connectors/sink/restart?includeTasks=true'`"

CASES = {
    "stores open to others": (
        replace(HEALTHY, exposed="0.0.0.0"),
        ("BIND_ADDRESS=0.0.0.0", "everybody knows", "MINIO_ROOT_PASSWORD"),
    ),
    "never started": (
        Facts("lake", "streaming"),
        ("No container", "was not started", "`frazil start`"),
    ),
    "stopped": (
        replace(HEALTHY, services=[replace(KAFKA, state="exited", exit_code=143)]),
        ("No container", "its data is there", "`frazil start`"),
    ),
    "unhealthy": (
        _with(replace(KAFKA, health="unhealthy")),
        ("kafka is running (unhealthy)", "health check fails", "`frazil logs kafka`"),
    ),
    "exited": (
        _with(replace(KAFKA, state="exited", exit_code=3)),
        ("kafka is exited (3)", "exit code 3", "`frazil restart`"),
    ),
    "killed for memory": (
        _with(replace(KAFKA, state="exited", exit_code=137, oom_killed=True)),
        ("kafka is exited (137)", "more memory", "`frazil logs kafka`"),
    ),
    "restarting": (
        _with(replace(KAFKA, state="restarting", restarts=4)),
        ("kafka is restarting", "4 times", "`frazil logs kafka`"),
    ),
    "never came up": (
        _with(replace(KAFKA, state="created")),
        ("kafka is created", "depends on", "`frazil logs kafka`"),
    ),
    "worker killed for memory": (
        replace(HEALTHY, workers=[Container("9", "sink", oom_killed=True)]),
        ("worker of sink was killed", "more memory", "frazil.driver.memory"),
    ),
    "init failed": (
        FAILED_INIT,
        ("kafka-iceberg-init is exited (1)", "Kafka does not answer.", "`frazil start`"),
    ),
    "init has not run": (
        replace(HEALTHY, services=[one for one in HEALTHY.services if one is not INIT]),
        ("may be no topics", "has not run", "`frazil start`"),
    ),
    "silent port": (
        replace(HEALTHY, silent=[("kafka", 9092)]),
        ("port 9092, where kafka", "does not listen", "`frazil logs kafka`"),
    ),
    "sick store": (
        replace(HEALTHY, sick_stores={"minio": 9000}),
        ("store behind minio (port 9000)", "starting, or fewer", "`frazil status`"),
    ),
    "key refused": (
        replace(HEALTHY, catalog=Refused("the signature does not match")),
        ("signature does not match", "MINIO_ROOT_PASSWORD", ".env; then `frazil restart`"),
    ),
    "catalog away": (
        replace(HEALTHY, services=[*HEALTHY.services, CATALOG], catalog=Away("502 Bad Gateway")),
        ("502 Bad Gateway", "not up", "`frazil logs table-catalog`"),
    ),
    "the store's own catalog away": (
        replace(HEALTHY, catalog=Away("502 Bad Gateway")),
        ("502 Bad Gateway", "not up", "`frazil logs minio`"),
    ),
    "control API away": (
        replace(HEALTHY, connectors=Away("500 Internal Server Error")),
        ("lists no connectors", "500 Internal", "`frazil logs kafka-connect`"),
    ),
    "store was not ready": (
        _failed("The catalog does not answer. Check `iceberg.catalog.uri`."),
        ("sink is FAILED: The catalog", "not ready", RESTART),
    ),
    "wrong key": (
        _failed("It failed.", trace="The catalog refuses this connector: ..."),
        ("sink is FAILED", "MINIO_ROOT_PASSWORD", ".env; then `frazil restart`"),
    ),
    "topic deleted": (
        _failed("A topic of the connector does not exist."),
        ("sink is FAILED", "A topic was deleted", "`frazil start`"),
    ),
    "failed for another reason": (
        _failed("A record is broken."),
        ("A record is broken.", "log", f"`frazil logs sink`; {RESTART}"),
    ),
    "stalled": (
        replace(HEALTHY, connectors=(replace(SINK, healthy=False, reason="9 records wait."),)),
        ("sink is RUNNING: 9 records wait.", "log", RESTART),
    ),
    "no connectors but rows": (
        replace(HEALTHY, connectors=()),
        ("There are no connectors.", "deleted", "`frazil start`"),
    ),
    "interval not elapsed": (
        _empty(),
        ("streaming.apilogs has no rows", "3 records may wait", "Wait 10 s"),
    ),
    "no records": (
        _empty(lag=0),
        (
            "streaming.apilogs has no rows",
            "no records in apilogs",
            "`frazil produce apilogs -n 1000`",
        ),
    ),
    "no records in any of its topics": (
        _empty(lag=0, topics="apilogs,minio-audit"),
        (
            "streaming.apilogs has no rows",
            "no records in apilogs,minio-audit",
            "`frazil produce apilogs -n 1000`, or `frazil logs log-generator`",
        ),
    ),
    "no records in a topic that only the store fills": (
        _empty(lag=0, topics="minio-audit"),
        (
            "streaming.apilogs has no rows",
            "no records in minio-audit",
            "`frazil logs log-generator`",
        ),
    ),
    "no records in a topic of another name": (
        replace(_empty(lag=0, topics="logs.api"), log_topics=["logs.api"]),
        ("streaming.apilogs has no rows", "in logs.api", "`frazil produce logs.api -n 1000`"),
    ),
    "all records dead": (
        _empty(lag=0, dead=5),
        ("streaming.apilogs has no rows", "5 of its records", "`frazil logs sink`"),
    ),
    "paused": (
        _empty(state=ConnectState.PAUSED),
        ("streaming.apilogs has no rows", "sink is PAUSED", "`curl -X PUT http://127.0.0.1:8083"),
    ),
    "starting": (
        _empty(state=ConnectState.UNASSIGNED),
        ("streaming.apilogs has no rows", "sink is UNASSIGNED", "`frazil status`"),
    ),
    "nobody writes it": (
        _empty(tables=("streaming.other",)),
        ("streaming.apilogs has no rows", "No connector writes it", "`frazil start`"),
    ),
    "no tables": (
        replace(HEALTHY, rows={}),
        ("no tables in lake.streaming", "not made them", "`frazil start`"),
    ),
    "Trino without its catalog": (
        replace(HEALTHY, trino=("system",), rows=Away("no catalog")),
        ("Trino has no catalog lake", "has not made it since", "`frazil start`"),
    ),
    "Trino starting": (
        replace(HEALTHY, trino=Away("SERVER_STARTING_UP"), rows=Away("same")),
        ("Trino answers no query", "SERVER_STARTING_UP", "`frazil logs trino`"),
    ),
    "tables cannot be read": (
        replace(HEALTHY, rows=Away("Forbidden: the signature does not match")),
        ("cannot read the tables", "Forbidden", "`frazil logs trino`"),
    ),
    "disk full": (replace(HEALTHY, free=0.02), ("2.0% left", "Images", "docker system df")),
}


def test_of_a_healthy_stack_nothing_is_found() -> None:
    assert diagnose(HEALTHY) == []
    assert diagnose(replace(HEALTHY, free=None)) == []
    retried = _with(replace(INIT, restarts=1))
    assert diagnose(retried) == []


@pytest.mark.parametrize(("facts", "expected"), CASES.values(), ids=CASES.keys())
def test_each_fault_is_one_finding_with_its_cause_and_remedy(
    facts: Facts, expected: tuple[str, str, str]
) -> None:
    (finding,) = diagnose(facts)
    for part, text in zip((finding.seen, finding.cause, finding.remedy), expected, strict=True):
        assert text in part


def test_a_missing_topic_is_laid_to_the_provisioner_that_failed() -> None:
    facts = _failed("A topic of the connector does not exist.", FAILED_INIT)
    _, topic = diagnose(facts)
    assert "has not made the topics" in topic.cause
    assert "Kafka does not answer." in topic.cause


def test_a_failed_connector_and_its_empty_table_are_both_told() -> None:
    facts = replace(_failed("A record is broken."), rows={"apilogs": 0})
    _, table = diagnose(facts)
    assert (table.cause, table.remedy) == (
        "sink is FAILED, not RUNNING.",
        f"Mend what it fails of; then {RESTART}",
    )


def test_what_does_not_run_is_told_once() -> None:
    facts = replace(
        _with(replace(TRINO, state="exited", exit_code=1)), trino=Away("gone"), rows=Away("gone")
    )
    assert [finding.seen for finding in diagnose(facts)] == ["trino is exited (1)."]


@pytest.mark.parametrize(
    ("interval", "seconds"),
    [({"iceberg.control.commit.interval-ms": "1500"}, 1.5), ({}, 300)],
)
def test_a_connector_is_read_from_its_status_health_and_configuration(
    interval: dict[str, str], seconds: float
) -> None:
    body = {
        "status": {"connector": {"state": "RUNNING"}, "tasks": [{"state": "FAILED", "trace": "x"}]},
        "health": {"healthy": False, "reason": "Why.", "lag": 4},
        "info": {
            "config": {
                "connector.class": "IcebergSink",
                "iceberg.tables": "a.b, a.c",
                "topics": "t",
            }
            | interval
        },
    }
    assert connector("sink", body) == Connector(
        "sink",
        state=ConnectState.FAILED,
        healthy=False,
        reason="Why.",
        trace="x",
        lag=4,
        tables=("a.b", "a.c"),
        topics="t",
        commit_seconds=seconds,
    )


def test_a_connector_of_a_server_without_health_is_judged_by_its_state_alone() -> None:
    body = {
        "status": {"connector": {"state": "RUNNING"}, "tasks": []},
        "info": {"config": {"connector.class": "IcebergSink", "topics": "t"}},
    }
    assert connector("sink", body) == Connector("sink", topics="t", commit_seconds=300)


def test_remedies_name_the_connect_server_that_is_used() -> None:
    facts = replace(_empty(state=ConnectState.PAUSED), connect_url="http://connect.example:8083")
    (finding,) = diagnose(facts)
    assert finding.remedy == "`curl -X PUT http://connect.example:8083/connectors/sink/resume`"


def test_systems_that_are_away_are_facts_and_no_failure() -> None:
    free = free_ports()
    services = [
        described("kafka-connect", ports={8083: free.api}),
        described("minio", ports={9000: free.catalog}),
        described("trino", ports={8080: free.kafka}),
        described("kafka-iceberg-init", state={"Status": "exited"}),
    ]
    project = Project(Path("/c"), "frazil", "lake", "streaming", RootKey("user", "secret"))
    facts = gather(ContainerStack(FakeDocker(services=services, log="end"), project, Screen()))
    assert isinstance(facts.connectors, Away)
    assert facts.catalog == Away("The store in front of the catalog is not there.")
    assert isinstance(facts.trino, Away)
    assert isinstance(facts.rows, Away)
    assert facts.sick_stores == {"minio": free.catalog}
    assert facts.provisioner_log == "end"
    silent = {"kafka-connect": free.api, "minio": free.catalog, "trino": free.kafka}
    assert dict(facts.silent) == silent
    assert sorted(finding.seen for finding in diagnose(facts)) == sorted(
        f"Nothing answers at port {port}, where {name} is published."
        for name, port in silent.items()
    )
