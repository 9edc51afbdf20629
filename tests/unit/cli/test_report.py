import pytest
from hypothesis import given
from hypothesis import strategies as st

from frazil.cli.report import TableReport, percentile

AGES = st.lists(st.floats(0, 1e6), min_size=1)


def _report(*, produced: int = 10, visible: int = 10, duplicates: int = 0) -> TableReport:
    return TableReport(
        table="apilogs",
        produced=produced,
        visible=visible,
        duplicates=duplicates,
        files=3,
        ages=[1.0, 2.0, 3.0],
    )


@pytest.mark.parametrize(
    ("report", "exact"),
    [
        (_report(), True),
        (_report(visible=9), False),
        (_report(visible=11), False),
        (_report(duplicates=1), False),
    ],
    ids=["all there", "one lost", "one too many", "one twice"],
)
def test_exact_means_as_many_as_produced_and_none_twice(report: TableReport, exact: bool) -> None:
    assert report.is_exact is exact


@given(AGES, st.floats(0.01, 1))
def test_a_percentile_is_a_value_that_the_share_does_not_exceed(
    ages: list[float], share: float
) -> None:
    found = percentile(ages, share)
    assert found in ages
    assert sum(age <= found for age in ages) >= share * len(ages) - 1e-9


@given(AGES)
def test_the_whole_share_is_the_greatest(ages: list[float]) -> None:
    assert percentile(ages, 1.0) == max(ages)


def test_no_rows_have_no_freshness() -> None:
    assert percentile([], 0.5) is None


def test_a_row_of_the_report_reads_as_a_person_would_write_it() -> None:
    cells = _report(produced=10_000, visible=10_000).cells()
    assert cells == ("apilogs", "10,000", "10,000", "0", "2.0 s", "3.0 s", "3")
