"""Keys that connectors of Frazil have beyond Kafka Connect's."""

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import AtLeast, Matches, OneOf

FRAZIL_KEYS = section(
    "Frazil",
    Key(
        UNKNOWN_KEYS,
        KeyType.STRING,
        default="fail",
        documentation="What to do about unknown keys that begin with `iceberg.` or `frazil.`: "
        "`fail` refuses the configuration, `warn` ignores them.",
        width=Width.SHORT,
        display_name="Unknown keys",
        validator=OneOf(("fail", "warn")),
    ),
    Key(
        "frazil.on.data.loss",
        KeyType.STRING,
        default="fail",
        importance=Importance.MEDIUM,
        documentation="What to do when the topic no longer fits the table: records are gone that "
        "were not written yet, or the topic was made anew. `fail` the task, or go on from the "
        "`earliest` record (some may be repeated) or the `latest` (some may be skipped).",
        width=Width.SHORT,
        display_name="On data loss",
        validator=OneOf(("fail", "earliest", "latest")),
    ),
    Key(
        "frazil.max.records.per.commit",
        KeyType.LONG,
        default=400_000,
        importance=Importance.MEDIUM,
        documentation="Most records of one commit; it bounds memory while catching up.",
        display_name="Records per commit",
        validator=AtLeast(1),
    ),
    Key(
        "frazil.driver.memory",
        KeyType.STRING,
        default="512m",
        importance=Importance.MEDIUM,
        documentation="Heap of the connector's Spark driver, such as `512m` or `2g`.",
        width=Width.SHORT,
        display_name="Driver memory",
        validator=Matches("[1-9][0-9]*[mg]", "A number and m or g, such as 512m or 2g"),
    ),
)

FRAZIL_FAMILIES = (
    KeyFamily(
        "spark.*",
        documentation="Settings of Spark, passed on as they are.",
        group="Frazil",
    ),
)
