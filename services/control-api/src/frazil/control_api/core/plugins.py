"""What the plugin endpoints tell: the classes that there are, and the keys of one."""

from collections.abc import Iterator
from dataclasses import dataclass

from frazil.contracts.config_infos import ConfigDefinition
from frazil.contracts.plugins import Plugin
from frazil.contracts.plugins.converter_keys import CONVERTERS, Converter
from frazil.contracts.plugins.transforms.chain import STAGE_PLUGINS
from frazil.contracts.plugins.transforms.stage import StagePlugin
from frazil.contracts.version_range import InvalidVersionError, unmatched
from frazil.control_api.core.errors import BadRequestError, NotFoundError

_AnyPlugin = Plugin | Converter | StagePlugin


@dataclass(frozen=True, slots=True)
class Listed:
    class_name: str
    type: str
    version: str


def listed(plugins: tuple[Plugin, ...], *, connectors_only: bool) -> Iterator[Listed]:
    """List connectors, then what else Connect calls a plugin."""
    for plugin in plugins:
        yield Listed(plugin.class_name, plugin.type, plugin.version)
    if connectors_only:
        return
    for stage in STAGE_PLUGINS:
        yield Listed(stage.class_name, stage.type, stage.version)
    for kind in ("converter", "header_converter"):
        for converter in CONVERTERS:
            if kind in converter.types:
                yield Listed(converter.class_name, kind, converter.version)


def definitions(
    plugins: tuple[Plugin, ...], name: str, version: str | None
) -> list[ConfigDefinition]:
    """Describe the keys of a class, by any name that Connect would accept for it."""
    found = _find(plugins, name)
    if version is not None:
        _require(found, version)
    return found.definitions()


def _find(plugins: tuple[Plugin, ...], name: str) -> _AnyPlugin:
    everything: tuple[_AnyPlugin, ...] = (*plugins, *CONVERTERS, *STAGE_PLUGINS)
    for plugin in everything:
        if name in plugin.names:
            return plugin
    raise NotFoundError(f"Unknown plugin {name}.")


def _require(plugin: _AnyPlugin, version: str) -> None:
    try:
        complaint = unmatched(plugin.class_name, version, [plugin.version])
    except InvalidVersionError as error:
        raise BadRequestError(str(error)) from error
    if complaint is not None:
        raise BadRequestError(complaint)
