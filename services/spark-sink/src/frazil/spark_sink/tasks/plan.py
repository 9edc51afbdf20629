"""What the driver tells a task: plain data, the same for all tasks of a batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from frazil.contracts.offsets import Offsets
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.converters import Converting, converting
from frazil.contracts.plugins.transforms.chain import Step, steps_of
from frazil.spark_sink.records.changes import ChangeRules
from frazil.spark_sink.records.conversion import ConversionRules
from frazil.spark_sink.records.routes import Route, route_of
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.records.schema.types import Path, Struct
from frazil.spark_sink.tasks.files.plan import FilesPlan
from frazil.spark_sink.tasks.result import Place

SQL = "Sql"
_NEVER_FAIL = ("string", "bytes", "simple")


@dataclass(frozen=True)
class RecordPlan:
    """How records are read and transformed, and for which tables they are.

    Without a route each record is for every table. With `fast` off all records go through the plain
    functions; what is written is the same. One that `resumes` goes on from outcomes that stand
    beside the records: Spark has run a statement on what the steps before it had made of them.
    """

    key: Converting
    value: Converting
    header: Converting
    steps: tuple[Step, ...] = ()
    route: Route | None = None
    fast: bool = True
    resumes: bool = False

    @classmethod
    def of(cls, config: ParsedConfig) -> "RecordPlan":
        """Read the keys of a valid configuration."""
        return cls(
            key=converting(config, "key"),
            value=converting(config, "value"),
            header=converting(config, "header"),
            steps=steps_of(config),
            route=route_of(config),
        )

    def parted(self) -> tuple[list[tuple["RecordPlan", Step]], "RecordPlan"]:
        """Take the plan apart at its SQL transforms: the way to each, and what is behind them."""
        stages, rest = [], self
        while any(step.word == SQL for step in rest.steps):
            at = [step.word for step in rest.steps].index(SQL)
            stages.append((replace(rest, steps=rest.steps[:at]), rest.steps[at]))
            rest = replace(rest, steps=rest.steps[at + 1 :], resumes=True)
        return stages, rest

    @property
    def is_plain_json(self) -> bool:
        """Tell whether a row is the record's JSON and nothing else can go wrong with the record."""
        return (
            not self.steps
            and not self.resumes
            and self.value.word == "json"
            and not self.value.schemas
            and self.key.word in _NEVER_FAIL
            and self.header.word in _NEVER_FAIL
        )


@dataclass(frozen=True)
class TablePlan:
    """How one table is written.

    `files` is None where nothing is written: the table is not there yet, or the records are only
    looked at. With `evolution` records may ask for columns, but at no path in `refused`. What is
    before the offsets of `written` is in the table already. `added` lists the columns that records
    of this very batch have asked for, with the places of these records: for those before them there
    was no such column, and where the table `is_new`, no table. A `refusal` makes a dead letter of
    each record.
    """

    name: str
    schema: Struct
    conversion: ConversionRules
    evolution: EvolutionRules | None = None
    files: FilesPlan | None = None
    written: Offsets = field(default_factory=dict)
    changes: ChangeRules | None = None
    refused: frozenset[str] = frozenset()
    added: tuple[tuple[Place, Path], ...] = ()
    is_new: bool = False
    refusal: str | None = None


@dataclass(frozen=True)
class TaskPlan:
    """`kafka` are the properties of the client as Java's clients have them, secrets included."""

    records: RecordPlan
    tables: Mapping[str, TablePlan] = field(default_factory=dict)
    kafka: Mapping[str, str] = field(default_factory=dict, repr=False)
