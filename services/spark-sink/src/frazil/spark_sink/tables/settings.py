"""What the keys say of tables, read once: for all of them, and for each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from frazil.contracts.columns import ColumnRules, Path, Policy
from frazil.contracts.offsets import Rewind
from frazil.contracts.partitioning import PartitionPart, parse_partitioning
from frazil.contracts.plugins import ParsedConfig
from frazil.contracts.plugins.commit_keys import CONTROL_TOPIC
from frazil.contracts.plugins.conflict_keys import column_rules
from frazil.contracts.plugins.frazil_keys import DEAD_LETTER_TABLE
from frazil.contracts.plugins.iceberg_catalog import catalog_name
from frazil.contracts.plugins.iceberg_tables import (
    AUTO_CREATE,
    IGNORE_CASE,
    LISTED,
    commit_branch,
    is_changing,
    is_evolving,
    table_setting,
)
from frazil.contracts.plugins.maintenance_keys import (
    BUDGET,
    FILE_BYTES,
    HISTORY_MS,
    MAINTENANCE,
    MOST_SNAPSHOTS,
    ORPHAN_AGE_MS,
)
from frazil.contracts.plugins.schema_keys import asks, asks_anywhere, evolves_partitions
from frazil.contracts.schema_change import SchemaRules
from frazil.contracts.validators import OFF
from frazil.spark_sink.core.maintenance import Objectives
from frazil.spark_sink.records.changes import ChangeRules, rules_of
from frazil.spark_sink.records.conversion import ConversionRules
from frazil.spark_sink.records.schema.rules import EvolutionRules
from frazil.spark_sink.tables.gate import Gate

# To rewrite files for every few changed rows, as Iceberg would, takes ever longer.
_MERGED_ON_READ = {"write.merge.mode": "merge-on-read"}


@dataclass(frozen=True)
class TableKeys:
    """What records do to rows is the same for all tables, but for their keys: `change_rules`."""

    config: ParsedConfig
    connector: str
    catalog: str
    listed: tuple[str, ...]
    threads: int
    control_topic: str
    dead_letters: str
    creates: bool
    all_optional: bool
    ignores_case: bool
    change_rules: ChangeRules
    schema_rules: Mapping[str, SchemaRules]
    rewind: Rewind | None
    objectives: Objectives | None
    created_with: dict[str, str]
    written_with: dict[str, str]

    @classmethod
    def of(
        cls,
        connector: str,
        config: ParsedConfig,
        schema_rules: Mapping[str, SchemaRules],
        rewind: Rewind | None = None,
    ) -> "TableKeys":
        return cls(
            config=config,
            connector=connector,
            catalog=catalog_name(config),
            listed=config[LISTED] or (),
            threads=config["iceberg.control.commit.threads"] or 2 * config["tasks.max"],
            control_topic=config[CONTROL_TOPIC],
            dead_letters=config[DEAD_LETTER_TABLE] or "",
            creates=config[AUTO_CREATE],
            all_optional=config["iceberg.tables.schema-force-optional"],
            ignores_case=config[IGNORE_CASE],
            change_rules=rules_of(config) or ChangeRules(),
            schema_rules=schema_rules,
            rewind=rewind,
            objectives=_objectives(config),
            created_with=(_MERGED_ON_READ if is_changing(config) else {})
            | config.prefixed("iceberg.tables.auto-create-props."),
            # The older sink documents the first spelling and reads the second.
            written_with=config.prefixed("iceberg.tables.write-props.")
            | config.prefixed("iceberg.table.write-props."),
        )

    def base(self, table: str) -> str:
        """Name the branch for rows, as the keys say."""
        return commit_branch(self.config, table)

    def branch(self, table: str) -> str:
        """Name the branch that is written once all is as a user wants it."""
        return (self.rewind and self.rewind.side) or self.base(table)

    def evolves(self, table: str) -> bool:
        return is_evolving(self.config, table)

    def columns(self, table: str) -> ColumnRules:
        return column_rules(self.config, table)

    def conversion(self, table: str, fixed: Iterable[Path] = ()) -> ConversionRules:
        """Say what becomes of values; records die that the fixed columns cannot hold."""
        columns = self.columns(table).casting(fixed)
        return ConversionRules(self.ignores_case, columns, self._rescued(columns))

    def evolution(self, table: str, *, creating: bool) -> EvolutionRules | None:
        """Say how columns come into being; None if the table stays as it is."""
        if not creating and not self.evolves(table):
            return None
        columns = self.columns(table)
        return EvolutionRules(
            creating=creating,
            ignore_case=self.ignores_case,
            force_optional=self.all_optional,
            columns=columns,
            rescued=self._rescued(columns),
        )

    def _rescued(self, columns: ColumnRules) -> str | None:
        return columns.rescued if columns.uses(Policy.RESCUE) else None

    def gate(self, table: str) -> Gate:
        rules = self.schema_rules.get(table, SchemaRules())
        return Gate(rules, asks=asks(self.config, table))

    @property
    def may_wait_from_latest(self) -> bool:
        """Tell whether a table may wait to be created while `latest` moves on."""
        reset = self.config.submitted.get("consumer.override.auto.offset.reset")
        return reset == "latest" and asks_anywhere(self.config)

    def id_columns(self, table: str) -> tuple[str, ...]:
        names = (self._of(table, "id-columns") or "").split(",")
        return tuple(name.strip() for name in names if name.strip())

    def partitioning(self, table: str) -> tuple[PartitionPart, ...]:
        return parse_partitioning(self._of(table, "partition-by"))

    def followed_partitioning(self, table: str) -> tuple[PartitionPart, ...]:
        """Return how a table that is there is to be partitioned; nothing if it stays as it is."""
        return self.partitioning(table) if evolves_partitions(self.config) else ()

    def _of(self, table: str, setting: str) -> str | None:
        found = table_setting(self.config, table, setting)
        default: str | None = self.config[f"iceberg.tables.default-{setting}"]
        return found or default


def _objectives(config: ParsedConfig) -> Objectives | None:
    if not config[MAINTENANCE]:
        return None
    return Objectives(
        file_bytes=config[FILE_BYTES],
        history=_age(config[HISTORY_MS]),
        snapshots=None if config[MOST_SNAPSHOTS] == OFF else config[MOST_SNAPSHOTS],
        orphan_age=_age(config[ORPHAN_AGE_MS]),
        budget=config[BUDGET] / 100,
    )


def _age(milliseconds: int) -> timedelta | None:
    return None if milliseconds == OFF else timedelta(milliseconds=milliseconds)
