"""What errors of librdkafka mean for a range. Its own codes, not a broker's, begin with `_`."""
# ruff: noqa: SLF001

from confluent_kafka import KafkaError

END_OF_PARTITION = KafkaError._PARTITION_EOF
ACCESS = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError._SSL,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    }
)
UNKNOWN = frozenset(
    {
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    }
)
OUT_OF_RANGE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})
# librdkafka tries again by itself. No group is joined, so rights to one do not matter.
PASSING = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
    }
)

# Of no use to wait for, also where librdkafka reports it beside the records.
FINAL = ACCESS | UNKNOWN
