"""InsertHeader: every record gets the same header."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.converters.simple_header import parse_text
from frazil.spark_sink.records.model import Header, Record
from frazil.spark_sink.records.transforms import Transform


def insert_header(step: Step) -> Transform:
    """Compile the header; `value.literal` is read like a header of SimpleHeaderConverter's."""
    value, schema = parse_text(step.options["value.literal"])
    header = Header(step.options["header"], value, schema)

    def transform(record: Record) -> Record:
        return record.with_headers((*record.headers, header))

    return transform
