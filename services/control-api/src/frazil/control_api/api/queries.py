"""What our own parameters say: filters, pages, dry runs. Wrong ones are 400, not ignored."""

from collections.abc import Iterable
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BeforeValidator

from frazil.contracts.states import ConnectState
from frazil.control_api.core.errors import BadRequestError
from frazil.control_api.core.selection import Filters, Page

_Upper = BeforeValidator(lambda text: text.upper() if isinstance(text, str) else text)


def _filters(
    state: Annotated[
        list[Annotated[ConnectState, _Upper]],
        Query(description="State of the connector; several mean any of them."),
    ] = [],  # noqa: B006 (FastAPI copies it)
    type: Annotated[  # noqa: A002 (the parameter's name)
        Literal["sink", "source"] | None, Query(description="Kind of connector.")
    ] = None,
    class_: Annotated[
        str | None, Query(alias="class", description="Class of the connector, by any of its names.")
    ] = None,
    label: Annotated[
        list[str],
        Query(description="`key=value` or `key` of a `frazil.label.*`; several mean all of them."),
    ] = [],  # noqa: B006
    search: Annotated[str | None, Query(description="Part of the name, capitals or not.")] = None,
) -> Filters:
    return Filters(
        states=frozenset(state),
        type=type,
        class_name=class_,
        labels=dict(_labels(label)),
        search=search,
    )


def _labels(given: Iterable[str]) -> Iterable[tuple[str, str | None]]:
    for text in given:
        name, equals, value = text.partition("=")
        if not name:
            raise BadRequestError(
                f'The label "{text}" has no key; ask for label=team=lake or label=team'
            )
        yield name, value if equals else None


FilterQuery = Annotated[Filters, Depends(_filters)]
ExpandQuery = Annotated[
    list[str],
    Query(description="`status`, `info`, `health`: objects by name; anything else adds nothing."),
]
LimitQuery = Annotated[int | None, Query(ge=1, description="Most names of one page.")]
AfterQuery = Annotated[str | None, Query(description="Go on behind this name.")]
DryRunQuery = Annotated[
    bool, Query(description="Check and tell what would be done, and do nothing.")
]


def add_page_headers(request: Request, response: Response, page: Page) -> None:
    response.headers["X-Total-Count"] = str(page.total)
    if page.next_after is not None:
        kept = [(k, v) for k, v in request.query_params.multi_items() if k != "after"]
        query = urlencode([*kept, ("after", page.next_after)])
        response.headers["Link"] = f'<{request.base_url}connectors?{query}>; rel="next"'
