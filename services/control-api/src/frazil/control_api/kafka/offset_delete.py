"""The broker's OffsetDelete call, which our Kafka client does not have."""

from typing import Any

from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import Array, Int16, Int32, Schema, String

_TEXT = String("utf-8")


class OffsetDeleteResponseV0(Response):  # type: ignore[misc] # (theirs have no types)
    API_KEY = 47
    API_VERSION = 0
    SCHEMA = Schema(
        ("error_code", Int16),
        ("throttle_time_ms", Int32),
        (
            "topics",
            Array(
                ("name", _TEXT),
                ("partitions", Array(("partition", Int32), ("error_code", Int16))),
            ),
        ),
    )


class OffsetDeleteRequestV0(RequestStruct):  # type: ignore[misc]
    API_KEY = 47
    API_VERSION = 0
    RESPONSE_TYPE = OffsetDeleteResponseV0
    SCHEMA = Schema(
        ("group_id", _TEXT), ("topics", Array(("name", _TEXT), ("partitions", Array(Int32))))
    )


class OffsetDeleteRequest(Request[OffsetDeleteRequestV0]):  # type: ignore[misc]
    API_KEY = 47

    def __init__(self, group: str, topics: list[tuple[str, list[int]]]) -> None:
        self._group = group
        self._topics = topics

    def build(self, request_struct_class: type[OffsetDeleteRequestV0]) -> Any:
        return request_struct_class(self._group, self._topics)
