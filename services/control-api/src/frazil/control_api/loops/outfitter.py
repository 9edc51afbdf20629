"""What workers are sent off with: assignments, in which references are resolved."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from frazil.contracts.assignment import Assignment
from frazil.contracts.plugins.reading import read_key
from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.errors import SecretError
from frazil.control_api.core.hiding import texts_to_hide
from frazil.control_api.core.ports import Secrets
from frazil.control_api.core.references import NoSecrets, has_references, resolve

_MISSING = b""


class Outfitter:
    """Makes assignments, and remembers by a hash alone which values a worker was given.

    Calls block, and may come from several threads.
    """

    def __init__(
        self,
        *,
        worker_id: str,
        kafka: Mapping[str, str],
        secrets: Secrets | None = None,
        files_folder: Path | None = None,
        files_anywhere: bool = False,
        offsets_topic: str = "connect-offsets",
    ) -> None:
        self._worker_id = worker_id
        self._kafka = dict(kafka)
        self._secrets = secrets or NoSecrets()
        self._files_folder = None if files_folder is None else str(files_folder.resolve())
        self._files_anywhere = files_anywhere
        self._offsets_topic = offsets_topic
        self._given: dict[str, tuple[int, bytes]] = {}
        self._salt = os.urandom(16)

    def assignment(self, connector: Connector, observed: Observed) -> Assignment:
        """Raises SecretError when a reference cannot be resolved."""
        self._given[connector.name] = (connector.generation, self._digest(connector))
        return self._made(connector, observed.epoch, observed.generation).model_copy(
            update={"rewind": connector.rewind, "redrive": connector.redrive}
        )

    def preview(self, connector: Connector, name: str, *, epoch: int, records: int) -> Assignment:
        """Have a worker of another name only tell what the connector would do."""
        made = self._made(connector, epoch, connector.generation)
        return made.model_copy(update={"connector": name, "preview": records})

    def _made(self, connector: Connector, epoch: int, generation: int) -> Assignment:
        resolved = resolve(connector.config, self._secrets)
        return Assignment(
            connector=connector.name,
            epoch=epoch,
            generation=generation,
            worker_id=self._worker_id,
            config=resolved.config,
            secrets=texts_to_hide(resolved, self._kafka),
            kafka=self._kafka,
            paused_tables=connector.paused_tables,
            schema_rules=dict(connector.schema_rules),
            files_folder=self._files_folder,
            files_anywhere=self._files_anywhere,
            offsets_topic=self._offsets_topic,
        )

    def outdated(self, connectors: Iterable[Connector]) -> list[str]:
        """Name those whose references stand for something else than when they were resolved.

        Of workers that another process has started, what is there now is taken for that.
        """
        stored = {connector.name: connector for connector in connectors}
        for name in self._given.keys() - stored.keys():
            self._given.pop(name, None)
        return [name for name, connector in stored.items() if self._is_outdated(connector)]

    def _is_outdated(self, connector: Connector) -> bool:
        wanted = connector.target is Target.RUNNING and has_references(connector.config)
        if not wanted or read_key(connector.config, "config.action.reload") == "none":
            return False
        now = (connector.generation, self._digest(connector))
        given = self._given.setdefault(connector.name, now)
        # A file that is being replaced may be missing for a moment.
        return given[0] == now[0] and now[1] not in (given[1], _MISSING)

    def _digest(self, connector: Connector) -> bytes:
        try:
            config = resolve(connector.config, self._secrets).config
        except SecretError:
            return _MISSING
        return hashlib.blake2b(repr(sorted(config.items())).encode(), key=self._salt).digest()
