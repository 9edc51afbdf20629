"""A dry run: the real use cases, of which nothing is kept, and what they would have done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frazil.contracts.plugins import find_plugin
from frazil.contracts.secrets import without_secrets
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.revisions import Diff, diff
from frazil.control_api.core.service import Config, ConnectorService, Submission


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be stored; `restarts` tells whether a worker that runs would be replaced."""

    name: str
    created: bool
    restarts: bool
    target: Target
    config: Mapping[str, str]
    diff: Diff
    warnings: tuple[str, ...]


class Rehearsal(ConnectorService):
    """Raises what the real service raises."""

    def plan_create(self, submission: Submission) -> Plan:
        return _plan(None, self.create(submission))

    def plan_configure(self, name: str, config: Config) -> Plan:
        return _plan(self.find(name), self.configure(name, config)[0])

    def _change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        return change(self._store.get(name))


def _plan(before: Connector | None, after: Connector) -> Plan:
    return Plan(
        name=after.name,
        created=before is None,
        restarts=before is not None and before.generation != after.generation,
        target=after.target,
        config=without_secrets(after.config),
        diff=diff(before.config if before else {}, after.config),
        warnings=tuple(_warnings(after.config)),
    )


def _warnings(config: Mapping[str, str]) -> list[str]:
    parsed = find_plugin(config["connector.class"]).read(config)
    unknown = [name for name in config if name not in parsed.values]
    ignored = [f"{name} is not a key of this connector and is ignored." for name in unknown]
    return [*parsed.warnings, *ignored]
