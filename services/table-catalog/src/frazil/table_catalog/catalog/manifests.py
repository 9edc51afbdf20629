"""What manifest lists and manifests point at, read within a bound: writers may put anything there.

Of PyIceberg only its reader of records is used: its readers of files unpack blocks of any size, and
keep all that is known of all files of a manifest at once.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from io import BytesIO
from operator import getitem

import zstandard
from pyiceberg.avro.codecs import AVRO_CODEC_KEY
from pyiceberg.avro.decoder import new_decoder
from pyiceberg.avro.file import META_SCHEMA, SYNC_SIZE, AvroFileHeader
from pyiceberg.avro.resolver import construct_reader
from pyiceberg.types import StringType, StructType

from frazil.table_catalog.core.errors import BadRequestError

# Given a block and how many bytes it may have, unpacks it, or a byte more than that.
_Unpack = Callable[[bytes, int], bytes]

# Ids of fields, one within the other: `manifest_path`; `file_path` of `data_file`.
_MANIFEST = (500,)
_FILE = (2, 100)


def manifests_in(manifest_list: bytes, *, most: int) -> Iterator[str]:
    """Yield the paths of manifests; raises BadRequestError if the list cannot be read."""
    return _texts(manifest_list, _MANIFEST, most)


def files_in(manifest: bytes, *, most: int) -> Iterator[str]:
    """Yield the paths of data files and delete files, those that were removed included."""
    return _texts(manifest, _FILE, most)


def _texts(content: bytes, field: Sequence[int], most: int) -> Iterator[str]:
    try:
        yield from _read(content, field, most)
    except Exception as error:
        # What is no such file is found out in a hundred places of the reader.
        raise BadRequestError(f"it is no manifest that can be read: {error!r}"[:500]) from error


def _read(content: bytes, field: Sequence[int], most: int) -> Iterator[str]:
    decoder = new_decoder(content)
    header: AvroFileHeader = construct_reader(META_SCHEMA, {-1: AvroFileHeader}).read(decoder)
    unpack = _CODECS[header.meta.get(AVRO_CODEC_KEY, "null")]
    schema = header.get_schema()
    place, reader = _place_of(field, schema.as_struct()), construct_reader(schema)
    while decoder.tell() < len(content):
        count, block = decoder.read_int(), unpack(decoder.read_bytes(), most)
        most -= len(block)
        if most < 0:
            raise ValueError("it has more bytes than FRAZIL_MAX_METADATA_BYTES, unpacked")
        inner = new_decoder(block)
        for _ in range(count):
            yield str(reduce(getitem, place, reader.read(inner)))
        if decoder.read(SYNC_SIZE) != header.sync:
            raise ValueError("a block does not end where it should")


def _place_of(field: Sequence[int], record: StructType) -> tuple[int, ...]:
    """Find a text by the ids that lead to it; it makes sure that each record takes a byte."""
    at, found = next((at, one) for at, one in enumerate(record.fields) if one.field_id == field[0])
    match found.field_type:
        case StructType() as inner:
            return (at, *_place_of(field[1:], inner))
        case StringType() if len(field) == 1:
            return (at,)
    raise ValueError(f"the field {field[0]} is no text")


def _as_it_is(block: bytes, _most: int) -> bytes:
    return block


def _inflate(block: bytes, most: int) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(block, most + 1)


def _from_zstandard(block: bytes, most: int) -> bytes:
    with zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(BytesIO(block)) as rest:
        return rest.read(most + 1)


_CODECS: dict[str, _Unpack] = {
    "null": _as_it_is,
    "deflate": _inflate,
    "zstandard": _from_zstandard,
}
