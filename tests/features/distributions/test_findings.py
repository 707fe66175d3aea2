"""Findings of "Distributions": status, the numbers they name, and the tables."""

from collections.abc import Sequence

import pytest

from analysis.values.distributions import Description, describe_means
from features.blocks import Status
from features.distributions.section import (
    GroupDescription,
    descriptions_table,
    distribution_finding,
    largest_gap,
    sizes_table,
    undefined_warnings,
)
from tests.features.studies import said, study_of, verdict


def mos(*values: float) -> Description:
    return describe_means(values, [4] * len(values), 4)


def around(center: float, items: int = 10) -> Description:
    """Items whose median lies .45 above `center`."""
    return mos(*(center + at / 10 for at in range(items)))


def described(**groups: Sequence[tuple[str, Description]]) -> list[GroupDescription]:
    return [GroupDescription(measure, group, one) for group, of in groups.items() for measure, one in of]


def finding_of(*measures: str, reference: str | None = "lab", **groups: Sequence[tuple[str, Description]]):
    return distribution_finding(study_of(*measures, reference=reference), described(**groups), "Crowd vs lab")


def test_measures_with_a_higher_median_are_counted_and_the_largest_gap_is_named() -> None:
    found = finding_of(
        "focus",
        "grammar",
        crowd=[("focus", around(3.5)), ("grammar", around(1.55))],
        lab=[("focus", around(3.0)), ("grammar", around(3.55))],
    )
    assert verdict(found) == (Status.NOT_TESTED, "1", "2")
    assert "Crowd medians are higher" in said(found)
    assert {"Largest gap: grammar 2.00 and 4.00", "10 items"} <= set(found.evidence[1].values())
    assert found.next_step is not None
    assert found.next_step.page == "crowd_vs_lab.py"


@pytest.mark.parametrize(("ours", "theirs", "word"), [(3.5, 3.0, "higher"), (3.0, 3.5, "lower")])
def test_of_one_measure_the_direction_is_named(ours: float, theirs: float, word: str) -> None:
    found = finding_of("focus", crowd=[("focus", around(ours))], lab=[("focus", around(theirs))])
    assert f"crowd median is {word}" in said(found)
    assert f"Median MOS {ours + 0.45:.2f} and {theirs + 0.45:.2f}" in found.evidence[1].values()


def test_equal_medians_are_the_same() -> None:
    same = [("focus", mos(*[3.0] * 12))]
    found = finding_of("focus", crowd=same, lab=same)
    assert found.status is Status.NOT_TESTED
    assert "the same median" in said(found)


def test_few_items_are_not_enough_to_compare() -> None:
    found = finding_of("focus", crowd=[("focus", mos(3, 4, 5))], lab=[("focus", around(1))])
    assert found.status is Status.NOT_ENOUGH_DATA
    assert (found.headline[1]["there"], found.headline[1]["least"]) == ("3 items", 10)


def test_groups_without_a_shared_measure_cannot_be_compared() -> None:
    found = finding_of("focus", "grammar", crowd=[("focus", around(1))], lab=[("grammar", around(1))])
    assert found.status is Status.NOT_ENOUGH_DATA


def test_the_median_of_one_group_is_stated_as_such_also_where_many_items_have_it() -> None:
    for one, median in (
        (around(1, 11), "1.50"),
        (mos(*[3.0] * 6, *[1 + at / 10 for at in range(6)]), "2.25"),
    ):
        found = finding_of("focus", reference=None, crowd=[("focus", one)])
        assert found.headline[1]["median"] == median
        assert verdict(found)[1:] == (median,)
    tied = mos(*[3.0] * 8, *[2 + at / 10 for at in range(4)])  # no item lies above the median
    found = finding_of("focus", reference=None, crowd=[("focus", tied)])
    assert found.headline[1]["median"] == "3.00"
    assert "the median is the highest MOS" in found.evidence[1].values()


def test_one_group_without_spread_or_items() -> None:
    same = finding_of("focus", reference=None, crowd=[("focus", mos(*[3.0] * 12))])
    assert (same.status, same.headline[1]["median"]) == (Status.CLEAR, "3.00")
    few = finding_of("focus", reference=None, crowd=[("focus", mos(2.0))])
    assert (few.status, few.headline[1]["there"]) == (Status.NOT_ENOUGH_DATA, "1 item")


def test_the_widest_gap_decides_which_measure_stands_for_all() -> None:
    groups = described(
        crowd=[("focus", around(1)), ("grammar", around(1))],
        lab=[("focus", around(1.2)), ("grammar", around(3))],
    )
    assert largest_gap(groups) == "grammar"


def test_each_reason_comes_once_with_all_it_holds_for() -> None:
    groups = described(crowd=[("focus", mos(1, 2, 3)), ("grammar", mos(1, 2, 4))])
    (warning,) = undefined_warnings(groups)
    assert warning.text[1]["where"] == "focus (crowd) and grammar (crowd)"


def test_the_table_has_a_range_of_ratings_per_item_only_where_there_is_one() -> None:
    uneven = describe_means([1, 2, 3], [2, 4, 9], 9)
    table = descriptions_table(described(crowd=[("focus", mos(1, 2, 3))], lab=[("focus", uneven)]))
    assert table.frame["Ratings per item"].tolist() == ["4", "2 to 9 (median 4)"]
    assert table.frame["Median"].tolist() == [2.0, 2.0]


def test_sizes_are_listed_per_measure_and_group() -> None:
    cells = {
        "measure": ["focus", "focus"],
        "group": ["crowd", "lab"],
        "ratings": [21600, 40],
        "items": [900, 10],
        "raters": [80, 4],
        "ratings_per_item_min": [24, 3],
        "ratings_per_item_max": [24, 5],
    }
    rows, written = sizes_table(cells)
    assert rows["Per item"].tolist() == ["24", "3 to 5"]
    assert written["Ratings"](21600) == "21,600"
