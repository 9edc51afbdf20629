"""Names derived from a connector's name."""

import re
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from frazil.contracts.naming import connector_of, consumer_group, container_name, run_folder

_NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


@given(name=_NAMES | st.sampled_from([".", "..", "a/b", "%2E", "a b", "ünï"]))
def test_a_run_folder_is_one_plain_folder_that_tells_its_connector(name: str) -> None:
    folder = run_folder(name)
    assert PurePosixPath("/runs", folder).parts == ("/", "runs", folder)
    assert folder not in (".", "..")
    assert connector_of(folder) == name


@given(name=_NAMES, other=_NAMES)
def test_folders_differ_by_more_than_capitals(name: str, other: str) -> None:
    if name != other:
        assert run_folder(name).lower() != run_folder(other).lower()
    assert run_folder("Logs").lower() != run_folder("logs")


def test_the_consumer_group_is_named_as_in_kafka_connect() -> None:
    assert consumer_group("logs") == "connect-logs"


@given(name=_NAMES, other=_NAMES, epoch=st.integers(1, 2**31))
def test_a_containers_name_is_legal_and_belongs_to_one_worker(
    name: str, other: str, epoch: int
) -> None:
    container = container_name("blue", name, epoch)
    assert re.fullmatch(r"frazil-[a-zA-Z0-9-]{1,64}", container)
    assert container != container_name("green", name, epoch)
    assert container != container_name("blue", name, epoch + 1)
    if name != other:
        assert container != container_name("blue", other, epoch)


def test_a_containers_name_can_be_read() -> None:
    assert container_name("blue", "Logs of a/b", 7).startswith("frazil-Logs-of-a-b-")
