"""What the process that reads tables inherits of the environment."""

import os

# Where certificates of authorities are, how texts are spelled, where Python finds packages. No
# proxies, no keys, no profiles: a connector says all that its catalog needs.
_INHERITED = (
    "AWS_CA_BUNDLE",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "REQUESTS_CA_BUNDLE",
    "TZ",
)
# Whatever libraries would look up by themselves: identities of the machine and of its user.
_NOTHING = "/dev/null"
_SET = {
    "AWS_CONFIG_FILE": _NOTHING,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SHARED_CREDENTIALS_FILE": _NOTHING,
    "HOME": "/nonexistent",
    "PGPASSFILE": _NOTHING,
}


def reader_environment() -> dict[str, str]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | _SET
