"""Locks beside the list of known vulnerabilities."""

import pytest
from advisories import check
from advisories.check import Advisory, Locked, hits, jars, packages


def advisory(*affected: str, **accepted: str) -> Advisory:
    return Advisory("CVE-1", "netty", affected, "It leaks.", "a page", accepted)


@pytest.mark.parametrize(
    ("version", "affected", "is_hit"),
    [
        ("1.10.2", "<1.11.1", True),
        ("1.11.1", "<1.11.1", False),
        ("1.11", "<1.11.1", True),
        ("1.11.0.1", "<=1.11", False),
        ("4.2.7.Final", ">=4.2.0 <4.2.13", True),
        ("4.1.99.Final", ">=4.2.0 <4.2.13", False),
        ("4.2.13.Final", ">=4.2.0 <4.2.13", False),
        ("2.9.0.post1", "==2.9.0", False),
        ("2.9", "==2.9.0", True),
    ],
)
def test_versions_are_compared_by_their_numbers(
    version: str, affected: str, *, is_hit: bool
) -> None:
    assert advisory(affected).affects(Locked("a", "netty", version)) is is_hit


def test_bounds_that_cannot_be_read_are_an_error() -> None:
    with pytest.raises(ValueError, match="no bounds"):
        advisory("all").affects(Locked("a", "netty", "1"))


def test_what_is_affected_is_named_with_its_place_and_reason() -> None:
    found = hits([Locked("a", "netty", "1"), Locked("a", "other", "1")], [advisory("<1", "<2")])
    assert found == ["netty 1 (a): CVE-1: It leaks. Affected: <1, <2."]


def test_what_is_accepted_in_one_place_is_not_in_another() -> None:
    two = [Locked("a", "netty", "1"), Locked("b", "netty", "1")]
    (found,) = hits(two, [advisory("<2", a="Nobody calls it.")])
    assert found.startswith("netty 1 (b): CVE-1")


def test_what_is_accepted_for_nothing_has_to_go() -> None:
    (found,) = hits([Locked("a", "netty", "3")], [advisory("<2", a="Nobody calls it.")])
    assert found == "CVE-1 is accepted for a, where nothing is affected: take that out."


def test_locks_of_pip_and_names_of_jars_are_read() -> None:
    text = "Ruamel_Yaml==0.19.1 \\\n    --hash=sha256:1\npsycopg[binary]==3.3.9 ; x\n# a==1\n"
    assert [*packages(text, "p")] == [
        Locked("p", "ruamel-yaml", "0.19.1"),
        Locked("p", "psycopg", "3.3.9"),
    ]
    names = ["spark/kafka_2.13-4.3.1.jar", "netty-all-4.2.7.Final.jar", "t/trino-server-476.tar.gz"]
    assert [*jars(names, "j")] == [
        Locked("j", "kafka_2.13", "4.3.1"),
        Locked("j", "netty-all", "4.2.7.Final"),
        Locked("j", "trino-server", "476"),
    ]


def test_our_own_locks_have_no_known_vulnerability(capsys: pytest.CaptureFixture[str]) -> None:
    check.main()
    assert "No known vulnerability" in capsys.readouterr().out
