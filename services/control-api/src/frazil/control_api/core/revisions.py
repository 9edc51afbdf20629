"""Configurations compared, and made fit to be shown: no secret is in what leaves here."""

from collections.abc import Mapping
from dataclasses import dataclass

from frazil.contracts.secrets import without_secrets
from frazil.control_api.core.history import ConfigVersion

Config = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Diff:
    """Keys with their values; of a changed one that before and that after."""

    added: Config
    removed: Config
    changed: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Revision:
    """A version as it can be shown; `config` is None where the connector was deleted."""

    version: int
    at: float
    config: Config | None
    diff: Diff


def revisions(versions: list[ConfigVersion]) -> list[Revision]:
    """Compare each version, newest first, with the one before it; the first with nothing."""
    before = [*(version.config or {} for version in versions[1:]), {}]
    return (
        [
            Revision(
                version.version,
                version.at,
                config=None if version.config is None else without_secrets(version.config),
                diff=diff(older, version.config or {}),
            )
            for version, older in zip(versions, before, strict=True)
        ]
        if versions
        else []
    )


def diff(before: Config, after: Config) -> Diff:
    """Compare, then hide: a secret that has changed is a change from hidden to hidden."""
    old, new = without_secrets(before), without_secrets(after)
    return Diff(
        added={name: new[name] for name in after if name not in before},
        removed={name: old[name] for name in before if name not in after},
        changed={
            name: (old[name], new[name])
            for name in after
            if name in before and before[name] != after[name]
        },
    )
