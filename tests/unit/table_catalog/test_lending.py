"""Keys of sessions are lent again while they are fresh, and to nobody else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from frazil.table_catalog.catalog.lending import Sessions, StsOptions
from frazil.table_catalog.catalog.s3 import S3Options
from frazil.table_catalog.core.delegation import Reach
from frazil.table_catalog.core.rights import Action

READS = Reach(Action.READ, ("s3://lake/n/t",))
WRITES = Reach(Action.WRITE, ("s3://lake/n/t",))


class Sts:
    """Numbers its sessions, which are good for some part of what they are to be."""

    def __init__(self, part: float) -> None:
        self.asked: list[dict[str, Any]] = []
        self._part = part

    def assume_role(self, **asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        ends = datetime.now(UTC) + self._part * timedelta(seconds=asked["DurationSeconds"])
        number = str(len(self.asked))
        keys = {"AccessKeyId": number, "SecretAccessKey": "s", "SessionToken": "t"}
        return {"Credentials": {**keys, "Expiration": ends}}


def sessions(sts: Sts, monkeypatch: pytest.MonkeyPatch, role: str | None = None) -> Sessions:
    monkeypatch.setattr(S3Options, "client", lambda *_args, **_options: sts)
    return Sessions(S3Options(None, "eu-1", None, None), StsOptions(None, role, 900))


def test_fresh_keys_are_lent_once_more_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    lender = sessions(Sts(1.0), monkeypatch)
    first = lender.lend("a", READS)
    assert lender.lend("a", READS) == first
    others = [lender.lend("a", WRITES), lender.lend("b", READS)]
    assert len({first.access_key, *(keys.access_key for keys in others)}) == 3


def test_keys_of_which_half_is_over_are_not_lent(monkeypatch: pytest.MonkeyPatch) -> None:
    lender = sessions(Sts(0.4), monkeypatch)
    assert lender.lend("a", READS) != lender.lend("a", READS)


def test_the_store_s_log_can_say_who_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    sts = Sts(1.0)
    sessions(sts, monkeypatch, role="arn:aws:iam::1:role/lake").lend("Jörg & Co", READS)
    assert sts.asked[0]["RoleSessionName"] == "frazil-J-rg---Co"
    assert sts.asked[0]["RoleArn"] == "arn:aws:iam::1:role/lake"


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = sessions(Sts(1.0), monkeypatch).lend("a", READS)
    assert "secret_key" not in repr(keys)
    assert "token" not in repr(keys)
