"""What is configured for the columns that records bring."""

from dataclasses import dataclass, field

from frazil.contracts.columns import ColumnRules


@dataclass(frozen=True, slots=True)
class EvolutionRules:
    """How columns come into being.

    `creating` is for a table that does not exist yet: only then columns may be required.
    `rescued` names the column that keeps what other columns cannot hold.
    """

    creating: bool = False
    ignore_case: bool = False
    force_optional: bool = False
    columns: ColumnRules = field(default_factory=ColumnRules)
    rescued: str | None = None
