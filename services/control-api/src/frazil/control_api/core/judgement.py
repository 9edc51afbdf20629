"""A configuration judged with what its references stand for, of which the answer shows nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from frazil.contracts.config_infos import ConfigInfo, ConfigInfos, count_errors
from frazil.contracts.plugins import Plugin
from frazil.contracts.plugins.strangers import stranger
from frazil.contracts.secrets import shown
from frazil.control_api.core.errors import SecretMissingError, SecretRefusedError
from frazil.control_api.core.ports import Reference, Secrets
from frazil.control_api.core.references import fill, has_references, listed, references_in

Config = Mapping[str, str | None]


def judge(plugin: Plugin, config: Config, secrets: Secrets) -> ConfigInfos:
    """Validate, as Connect does; a value that is not there yet is not held against anybody."""
    if not has_references(config):
        return plugin.validate(config)
    lookup = _Lookup.of(config, secrets)
    as_submitted = {info.value.name: info for info in plugin.validate(config).configs}
    filled = plugin.validate({n: t and fill(t, lookup.values) for n, t in config.items()})
    judged = [_redacted(info, as_submitted[info.value.name], lookup) for info in filled.configs]
    unlisted = lookup.refused.keys() - as_submitted.keys()
    judged += [
        ConfigInfo.of(stranger(name), config[name], lookup.refused[name])
        for name in config
        if name in unlisted
    ]
    return filled.model_copy(update={"configs": judged, "error_count": count_errors(judged)})


@dataclass(frozen=True, slots=True)
class _Lookup:
    """What became of the references, by key."""

    config: Config
    held: dict[str, list[Reference]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict, repr=False)
    refused: dict[str, list[str]] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, config: Config, secrets: Secrets) -> "_Lookup":
        lookup = cls(config)
        for name, text in config.items():
            for reference in references_in(text or ""):
                lookup.held.setdefault(name, []).append(reference)
                lookup._look_up(name, reference, secrets)
        return lookup

    def _look_up(self, name: str, reference: Reference, secrets: Secrets) -> None:
        try:
            self.values[reference.text] = secrets.value(reference)
        except SecretRefusedError as error:
            self.refused.setdefault(name, []).append(f"{name}: {error}.")
        except SecretMissingError:
            self.missing.add(name)

    def errors(self, name: str, filled: ConfigInfo) -> list[str]:
        """Say of a key with references what can be said without their values."""
        if name in self.refused or name in self.missing:
            return self.refused.get(name, [])
        if not filled.value.errors:
            return []
        behind = listed(self.held[name])
        kind = filled.definition.type
        return [
            f"Invalid value for configuration {name}: what {behind} stands for is no valid {kind}"
        ]


def _redacted(filled: ConfigInfo, submitted: ConfigInfo, lookup: _Lookup) -> ConfigInfo:
    """Show what was submitted, and of the complaints those that are the same without values."""
    name = filled.value.name
    value: str | None
    if name in lookup.held:
        # Text around a reference may be a part of a password.
        errors, value = lookup.errors(name, filled), shown(name, lookup.config[name] or "")
    else:
        known = set(submitted.value.errors)
        errors, value = [e for e in filled.value.errors if e in known], filled.value.value
        if len(errors) < len(filled.value.errors):
            behind = listed(r for references in lookup.held.values() for r in references)
            errors.append(f"{name} does not go together with what {behind} stands for")
    judged = filled.value.model_copy(update={"value": value, "errors": errors})
    return filled.model_copy(update={"value": judged})
