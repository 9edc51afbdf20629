"""Pages of a list: a token is the name that the last page ended with, so new names disturb none."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from frazil.table_catalog.core.errors import BadRequestError

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Paging:
    """`token` is absent if the client does not know pages: then it gets all at once."""

    token: str | None = None
    size: int | None = None

    @property
    def after(self) -> str:
        """The name that the page starts behind; the empty string at the start."""
        try:
            return base64.b64decode(self.token or "", altchars=b"-_", validate=True).decode()
        except (binascii.Error, ValueError):
            raise BadRequestError("the pageToken is not one of ours") from None

    @property
    def most(self) -> int | None:
        return None if self.token is None else self.size


@dataclass(frozen=True, slots=True)
class Page(Generic[_Item]):
    items: Sequence[_Item]
    next_token: str | None


def page_of(names: Sequence[str], paging: Paging) -> Page[str]:
    """Cut a page out of sorted names, of which none is at or before `paging.after`."""
    most = paging.most
    if most is None or len(names) <= most:
        return Page(names, None)
    shown = names[:most]
    return Page(shown, base64.urlsafe_b64encode(shown[-1].encode()).decode())
