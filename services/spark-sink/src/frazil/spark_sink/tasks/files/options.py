"""How Parquet files are written, from the table properties that Iceberg has for it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frazil.spark_sink.tasks.errors import UnsupportedTableError
from frazil.spark_sink.tasks.files.arrow_schema import Leaf

_PARQUET = "write.parquet."
_BLOOM = f"{_PARQUET}bloom-filter-"
_CODECS = {
    "zstd": "zstd",
    "gzip": "gzip",
    "snappy": "snappy",
    "lz4": "lz4",
    "lz4_raw": "lz4",
    "brotli": "brotli",
    "uncompressed": "none",
}
_PAGES = {"v1": "1.0", "v2": "2.0"}
_LEVELS = {"zstd", "gzip", "brotli"}
_MB = 1024 * 1024
# Rows in memory at most, in bytes of Arrow: a row group is never larger, whatever the table asks.
CHUNK_BYTES = 32 * _MB


@dataclass(frozen=True)
class Options:
    """Settings of a table's files; `parquet` are the arguments of Arrow's writer."""

    target_bytes: int
    group_bytes: int
    parquet: Mapping[str, Any]


def parse_options(properties: Mapping[str, str]) -> Options:
    """Read the properties of a table; raise UnsupportedTableError for what cannot be written."""
    codec = properties.get(f"{_PARQUET}compression-codec", "zstd").lower()
    if codec not in _CODECS:
        raise UnsupportedTableError(f"the table asks for the compression codec {codec}")
    level = f"{_PARQUET}compression-level"
    version = properties.get(f"{_PARQUET}page-version", "v1").lower()
    if version not in _PAGES:
        raise UnsupportedTableError(f"the table property {_PARQUET}page-version is {version}")
    has_level = codec in _LEVELS and level in properties
    return Options(
        target_bytes=_number(properties, "write.target-file-size-bytes", 512 * _MB),
        group_bytes=min(
            CHUNK_BYTES, _number(properties, f"{_PARQUET}row-group-size-bytes", 128 * _MB)
        ),
        parquet={
            "compression": _CODECS[codec],
            "compression_level": _number(properties, level, 1) if has_level else None,
            "data_page_size": _number(properties, f"{_PARQUET}page-size-bytes", _MB),
            "max_rows_per_page": _number(properties, f"{_PARQUET}page-row-limit", 20_000),
            "dictionary_pagesize_limit": _number(properties, f"{_PARQUET}dict-size-bytes", 2 * _MB),
            "data_page_version": _PAGES[version],
            # Decimals as integers, and no copy of the Arrow schema, as Iceberg writes them.
            "store_decimal_as_integer": True,
            "store_schema": False,
        },
    )


def column_options(
    properties: Mapping[str, str], leaves: tuple[Leaf, ...], rows: int, plain: frozenset[str]
) -> dict[str, Any]:
    """Read what the table asks of single columns.

    `rows` sizes Bloom filters without a number; columns in `plain` get no dictionary unless asked.
    """
    options: dict[str, Any] = {}
    for argument, name, off in (
        ("use_dictionary", "dict-encoding", plain),
        ("write_statistics", "stats", frozenset()),
    ):
        key = f"{_PARQUET}{name}-enabled.column."
        on = [
            leaf.parquet
            for leaf in leaves
            if _is_on(properties.get(f"{key}{leaf.name}"), leaf.parquet not in off)
        ]
        if len(on) < len(leaves):
            options[argument] = on
    filters = {
        leaf.parquet: _bloom_filter(properties, leaf, rows)
        for leaf in leaves
        if _is_on(properties.get(f"{_BLOOM}enabled.column.{leaf.name}"), False)
        and leaf.kind.name != "boolean"
    }
    return {**options, "bloom_filter_options": filters} if filters else options


def _bloom_filter(properties: Mapping[str, str], leaf: Leaf, rows: int) -> dict[str, Any]:
    share = float(properties.get(f"{_BLOOM}fpp.column.{leaf.name}", 0.01))
    limit = _number(properties, f"{_BLOOM}max-bytes", _MB)
    values = _number(properties, f"{_BLOOM}ndv.column.{leaf.name}", rows)
    # A filter of n values takes -8n / ln(1 - fpp^(1/8)) bits.
    most = int(-limit * math.log(1 - share ** (1 / 8)))
    return {"fpp": share, "ndv": max(1, min(values, most))}


def _number(properties: Mapping[str, str], key: str, default: int) -> int:
    text = properties.get(key)
    try:
        number = default if text is None else int(text)
    except ValueError:
        number = 0
    if number <= 0:
        raise UnsupportedTableError(f"the table property {key} is no positive number: {text}")
    return number


def _is_on(text: str | None, default: bool) -> bool:
    return default if text is None else text.lower() == "true"
