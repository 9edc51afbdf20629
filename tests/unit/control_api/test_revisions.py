"""Configurations compared and shown: exact, and without a secret."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.control_api import sink_config

from frazil.contracts.secrets import without_secrets
from frazil.control_api.core.history import ConfigVersion
from frazil.control_api.core.revisions import diff, revisions

configs = st.dictionaries(st.sampled_from("abcde"), st.sampled_from("xyz"))


@given(configs, configs)
def test_a_diff_leads_from_one_configuration_to_the_other(
    before: dict[str, str], after: dict[str, str]
) -> None:
    found = diff(before, after)
    changed = {name: new for name, (_, new) in found.changed.items()}
    kept = {name: value for name, value in before.items() if name not in found.removed}
    assert {**kept, **found.added, **changed} == after
    assert {name: old for name, (old, _) in found.changed.items()}.items() <= before.items()


def test_a_changed_secret_is_a_change_that_shows_nothing() -> None:
    found = diff({"db.password": "old"}, {"db.password": "new", "s3.secret-access-key": "k"})
    assert found.changed == {"db.password": ("[hidden]", "[hidden]")}
    assert found.added == {"s3.secret-access-key": "[hidden]"}
    assert diff({"db.password": "same"}, {"db.password": "same"}).changed == {}


def test_a_changed_password_in_a_value_is_a_change_that_shows_nothing() -> None:
    found = diff({"url": "jdbc:x?password=old"}, {"url": "jdbc:x?password=new"})
    assert found.changed == {"url": ("jdbc:x?password=[hidden]", "jdbc:x?password=[hidden]")}


def test_what_is_no_secret_is_shown_as_it_is() -> None:
    assert without_secrets(sink_config()) == sink_config()
    assert without_secrets({"a": "1", "api.key": "2"}) == {"a": "1", "api.key": "[hidden]"}


def test_each_version_is_compared_with_the_one_before_and_the_first_with_nothing() -> None:
    deleted, second, first = revisions(
        [
            ConfigVersion(3, 30.0, None),
            ConfigVersion(2, 20.0, {"a": "2", "db.password": "p"}),
            ConfigVersion(1, 10.0, {"a": "1"}),
        ]
    )
    assert (first.version, first.at, first.diff.added) == (1, 10.0, {"a": "1"})
    assert second.diff.changed == {"a": ("1", "2")}
    assert second.config == {"a": "2", "db.password": "[hidden]"}
    assert deleted.config is None
    assert deleted.diff.removed == {"a": "2", "db.password": "[hidden]"}


def test_no_versions_are_no_revisions() -> None:
    assert revisions([]) == []
