"""Keys that connectors of Frazil have beyond Kafka Connect's."""

from frazil.contracts.config import Importance, Key, KeyFamily, KeyType, Width, section
from frazil.contracts.plugins.group_keys import GROUP_KEY
from frazil.contracts.plugins.strangers import UNKNOWN_KEYS
from frazil.contracts.validators import AtLeast, Matches, OneOf, Optional

DRIVER_MEMORY = "frazil.driver.memory"
MOST_DEAD = "frazil.max.dead.per.commit"
DEAD_LETTER_TABLE = "frazil.dead.letters.table"

# Of every connector.
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
        DRIVER_MEMORY,
        KeyType.STRING,
        default="512m",
        importance=Importance.MEDIUM,
        documentation="Heap of the connector's Spark driver, such as `512m` or `2g`.",
        width=Width.SHORT,
        display_name="Driver memory",
        validator=Matches("[1-9][0-9]*[mg]", "A number and m or g, such as 512m or 2g"),
    ),
    Key(
        "frazil.container.memory",
        KeyType.STRING,
        default="",
        documentation="Memory of the connector's container, where workers live in containers, such "
        "as `1g`. By default the driver's memory and a quarter of it and 768 MB.",
        width=Width.SHORT,
        display_name="Container memory",
        validator=Matches("([1-9][0-9]*[mg])?", "A number and m or g, such as 512m or 2g"),
    ),
    Key(
        "frazil.container.cpus",
        KeyType.STRING,
        default="",
        documentation="Processors that the connector's container may use, such as `0.5` or `2`. By "
        "default as many as `tasks.max`.",
        width=Width.SHORT,
        display_name="Container cpus",
        validator=Matches(
            r"([1-9][0-9]{0,2}(\.[0-9]{1,2})?|0\.(0[1-9]|[1-9][0-9]?))?",
            "A number of processors, such as 0.5 or 2",
        ),
    ),
    Key(
        "frazil.container.image",
        KeyType.STRING,
        default="",
        documentation="Image of the connector's container; one of those that the operator allows.",
        display_name="Container image",
    ),
    GROUP_KEY,
)

# Of every sink.
READING_KEYS = section(
    "Frazil",
    Key(
        "frazil.on.data.loss",
        KeyType.STRING,
        default="fail",
        importance=Importance.MEDIUM,
        documentation="What to do when the topic no longer fits what was written: records are gone "
        "that were not written yet, or the topic was made anew. `fail` the task, or go on from the "
        "`earliest` record (some may be repeated) or the `latest` (some may be skipped).",
        width=Width.SHORT,
        display_name="On data loss",
        validator=OneOf(("fail", "earliest", "latest")),
    ),
    Key(
        "frazil.max.records.per.commit",
        KeyType.LONG,
        importance=Importance.MEDIUM,
        documentation="Most records of one commit. While a backlog waits, a commit has as many "
        "records as make 256 MB, or 400,000 where Spark reads them for the tasks.",
        display_name="Records per commit",
        validator=Optional(AtLeast(1)),
    ),
    Key(
        MOST_DEAD,
        KeyType.LONG,
        documentation="Most records of one commit that may be bad where `errors.tolerance` is "
        "`all`: with more of them the producer, or the configuration, is at fault, and the task "
        "fails before anything of the commit is written. No limit if not set.",
        display_name="Bad records per commit",
        validator=Optional(AtLeast(0)),
    ),
    first=len(FRAZIL_KEYS) + 1,
)

LABEL_PREFIX = "frazil.label."

FRAZIL_FAMILIES = (
    KeyFamily(
        f"{LABEL_PREFIX}*",
        documentation="Words of your own about the connector, such as `frazil.label.team=lake`. "
        "Lists can be filtered by them; to change one needs no new worker.",
        group="Frazil",
    ),
    KeyFamily(
        "spark.*",
        documentation="Settings of Spark, passed on as they are. Those that load classes, open "
        "ports or reach files, such as `spark.driver.*`, `spark.jars` or `spark.sql.extensions`, "
        "are refused unless the operator allows them (`FRAZIL_SPARK_KEYS`).",
        group="Frazil",
    ),
)
