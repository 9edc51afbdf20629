"""Convert all parts of a record before anything else is done with it, as Connect does."""

from collections.abc import Callable

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of, header_converter_of
from frazil.spark_sink.records.model import KafkaRecord, Record


def reader_of(
    key: Converting, value: Converting, header: Converting
) -> Callable[[KafkaRecord], Record]:
    """Compile the reader of records; an error of a converter names its stage."""
    convert_key, convert_value = converter_of(key, key=True), converter_of(value)
    convert_header = header_converter_of(header)

    def read(source: KafkaRecord) -> Record:
        key, key_schema = convert_key(source.key)
        value, value_schema = convert_value(source.value)
        headers = tuple([convert_header(name, text) for name, text in source.headers])
        return Record(
            source,
            source.topic,
            key,
            key_schema,
            value,
            value_schema,
            headers,
            source.timestamp,
        )

    return read
