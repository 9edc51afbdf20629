"""The use cases: each checks, writes what is wanted, and puts the name on the queue. None acts."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from frazil.contracts.config_infos import ConfigInfos
from frazil.contracts.naming import run_folder
from frazil.contracts.offsets import Ending, Rewind
from frazil.contracts.plugins import PLUGINS, ParsedConfig, Plugin, UnknownPluginError, find_plugin
from frazil.contracts.plugins.frazil_keys import LABEL_PREFIX
from frazil.contracts.redrive import Pick, Redrive
from frazil.contracts.secrets import without_secrets
from frazil.contracts.states import ConnectState, Target
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import (
    AlreadyExistsError,
    BadRequestError,
    InvalidConnectorError,
    NotFoundError,
)
from frazil.control_api.core.judgement import judge
from frazil.control_api.core.paused_tables import with_table
from frazil.control_api.core.ports import ConnectorStore, Secrets
from frazil.control_api.core.redrive import following, require_redrivable
from frazil.control_api.core.references import NoSecrets, UnseenSecrets
from frazil.control_api.core.schema_rules import Decide, with_rules
from frazil.control_api.core.side_branches import ended
from frazil.control_api.core.states import public_state, task_ids

Config = Mapping[str, str | None]
"""A configuration as submitted: null removes a key or is a fault, the validation decides."""

_MAX_FOLDER_LENGTH = 200  # of the 255 bytes that file systems give a name


@dataclass(frozen=True, slots=True)
class Submission:
    name: str
    config: Config
    target: Target = Target.RUNNING


class ConnectorService:
    """Calls block for a few milliseconds; `notify` has to be safe to call from any thread.

    `plugins` are the classes that connectors may have, `most` is how many of them there may be.
    Without `secrets` every reference is refused.
    """

    def __init__(
        self,
        store: ConnectorStore,
        notify: Callable[[str], None],
        plugins: tuple[Plugin, ...] = PLUGINS,
        *,
        secrets: Secrets | None = None,
        most: int | None = None,
    ) -> None:
        self._store = store
        self._notify = notify
        self._secrets = secrets or NoSecrets()
        self._most = most
        self.plugins = plugins

    def all(self) -> list[Connector]:
        return [connector for connector in self._store.all() if not connector.is_deleted]

    def find(self, name: str) -> Connector | None:
        return _visible(self._store.get(name))

    def get(self, name: str) -> Connector:
        return _present(self._store.get(name), f"Connector {name} not found")

    def create(self, submission: Submission) -> Connector:
        name = submission.name.strip()
        config = self._checked(_named(name, submission.config))

        def add(old: Connector | None) -> Connector:
            if _visible(old):
                raise AlreadyExistsError(f"Connector {name} already exists")
            self._require_room()
            return _made(name, config, submission.target, old)

        return self._change(name, add)

    def configure(self, name: str, config: Config) -> tuple[Connector, bool]:
        """Replace the configuration, or create the connector; tell whether it is new."""
        checked = self._checked(_named(name, config))
        created = False

        def put(old: Connector | None) -> Connector:
            nonlocal created
            created = _visible(old) is None
            if old is None or created:
                self._require_room()
                return _made(name, checked, Target.RUNNING, old)
            return _reconfigured(old, checked)

        return self._change(name, put), created

    def patch(self, name: str, changes: Config) -> Connector:
        """Judge before the store is locked, for to look behind references takes time."""
        while True:
            present = self.get(name).config
            config = self._checked(_patched(name, present, changes))
            with suppress(_OvertakenError):
                return self._replace(name, present, config)

    def set_target(self, name: str, target: Target) -> None:
        """Pause, resume or stop."""
        self._aim(name, target, f"Unknown connector {name}")

    def delete(self, name: str) -> None:
        self._aim(name, Target.DELETED, f"Connector {name} not found")

    def restart(self, name: str, *, only_failed: bool) -> tuple[Connector, bool]:
        """Ask for a new worker, if need be; tell whether one was asked for."""
        connector = _present(self._store.get(name), f"Unknown connector: {name}")
        if only_failed and public_state(connector).overall is not ConnectState.FAILED:
            return connector, False
        return self._renew(name), True

    def restart_task(self, name: str, task: int) -> None:
        connector = _present(self._store.get(name), f"Unknown connector: {name}")
        if task not in task_ids(connector):
            raise NotFoundError(f"Unknown task: {name}-{task}")
        self._renew(name)

    def forget_topics(self, name: str) -> None:
        """Begin the list of topics that the connector has read anew; nobody's is empty anyway."""
        if self.find(name) is None:
            return

        def reset(old: Connector | None) -> Connector:
            connector = _present(old, f"Unknown connector {name}")
            return replace(connector, topics_reset=connector.topics_reset + 1)

        self._change(name, reset)

    def rewind(self, name: str, make: Callable[[Connector], Rewind]) -> None:
        """Note where a sink's next worker is to go on."""

        def note(old: Connector | None) -> Connector:
            connector = _present(old, f"Connector {name} not found")
            return replace(connector, rewind=make(connector))

        self._change(name, note)

    def end_branch(self, name: str, ending: Ending, now: float) -> Connector:
        """Have a new worker publish or drop the side branch that a rewind has begun."""
        unknown = f"Connector {name} not found"
        return self._change(name, lambda old: ended(_present(old, unknown), ending, now))

    def redrive(self, name: str, pick: Pick) -> Redrive:
        """Have a new worker try dead letters again."""
        wanted = following(None, pick)

        def order(old: Connector | None) -> Connector:
            nonlocal wanted
            connector = _present(old, f"Connector {name} not found")
            require_redrivable(self._read(connector))
            wanted = following(connector.redrive, pick)
            return replace(connector, redrive=wanted, generation=connector.generation + 1)

        self._change(name, order)
        return wanted

    def set_table(self, name: str, table: str, *, paused: bool, anew: bool = False) -> None:
        """Pause or resume a single table, or have a new worker try it again."""

        def change(old: Connector | None) -> Connector:
            connector = _present(old, f"Connector {name} not found")
            return with_table(connector, self._read(connector), table, paused=paused, anew=anew)

        self._change(name, change)

    def rule_schema(self, name: str, table: str, decide: Decide) -> Connector:
        """Note what a user has said of changes that a table waits for."""

        def change(old: Connector | None) -> Connector:
            connector = _present(old, f"Connector {name} not found")
            return with_rules(connector, self._read(connector), table, decide)

        return self._change(name, change)

    def validate(
        self, plugin_name: str, config: Config, *, with_secrets: bool = True
    ) -> ConfigInfos:
        """Judge a configuration; without secrets a reference is not looked behind.

        To be told whether a guess is right would give the value away, guess by guess.
        """
        class_name = _class_name(config)
        if not _stem(class_name).endswith(_stem(plugin_name)):
            raise BadRequestError(
                f"Included connector type {class_name} does not match request type {plugin_name}"
            )
        secrets = self._secrets if with_secrets else UnseenSecrets()
        return judge(self._plugin(class_name), config, secrets)

    def _checked(self, config: Config) -> dict[str, str]:
        infos = judge(self._plugin(_class_name(config)), config, self._secrets)
        if faults := [fault for info in infos.configs for fault in info.value.errors]:
            raise InvalidConnectorError(faults)
        return {key: value for key, value in config.items() if value is not None}

    def _require_room(self) -> None:
        if self._most is not None and self._store.count() >= self._most:
            raise BadRequestError(
                f"There are {self._most} connectors already, and there may be no more: delete one, "
                "or raise FRAZIL_MAX_CONNECTORS of the control API"
            )

    def _read(self, connector: Connector) -> ParsedConfig:
        return self._plugin(_class_name(connector.config)).read(connector.config)

    def _plugin(self, class_name: str) -> Plugin:
        try:
            return find_plugin(class_name, self.plugins)
        except UnknownPluginError as error:
            raise BadRequestError(str(error)) from error

    def _renew(self, name: str) -> Connector:
        def renew(old: Connector | None) -> Connector:
            connector = _present(old, f"Unknown connector: {name}")
            return replace(connector, generation=connector.generation + 1)

        return self._change(name, renew)

    def _replace(self, name: str, present: Mapping[str, str], config: dict[str, str]) -> Connector:
        """Raise _OvertakenError if the configuration is not the present one any more."""

        def put(old: Connector | None) -> Connector:
            connector = _present(old, f"Connector {name} not found")
            if connector.config != present:
                raise _OvertakenError
            return _reconfigured(connector, config)

        return self._change(name, put)

    def _aim(self, name: str, target: Target, complaint: str) -> None:
        self._change(name, lambda old: replace(_present(old, complaint), target=target))

    def _change(self, name: str, change: Callable[[Connector | None], Connector]) -> Connector:
        connector = self._store.change(name, change)
        self._notify(name)
        return connector


