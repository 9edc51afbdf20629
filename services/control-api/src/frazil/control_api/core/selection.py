"""Which connectors a caller means: filters on what is shown of them, pages in order of names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from frazil.contracts.plugins import Plugin
from frazil.contracts.plugins.frazil_keys import LABEL_PREFIX
from frazil.contracts.plugins.reading import plugin_of
from frazil.contracts.states import ConnectState
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.states import public_state


@dataclass(frozen=True, slots=True)
class Filters:
    """A connector is meant if it passes all that are given.

    Of states one has to fit, of labels all; None asks for a label whatever its value.
    """

    states: frozenset[ConnectState] = frozenset()
    type: str | None = None
    class_name: str | None = None
    labels: Mapping[str, str | None] = field(default_factory=dict)
    search: str | None = None

    @property
    def given(self) -> bool:
        return self != Filters()

    def pass_(self, connector: Connector) -> bool:
        plugin = plugin_of(connector.config)
        return (
            (not self.states or public_state(connector).connector in self.states)
            and (self.type is None or (plugin is not None and plugin.type == self.type))
            and (self.class_name is None or self._names_class(connector, plugin))
            and all(_has_label(connector, *label) for label in self.labels.items())
            and (self.search is None or self.search.casefold() in connector.name.casefold())
        )

    def _names_class(self, connector: Connector, plugin: Plugin | None) -> bool:
        known = plugin.names if plugin else {connector.config.get("connector.class")}
        return self.class_name in known


@dataclass(frozen=True, slots=True)
class Page:
    """`total` counts all that the filters pass; more follow `next_after`, unless it is None."""

    connectors: tuple[Connector, ...]
    total: int
    next_after: str | None


def select(
    connectors: Iterable[Connector], filters: Filters, *, limit: int | None, after: str | None
) -> Page:
    passed = sorted(filter(filters.pass_, connectors), key=lambda connector: connector.name)
    left = [c for c in passed if after is None or c.name > after]
    page = left[:limit]
    has_more = len(page) < len(left)
    return Page(tuple(page), len(passed), page[-1].name if has_more and page else None)


def _has_label(connector: Connector, name: str, value: str | None) -> bool:
    found = connector.config.get(LABEL_PREFIX + name)
    return found is not None and value in (None, found)
