"""Why the records of a range cannot be read, and whether it helps to try again."""

from frazil.spark_sink.tasks.offset_range import OffsetRange


class ReadError(Exception):
    """The range cannot be read; read again, it is as likely as not to fail again."""

    is_retryable = False

    def __init__(self, range_: OffsetRange, reason: str) -> None:
        super().__init__(range_, reason)
        self.range = range_
        self.reason = reason

    def __str__(self) -> str:
        return f"Kafka cannot deliver {self.range}: {self.reason}"


class BrokerUnavailableError(ReadError):
    """No broker delivers the records within the time that a reader waits."""

    is_retryable = True


class AccessError(ReadError):
    """The broker, or the token's issuer, refuses the client: its login, certificate or rights."""


class UnknownPartitionError(ReadError):
    """The topic, or its partition, does not exist any more."""


class DataLossError(ReadError):
    """Records of the range were deleted, or the partition is shorter than it was.

    `earliest` and `latest` are the offsets that the partition has now, if the broker says so.
    """

    def __init__(self, range_: OffsetRange, earliest: int | None, latest: int | None) -> None:
        super().__init__(range_, _what_is_left(range_, earliest, latest))
        self.args = (range_, earliest, latest)
        self.earliest = earliest
        self.latest = latest


def _what_is_left(range_: OffsetRange, earliest: int | None, latest: int | None) -> str:
    if earliest is None or latest is None:
        return "some of them do not exist any more"
    if range_.start < earliest:
        return f"records before offset {earliest} were deleted, as by the topic's retention"
    return f"the partition has offsets {earliest} to {latest} now; was the topic created again?"
