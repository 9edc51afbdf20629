"""A partitioning is said again in the words in which it was given."""

from frazil.contracts.partitioning import parse_partitioning


def test_parts_are_spelled_as_they_are_read() -> None:
    parts = parse_partitioning("kind, days(at), bucket(id,8), truncate(who.name, 4)")
    said = ", ".join(map(str, parts))
    assert said == "kind, day(at), bucket(id, 8), truncate(who.name, 4)"
    assert parse_partitioning(said) == parts
