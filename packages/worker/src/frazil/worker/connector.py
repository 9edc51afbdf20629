"""A connector as its worker reads it: the job of its class, its configuration, its files."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pyspark.sql import SparkSession

from frazil.contracts.assignment import Assignment
from frazil.contracts.kafka_properties import SERVERS, overridden
from frazil.contracts.plugins import InvalidConfigError, ParsedConfig, find_plugin
from frazil.runtime.logs import get_logger
from frazil.worker.board import StatusBoard
from frazil.worker.errors import BadConfigError
from frazil.worker.job import Errand, Job, JobFactory

log = get_logger(__name__)


@dataclass(frozen=True)
class Jobs:
    """The jobs of a package."""

    package: str

    def make(self, assignment: Assignment, board: StatusBoard) -> Job | Errand:
        """Have the module make it that the connector's class names."""
        plugin = find_plugin(assignment.config["connector.class"])
        factory: JobFactory = import_module(f"{self.package}.{plugin.job}").job
        return factory(assignment, board)

    def warm_up(self, spark: SparkSession) -> None:
        """Do something like a job's first work, without a connector."""
        import_module(f"{self.package}.warm_up").warm_up(spark)


def read_config(assignment: Assignment) -> ParsedConfig:
    """Read the keys; what validate would refuse is refused here in the same words."""
    try:
        config = find_plugin(assignment.config["connector.class"]).parse(assignment.config)
    except InvalidConfigError as error:
        raise BadConfigError(str(error)) from error
    for warning in config.warnings:
        log.warning("config", text=warning)
    return config


def kafka_properties(assignment: Assignment, config: ParsedConfig, prefix: str) -> dict[str, str]:
    """Return the client's settings; the connector's own, under the prefix, win."""
    properties = overridden(assignment.kafka, config.prefixed(prefix))
    if SERVERS not in properties:
        raise BadConfigError("No Kafka to work with: `bootstrap.servers` is not set.")
    return properties


def spark_keys(config: ParsedConfig) -> dict[str, str]:
    return {f"spark.{key}": value for key, value in config.prefixed("spark.").items()}


def file_path(assignment: Assignment, name: str) -> Path:
    """Find a file that a configuration names, if files are allowed at all."""
    if assignment.files_folder is None:
        raise BadConfigError(
            "Connectors may not touch files here: FRAZIL_FILES_FOLDER of the control API is not "
            "set. Set it and restart the connector, or delete the connector."
        )
    folder = Path(assignment.files_folder).resolve()
    # Links are followed first: one may lead out of the folder.
    path = (folder / name).resolve()
    if not (assignment.files_anywhere or path.is_relative_to(folder)):
        raise BadConfigError(
            f"File {name} is not below {folder}, the folder of files that connectors may use "
            "(FRAZIL_FILES_FOLDER of the control API). Name a file in it; "
            "FRAZIL_FILES_ANYWHERE=true allows any."
        )
    return path
