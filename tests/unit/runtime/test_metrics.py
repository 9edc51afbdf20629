"""Names and types of metrics, as Prometheus wants them."""

from frazil.runtime.metrics import declared


def test_only_a_histogram_has_a_count_a_sum_or_buckets() -> None:
    reserved = ("_count", "_sum", "_bucket", "_total")
    gauges = [one.name for one in declared() if one.type == "gauge"]
    assert [name for name in gauges if name.endswith(reserved)] == []
