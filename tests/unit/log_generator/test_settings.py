"""Settings of `drive`: what is there by default, and the sentence for what is refused."""

from typing import Any

import pytest

from frazil.contracts.log_topics import Topic
from frazil.log_generator.operations import Operation
from frazil.log_generator.settings import DriveSettings, GeneratorSettings
from frazil.runtime.settings import BadSettingsError, read_settings

STORE = {
    "FRAZIL_S3_ENDPOINT": "http://store:9000",
    "FRAZIL_S3_ACCESS_KEY": "key",
    "FRAZIL_S3_SECRET_KEY": "hush",
}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(**variables: str) -> None:
        for name, value in {**STORE, **variables}.items():
            monkeypatch.setenv(name, value)

    return put


def read(environment: Any, **variables: str) -> DriveSettings:
    environment(**variables)
    return read_settings(DriveSettings)


def test_by_default_it_does_little_of_everything(environment: Any) -> None:
    settings = read(environment)
    assert (settings.s3_rate, settings.records_rate) == (2, 1)
    assert settings.s3_mix.keys() == set(Operation)
    assert sum(settings.s3_mix.values()) == 100
    assert settings.topics == (Topic.ERROR, Topic.AUDIT)
    assert settings.store is not None
    assert settings.store.secret_key == "hush"  # noqa: S105 (a test's)


def test_the_secret_is_not_printed(environment: Any) -> None:
    settings = read(environment)
    assert "hush" not in f"{settings!r} {settings.store!r}"


def test_lists_and_weights_are_written_with_commas(environment: Any) -> None:
    settings = read(
        environment,
        FRAZIL_S3_BUCKETS="one, two",
        FRAZIL_S3_MIX="put:1,get:2",
        FRAZIL_S3_SIZES="1k:3",
        FRAZIL_RECORDS_TOPICS="auditlogs,all",
    )
    assert settings.s3_buckets == ("one", "two")
    assert settings.s3_mix == {Operation.PUT: 1, Operation.GET: 2}
    assert settings.s3_sizes == {1024: 3}
    assert settings.topics == (Topic.AUDIT, Topic.API, Topic.ERROR)


def test_a_rate_of_nothing_switches_a_half_off(environment: Any) -> None:
    assert read(environment, FRAZIL_RECORDS_RATE="0").topics == ()
    settings = read(environment, FRAZIL_RECORDS_RATE="1", FRAZIL_S3_RATE="0")
    assert settings.store is None
    assert settings.topics


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("FRAZIL_S3_ENDPOINT", "store:9000", "FRAZIL_S3_ENDPOINT: .*https"),
        ("FRAZIL_S3_BUCKETS", "Reports", "FRAZIL_S3_BUCKETS: .*'Reports' is no name of a bucket"),
        ("FRAZIL_S3_BUCKETS", ",", "FRAZIL_S3_BUCKETS: .*at least 1"),
        ("FRAZIL_S3_RATE", "-1", "FRAZIL_S3_RATE: .*greater than or equal to 0"),
        ("FRAZIL_S3_RATE", "nan", "FRAZIL_S3_RATE: "),
        ("FRAZIL_S3_RATE", "2000", "FRAZIL_S3_RATE: .*less than or equal to 1000"),
        ("FRAZIL_S3_MIX", "copy:1", "FRAZIL_S3_MIX: .*no operation 'copy': take some of put"),
        ("FRAZIL_S3_SIZES", "huge:1", "FRAZIL_S3_SIZES: .*'huge' is no size"),
        ("FRAZIL_RECORDS_TOPICS", "syslogs", "FRAZIL_RECORDS_TOPICS: .*apilogs, errorlogs"),
        ("FRAZIL_RECORDS_RATE", "often", "FRAZIL_RECORDS_RATE: .*number"),
        ("FRAZIL_S3_SECRET_KEY", "", "operations need .*FRAZIL_S3_RATE=0 does without"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(
    environment: Any, variable: str, value: str, sentence: str
) -> None:
    with pytest.raises(BadSettingsError, match=sentence):
        read(environment, **{variable: value})


def test_nothing_to_do_is_refused(environment: Any) -> None:
    with pytest.raises(BadSettingsError, match="nothing would be done"):
        read(environment, FRAZIL_S3_RATE="0", FRAZIL_RECORDS_RATE="0")


def test_names_of_topics_that_kafka_would_refuse_are_refused(environment: Any) -> None:
    with pytest.raises(BadSettingsError, match=r"(?m)^API_LOGS_TOPIC: .*pattern"):
        read(environment, API_LOGS_TOPIC="api logs")


def test_two_logs_do_not_share_a_topic(environment: Any) -> None:
    with pytest.raises(BadSettingsError, match="must be three topics"):
        read(environment, API_LOGS_TOPIC="logs", ERROR_LOGS_TOPIC="logs")


def test_who_only_produces_needs_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAZIL_S3_MIX", "copy:1")
    assert read_settings(GeneratorSettings).bootstrap_servers == "127.0.0.1:9092"
