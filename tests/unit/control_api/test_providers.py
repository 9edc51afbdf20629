"""Providers of secrets: what is allowed is found, and no way leads to what is not."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frazil.control_api.core.errors import SecretError, SecretMissingError, SecretRefusedError
from frazil.control_api.core.references import references_in
from frazil.control_api.secrets.providers import Providers

PLANTED = "tr0ub4dor&3"
ENVIRONMENT = {"DB_PASSWORD": "one", "DB_USER": "two", "HOME": PLANTED, "EXACT": "three"}


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    (folder / "db.properties").write_text("user = frazil\npassword=p=w\n")
    (folder / "token").write_text("abc\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "token").write_text(PLANTED)
    (tmp_path / "allowed-too").mkdir()
    (tmp_path / "allowed-too" / "token").write_text(PLANTED)
    return folder


@pytest.fixture
def providers(allowed: Path) -> Providers:
    return Providers(ENVIRONMENT, names=["DB_*", "EXACT", "UNSET"], folders=[allowed])


def look(providers: Providers, text: str) -> str:
    (reference,) = references_in(text)
    return providers.value(reference)


@pytest.mark.parametrize(
    ("text", "value"),
    [("${env:DB_PASSWORD}", "one"), ("${env:DB_USER}", "two"), ("${env:EXACT}", "three")],
)
def test_variables_are_found_by_name_or_pattern(
    providers: Providers, text: str, value: str
) -> None:
    assert look(providers, text) == value


@pytest.mark.parametrize("name", ["HOME", "EXACTLY", "db_password", "XDB_", ""])
def test_other_variables_are_refused_whether_set_or_not(providers: Providers, name: str) -> None:
    with pytest.raises(SecretRefusedError, match="FRAZIL_SECRETS_ENV") as caught:
        look(providers, f"${{env:{name}}}")
    assert PLANTED not in str(caught.value)


def test_an_allowed_variable_that_is_not_set_is_missing(providers: Providers) -> None:
    with pytest.raises(SecretMissingError, match=r"\$\{env:UNSET\} cannot be resolved"):
        look(providers, "${env:UNSET}")


def test_a_key_of_a_property_file_is_found(providers: Providers, allowed: Path) -> None:
    assert look(providers, f"${{file:{allowed}/db.properties:password}}") == "p=w"


@pytest.mark.parametrize("provider", ["dir", "directory"])
def test_a_file_of_a_folder_is_its_text_without_the_last_lines_end(
    providers: Providers, allowed: Path, provider: str
) -> None:
    assert look(providers, f"${{{provider}:{allowed}:token}}") == "abc"


def test_nothing_is_allowed_by_default(allowed: Path) -> None:
    nothing = Providers(ENVIRONMENT, names=[], folders=[])
    for text in ("${env:DB_USER}", f"${{dir:{allowed}:token}}", f"${{file:{allowed}/token:x}}"):
        with pytest.raises(SecretRefusedError, match="FRAZIL_SECRETS_"):
            look(nothing, text)


@pytest.mark.parametrize("path", ["/../outside:token", ":../outside/token", "-too:token"])
def test_ways_round_lead_nowhere(providers: Providers, allowed: Path, path: str) -> None:
    with pytest.raises(SecretRefusedError) as caught:
        look(providers, f"${{dir:{allowed}{path}}}")
    assert PLANTED not in str(caught.value)


@pytest.mark.parametrize("text", ["${dir:allowed:token}", "${dir::token}", "${file:x}"])
def test_relative_paths_are_refused(providers: Providers, text: str) -> None:
    with pytest.raises(SecretRefusedError, match="does not begin its path with a slash"):
        look(providers, text)


def test_links_count_as_the_place_they_lead_to(providers: Providers, allowed: Path) -> None:
    (allowed / "out").symlink_to(allowed.parent / "outside" / "token")
    (allowed / "in").symlink_to(allowed / "token")
    with pytest.raises(SecretRefusedError):
        look(providers, f"${{dir:{allowed}:out}}")
    assert look(providers, f"${{dir:{allowed}:in}}") == "abc"


def test_an_allowed_folder_may_be_a_link_itself(allowed: Path) -> None:
    link = allowed.parent / "link"
    link.symlink_to(allowed)
    providers = Providers({}, names=[], folders=[link])
    assert look(providers, f"${{dir:{link}:token}}") == "abc"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("${file:ALLOWED/nope:x}", "No such file"),
        ("${file:ALLOWED/db.properties:nope}", "has no such key"),
        ("${file:ALLOWED:x}", "is no file"),
        ("${dir:ALLOWED:pipe}", "is no file"),
        ("${dir:ALLOWED:large}", "less than a megabyte"),
        ("${dir:ALLOWED:binary}", "not UTF-8"),
    ],
)
def test_what_is_not_there_or_no_text_is_missing_with_the_reason(
    providers: Providers, allowed: Path, text: str, why: str
) -> None:
    os.mkfifo(allowed / "pipe")
    (allowed / "binary").write_bytes(b"\xff" + PLANTED.encode())
    with (allowed / "large").open("wb") as large:
        large.truncate(2 << 20)
    with pytest.raises(SecretMissingError, match=why) as caught:
        look(providers, text.replace("ALLOWED", str(allowed)))
    assert caught.value.__cause__ is None or PLANTED not in repr(caught.value.__cause__)


def test_a_provider_that_nobody_knows_is_refused_with_those_there_are(providers: Providers) -> None:
    with pytest.raises(SecretRefusedError, match="no provider vault: write env, file or dir"):
        look(providers, "${vault:secret/a:b}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(path=st.text(st.sampled_from("/.a\0outsidetoken-"), max_size=20), key=st.text(max_size=8))
def test_no_path_whatsoever_leads_outside(
    providers: Providers, allowed: Path, path: str, key: str
) -> None:
    for text in (f"${{dir:{allowed}{path}:{key}}}", f"${{file:{allowed}{path}:{key}}}"):
        for reference in references_in(text):
            try:
                assert PLANTED not in providers.value(reference)
            except SecretError:
                continue


@pytest.mark.parametrize("by", ["name", "link", "way around", "property"])
def test_files_of_the_control_api_itself_are_refused_whatever_leads_to_them(
    allowed: Path, by: str
) -> None:
    own, folder = allowed / "frazil_database_url", allowed / "runs"
    own.write_text(f"postgresql://frazil:{PLANTED}@db/control")
    (folder / "c" / "1").mkdir(parents=True)
    (folder / "c" / "1" / "assignment.json").write_text(PLANTED)
    (allowed / "linked").symlink_to(own)
    providers = Providers({}, names=[], folders=[allowed], own=[own, folder])
    text = {
        "name": f"${{dir:{allowed}:frazil_database_url}}",
        "link": f"${{dir:{allowed}:linked}}",
        "way around": f"${{dir:{allowed}/x/..:frazil_database_url}}",
        "property": f"${{file:{allowed}/runs/c/1/assignment.json:key}}",
    }[by]
    with pytest.raises(SecretRefusedError, match="the control API's own") as caught:
        look(providers, text)
    assert PLANTED not in str(caught.value)
    assert look(providers, f"${{dir:{allowed}:token}}") == "abc"
