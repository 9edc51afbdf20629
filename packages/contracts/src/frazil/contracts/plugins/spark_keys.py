"""Settings of Spark that a connector may choose only where the operator allows them."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from frazil.contracts.plugins.parsed import Complaint, ParsedConfig
from frazil.contracts.plugins.plugin import Rule

ALLOWED_KEYS = "FRAZIL_SPARK_KEYS"

_PREFIX = "spark."
# They load classes or programs, open ports, reach files, or say who is trusted and what is logged.
_REFUSED = (
    "spark.acls.*", "spark.admin.*", "spark.api.*", "spark.archives*", "spark.authenticate*",
    "spark.checkpoint.*", "spark.closure.*", "spark.connect.*", "spark.deploy.*", "spark.driver.*",
    "spark.eventLog.*", "spark.executor.*", "spark.executorEnv.*", "spark.extraListeners",
    "spark.files*", "spark.history.*", "spark.home", "spark.jars*", "spark.kerberos.*",
    "spark.kryo.*", "spark.kubernetes.*", "spark.local.*", "spark.logConf", "spark.logLineage",
    "spark.master", "spark.metrics.*", "spark.modify.*", "spark.network.crypto.*", "spark.plugins*",
    "spark.port.*", "spark.pyspark.*", "spark.python.*", "spark.r.*", "spark.redaction.*",
    "spark.remote", "spark.repl.*", "spark.resources.*", "spark.scheduler.*", "spark.security.*",
    "spark.serializer*", "spark.ssl.*", "spark.standalone.*", "spark.storage.*", "spark.submit.*",
    "spark.ui.*", "spark.user.*", "spark.worker.*", "spark.yarn.*",
    "spark.sql.artifact.*", "spark.sql.cache.*", "spark.sql.catalog*", "spark.sql.defaultCatalog",
    "spark.sql.event.*", "spark.sql.execution.pyspark.*", "spark.sql.execution.python.*",
    "spark.sql.extensions*", "spark.sql.hive.*", "spark.sql.pyspark.*", "spark.sql.redaction.*",
    "spark.sql.runSQLOnFiles", "spark.sql.sources.*", "spark.sql.streaming.checkpoint*",
    "spark.sql.streaming.stateStore.*", "spark.sql.streaming.ui.*", "spark.sql.ui.*",
    "spark.sql.warehouse.*",
    "spark.hadoop.hadoop.*", "spark.hadoop.io.serializations", "spark.hadoop.net.topology.*",
    # What ends like this names a class, a file or a program, whichever setting it is.
    "*.class", "*.command", "*.dir", "*.file", "*.listeners", "*.manager", "*.path", "*.resource.*",
    "*Class", "*Classes", "*Dir", "*File", "*Listeners", "*Path",
)  # fmt: skip


def spark_rule(allowed: Sequence[str]) -> Rule:
    """Refuse settings that reach beyond a connector's own work, except those that are allowed."""

    def check_spark(config: ParsedConfig) -> Iterator[Complaint]:
        for name in config.submitted:
            if is_refused(name) and not _matches(name, allowed):
                yield Complaint(
                    name,
                    f"{name} reaches beyond the connector's own work. Leave it out, or have the "
                    f"operator add it to {ALLOWED_KEYS} of the control API.",
                )

    return check_spark


def is_refused(name: str) -> bool:
    return name.startswith(_PREFIX) and _matches(name, _REFUSED)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
