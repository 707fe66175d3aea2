"""Tables of groups compared: unrounded figures, intervals in their cells, and reasons of dashes."""

from dataclasses import replace
from math import isnan, nan

import pytest

from analysis.comparison.comparison import compare
from analysis.values.estimate import Estimate
from features.comparison import section
from features.words import WHY
from tests.features.comparison.test_findings import (
    HIGHER,
    LOWER,
    ORDERED,
    SPEC,
    SWAPPED,
    compared,
    of,
    rated_by,
)


def test_figures_are_unrounded_and_their_cells_hold_the_interval() -> None:
    one = replace(compared(ORDERED, SWAPPED), spearman=Estimate(0.9, 0.8412, 0.9555, 5))
    table = section.groups_table(replace(of(one), measures=["expert"]), "Knowledge")
    assert list(table.columns_at_first_sight) == [
        "Knowledge", "Spearman ρ", "Mean difference", "RMSE", "Items",
    ]  # fmt: skip
    row = table.frame.iloc[0]
    assert (row["Spearman ρ"], row["Spearman ρ from"], row["Spearman ρ to"]) == (0.9, 0.8412, 0.9555)
    assert table.formats["Spearman ρ"] == ["0.900 (0.841 to 0.956)"]
    assert row["Slope"] == one.slope
    assert "ρ over systems" not in table.frame  # no item has a system


def test_the_reason_of_a_dash_is_that_of_a_figure_that_is_shown() -> None:
    constant = compared([3, 3, 3, 3, 3], ORDERED)
    why = section.groups_table(of(constant, compared(ORDERED, SWAPPED))).frame[WHY].tolist()
    assert "constant" in why[0]
    assert "systems" not in why[0]
    assert why[1] == ""


def test_a_metric_as_reference_has_columns_of_order_alone() -> None:
    metric = compare(rated_by(range(4), ORDERED), dict(enumerate([0.31, 0.28, 0.35, 0.41, 0.44])), SPEC)
    table = section.groups_table(of(metric))
    assert list(table.columns_at_first_sight) == ["Measure", "Spearman ρ", "Items"]
    assert not {"Mean difference", "RMSE", "Concordance", "Slope", "Spread"} & set(table.frame)
    assert list(section.without_table(of(metric), of(metric)).columns_at_first_sight) == [
        "Measure", "Spearman ρ, everyone", "Spearman ρ, without",
    ]  # fmt: skip
    assert section.verdicts_table(of(metric)) is None


def test_levels_of_a_measure_on_another_scale_are_undefined() -> None:
    one, other = compared(HIGHER, LOWER), replace(compared(HIGHER, LOWER), same_scale=False)
    table = section.groups_table(of(one, other)).frame
    assert table["Mean difference"].tolist() == [1.0, pytest.approx(nan, nan_ok=True)]
    assert table[WHY].tolist() == ["", "both sides are on different scales"]
    tested = section.tests_table(of(one, other)).frame
    assert not isnan(tested["p (raters, Holm)"][0])
    assert isnan(tested["p (raters, Holm)"][1])
    assert tested["Significant"].tolist() == ["yes", ""]


def test_tests_of_level_are_those_of_the_comparison() -> None:
    one = compared(HIGHER, LOWER)
    (row,) = section.tests_table(of(one)).frame.to_dict("records")
    assert (row["Median"], row["Median, reference"]) == (5.5, 4.5)
    assert (row["p (U)"], row["p (raters)"]) == (one.u_p, one.rater_p)
    assert "p (items)" not in row  # the scope is raters like these


def test_a_verdict_that_depends_on_the_test_has_its_row() -> None:
    turned = section.verdicts_table(of(compared(HIGHER, LOWER)))
    assert turned is not None
    (row,) = turned.frame.to_dict("records")
    assert (row["Measure"], row["Chosen test"]) == ("focus", "significant, p = .012")
    assert "Mann-Whitney, two-sided: p = .481" in row["Other tests"]
    assert turned.fold
    assert section.verdicts_table(of(compared(ORDERED, ORDERED))) is None


def test_what_an_exclusion_changes_stands_side_by_side() -> None:
    (row,) = section.without_table(of(compared(HIGHER, LOWER)), of(compared(LOWER, LOWER))).frame.to_dict(
        "records"
    )
    names = ("Mean difference, everyone", "Mean difference, without", "Mean difference, difference")
    assert [row[name] for name in names] == pytest.approx([0.0, 1.0, 1.0])


def test_pairs_of_groups_are_sorted_and_undefined_ones_last() -> None:
    rho = {("a", "b"): Estimate(0.5), ("b", "c"): Estimate(nan), ("a", "c"): Estimate(0.7)}
    assert section.pairs_table(rho).frame["Other group"].tolist() == ["c", "b", "c"]
