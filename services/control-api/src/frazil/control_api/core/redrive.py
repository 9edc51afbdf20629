"""What a user may have tried again: dead letters in a table, and rows that do not come too late."""

from enum import StrEnum

from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.iceberg_tables import SEQUENCE, is_changing
from frazil.contracts.redrive import Pick, Redrive
from frazil.control_api.core.errors import BadRequestError

_MOST_PICKS = 20


class Reason(StrEnum):
    CONVERTER = "converter"
    TRANSFORM = "transform"
    ROW = "row"


def require_redrivable(config: ParsedConfig) -> None:
    if not config.values.get(DEAD_LETTER_TABLE):
        raise BadRequestError(
            "This connector keeps no letters that could be read again: set "
            f"{DEAD_LETTER_TABLE}. Those in a topic can be produced to it once more."
        )
    if is_changing(config) and not config[SEQUENCE]:
        raise BadRequestError(
            "The records of this connector change rows, and a change that comes this late would "
            f"undo newer ones: set {SEQUENCE}, by which they are told apart."
        )


def following(last: Redrive | None, pick: Pick) -> Redrive:
    """Return the next redrive; earlier picks go along, for they may not have been applied yet."""
    earlier = last.picks if last else ()
    number = max((last.number if last else 0) + 1, int(pick.before.timestamp()))
    return Redrive(number=number, picks=(*earlier[1 - _MOST_PICKS :], pick))
