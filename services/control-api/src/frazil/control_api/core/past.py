"""The use cases about what was: tell it, and go back to it."""

from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError
from frazil.control_api.core.history import StateChange
from frazil.control_api.core.ports import ConnectorStore
from frazil.control_api.core.revisions import Revision, revisions
from frazil.control_api.core.service import ConnectorService


class Past:
    """A name's past outlives the connector."""

    def __init__(self, store: ConnectorStore, service: ConnectorService) -> None:
        self._store = store
        self._service = service

    def of(self, name: str, limit: int) -> tuple[list[StateChange], list[Revision]]:
        """Return at most so many state changes and revisions, newest first."""
        versions = self._store.configs(name)
        changes = self._store.newest_state_changes(name, limit)
        if not versions and not changes:
            raise NotFoundError(f"Connector {name} not found")
        return changes, revisions(versions)[:limit]

    def roll_back(self, name: str, version: int) -> tuple[Connector, bool]:
        """Put the configuration of a version; tell whether that made the connector anew."""
        known = {one.version: one.config for one in self._store.configs(name)}
        config = known.get(version)
        if config is None:
            usable = [number for number, one in known.items() if one is not None]
            listed = ", ".join(map(str, usable)) or "none"
            raise NotFoundError(
                f"Connector {name} has no configuration of version {version}; there are: {listed}"
            )
        return self._service.configure(name, config)
