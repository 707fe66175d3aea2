"""Who is left out and what that changes, in words."""

from math import nan

from findings.leaving_out import (
    change_columns,
    left_out_words,
    marked,
    most_changed,
    who_is_left_out,
    written,
)
from findings.study import Scenario
from tests.findings.studies import said

TWO = Scenario("worst 2 by alpha", (2, 4), ("C", "E"))


def test_who_is_left_out_is_named_up_to_six() -> None:
    assert said(who_is_left_out(TWO)) == "Left out: C, E (worst 2 by alpha)."
    eight = Scenario("too fast", tuple(range(8)), tuple("ABCDEFGH"))
    assert said(who_is_left_out(eight)) == "Left out: A, B, C, D, E, F and 2 more (too fast)."


def test_one_rater_is_no_plural() -> None:
    assert left_out_words(Scenario("x", (1,), ("B",))) == {"k": 1, "s": "", "name": "x"}
    assert left_out_words(TWO) == {"k": 2, "s": "s", "name": "worst 2 by alpha"}


def test_those_left_out_are_marked() -> None:
    assert marked([0, 2, 3], TWO.left_out_codes) == ["", "yes", ""]


def test_the_measure_that_changes_most_is_told_with_both_figures() -> None:
    changes = [("focus", 0.8, 0.79), ("grammar", 0.7, 0.75), ("style", nan, 0.9)]
    assert said(most_changed(TWO, changes, "Spearman's ρ")) == (
        "These figures are without <b>2 raters</b> (worst 2 by alpha). Spearman's ρ changes most on grammar: "
        "<b>0.750</b> instead of 0.700 with everyone."
    )
    assert said(most_changed(TWO, [("style", nan, 0.9)], "Spearman's ρ")) == (
        "Without <b>2 raters</b> (worst 2 by alpha) no measure can be compared any more."
    )


def test_columns_of_a_change_are_written_with_three_digits() -> None:
    columns = change_columns("ρ", 0.5, 0.75)
    assert columns == {"ρ, everyone": 0.5, "ρ, without": 0.75, "ρ, difference": 0.25}
    assert set(written([*columns, "Measure", "Items, everyone"])) == set(columns)
