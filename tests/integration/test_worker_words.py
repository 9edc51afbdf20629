"""What a real JVM says when it fails: all causes in the trace, and no secret anywhere."""

import os
from typing import Any

import pytest
from tests.support.spark import own_jvm

from frazil.runtime.hiding import Hiding
from frazil.worker.errors import DriverEndedError, WorkerError
from frazil.worker.jvm_errors import JAVA_ERRORS, in_words
from frazil.worker.session import open_session
from frazil.worker.trace import trace_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

PLANTED = "tr0ub4dor&3"
CONF = {"spark.app.name": "words", "spark.master": "local[1]"}


def fail(spark: Any) -> WorkerError:
    """Let py4j's kind of error come up, which has no words of its own once the JVM is gone."""
    reader = spark.read.format("jdbc").option("url", f"jdbc:none:{PLANTED}")
    with pytest.raises(JAVA_ERRORS) as caught:
        reader.option("dbtable", "x").load()
    return in_words(caught.value)


def fail_within(spark: Any) -> WorkerError:
    """Let PySpark's kind of error come up, whose words lack the causes."""
    with pytest.raises(JAVA_ERRORS) as caught:
        spark._jvm.java.net.URI.create(f"{PLANTED} is no address")
    return in_words(caught.value)


def test_the_words_of_java_outlive_the_jvm_with_all_causes_and_without_secrets(
    capfd: pytest.CaptureFixture[str],
) -> None:
    hiding = Hiding([PLANTED])
    with own_jvm(hiding) as gateway, open_session(gateway, CONF) as spark:
        failures = [fail(spark), fail_within(spark)]
        gateway.jvm.System.err.println(f"the JVM says {PLANTED} aloud")
    unknown, bad = (hiding(trace_of(failure)) for failure in failures)
    assert "The worker failed unexpectedly: java.sql.SQLException" in unknown
    assert "Caused by: java.sql.SQLException" in unknown
    assert "Caused by: java.lang.IllegalArgumentException" in bad
    assert "Caused by: java.net.URISyntaxException" in bad
    assert "\tat fail_within(" in bad
    assert "(LinearSeq.scala" not in unknown
    said = capfd.readouterr().err
    assert "the JVM says [hidden] aloud" in said
    assert PLANTED not in unknown + bad + said


def test_a_driver_without_memory_ends_at_once_and_names_the_key_to_raise() -> None:
    with (
        pytest.raises(DriverEndedError, match=r"its heap is 64m\. Raise `frazil\.driver\.memory`"),
        own_jvm(Hiding(), "64m") as gateway,
    ):
        gateway.new_array(gateway.jvm.byte, 1_000_000_000)


def test_the_secret_of_the_jvm_is_in_no_environment_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Whoever starts workers may itself be a child of Spark's.
    monkeypatch.delenv("PYSPARK_GATEWAY_SECRET", raising=False)
    with own_jvm(Hiding([])) as gateway:
        assert gateway.jvm.System.getenv("PYSPARK_GATEWAY_SECRET") is None
        assert "PYSPARK_GATEWAY_SECRET" not in os.environ  # noqa: TID251 (what is tested)
