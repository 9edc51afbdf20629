"""Spark's own offset log: the exact range of a batch, without a scan."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from frazil.contracts.offsets import Offsets


@dataclass(frozen=True)
class BatchRange:
    start: Offsets
    end: Offsets


def parse_offsets(log_entry: str) -> Offsets:
    """Read one entry: a version line, a line of metadata, and one line for our one source."""
    version, _metadata, *sources = log_entry.strip().split("\n")
    if version != "v1" or len(sources) != 1:
        raise ValueError(f"Spark's offset log has a form that is not known here: {version}")
    return offsets_of(json.loads(sources[0]))


def offsets_of(source: Mapping[str, Mapping[str, int]]) -> Offsets:
    return {
        topic: {int(partition): offset for partition, offset in partitions.items()}
        for topic, partitions in source.items()
    }


def batch_range(checkpoint: Path, batch_id: int, first: Offsets) -> BatchRange:
    """Return where the batch begins and ends; `first` is where the stream began."""
    log = checkpoint / "offsets"
    start = first if batch_id == 0 else parse_offsets((log / str(batch_id - 1)).read_text())
    return BatchRange(start, parse_offsets((log / str(batch_id)).read_text()))