class _OvertakenError(Exception):
    """What was judged is not what is there any more."""


def _patched(name: str, config: Config, changes: Config) -> Config:
    kept = {key: value for key, value in {**config, **changes}.items() if value is not None}
    # A name that was taken away is missed, not put back.
    return _named(name, kept) if "name" in kept else kept


def _visible(connector: Connector | None) -> Connector | None:
    return None if connector is None or connector.is_deleted else connector


def _present(connector: Connector | None, complaint: str) -> Connector:
    present = _visible(connector)
    if present is None:
        raise NotFoundError(complaint)
    return present


def _made(
    name: str, config: Mapping[str, str], target: Target, leaving: Connector | None
) -> Connector:
    """Make a connector; one of the same name may still be leaving, and is then replaced."""
    if leaving is None:
        return Connector(name, config, target)
    return Connector(
        name,
        config,
        target,
        generation=leaving.generation + 1,
        topics_reset=leaving.topics_reset + 1,
    )


def _reconfigured(connector: Connector, config: Mapping[str, str]) -> Connector:
    changed = _without_labels(config) != _without_labels(connector.config)
    return replace(connector, config=config, generation=connector.generation + changed)


def _without_labels(config: Mapping[str, str]) -> dict[str, str]:
    """Leave what a worker would read."""
    return {k: value for k, value in config.items() if not k.startswith(LABEL_PREFIX)}


def _named(name: str, config: Config) -> Config:
    if len(run_folder(name)) > _MAX_FOLDER_LENGTH:
        raise BadRequestError("The connector's name is too long to name a folder")
    given = config.get("name")
    if given is None:
        return {**config, "name": name}
    if given != name:
        raise BadRequestError(
            f"Connector name configuration ({given}) doesn't match connector name in the URL "
            f"({name})"
        )
    return config


def _class_name(config: Config) -> str:
    class_name = config.get("connector.class")
    if not class_name:
        texts = {name: "null" if text is None else text for name, text in config.items()}
        listed = ", ".join(f"{name}={text}" for name, text in without_secrets(texts).items())
        raise BadRequestError(f"Connector config {{{listed}}} contains no connector type")
    return class_name


def _stem(class_name: str) -> str:
    return class_name.removesuffix("Connector")
