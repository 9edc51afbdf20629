"""InsertHeader: every record gets the same header."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.model import Header, Kind, Record, Schema
from frazil.spark_sink.records.transforms import Transform


def insert_header(step: Step) -> Transform:
    """Compile the header of `value.literal`."""
    # Connect reads the literal as SimpleHeaderConverter would: `12` is a number there.
    header = Header(step.options["header"], step.options["value.literal"], Schema(Kind.STRING))

    def transform(record: Record) -> Record:
        return record.with_headers((*record.headers, header))

    return transform
