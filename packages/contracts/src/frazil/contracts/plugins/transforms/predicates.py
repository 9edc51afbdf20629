"""Kafka Connect's own predicates, which choose the records of a transform."""

from frazil.contracts.config import NO_DEFAULT, Key
from frazil.contracts.plugins.common import CONNECT_VERSION
from frazil.contracts.plugins.transforms.stage import StageClass, option
from frazil.contracts.validators import non_empty, valid_pattern

_PACKAGE = "org.apache.kafka.connect.transforms.predicates"


def _predicate(word: str, *keys: Key) -> StageClass:
    return StageClass(word, (_PACKAGE,), kind="predicate", keys=keys, version=CONNECT_VERSION)


PREDICATES = (
    _predicate(
        "HasHeaderKey",
        option("name", default=NO_DEFAULT, documentation="Header to have.", validator=non_empty),
    ),
    _predicate("RecordIsTombstone"),
    _predicate(
        "TopicNameMatches",
        option(
            "pattern",
            default=NO_DEFAULT,
            documentation="Pattern of the whole name of the topic.",
            validator=valid_pattern,
        ),
    ),
)
