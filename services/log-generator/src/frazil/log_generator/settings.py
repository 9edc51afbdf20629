"""What the generator may be told by its environment; the command line wins."""

from pydantic import Field

from frazil.runtime.settings import FrazilSettings


class GeneratorSettings(FrazilSettings):
    bootstrap_servers: str = Field(
        default="127.0.0.1:9092", description="Kafka brokers, as host:port, comma separated."
    )
