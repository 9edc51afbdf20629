"""The Iceberg catalog of a configuration: its name, and its properties with what they leave out."""

from collections.abc import Mapping

from frazil.contracts.plugins.parsed import ParsedConfig

CATALOG = "iceberg.catalog"
CATALOG_NAME = "iceberg.catalog.name"
_PREFIX = "iceberg.catalog."
_REGION = "client.region"
# Those that read and write files through Hadoop unless told otherwise, which has no S3 here.
_ON_HADOOP = frozenset(
    {
        "jdbc",
        "hive",
        "org.apache.iceberg.jdbc.JdbcCatalog",
        "org.apache.iceberg.hive.HiveCatalog",
    }
)
_S3 = ("s3://", "s3a://", "s3n://")
_S3_FILE_IO = "org.apache.iceberg.aws.s3.S3FileIO"
# What stores that are not Amazon's take for their region unless told otherwise.
_COMMON_REGION = "us-east-1"


def catalog_name(config: ParsedConfig) -> str:
    """Return the catalog's name: `iceberg.catalog`, else `iceberg.catalog.name`."""
    named: str | None = config[CATALOG_NAME]
    own: str = config[CATALOG]
    return own if config.is_set(CATALOG) or named is None else named


def catalog_properties(config: ParsedConfig, machine_region: str | None = None) -> dict[str, str]:
    """Return the properties as Iceberg is to have them; `machine_region` is the AWS SDK's own."""
    given = config.prefixed(_PREFIX)
    given.pop(CATALOG_NAME.removeprefix(_PREFIX), None)
    return _region(given, machine_region) | _files(given) | given


def _files(given: Mapping[str, str]) -> dict[str, str]:
    on_s3 = _uses_hadoop(given) and given.get("warehouse", "").startswith(_S3)
    return {"io-impl": _S3_FILE_IO} if on_s3 else {}


def _region(given: Mapping[str, str], machine_region: str | None) -> dict[str, str]:
    """Find the region: a client of S3 does not start without one."""
    if named := given.get("s3.region"):
        return {_REGION: named}
    if machine_region:
        return {}
    if signing := given.get("rest.signing-region"):
        return {_REGION: signing}
    if "s3.endpoint" in given:
        return {_REGION: _COMMON_REGION}
    # Other catalogs may say it themselves. Amazon's S3 names the right region to those who err.
    across = {"s3.cross-region-access-enabled": "true"}
    return {_REGION: _COMMON_REGION, **across} if _files(given) else {}


def _uses_hadoop(given: Mapping[str, str]) -> bool:
    return (given.get("type") or given.get("catalog-impl")) in _ON_HADOOP
