"""Filter: the record is left out, mostly where a predicate says so."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.transforms import Transform


def filter(_: Step) -> Transform:  # noqa: A001
    """Compile nothing, for there are no options."""

    def transform(_record: Record) -> None:
        return None

    return transform
