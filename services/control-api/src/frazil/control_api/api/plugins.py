"""Routes of connector classes: which there are, their keys, a configuration judged."""

from typing import Annotated

from fastapi import APIRouter, Query

from frazil.contracts.config_infos import ConfigDefinition, ConfigInfos
from frazil.control_api.api.bodies import FlatConfig
from frazil.control_api.api.deps import Flag, MayWrite, PluginName, Service
from frazil.control_api.api.described import TAKES_CONFIG, faults
from frazil.control_api.api.models import PluginInfo
from frazil.control_api.core.plugins import definitions, listed

router = APIRouter(prefix="/connector-plugins")

Version = Annotated[str | None, Query(description="A version or a range of them.")]


@router.get("")
def list_plugins(
    service: Service, connectors_only: Annotated[Flag, Query(alias="connectorsOnly")] = True
) -> list[PluginInfo]:
    """List connectors, and with `connectorsOnly=false` the converters too."""
    found = listed(service.plugins, connectors_only=connectors_only)
    return [PluginInfo.of(plugin) for plugin in found]


@router.get("/{plugin}/config", responses=faults(400, 404))
def get_plugin_config(
    name: PluginName, service: Service, version: Version = None
) -> list[ConfigDefinition]:
    return definitions(service.plugins, name, version)


@router.put("/{plugin}/config/validate", openapi_extra=TAKES_CONFIG, responses=faults(400))
def validate_config(
    name: PluginName, config: FlatConfig, service: Service, may_write: MayWrite
) -> ConfigInfos:
    return service.validate(name, config, with_secrets=may_write)
