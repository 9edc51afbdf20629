"""Manifests of any origin: paths are found, and nothing in them costs more than a bound."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from frazil.table_catalog.catalog.files import Files
from frazil.table_catalog.catalog.manifests import files_in, manifests_in
from frazil.table_catalog.catalog.purge import Purge
from frazil.table_catalog.core.errors import BadRequestError

FLAG = {"name": "contains_null", "type": "boolean", "field-id": 509}
PARTITION = {"type": "record", "name": "r508", "fields": [FLAG]}
PARTITIONS = {"type": "array", "items": PARTITION, "element-id": 508}
LIST: dict[str, Any] = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        {"name": "manifest_length", "type": "long", "field-id": 501},
        {"name": "partitions", "type": ["null", PARTITIONS], "field-id": 507},
        {"name": "manifest_path", "type": "string", "field-id": 500},
    ],
}
FILE = {
    "type": "record",
    "name": "r2",
    "fields": [
        {"name": "content", "type": "int", "field-id": 134},
        {"name": "file_path", "type": "string", "field-id": 100},
    ],
}
ENTRY: dict[str, Any] = {
    "type": "record",
    "name": "manifest_entry",
    "fields": [
        {"name": "status", "type": "int", "field-id": 0},
        {"name": "data_file", "type": FILE, "field-id": 2},
    ],
}
# Takes no byte at all.
FIXED = {"type": "fixed", "name": "nothing", "size": 0}
SYNC = b"0123456789abcdef"


def deflated(data: bytes) -> bytes:
    packing = zlib.compressobj(wbits=-15)
    return packing.compress(data) + packing.flush()


PACKING: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": deflated,
    "zstandard": zstandard.ZstdCompressor().compress,
}


def number(value: int) -> bytes:
    left, encoded = value << 1, b""
    while left > 127:
        encoded, left = encoded + bytes([left & 127 | 128]), left >> 7
    return encoded + bytes([left])


def text(value: str) -> bytes:
    return number(len(value.encode())) + value.encode()


def avro(schema: Any, *blocks: tuple[int, bytes], codec: str = "null") -> bytes:
    """Write a file of records as Avro has it."""
    meta = {"avro.schema": json.dumps(schema), "avro.codec": codec}
    head = number(len(meta)) + b"".join(text(name) + text(one) for name, one in meta.items())
    content = b"Obj\x01" + head + number(0) + SYNC
    for count, block in blocks:
        packed = PACKING.get(codec, bytes)(block)
        content += number(count) + number(len(packed)) + packed + SYNC
    return content


def manifest_list(*paths: str, codec: str = "null") -> bytes:
    return avro(LIST, *((1, number(7) + number(0) + text(path)) for path in paths), codec=codec)


def manifest(*paths: str, codec: str = "null") -> bytes:
    records = b"".join(number(1) + number(0) + text(path) for path in paths)
    return avro(ENTRY, (len(paths), records), codec=codec)


@pytest.mark.parametrize("codec", PACKING)
def test_paths_are_found_whatever_they_are_packed_with(codec: str) -> None:
    assert list(manifests_in(manifest_list("a", "b", codec=codec), most=100)) == ["a", "b"]
    assert list(files_in(manifest("c", "d", codec=codec), most=100)) == ["c", "d"]


@pytest.mark.parametrize("codec", ["deflate", "zstandard"])
def test_what_unpacks_to_more_than_the_bound_is_not_read(codec: str) -> None:
    bomb = manifest("x" * 50_000_000, codec=codec)
    assert len(bomb) < 100_000
    with pytest.raises(BadRequestError, match="FRAZIL_MAX_METADATA_BYTES"):
        list(files_in(bomb, most=1_000_000))


def test_all_blocks_together_have_the_bound() -> None:
    found = manifests_in(manifest_list(*"abcdefgh", codec="deflate"), most=20)
    with pytest.raises(BadRequestError, match="FRAZIL_MAX_METADATA_BYTES"):
        list(found)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no avro",
        manifest("a")[:-20],
        manifest("a", codec="snappy"),
        manifest("a", codec="os.system"),
        manifest_list("a"),
        avro(ENTRY, (1 << 40, b"")),
        avro(ENTRY, (1, number(1) + number(0) + number(1 << 50))),
        avro({"type": "record", "name": "empty", "fields": []}, (1 << 40, b"")),
        avro("string", (1, text("a"))),
        avro(
            {**LIST, "fields": [{"name": "data_file", "type": FIXED, "field-id": 2}]},
            (1 << 40, b""),
        ),
        avro(
            {**LIST, "fields": [{"name": "data_file", "type": "string", "field-id": 2}]},
            (1, text("")),
        ),
        avro(json.loads("[" * 400 + "]" * 400), (1, b"")),
        manifest("a").replace(SYNC, b"x" * 16, 1),
    ],
)
def test_what_is_no_manifest_is_refused(content: bytes) -> None:
    with pytest.raises(BadRequestError, match="it is no manifest that can be read"):
        list(files_in(content, most=1_000_000))


def test_a_purge_follows_lists_to_files_and_goes_on_after_bad_ones(tmp_path: Path) -> None:
    names = ["data", "m1", "l1", "bad", "v.metadata.json"]
    paths = {name: (tmp_path / name).as_uri() for name in names}
    (tmp_path / "data").touch()
    (tmp_path / "m1").write_bytes(manifest(paths["data"]))
    (tmp_path / "l1").write_bytes(manifest_list(paths["m1"], codec="deflate"))
    (tmp_path / "bad").write_bytes(b"Obj\x01")
    (tmp_path / "v.metadata.json").touch()
    snapshots = [{"manifest-list": paths[name]} for name in ("bad", "l1")]
    Purge(Files(), [tmp_path.as_uri()], ()).run(paths["v.metadata.json"], {"snapshots": snapshots})
    assert [one.name for one in tmp_path.iterdir()] == ["bad"]
