"""Dead letters in a topic, and topics by a pattern, with a real broker."""

from collections.abc import Sequence

from aiokafka.admin import NewTopic
from tests.support.lab import Lab, wait_until

from frazil.contracts.exit_code import ExitCode

BROKEN = b'{"id": 2'
WRONG = b'{"id": "x"}'

MISFIT = "column id of type long cannot hold text that is not a number"


def letters(lab: Lab, topic: str) -> Sequence[tuple[bytes | None, dict[str, str]]]:
    return [
        (record.value, {name: value.decode() for name, value in record.headers})
        for record in lab.records(topic)
    ]


def create_topic(lab: Lab, name: str) -> None:
    lab.ask_admin(lambda admin: admin.create_topics([NewTopic(name, 1, 1)]))


def test_dead_letters_reach_their_topic_with_connects_headers_and_the_table_too(lab: Lab) -> None:
    lab.create_table()
    topic = f"{lab.topic}.dead"
    lab.produce_raw([b'{"id": 1}', BROKEN, WRONG])
    lab.start(
        1,
        {
            "errors.tolerance": "all",
            "errors.deadletterqueue.topic.name": topic,
            "errors.deadletterqueue.context.headers.enable": "true",
            "frazil.dead.letters.table": "streaming.dead",
        },
    )
    wait_until("the good row visible", lambda: lab.rows() == 1)
    found = dict(letters(lab, topic))
    assert set(found) == {BROKEN, WRONG}
    prefix = "__connect.errors."
    assert found[WRONG] == {
        f"{prefix}topic": lab.topic,
        f"{prefix}partition": "2",
        f"{prefix}offset": "0",
        f"{prefix}connector.name": "lab",
        f"{prefix}task.id": "0",
        f"{prefix}stage": "TASK_PUT",
        f"{prefix}class.name": lab.config["connector.class"],
        f"{prefix}exception.class.name": "org.apache.kafka.connect.errors.DataException",
        f"{prefix}exception.message": MISFIT,
        f"{prefix}exception.stacktrace": "org.apache.kafka.connect.errors.DataException: " + MISFIT,
        "__frazil.errors.table": "streaming.rows",
    }
    assert found[BROKEN][f"{prefix}stage"] == "VALUE_CONVERTER"
    table = lab.catalog.load_table("streaming.dead").scan().to_arrow()
    assert sorted(table["value"].to_pylist()) == sorted([BROKEN, WRONG])


def test_a_letter_is_the_record_alone_unless_headers_are_asked_for(lab: Lab) -> None:
    lab.create_table()
    topic = f"{lab.topic}.dead"
    create_topic(lab, topic)
    lab.produce_raw([BROKEN, b'{"id": 1}'])
    lab.start(1, {"errors.tolerance": "all", "errors.deadletterqueue.topic.name": topic})
    wait_until("the good row visible", lambda: lab.rows() == 1)
    assert list(letters(lab, topic)) == [(BROKEN, {})]


def test_a_pattern_finds_topics_that_come_later_and_rows_stay_single(lab: Lab) -> None:
    lab.create_table()
    pattern = {"topics": "", "topics.regex": f"{lab.topic}(-more)?"}
    lab.produce(range(10))
    worker = lab.start(1, pattern)
    wait_until("the first rows visible", lambda: lab.rows() == 10)
    # Its name holds the pattern, but the pattern has to match the whole.
    create_topic(lab, f"x{lab.topic}-more")
    first, lab.topic = lab.topic, f"{lab.topic}-more"
    create_topic(lab, lab.topic)
    lab.produce(range(10, 13), partitions=1)
    wait_until("rows of the new topic visible", lambda: lab.rows() == 13)
    wait_until("its identity is known", lambda: lab.topic in lab.ledgers()[-1].topic_ids)
    assert lab.ids() == list(range(13))
    assert set(lab.ledgers()[-1].end) == {first, lab.topic}
    assert "stream_starts_again" in worker.log


def test_a_pattern_must_not_match_the_topic_of_dead_letters(lab: Lab) -> None:
    lab.create_table()
    topic = f"{lab.topic}.dead"
    create_topic(lab, topic)
    worker = lab.start(
        1,
        {
            "topics": "",
            "topics.regex": f"{lab.topic}.*",
            "errors.tolerance": "all",
            "errors.deadletterqueue.topic.name": topic,
        },
    )
    assert worker.exit_code() is ExitCode.BAD_CONFIG
    assert f"topics.regex matches {topic}, which the sink writes itself" in worker.trace
