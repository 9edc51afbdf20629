"""The statements, each built once: to build one takes longer than to run it."""

from sqlalchemy import (
    LABEL_STYLE_TABLENAME_PLUS_COL,
    BindParameter,
    ScalarSelect,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlmodel import SQLModel

from frazil.contracts.states import Target
from frazil.control_api.core.connector import Phase
from frazil.control_api.store.tables import (
    ConfigVersionRow,
    ConnectorRow,
    InstallationRow,
    ObservedRow,
    RevisionRow,
    RewindRow,
    StateChangeRow,
)

KEPT = 100
"""How many configurations and how many states of each name are remembered."""
KEPT_BYTES = 4 * 1024 * 1024
"""How large the remembered configurations of a name may be together; the newest stays anyway."""


def _table(row: type[SQLModel]) -> Table:
    return SQLModel.metadata.tables[str(row.__tablename__)]


CONNECTOR = _table(ConnectorRow)
OBSERVED = _table(ObservedRow)
REWIND = _table(RewindRow)
_REVISION = _table(RevisionRow)
_INSTALLATION = _table(InstallationRow)
_CONFIG = _table(ConfigVersionRow)
_STATE = _table(StateChangeRow)
_KEY: BindParameter[str] = bindparam("key")


def _others_starting() -> ScalarSelect[int]:
    return (
        select(func.count())
        .select_from(OBSERVED)
        .where(OBSERVED.c.phase == Phase.STARTING, OBSERVED.c.name != _KEY)
        .scalar_subquery()
    )


def _oldest_kept() -> ScalarSelect[int]:
    return (
        select(_STATE.c.id)
        .where(_STATE.c.name == _KEY)
        .order_by(_STATE.c.id.desc())
        .offset(KEPT - 1)
        .limit(1)
        .scalar_subquery()
    )


def _too_old() -> Select[tuple[int]]:
    """Select the versions that are more than may be kept together with all newer ones."""
    size = func.coalesce(func.length(cast(_CONFIG.c.config, Text)), 0)
    total = func.sum(size).over(order_by=_CONFIG.c.version.desc()).label("total")
    sums = select(_CONFIG.c.version, total).where(_CONFIG.c.name == _KEY).subquery()
    return select(sums.c.version).where(sums.c.total > KEPT_BYTES)


INSTALLATION_KEY = select(_INSTALLATION.c.key)
COUNT_UP = update(_REVISION).values(value=_REVISION.c.value + 1).returning(_REVISION.c.value)

ALL = (
    select(CONNECTOR, OBSERVED, REWIND)
    .outerjoin(OBSERVED, OBSERVED.c.name == CONNECTOR.c.name)
    .outerjoin(REWIND, REWIND.c.name == CONNECTOR.c.name)
    .set_label_style(LABEL_STYLE_TABLENAME_PLUS_COL)
)
COUNT = select(func.count()).select_from(CONNECTOR).where(CONNECTOR.c.target != Target.DELETED)
# One row, whatever is stored of a name.
ONE = (
    select(CONNECTOR, OBSERVED, REWIND, _others_starting().label("others_starting"))
    .select_from(select(literal(1)).subquery())
    .outerjoin(CONNECTOR, CONNECTOR.c.name == _KEY)
    .outerjoin(OBSERVED, OBSERVED.c.name == _KEY)
    .outerjoin(REWIND, REWIND.c.name == _KEY)
    .set_label_style(LABEL_STYLE_TABLENAME_PLUS_COL)
)
CHANGED = select(CONNECTOR.c.name, CONNECTOR.c.revision).where(
    CONNECTOR.c.revision > bindparam("after")
)
INSERT = {table: insert(table) for table in (CONNECTOR, OBSERVED, REWIND)}
UPDATE = {table: update(table).where(table.c.name == _KEY) for table in INSERT}
DELETE = delete(CONNECTOR).where(CONNECTOR.c.name == _KEY)

CONFIGS = select(_CONFIG).where(_CONFIG.c.name == _KEY).order_by(_CONFIG.c.version.desc())
LAST_VERSION = select(func.max(_CONFIG.c.version)).where(_CONFIG.c.name == _KEY)
ADD_CONFIG = insert(_CONFIG)
PRUNE_CONFIGS = delete(_CONFIG).where(
    _CONFIG.c.name == _KEY,
    _CONFIG.c.version < bindparam("last"),
    or_(_CONFIG.c.version <= bindparam("last") - KEPT, _CONFIG.c.version.in_(_too_old())),
)

_PAGE = select(_STATE).limit(bindparam("limit"))
STATES = _PAGE.where(_STATE.c.id > bindparam("after")).order_by(_STATE.c.id)
STATES_OF_ONE = STATES.where(_STATE.c.name == _KEY)
NEWEST_STATES = _PAGE.where(_STATE.c.name == _KEY).order_by(_STATE.c.id.desc())
LAST_STATE = select(func.max(_STATE.c.id))
ADD_STATE = insert(_STATE)
PRUNE_STATES = delete(_STATE).where(_STATE.c.name == _KEY, _STATE.c.id < _oldest_kept())
