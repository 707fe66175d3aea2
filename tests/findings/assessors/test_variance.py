"""What is said of where the variance comes from, and when it is said that nothing can be told."""

import numpy as np
import pytest

from analysis.values.estimate import BootstrapSpec
from analysis.variance import components as room
from analysis.variance.components import Components, components
from analysis.variance.generalisability import Averaged, curve, d_study, generalisability
from features.blocks import Finding, Status
from features.words import Sentence
from findings.assessors.variance import (
    COEFFICIENT,
    components_table,
    curves,
    d_study_table,
    finding,
    notes,
    remarks,
)

DRAWS = BootstrapSpec(200)


def filled(told: Finding | Sentence) -> str:
    template, values = told.headline if isinstance(told, Finding) else told
    return template.format_map(values)


def crossed(
    items: int, raters: int, own: float = 1.0, seed: int = 0, draws: BootstrapSpec = DRAWS
) -> Components:
    item, rater = (codes.ravel() for codes in np.indices((items, raters)))
    rng = np.random.default_rng(seed)
    score = (
        own * rng.normal(size=items)[item]
        + 0.4 * rng.normal(size=raters)[rater]
        + 0.6 * rng.normal(size=len(item))
    )
    return components(item, rater, score, bootstrap=draws)


def test_the_largest_share_and_both_coefficients_are_told_with_intervals() -> None:
    found = crossed(80, 12)
    told = filled(finding(found, generalisability(found, Averaged("item", 5)), "focus"))
    assert told.startswith("Of the variance of single ratings of focus, <b>")
    assert "is items and" in told
    assert "An item's mean over 5 raters: generalisability coefficient <b>0." in told
    assert "index of dependability" in told


def test_without_draws_there_are_no_empty_brackets() -> None:
    found = crossed(80, 12, draws=BootstrapSpec(0))
    told = filled(finding(found, generalisability(found, Averaged("item", 5)), "focus"))
    assert "–" not in told
    assert "()" not in told


def test_an_interval_of_almost_everything_tells_nothing() -> None:
    found = crossed(4, 3, seed=1)
    told = filled(finding(found, generalisability(found, Averaged("item", 3)), "focus"))
    assert "cannot be told" in told
    assert "would tell" in told


def test_what_cannot_be_worked_out_says_why() -> None:
    equal = components([0, 0, 1, 1], [0, 1, 0, 1], [3.0] * 4)
    assert filled(finding(equal, None, "focus")).endswith(f"cannot be told: {room.ALL_EQUAL}.")
    single = components(np.arange(30), np.arange(30) % 5, np.arange(30.0) ** 2 % 7, bootstrap=DRAWS)
    told = filled(finding(single, generalisability(single, Averaged("item", 3)), "focus"))
    assert "What a mean is worth cannot be told: items cannot be told from the rest" in told


def test_the_table_names_each_sources_part_in_the_mean() -> None:
    found = crossed(20, 6)
    table, written = components_table(found, generalisability(found, Averaged("item", 4)))
    assert table["Source"].tolist() == ["Items", "Raters", "The rest"]
    assert table["In the mean"].tolist() == [
        "what is told apart",
        "error of levels",
        "error of comparisons and levels",
    ]
    assert table["Divided by"].tolist() == [1, 4, 4]
    assert table["Share"].sum() == pytest.approx(1)
    assert written["Share"](0.5) == "50.0 %"


def test_the_table_of_numbers_is_the_curve() -> None:
    found = crossed(20, 6)
    found_of_each = d_study(found, curve(Averaged("item", 4), "raters"))
    table, _ = d_study_table("raters", found_of_each)
    assert table["Raters per item"].tolist() == list(range(1, 21))
    assert table[COEFFICIENT].tolist() == [e.value for e in curves(found_of_each)[COEFFICIENT]]


def test_notes_name_the_method_the_errors_and_what_is_not_told_apart() -> None:
    found = crossed(20, 6)
    told = " ".join(filled(note) for note in notes(found, generalisability(found, Averaged("item", 4))))
    assert "restricted maximum likelihood (REML) from 120 ratings" in told
    assert "Error of comparisons: the rest; of levels also raters." in told
    assert "Not told apart in this design: items × raters from the rest." in told
    own = notes(found, generalisability(found, Averaged("item", 4, 1, same_raters=False)))
    assert "Error of comparisons: raters and the rest; of levels the same." in filled(own[0])


def test_estimates_below_zero_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_LEVELS", 0)
    item, rater = (codes.ravel() for codes in np.indices((6, 4)))
    score = rater + np.where(item % 2 == 0, 0.1, -0.1) * np.where(rater % 2 == 0, 1, -1)
    found = components(item, rater, score, bootstrap=DRAWS)
    told = " ".join(filled(note) for note in notes(found, generalisability(found, Averaged("item", 4))))
    assert "moments (sums of squares)" in told
    assert "Estimated below 0, counted as 0: items (−0.00" in told


def test_few_raters_and_ratings_left_out_are_warned_of() -> None:
    assert "Only 3 raters" in filled(remarks(crossed(20, 3))[0])
    assert remarks(crossed(20, 6)) == []
    item, rater = (codes.ravel() for codes in np.indices((20, 6)))
    system = np.where(item < 2, -1, item % 7)
    found = components(item, rater, np.random.default_rng(0).normal(size=120), system, bootstrap=DRAWS)
    assert "12 ratings without a system or a topic were left out." in [
        filled(told) for told in remarks(found)
    ]


def test_where_variance_comes_from_is_clear_where_one_share_is_above_all_others() -> None:
    equal = components([0, 0, 1, 1], [0, 1, 0, 1], [3.0] * 4)
    assert finding(equal, None, "focus").status is Status.NOT_ENOUGH_DATA
    of_each = {
        name: finding(found, generalisability(found, Averaged("item", 3)), "focus").status
        for name, found in {
            "much": crossed(200, 12, own=3.0),
            "undrawn": crossed(80, 12, draws=BootstrapSpec(0)),
            "wide": crossed(4, 3, seed=1),
        }.items()
    }
    assert of_each == {"much": Status.CLEAR, "undrawn": Status.UNCERTAIN, "wide": Status.UNCERTAIN}
