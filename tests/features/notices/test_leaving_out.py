"""Who is left out and what that changes, in words."""

from math import nan

from analysis.values.estimate import Estimate
from features.blocks import Status
from features.notices import change_columns, left_out_words, marked, most_changed, who_is_left_out, written
from features.study import Scenario
from tests.features.studies import said

TWO = Scenario("worst 2 by alpha", (2, 4), ("C", "E"))


def test_who_is_left_out_is_named_up_to_six() -> None:
    assert said(who_is_left_out(TWO)) == "Excluded: C, E (worst 2 by alpha)."
    eight = Scenario("too fast", tuple(range(8)), tuple("ABCDEFGH"))
    assert said(who_is_left_out(eight)) == "Excluded: A, B, C, D, E, F and 2 more (too fast)."


def test_one_rater_is_no_plural() -> None:
    assert left_out_words(Scenario("x", (1,), ("B",))) == {"k": 1, "s": "", "name": "x"}
    assert left_out_words(TWO) == {"k": 2, "s": "s", "name": "worst 2 by alpha"}


def test_those_left_out_are_marked() -> None:
    assert marked([0, 2, 3], TWO.left_out_codes) == ["", "yes", ""]


def test_the_measure_that_changes_most_is_told_with_both_figures() -> None:
    style = ("style", Estimate(nan, n=2), Estimate(0.9, n=9))
    changes = [
        ("focus", Estimate(0.8, n=9), Estimate(0.79, n=9)),
        ("grammar", Estimate(0.7, n=1200), Estimate(0.75, n=118)),
        style,
    ]
    assert said(most_changed(TWO, changes, "Spearman's ρ")) == (
        "These figures are without <b>2 raters</b> (worst 2 by alpha). In these ratings Spearman's ρ changes most on "
        "grammar: <b>0.750</b> over 118 items instead of 0.700 over 1,200 with everyone. How far it would change "
        "with other items or raters is not worked out here."
    )
    gone = ("style", style[2], style[1])
    assert said(most_changed(TWO, [gone], "Spearman's ρ")) == (
        "Without <b>2 raters</b> (worst 2 by alpha) no measure can be compared any more."
    )
    assert said(most_changed(TWO, [("style", style[1], style[1])], "Spearman's ρ")) == (
        "No measure can be compared, with or without <b>2 raters</b> (worst 2 by alpha)."
    )


def test_columns_of_a_change_are_written_with_three_digits() -> None:
    columns = change_columns("ρ", 0.5, 0.75)
    assert columns == {"ρ, everyone": 0.5, "ρ, without": 0.75, "ρ, difference": 0.25}
    assert set(written([*columns, "Measure", "Items, everyone"])) == set(columns)


def test_a_change_of_these_ratings_is_uncertain_and_without_figures_not_told() -> None:
    known, gone = Estimate(0.8, n=9), Estimate(nan, n=2)
    assert most_changed(TWO, [("focus", known, known)], "ρ").status is Status.UNCERTAIN
    assert most_changed(TWO, [("focus", known, gone)], "ρ").status is Status.NOT_ENOUGH_DATA
    assert most_changed(TWO, [("focus", gone, gone)], "ρ").status is Status.NOT_ENOUGH_DATA
