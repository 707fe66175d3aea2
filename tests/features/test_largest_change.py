"""Largest change without the excluded raters, above a verdict."""

from math import nan

from analysis.values.estimate import Estimate
from features.exclusion import largest_change, name_excluded
from features.study import Scenario
from tests.features.comprehension.asked import said
from tests.features.studies import verdict

BEFORE = {"Human": Estimate(0.8), "Headline": Estimate(0.7), "Lead": Estimate(nan)}
ONE = Scenario(names=("07",))


def test_the_largest_change_is_named_with_both_figures() -> None:
    after = {"Human": Estimate(0.82), "Headline": Estimate(0.6), "Lead": Estimate(0.5)}
    found = largest_change(ONE, "accuracy of", BEFORE, after)
    assert verdict(found)[1:] == ("07", "60%", "70%")
    assert "accuracy of Headline" in said(found)
    assert not found.is_main


def test_a_figure_that_stays_is_said_to_stay() -> None:
    found = largest_change(ONE, "accuracy of", BEFORE, {"Human": Estimate(0.801)})
    assert "Human stays 80%" in said(found)


def test_without_a_figure_on_both_sides_nothing_can_be_compared() -> None:
    assert "nothing can be compared" in said(largest_change(ONE, "r of", BEFORE, {"Lead": Estimate(0.1)}))


def test_several_raters_are_counted() -> None:
    assert name_excluded(Scenario(names=("a", "b")), "judge") == "the 2 excluded judges"
    assert name_excluded(Scenario(names=("judge 2",)), "judge") == "judge 2"
