"""What can go wrong with the broker and the store, each a sentence for the person who waits."""

from frazil.runtime.errors import UserError


class GeneratorError(UserError):
    """Root of them all; `__main__` turns it into a message and exit code 1."""


class BrokerUnavailableError(GeneratorError):
    def __init__(self, servers: str) -> None:
        super().__init__(f"No Kafka broker answers at {servers}.")


class TopicNotFoundError(GeneratorError):
    def __init__(self, topic: str, servers: str) -> None:
        super().__init__(f"The broker at {servers} has no topic {topic}; create it first.")


class NotAcknowledgedError(GeneratorError):
    def __init__(self, topic: str, reason: str) -> None:
        super().__init__(f"The broker stopped taking records for {topic}: {reason}.")


class StoreUnavailableError(GeneratorError):
    def __init__(self, reason: str) -> None:
        super().__init__(f"The store is of no use: {reason}.")
