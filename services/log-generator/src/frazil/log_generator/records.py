"""Records into a topic, whatever the broker does meanwhile."""

from frazil.log_generator.clock import Clock
from frazil.log_generator.errors import GeneratorError
from frazil.log_generator.pace import Pace, Patience
from frazil.log_generator.producer import Report, produce
from frazil.log_generator.source import Source
from frazil.runtime.logs import get_logger

log = get_logger(__name__)


class Records:
    """One topic with a connection of its own: a topic that is missing holds up no other."""

    def __init__(
        self, topic: str, source: Source, *, servers: str, rate: float, clock: Clock
    ) -> None:
        self.report = Report(topic)
        self._topic = topic
        self._source = source
        self._servers = servers
        self._pace = Pace(rate=rate)
        self._clock = clock
        self._patience = Patience()

    async def run(self) -> None:
        while not self._clock.stop.is_set():
            before = self.report.produced
            try:
                await self._produce()
            except GeneratorError as trouble:
                if self.report.produced > before:
                    self._patience.reset()
                if not self._patience.failures:
                    log.warning("broker_away", topic=self._topic, reason=str(trouble))
                await self._clock.wait(self._patience.wait())

    async def _produce(self) -> None:
        await produce(
            self._servers,
            sources={self._topic: self._source},
            pace=self._pace,
            stop=self._clock.stop,
            reports={self._topic: self.report},
        )
