"""One wish for many connectors: each is asked as if alone, and what came of it is told by name."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import NotFoundError
from frazil.control_api.core.service import ConnectorService


class Outcome(StrEnum):
    DONE = "done"
    UNCHANGED = "unchanged"  # it was wanted already
    GONE = "gone"  # deleted while others were being asked


def aim_all(
    service: ConnectorService, connectors: Iterable[Connector], target: Target
) -> dict[str, Outcome]:
    """Pause or resume."""

    def aim(connector: Connector) -> Outcome:
        if connector.target is target:
            return Outcome.UNCHANGED
        service.set_target(connector.name, target)
        return Outcome.DONE

    return _each(connectors, aim)


def restart_all(
    service: ConnectorService, connectors: Iterable[Connector], *, only_failed: bool
) -> dict[str, Outcome]:
    def restart(connector: Connector) -> Outcome:
        _, restarted = service.restart(connector.name, only_failed=only_failed)
        return Outcome.DONE if restarted else Outcome.UNCHANGED

    return _each(connectors, restart)


def _each(
    connectors: Iterable[Connector], act: Callable[[Connector], Outcome]
) -> dict[str, Outcome]:
    return {connector.name: _unless_gone(act, connector) for connector in connectors}


def _unless_gone(act: Callable[[Connector], Outcome], connector: Connector) -> Outcome:
    try:
        return act(connector)
    except NotFoundError:
        return Outcome.GONE
