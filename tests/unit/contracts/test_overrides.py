"""Which client settings a connector may choose."""

import pytest

from frazil.contracts.plugins import OverridePolicy, enabled_plugins, find_plugin

CONFIG = {
    "name": "files",
    "connector.class": "FileStreamSink",
    "topics": "t",
    "consumer.override.group.id": "mine",
    "consumer.override.security.protocol": "SSL",
}


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        (OverridePolicy.ALL, []),
        (OverridePolicy.PRINCIPAL, ["group.id"]),
        (OverridePolicy.NONE, ["group.id", "security.protocol"]),
    ],
)
def test_a_policy_refuses_what_it_does_not_allow(
    policy: OverridePolicy, refused: list[str]
) -> None:
    plugin = find_plugin("FileStreamSink", enabled_plugins(files=True, overrides=policy))
    infos = plugin.validate(CONFIG)
    assert {info.value.name: info.value.errors for info in infos.configs if info.value.errors} == {
        f"consumer.override.{setting}": [
            f"The '{policy}' policy does not allow '{setting}' to be overridden in the connector "
            "configuration."
        ]
        for setting in refused
    }
