"""Which settings of Spark a connector may choose."""

from collections.abc import Mapping

import pytest
from tests.support.control_api import SINK_CLASS, sink_config

from frazil.contracts.plugins import enabled_plugins, find_plugin


def refused(keys: Mapping[str, str], *allowed: str) -> dict[str, list[str]]:
    plugin = find_plugin(SINK_CLASS, enabled_plugins(files=False, spark_keys=allowed))
    found = plugin.validate({**sink_config(name="c"), **keys})
    return {info.value.name: info.value.errors for info in found.configs if info.value.errors}


@pytest.mark.parametrize(
    "name",
    [
        "spark.authenticate",
        "spark.driver.bindAddress",
        "spark.driver.resource.gpu.discoveryScript",
        "spark.executor.extraJavaOptions",
        "spark.extraListeners",
        "spark.hadoop.hadoop.security.credential.provider.path",
        "spark.jars",
        "spark.jars.packages",
        "spark.local.dir",
        "spark.master",
        "spark.metrics.conf.*.sink.x.class",
        "spark.network.crypto.enabled",
        "spark.plugins",
        "spark.pyspark.python",
        "spark.redaction.regex",
        "spark.scheduler.allocation.file",
        "spark.shuffle.manager",
        "spark.shuffle.sort.io.plugin.class",
        "spark.sql.catalog.other",
        "spark.sql.catalogImplementation",
        "spark.sql.extensions",
        "spark.sql.parquet.output.committer.class",
        "spark.sql.queryExecutionListeners",
        "spark.sql.runSQLOnFiles",
        "spark.sql.sources.commitProtocolClass",
        "spark.sql.streaming.stateStore.providerClass",
        "spark.sql.streaming.streamingQueryListeners",
        "spark.submit.deployMode",
        "spark.task.resource.gpu.amount",
        "spark.ui.enabled",
    ],
)
def test_what_reaches_beyond_a_connector_is_refused_at_its_key(name: str) -> None:
    (sentence,) = refused({name: "x"})[name]
    assert sentence == (
        f"{name} reaches beyond the connector's own work. Leave it out, or have the operator add "
        "it to FRAZIL_SPARK_KEYS of the control API."
    )


@pytest.mark.parametrize(
    "name",
    [
        "spark.hadoop.fs.s3a.endpoint",
        "spark.memory.fraction",
        "spark.sql.ansi.enabled",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
    ],
)
def test_what_tunes_a_connector_s_own_work_is_free(name: str) -> None:
    assert refused({name: "x"}) == {}


def test_the_operator_allows_single_settings_or_all() -> None:
    keys = {"spark.driver.maxResultSize": "2g", "spark.ui.enabled": "true"}
    assert list(refused(keys, "spark.driver.*")) == ["spark.ui.enabled"]
    assert refused(keys, "*") == {}
