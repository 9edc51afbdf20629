"""The catalog's name and properties: what is given stays, and what can be known is added."""

import pytest
from tests.support.sink_configs import PLUGIN, VALID, changed, complaints

from frazil.contracts.plugins.iceberg_catalog import catalog_name, catalog_properties

JDBC = "org.apache.iceberg.jdbc.JdbcCatalog"
S3 = "org.apache.iceberg.aws.s3.S3FileIO"
ACROSS = {"s3.cross-region-access-enabled": "true"}


def properties(given: dict[str, str], machine_region: str | None = None) -> dict[str, str]:
    """Return what is added to given properties, or changed in them."""
    rest = {key: text for key, text in VALID.items() if not key.startswith("iceberg.catalog.")}
    config = rest | {f"iceberg.catalog.{key}": text for key, text in given.items()}
    found = catalog_properties(PLUGIN.parse(config), machine_region)
    return {key: text for key, text in found.items() if given.get(key) != text}


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "iceberg"),
        ({"iceberg.catalog.name": "iceberg_catalog"}, "iceberg_catalog"),
        ({"iceberg.catalog": "a", "iceberg.catalog.name": "b"}, "a"),
        ({"iceberg.catalog": "iceberg", "iceberg.catalog.name": "b"}, "iceberg"),
    ],
)
def test_a_catalog_is_named_by_either_key(given: dict[str, str], name: str) -> None:
    config = PLUGIN.parse(VALID | given)
    assert catalog_name(config) == name
    assert "name" not in catalog_properties(config)


def test_a_name_that_spark_could_not_take_is_refused() -> None:
    assert "iceberg.catalog.name" in complaints(changed({"iceberg.catalog.name": "a.b"}))


@pytest.mark.parametrize("kind", [{"type": "jdbc"}, {"catalog-impl": JDBC}, {"type": "hive"}])
@pytest.mark.parametrize("scheme", ["s3", "s3a", "s3n"])
def test_files_on_s3_are_read_by_the_s3_client(kind: dict[str, str], scheme: str) -> None:
    given = kind | {"warehouse": f"{scheme}://lake/", "client.region": "r"}
    assert properties(given)["io-impl"] == S3


@pytest.mark.parametrize(
    "given",
    [
        {"type": "jdbc", "warehouse": "file:///lake"},
        {"type": "jdbc", "warehouse": "s3://lake", "io-impl": "mine", "client.region": "r"},
        {"type": "rest", "warehouse": "s3://lake"},
        {"type": "glue", "warehouse": "s3://lake"},
    ],
)
def test_other_files_are_read_as_the_catalog_would(given: dict[str, str]) -> None:
    assert "io-impl" not in properties(given)


@pytest.mark.parametrize(
    ("given", "region"),
    [
        ({"s3.region": "a", "rest.signing-region": "b"}, "a"),
        ({"rest.signing-region": "b"}, "b"),
        ({"s3.endpoint": "http://minio:9000"}, "us-east-1"),
    ],
)
@pytest.mark.parametrize("kind", ["rest", "jdbc"])
def test_the_region_is_taken_from_what_is_said_of_it(
    given: dict[str, str], region: str, kind: str
) -> None:
    assert properties({"type": kind, **given}) == {"client.region": region}
    assert properties({"type": kind, "client.region": "mine", **given}) == {}


def test_the_region_of_the_machine_wins_over_what_is_only_likely() -> None:
    given = {"type": "rest", "rest.signing-region": "b", "s3.endpoint": "http://minio:9000"}
    assert properties(given, "here") == {}
    assert properties(given | {"s3.region": "a"}, "here") == {"client.region": "a"}


def test_a_warehouse_on_s3_of_which_nothing_is_said_is_looked_for_in_all_regions() -> None:
    given = {"type": "jdbc", "warehouse": "s3://lake"}
    assert properties(given) == {"io-impl": S3, "client.region": "us-east-1", **ACROSS}
    assert properties(given, "here") == {"io-impl": S3}


def test_a_catalog_that_may_name_the_region_itself_is_left_to() -> None:
    for kind in ("rest", "glue"):
        assert properties({"type": kind, "warehouse": "s3://lake"}) == {}
