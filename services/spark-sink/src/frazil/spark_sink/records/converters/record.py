"""Convert all parts of a record before anything else is done with it, as Connect does."""

from collections.abc import Callable

from frazil.contracts.plugins.converters import Converting
from frazil.spark_sink.records.converters import converter_of, header_converter_of
from frazil.spark_sink.records.errors import ConverterError, Stage
from frazil.spark_sink.records.model import KafkaRecord, Record


def reader_of(
    key: Converting, value: Converting, header: Converting
) -> Callable[[KafkaRecord], Record]:
    """Compile the reader of records; what cannot be converted names its stage."""
    convert_key, convert_value = converter_of(key), converter_of(value)
    convert_header = header_converter_of(header)

    def read(source: KafkaRecord) -> Record:
        stage = Stage.KEY_CONVERTER
        try:
            key, key_schema = convert_key(source.key)
            stage = Stage.VALUE_CONVERTER
            value, value_schema = convert_value(source.value)
            stage = Stage.HEADER_CONVERTER
            headers = tuple([convert_header(name, text) for name, text in source.headers])
        except ConverterError as error:
            error.stage = stage
            raise
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
