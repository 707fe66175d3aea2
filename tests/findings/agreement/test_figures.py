"""What is said of all raters' agreement: the table, differences, and why there is no interval."""

from math import nan

from analysis.assessors.agreement_of_everyone import AgreementFigure
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.agreement.figures import (
    agreement_table,
    difference,
    for_these_raters,
    why_no_interval,
)
from tests.findings.studies import said

AC2 = "Gwet's AC2"
HIGH = AgreementFigure(Estimate(0.7, 0.65, 0.75, 60), Estimate(0.7, 0.5, 0.8, 60), 0.03)


def less(value: float, fixed: float, random: float) -> dict[str, AgreementFigure]:
    """A difference with half widths over items and over both."""
    return {
        AC2: AgreementFigure(
            Estimate(value, value - fixed, value + fixed, 60),
            Estimate(value, value - random, value + random, 60),
        )
    }


def test_a_figure_says_what_it_answers_or_why_there_is_none() -> None:
    undefined = AgreementFigure(None, Estimate(nan, reason="one item"))
    table, _ = agreement_table({"alpha, ordinal": HIGH, "ICC(C,1)": undefined})
    assert table["95 %, these raters"].tolist() == ["0.650 to 0.750", "–"]
    assert table["95 %, raters too"].tolist() == ["0.500 to 0.800", "–"]
    assert table["What it says"].tolist() == [
        "do raters give an item the same score, severity included? 1 always, 0 by chance",
        "one item",
    ]
    assert table["SE"].tolist() == ["0.030", "–"]


def test_differences_stand_beside_the_figures_that_have_one() -> None:
    table, _ = agreement_table({"ICC(C,1)": HIGH, AC2: HIGH}, less(0.1, 0.05, 0.2))
    assert table["Difference"].fillna(-1).tolist() == [-1, 0.1]
    assert table["Difference, 95 %, these raters"].tolist() == ["–", "0.050 to 0.150"]


def test_a_difference_is_told_where_its_interval_leaves_out_0() -> None:
    assert said(difference(less(-0.2, 0.05, 0.15), "focus", "grammar")) == (
        "Raters agree less on focus than on grammar: Gwet's AC2 differs by <b>0.20</b> (−0.35 to −0.05 over items and "
        "raters, 60 items)."
    )
    assert said(difference(less(0.1, 0.05, 0.2), "focus", "grammar")) == (
        "Whether raters agree more on focus or on grammar cannot be told: the difference of Gwet's AC2 is within −0.10 "
        "to 0.30 (over items and raters, 60 items)."
    )
    for_slots = for_these_raters(less(0.1, 0.05, 0.2))
    assert said(difference(for_slots, "focus", "grammar")) == (
        "Raters agree more on focus than on grammar: Gwet's AC2 differs by <b>0.10</b> (0.05 to 0.15 over items, for "
        "these raters, 60 items)."
    )
    unknown = {AC2: AgreementFigure(Estimate(nan, reason="no item has two ratings"))}
    assert said(difference(unknown, "focus", "grammar")) == (
        "Whether raters agree more on focus than on grammar is unknown: no item has two ratings."
    )


def test_each_reason_for_no_interval_is_told_once() -> None:
    alone = AgreementFigure(Estimate(1.0, n=5, reason="all agree"), Estimate(1.0, n=5, reason="all agree"))
    told = [said(sentence) for sentence in why_no_interval({"a": alone, "b": alone, "c": HIGH})]
    assert told == ["No interval of a, b: all agree."]


def test_a_difference_that_holds_0_is_uncertain() -> None:
    unknown = {AC2: AgreementFigure(Estimate(nan, reason="no item has two ratings"))}
    assert difference(less(-0.2, 0.05, 0.15), "focus", "grammar").status is Status.CLEAR
    assert difference(less(0.1, 0.05, 0.2), "focus", "grammar").status is Status.UNCERTAIN
    assert difference(unknown, "focus", "grammar").status is Status.NOT_ENOUGH_DATA
