"""TimestampRouter: the topic's name gets the record's time."""

from frazil.contracts.plugins.transforms.chain import Step
from frazil.spark_sink.records.java_dates import date_formatter
from frazil.spark_sink.records.model import Record
from frazil.spark_sink.records.transforms import Transform
from frazil.spark_sink.records.transforms.refusals import refusal


def timestamp_router(step: Step) -> Transform:
    """Compile `topic.format` and `timestamp.format`."""
    write = date_formatter(step.options["timestamp.format"])
    pattern = step.options["topic.format"]
    refuse = refusal(step)

    def transform(record: Record) -> Record:
        if record.timestamp is None:
            raise refuse("the record has no time")
        try:
            text = write(record.timestamp)
        except OverflowError as error:
            raise refuse(f"its time {record.timestamp} is beyond the years 1 to 9999") from error
        topic = pattern.replace("${topic}", record.topic).replace("${timestamp}", text)
        return record.with_topic(topic)

    return transform
