"""What Java's errors are about, by the signs in their words."""

from enum import Enum, auto


class Cause(Enum):
    LOST = auto()
    TOO_LARGE = auto()
    EXPIRED = auto()
    REFUSED_BY_CATALOG = auto()
    REFUSED_BY_STORE = auto()
    REFUSED_BY_KAFKA = auto()
    NO_TABLE = auto()
    NO_WAREHOUSE = auto()
    SILENT = auto()
    BAD_CONFIG = auto()
    UNFIT = auto()
    KAFKA_AWAY = auto()


# The first that is found decides: the more particular stand above the more general.
_SIGNS: tuple[tuple[Cause, tuple[str, ...]], ...] = (
    (Cause.LOST, ("KAFKA_DATA_LOSS", "OffsetOutOfRange", "data may have been lost")),
    (Cause.TOO_LARGE, ("RecordTooLargeException",)),
    # Refused as well, but a new start has newer keys.
    (
        Cause.EXPIRED,
        ("ExpiredToken", "RequestTimeTooSkewed", "token included in the request is expired"),
    ),
    (Cause.REFUSED_BY_CATALOG, ("ForbiddenException", "NotAuthorizedException")),
    (
        Cause.REFUSED_BY_STORE,
        ("Status Code: 403", "password authentication failed", "permission denied for"),
    ),
    (Cause.REFUSED_BY_KAFKA, ("AuthorizationException", "AuthenticationException")),
    (Cause.NO_TABLE, ("TABLE_OR_VIEW_NOT_FOUND", "NoSuchTable", "NoSuchNamespace")),
    (Cause.NO_WAREHOUSE, ("NoSuchWarehouse",)),
    # A request without an answer, or with one that may be another in a moment.
    (
        Cause.SILENT,
        (
            "RESTException: Error occurred while processing",
            "CommitStateUnknownException",
            "ServiceFailureException",
            "ServiceUnavailableException",
        ),
    ),
    (
        Cause.BAD_CONFIG,
        (
            "ConfigException",
            "ClassNotFoundException",
            "Cannot initialize Catalog",
            "Cannot initialize FileIO",
            "No FileSystem for scheme",
            "No suitable driver",
        ),
    ),
    (
        Cause.UNFIT,
        (
            "org.apache.spark.sql.AnalysisException",
            "org.apache.spark.sql.catalyst.ExtendedAnalysisException",
            "org.apache.spark.sql.catalyst.parser.ParseException",
        ),
    ),
    (
        Cause.KAFKA_AWAY,
        ("org.apache.kafka.common.errors.TimeoutException", "Timeout of", "KafkaException"),
    ),
)
_CAUSE = "Caused by: "


def cause_of(message: str) -> Cause | None:
    """Find what an error is about; None if nobody knows."""
    return next((one for one, signs in _SIGNS if any(sign in message for sign in signs)), None)


def reason_for(message: str) -> str:
    """Return the sentence of the innermost error, without the name of its class."""
    # Below a first line there may be a plan, or the statement that Spark could not read.
    first, *more = message.splitlines() or [""]
    causes = [line for line in more if line.startswith(_CAUSE)]
    words = (causes or [first])[-1].removeprefix(_CAUSE)
    name, colon, sentence = words.partition(": ")
    return sentence if colon and " " not in name else words
