"""What routes ask for: the objects that the application was built with, names, flags."""

import asyncio
import re
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Depends, Path, Request
from pydantic import BeforeValidator

from frazil.control_api.core.connector import Connector
from frazil.control_api.core.errors import RouteNotFoundError
from frazil.control_api.core.health import Gauges, Vitals
from frazil.control_api.core.insight import Insight
from frazil.control_api.core.past import Past
from frazil.control_api.core.ports import ConnectorStore, StateFeed
from frazil.control_api.core.previews import Previews
from frazil.control_api.core.rehearsal import Rehearsal
from frazil.control_api.core.service import ConnectorService
from frazil.control_api.core.topics import Tracking


def _service(request: Request) -> ConnectorService:
    service: ConnectorService = request.app.state.service
    return service


def _rehearsal(request: Request) -> Rehearsal:
    rehearsal: Rehearsal = request.app.state.rehearsal
    return rehearsal


def _insight(request: Request) -> Insight:
    insight: Insight = request.app.state.insight
    return insight


def _previews(request: Request) -> Previews:
    previews: Previews = request.app.state.previews
    return previews


def _store(request: Request) -> ConnectorStore:
    store: ConnectorStore = request.app.state.plant.store
    return store


def _feed(request: Request) -> StateFeed:
    feed: StateFeed = request.app.state.feed
    return feed


def _worker_id(request: Request) -> str:
    worker_id: str = request.app.state.worker_id
    return worker_id


def _ending(request: Request) -> asyncio.Event:
    ending: asyncio.Event = request.app.state.ending
    return ending


def _tracking(request: Request) -> Tracking:
    tracking: Tracking = request.app.state.tracking
    return tracking


def _vitals(request: Request) -> Vitals:
    vitals: Vitals = request.app.state.vitals()
    return vitals


def _gauges(request: Request) -> Gauges:
    gauges: Gauges = request.app.state.gauges()
    return gauges


def _is_stranger(request: Request) -> bool:
    """Tell whether the caller has not shown who it is, where that is asked at all."""
    return bool(getattr(request.state, "stranger", False))


def _may_write(request: Request) -> bool:
    """Tell whether the caller may also write; where nobody is asked, everybody may."""
    return bool(getattr(request.state, "may_write", True))


def _connector_name(
    connector: Annotated[str, Path(description="Name of a connector, percent-encoded.")],
) -> str:
    return _decoded(connector)


def _plugin_name(
    plugin: Annotated[str, Path(description="A class, by any of its names.")],
) -> str:
    return _decoded(plugin)


def _table_name(
    table: Annotated[str, Path(description="A table as `namespace.table`, percent-encoded.")],
) -> str:
    return _decoded(table)


def _task_id(task: Annotated[str, Path(description="Number of a task, from 0 on.")]) -> int:
    """Read a task's number; to Connect, anything but a Java int is another path."""
    text = _decoded(task)
    if not re.fullmatch(r"[+-]?[0-9]{1,10}", text, re.ASCII) or abs(int(text)) >= 2**31:
        raise RouteNotFoundError
    return int(text)


def _decoded(raw: str) -> str:
    """Decode one segment of a path, once."""
    return unquote(raw)


def location(request: Request, name: str) -> str:
    return f"{request.base_url}connectors/{quote(name, safe='')}"


TopicTracking = Annotated[Tracking, Depends(_tracking)]
Flag = Annotated[bool, BeforeValidator(lambda text: str(text).lower() == "true")]
"""A boolean of the query as Java reads it: anything but a spelling of true is false."""

Service = Annotated[ConnectorService, Depends(_service)]
WorkerId = Annotated[str, Depends(_worker_id)]
IsStranger = Annotated[bool, Depends(_is_stranger)]
MayWrite = Annotated[bool, Depends(_may_write)]
VitalSigns = Annotated[Vitals, Depends(_vitals)]
ConnectorName = Annotated[str, Depends(_connector_name)]
TaskNumber = Annotated[int, Depends(_task_id)]
TableName = Annotated[str, Depends(_table_name)]
PluginName = Annotated[str, Depends(_plugin_name)]
GaugesNow = Annotated[Gauges, Depends(_gauges)]
Rehearsing = Annotated[Rehearsal, Depends(_rehearsal)]
Previewing = Annotated[Previews, Depends(_previews)]
Insights = Annotated[Insight, Depends(_insight)]
Store = Annotated[ConnectorStore, Depends(_store)]
Ending = Annotated[asyncio.Event, Depends(_ending)]
Feed = Annotated[StateFeed, Depends(_feed)]


def _present(name: ConnectorName, service: Service) -> Connector:
    """Read the connector in a thread, for routes that go on in the event loop."""
    return service.get(name)


Present = Annotated[Connector, Depends(_present)]


def _past(store: Store, service: Service) -> Past:
    return Past(store, service)


PastOf = Annotated[Past, Depends(_past)]
