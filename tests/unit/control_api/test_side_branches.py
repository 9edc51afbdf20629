"""When a side branch may begin and end, and that no rewind does away with one in silence."""

from dataclasses import replace

import pytest
from tests.support.sink_configs import PLUGIN, changed

from frazil.contracts.naming import side_of, side_tag
from frazil.contracts.offsets import Ending, Mode, Rewind
from frazil.control_api.core.connector import Connector, Observed
from frazil.control_api.core.errors import BadRequestError, NotFoundError, SideBranchError
from frazil.control_api.core.offsets import mode_of, reset, rewound
from frazil.control_api.core.side_branches import SideState, ended, require_side, state_of

NOW = 1000.0
OPEN = Rewind(number=5, offsets={"t": {0: 1}}, mode=Mode.BRANCH, branch="rewind_5")


def connector(rewind: Rewind | None, *, applied: int = 5) -> Connector:
    return Connector("c", {}, rewind=rewind, observed=Observed(rewind=applied))


class TestNames:
    def test_a_branch_is_named_by_the_rewind_unless_told(self) -> None:
        made = rewound(None, 0, {}, now=NOW, mode=Mode.BRANCH)
        assert (made.number, made.branch, made.side) == (1000, "rewind_1000", "rewind_1000")
        assert reset(None, 0, now=NOW, mode=Mode.BRANCH, branch="mine").branch == "mine"

    def test_one_that_waits_keeps_its_name(self) -> None:
        assert rewound(OPEN, 4, {}, now=NOW, mode=Mode.BRANCH).branch == "rewind_5"
        assert rewound(OPEN, 4, {}, now=NOW, mode=Mode.ONCE).branch is None

    @pytest.mark.parametrize("name", ["", "a.b", "a@b", "a b", "ä", "x" * 101])
    def test_what_is_no_name(self, name: str) -> None:
        with pytest.raises(BadRequestError, match="is no name for a side branch"):
            require_side(PLUGIN.read(changed({})), Mode.BRANCH, name)

    def test_a_name_is_for_its_mode(self) -> None:
        with pytest.raises(BadRequestError, match="for mode=branch alone"):
            require_side(PLUGIN.read(changed({})), Mode.ONCE, "x")

    def test_a_tag_tells_whose_branch_it_is_about(self) -> None:
        for name in ("c", "c@x", "frazil-c"):
            assert side_of(side_tag(name, "x"), name) == "x"
        assert side_of(side_tag("c@x", "y"), "c") is None
        assert side_of("frazil-c", "c") is None


class TestConfigurations:
    def test_what_leaves_no_room_for_a_branch(self) -> None:
        for more, name, why in (
            ({"errors.tolerance": "all", "frazil.dead.letters.table": "s.d"}, None, "letters in"),
            ({"iceberg.tables.default-commit-branch": "dev"}, "dev", "where rows go as it is"),
            ({}, "main", "where rows go as it is"),
        ):
            with pytest.raises(BadRequestError, match=why):
                require_side(PLUGIN.read(changed({**more})), Mode.BRANCH, name)
        require_side(PLUGIN.read(changed({})), Mode.BRANCH, None)


class TestRewindsMeanwhile:
    @pytest.mark.parametrize("mode", [None, *Mode])
    def test_a_branch_that_may_have_been_seen_has_to_end_first(self, mode: Mode | None) -> None:
        for ask in (mode_of, lambda *past: reset(*past[:2], now=NOW, mode=past[2])):
            with pytest.raises(SideBranchError, match=r"Publish it, .* or drop it"):
                ask(OPEN, 5, mode)

    def test_one_that_is_to_be_published_is_published_first(self) -> None:
        rewind = ended(connector(OPEN), Ending.PUBLISH, NOW).rewind
        with pytest.raises(SideBranchError, match="to be published by the next worker"):
            mode_of(rewind, 5, Mode.AGAIN)
        assert rewound(rewind, 1000, {}, now=0, mode=Mode.AGAIN).number == 1001

    def test_one_that_was_dropped_is_in_nobodys_way(self) -> None:
        for applied in (4, 5):
            rewind = ended(connector(OPEN, applied=applied), Ending.DROP, NOW).rewind
            after = rewound(rewind, applied, {("t", 1): 2}, now=0)
            assert after == Rewind(number=1001, offsets={"t": {1: 2}})


class TestEndings:
    def test_it_waits_for_a_worker_that_is_told_once(self) -> None:
        wanted = ended(connector(OPEN), Ending.PUBLISH, NOW)
        assert wanted.generation == 2
        assert wanted.rewind == OPEN.model_copy(update={"ending": Ending.PUBLISH, "ended": 1000})
        assert wanted.rewind.side is None
        assert ended(wanted, Ending.PUBLISH, NOW + 1) == wanted

    def test_states_follow_what_the_last_worker_told(self) -> None:
        publishing = ended(connector(OPEN), Ending.PUBLISH, NOW)
        dropping = ended(publishing, Ending.DROP, NOW)
        for one, state in (
            (connector(OPEN, applied=4), SideState.PENDING),
            (connector(OPEN), SideState.OPEN),
            (publishing, SideState.PUBLISHING),
            (dropping, SideState.DROPPING),
        ):
            assert state_of(one)[1] is state
        for one in (publishing, dropping):
            newest = one.rewind.newest if one.rewind else 0
            with pytest.raises(NotFoundError):
                state_of(replace(one, observed=Observed(rewind=newest)))

    @pytest.mark.parametrize("rewind", [None, Rewind(number=5, mode=Mode.ONCE)])
    def test_where_there_is_none(self, rewind: Rewind | None) -> None:
        for ending in Ending:
            with pytest.raises(NotFoundError, match="writes to no side branch"):
                ended(connector(rewind), ending, NOW)

    def test_what_has_not_begun_can_only_be_dropped(self) -> None:
        waiting = connector(OPEN, applied=4)
        with pytest.raises(SideBranchError, match="No worker has begun"):
            ended(waiting, Ending.PUBLISH, NOW)
        dropped = ended(waiting, Ending.DROP, NOW)
        with pytest.raises(SideBranchError, match="is to be dropped"):
            ended(dropped, Ending.PUBLISH, NOW)
