"""Which folders metadata name, and which right each needs."""

import pytest

from frazil.table_catalog.core.errors import ForbiddenError
from frazil.table_catalog.core.folders import (
    added_to,
    at_or_below,
    folders_of,
    owner_of,
    require_folders,
)
from frazil.table_catalog.core.rights import Action, Grant, Principal

ROOT = "s3://lake/wh"


def test_every_property_that_names_a_folder_is_looked_at() -> None:
    properties = {
        "write.metadata.path": "m",
        "write.data.path": "d/",
        "write.object-storage.path": "o",
        "write.folder-storage.path": "f",
        "write.format.default": "parquet",
    }
    metadata = {"location": "t/", "properties": properties}
    assert folders_of(metadata) == ["t", "m", "d", "o", "f"]
    assert folders_of({"location": "t", "properties": None}) == ["t"]


@pytest.mark.parametrize(
    ("location", "owner"),
    [
        ("a/t", ("a",)),
        ("a/b/t/", ("a", "b")),
        ("a//t", ("a",)),
        ("/a/t", ("a",)),
        ("a", ("a",)),
        ("ab/t", ("ab",)),
        ("%61/t", ("%61",)),
        ("A/t", ("A",)),
    ],
)
@pytest.mark.parametrize("root", [ROOT, f"{ROOT}/", "s3a://lake/wh"])
def test_a_folder_needs_the_right_to_the_one_above(
    location: str, owner: tuple[str, ...], root: str
) -> None:
    assert owner_of(f"{ROOT}/{location}", root) == owner
    assert owner_of(f"s3n://lake/wh/{location}", root) == owner


def test_the_folder_that_is_not_allowed_is_named() -> None:
    who = Principal("sink", (Grant.parse(Action.WRITE, "wh/a"),))
    folders = [f"{ROOT}/a/t", f"{ROOT}/b/t"]
    with pytest.raises(ForbiddenError, match=r"sink has no right to write s3://lake/wh/b/t"):
        require_folders(who, Action.WRITE, "wh", root=ROOT, folders=folders)
    administrator = Principal("root", admin=True)
    require_folders(administrator, Action.WRITE, "wh", root=ROOT, folders=folders)


@pytest.mark.parametrize(
    ("location", "folder", "below"),
    [
        ("s3://l/a/t/x", "s3a://l/a/t/", True),
        ("s3://l/a//t", "s3://l/a/t", True),
        ("file:/l/a/t", "file:///l/a", True),
        ("s3://l/a/t2", "s3://l/a/t", False),
        ("s3://l/a", "s3://l/a/t", False),
    ],
)
def test_two_spellings_of_a_folder_are_one(location: str, folder: str, below: bool) -> None:
    assert at_or_below(location, folder) is below


@pytest.mark.parametrize("way", ["..", ".", "%2e%2E", "x/..%2f.."])
def test_what_leads_out_of_a_folder_that_is_held_is_new(way: str) -> None:
    leads = f"s3://l/a/t/{way}/u"
    assert added_to(["s3://l/a/t"], [leads]) == (leads,)


def test_what_is_below_a_folder_that_is_held_is_not_new() -> None:
    folders = ["s3://l/a/t", "s3://l/a/t/d", "s3://l/a/u", "s3a://l/a/u/"]
    assert added_to(["s3://l/a/t"], folders) == ("s3://l/a/u",)
