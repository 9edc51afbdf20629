"""Routes of connector classes: which there are, their keys, a configuration judged."""

from fastapi import APIRouter

from frazil.contracts.config_infos import ConfigDefinition, ConfigInfos
from frazil.contracts.plugins import PLUGINS, UnknownPluginError, find_plugin
from frazil.control_api.api.bodies import FlatConfig
from frazil.control_api.api.deps import PluginName, Service
from frazil.control_api.api.models import PluginInfo
from frazil.control_api.core.errors import NotFoundError

router = APIRouter(prefix="/connector-plugins")


@router.get("")
def list_plugins() -> list[PluginInfo]:
    return [PluginInfo.of(plugin) for plugin in PLUGINS]


@router.get("/{plugin}/config")
def get_plugin_config(name: PluginName) -> list[ConfigDefinition]:
    try:
        return find_plugin(name).definitions()
    except UnknownPluginError as error:
        raise NotFoundError(f"Unknown plugin {name}.") from error


@router.put("/{plugin}/config/validate")
def validate_config(name: PluginName, config: FlatConfig, service: Service) -> ConfigInfos:
    return service.validate(name, config)
