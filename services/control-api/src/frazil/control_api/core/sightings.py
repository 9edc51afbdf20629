"""What was seen last of each connector's workers, for those who have no time to look themselves."""

from frazil.control_api.core.observation import Observation


class Sightings:
    """Filled by the reconciler, read from any thread; empty where no reconciler runs."""

    def __init__(self) -> None:
        self._seen: dict[str, Observation] = {}

    def see(self, name: str, observation: Observation) -> None:
        self._seen[name] = observation

    def forget(self, name: str) -> None:
        self._seen.pop(name, None)

    def get(self, name: str) -> Observation | None:
        return self._seen.get(name)
