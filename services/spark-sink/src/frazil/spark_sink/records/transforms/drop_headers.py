"""DropHeaders: headers of some names are left out."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.transforms import Transform


def drop_headers(step: Step) -> Transform:
    """Compile the names in `headers`."""
    names = frozenset(step.options["headers"])

    def transform(record: Record) -> Record:
        return record.with_headers(
            tuple(header for header in record.headers if header.name not in names)
        )

    return transform
