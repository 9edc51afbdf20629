"""A sink with converters and transforms, from the topic to the table."""

import json

from tests.support.lab import Lab, wait_until

KAFKA = "org.apache.kafka.connect.transforms."
CHAIN = {
    "transforms": "flat,names,number,time,route,keep",
    "transforms.flat.type": f"{KAFKA}Flatten$Value",
    "transforms.flat.delimiter": "_",
    "transforms.names.type": f"{KAFKA}ReplaceField$Value",
    "transforms.names.renames": "ident:id,at:time,inner_bucket:bucket",
    "transforms.number.type": f"{KAFKA}Cast$Value",
    "transforms.number.spec": "id:int64",
    "transforms.time.type": f"{KAFKA}TimestampConverter$Value",
    "transforms.time.field": "time",
    "transforms.time.target.type": "Timestamp",
    "transforms.route.type": f"{KAFKA}RegexRouter",
    "transforms.route.regex": ".*",
    "transforms.route.replacement": "elsewhere",
    "transforms.keep.type": "frazil.transforms.Sql",
    "transforms.keep.statement": "SELECT * FROM record WHERE id <> 3",
}


def test_transformed_records_become_rows_once_and_all_are_accounted_for(lab: Lab) -> None:
    lab.create_table()
    worker = lab.start(1, {**CHAIN, "errors.tolerance": "all"})
    # Of a batch without records Spark makes no task.
    wait_until("an empty batch", lambda: '"rows": 0' in worker.log or not worker.is_alive())
    lab.produce_raw(
        json.dumps({"ident": ident, "at": 1_700_000_000_000, "inner": {"bucket": "b"}}).encode()
        for ident in ("1", "2", "3", "x")
    )
    wait_until("two rows visible", lambda: lab.rows() == 2)
    (ledger,) = lab.ledgers()
    assert (ledger.consumed, ledger.written, ledger.filtered, ledger.dead) == (4, 2, 1, 1)
    assert list(ledger.end) == [lab.topic]
    assert lab.table.scan().to_arrow().to_pylist()[0]["time"].isoformat() == (
        "2023-11-14T22:13:20+00:00"
    )
