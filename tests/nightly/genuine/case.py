"""A case: records, and how a connector reads, changes and writes them; made from a seed.

There is no Avro: the genuine converter for it is not in the registry that jars are loaded from.
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pyarrow as pa
from tests.nightly.genuine.chains import ICEBERG, KAFKA, Transform, chain_keys, random_chain
from tests.nightly.genuine.documents import BROKEN, Documents, declared, eight_bytes, plain, text

NAMESPACE = "genuine"
_CONNECT = "org.apache.kafka.connect."
_JSON = f"{_CONNECT}json.JsonConverter"
_STRING = f"{_CONNECT}storage.StringConverter"
_TABLES = "iceberg.tables"
_DYNAMIC = f"{_TABLES}.dynamic-enabled"
_EVOLVE = "evolve-schema-enabled"
_MILLIS = 1_700_000_000_500
_RECORDS = 40
_FEW = 0.1


@dataclass(frozen=True)
class SourceRecord:
    """A record as a producer sends it; its offset is its place in the case."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp: int = _MILLIS


@dataclass(frozen=True)
class Case:
    """`config` has a connector's keys of converters and transforms, and of tables.

    Without names of `tables` the case writes one by its own name. With `columns`, by their types,
    the tables are there before.
    """

    name: str
    config: Mapping[str, str]
    records: tuple[SourceRecord, ...]
    tables: tuple[str, ...] = ()
    columns: Mapping[str, pa.DataType] = field(default_factory=dict)

    @property
    def written(self) -> tuple[str, ...]:
        """Name the tables that may be written."""
        return self.tables or (self.name,)

    @property
    def listed(self) -> tuple[str, ...]:
        """Name the tables that the configuration lists; none if records alone name them."""
        return () if self.config.get(_DYNAMIC) == "true" else self.written

    @property
    def evolves(self) -> bool:
        """Tell whether records may add columns to tables that are there."""
        return self.config.get(f"{_TABLES}.{_EVOLVE}") != "false"

    def without(self, offsets: Collection[int], name: str) -> "Case":
        """Put tombstones in the place of records, so that the others keep their offsets."""
        records = (
            SourceRecord(None, record.key) if offset in offsets else record
            for offset, record in enumerate(self.records)
        )
        return replace(self, name=name, records=tuple(records))


@dataclass(frozen=True)
class _Format:
    """How values are written and read; `first` are transforms that make structs of them."""

    converter: str
    documents: Callable[[random.Random, Sequence[str]], Documents]
    schemas: bool | None = None
    first: tuple[Transform, ...] = ()

    def keys(self, chance: random.Random) -> dict[str, str]:
        """Configure converters; those of keys and headers are others, now and then."""
        keys = {"value.converter": self.converter, "key.converter": _STRING}
        if self.schemas is not None:
            keys["value.converter.schemas.enable"] = str(self.schemas).lower()
        if chance.random() < 0.2:
            keys |= {"key.converter": _JSON, "key.converter.schemas.enable": "false"}
        if chance.random() < _FEW:
            keys |= {"header.converter": _JSON, "header.converter.schemas.enable": "false"}
        return keys


_JSON_TO_MAP = f"{ICEBERG}JsonToMapTransform"
_HOIST: Transform = (f"{KAFKA}HoistField$Value", {"field": "whole"})
_FORMATS = (
    *3 * [_Format(_JSON, plain, schemas=False)],
    *3 * [_Format(_JSON, declared, schemas=True)],
    *(
        _Format(_STRING, partial(plain, wide=False), first=((_JSON_TO_MAP, {"json.root": root}),))
        for root in ("false", "true")
    ),
    _Format(_STRING, text, first=(_HOIST,)),
    *(
        _Format(f"{_CONNECT}converters.{name}Converter", documents, first=(_HOIST,))
        for name, documents in (("ByteArray", text), ("Long", eight_bytes), ("Double", eight_bytes))
    ),
)


def case_of(seed: int) -> Case:
    """Make the case of a seed, always the same."""
    chance = random.Random(seed)  # noqa: S311
    form = chance.choice(_FORMATS)
    tables, routes = _routes(chance, f"case_{seed}")
    # Where records name their tables, the genuine task ends at a name without a namespace.
    others = ["elsewhere"] if tables and _DYNAMIC not in routes else []
    documents = form.documents(chance, [*(f"{NAMESPACE}.{one}" for one in tables), *others])
    # Records that a chain has changed would fit no column.
    is_there = bool(documents.columns) and chance.random() < 0.3
    chain = chain_keys(form.first) if is_there else random_chain(chance, form.first)
    partitions = {} if chain else _partitions(chance)
    config = {**form.keys(chance), **chain, **partitions, **_switches(chance), **routes}
    if is_there and form.first:
        # The keys of maps would become fields of structs.
        config[f"{_TABLES}.{_EVOLVE}"] = "false"
    records = tuple(_record(chance, documents, number) for number in range(_RECORDS))
    columns = documents.columns if is_there else {}
    return Case(f"case_{seed}", config, records, tables, columns)


def _switches(chance: random.Random) -> dict[str, str]:
    """Set some of the keys of tables."""
    shares = {
        _EVOLVE: 0.8,
        "schema-force-optional": 0.3,
        "schema-case-insensitive": 0.2,
    }
    keys = {f"{_TABLES}.{key}": chance.random() < share for key, share in shares.items()}
    return {key: str(flag).lower() for key, flag in keys.items()}


def _partitions(chance: random.Random) -> dict[str, str]:
    """Have tables partitioned by what records have without a chain, now and then."""
    parts = chance.choice(("", "id", "bucket(id, 3)", "truncate(id, 7)"))
    return {f"{_TABLES}.default-partition-by": parts} if parts else {}


def _routes(chance: random.Random, name: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose one table, or two: both for each record, or by a field."""
    kind, field = chance.random(), {f"{_TABLES}.route-field": "to"}
    if kind < 0.7:
        return (), {}
    tables = f"{name}_a", f"{name}_b"
    full = [f"{NAMESPACE}.{one}" for one in tables]
    if kind < 0.8:
        return tables, {}
    if kind < 0.9:
        patterns = {f"iceberg.table.{one}.route-regex": one.replace(".", r"\.") for one in full}
        return tables, {**field, **patterns}
    return tables, {_DYNAMIC: "true", **field}


def _record(chance: random.Random, documents: Documents, number: int) -> SourceRecord:
    # The first is a plain one, for the sink makes its table from the first record it gets.
    if number and chance.random() < _FEW:
        return SourceRecord(chance.choice((None, *BROKEN)), b"odd")
    value = documents.make(chance, number)
    headers = (("h", chance.choice((b"1", b"x"))),) if chance.random() < 0.5 else ()
    key = chance.choice((None, b"5", b'{"id": 1}'))
    return SourceRecord(value, key, headers, _MILLIS + number)
