"""Read values that Connect wrote to Avro without a schema: a record of all types, one filled."""

from typing import Any

_SINGLE = ("boolean", "bytes", "double", "float", "int", "long", "string")


def read_anything(record: Any) -> Any:
    for name in _SINGLE:
        if record[name] is not None:
            return record[name]
    if record["array"] is not None:
        return [read_anything(item) for item in record["array"]]
    if record["map"] is not None:
        return {read_anything(one["key"]): read_anything(one["value"]) for one in record["map"]}
    return None
