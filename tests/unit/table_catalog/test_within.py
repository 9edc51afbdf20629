import pytest

from frazil.table_catalog.core.names import within

ROOT = "file:///lake/warehouse"


@pytest.mark.parametrize("below", ["t", "logs/t", "logs/t/", "a..b/...", "gr%C3%BCn/100%"])
def test_what_is_below_is_within(below: str) -> None:
    assert within(f"{ROOT}/{below}", ROOT)
    assert within(f"{ROOT}/{below}", ROOT + "/")


@pytest.mark.parametrize(
    ("location", "root"),
    [
        ("file:/lake/warehouse/t", ROOT),
        ("file:///lake/warehouse/t", "file:/lake/warehouse"),
        ("s3a://lake/t", "s3://lake"),
    ],
)
def test_what_others_spell_otherwise_is_within(location: str, root: str) -> None:
    assert within(location, root)


@pytest.mark.parametrize(
    "location",
    [
        ROOT,
        "file:///lake/warehouse2/t",
        "file:/lake/../lake/warehouse/t",
        "s3://lake/warehouse/t",
        *(f"{ROOT}/{up}/x" for up in ("..", "a/../..", ".", "%2e%2e", ".%2E", "a%2F..%2f..")),
    ],
)
def test_what_leads_elsewhere_is_not(location: str) -> None:
    assert not within(location, ROOT)
