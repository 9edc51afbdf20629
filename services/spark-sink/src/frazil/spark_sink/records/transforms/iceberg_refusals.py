"""How transforms of the Iceberg sink refuse a record."""

from functools import partial

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.errors import TransformError
from frazil.spark_sink.records.transforms.refusals import Refusal

_PACKAGE = "org.apache.iceberg.connect.transforms."


def iceberg_refusal(step: Step) -> Refusal:
    """Make the errors of a step, which name its class."""
    return partial(TransformError, class_name=f"{_PACKAGE}{step.word}")
