"""What is said of several groups held against one reference, and the matrix of each two."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from findings.crowd_vs_lab.all_groups import candidates, finding, matrix
from tests.findings.studies import said, study_of

ITEMS = np.arange(12)
ONE = compare(
    Ratings(np.repeat(ITEMS, 2), np.tile([0, 1], 12), np.repeat(ITEMS, 2)),
    Ratings(np.repeat(ITEMS, 2), np.tile([2, 3], 12), np.repeat(ITEMS, 2)),
    ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0),
)


def compared(*rho: Estimate, shared: int = 12) -> Sequence[Comparison]:
    return [replace(ONE, spearman=one, items_shared=shared) for one in rho]


def test_the_closest_group_is_named_only_where_its_interval_is_above_the_others() -> None:
    study = study_of("focus")
    high, low = Estimate(0.9, 0.85, 0.95, 12), Estimate(0.6, 0.5, 0.7, 12)
    assert said(finding(study, {"amt": compared(high), "web": compared(low)})) == (
        "Of the 2 groups held against lab, <b>amt</b> orders the items most like it (Spearman's ρ <b>0.90</b>, 0.85 to "
        "0.95), <b>web</b> least (<b>0.60</b>, 0.50 to 0.70)."
    )
    near = Estimate(0.8, 0.6, 0.9, 12)
    assert said(finding(study, {"amt": compared(high), "web": compared(near)})) == (
        "Which of the 2 groups orders the items most like lab cannot be told: Spearman's ρ runs from <b>0.80</b> (web, "
        "0.60 to 0.90) to <b>0.90</b> (amt, 0.85 to 0.95)."
    )
    drawn_later = {"amt": compared(Estimate(0.9)), "web": compared(Estimate(0.6))}
    assert said(finding(study, drawn_later)) == (
        "Spearman's ρ of the 2 groups held against lab runs from <b>0.60</b> (web) to <b>0.90</b> (amt)."
    )


def test_over_several_measures_the_median_is_told_and_on_few_items_nothing() -> None:
    study = study_of("focus", "grammar", "style")
    by_group = {
        "amt": compared(Estimate(0.9), Estimate(0.7), Estimate(0.1)),
        "web": compared(Estimate(0.2), Estimate(0.8), Estimate(0.3)),
    }
    assert said(finding(study, by_group)) == (
        "Of the 2 groups held against lab, <b>amt</b> has the highest median correlation over 3 measures (Spearman's ρ "
        "<b>0.70</b>), web the lowest (<b>0.30</b>)."
    )
    few = {"amt": compared(Estimate(0.9), shared=9), "web": compared(Estimate(0.2))}
    assert "cannot be told: it takes two that share at least 10 items with it" in said(
        finding(study_of("focus"), few)
    )


def test_the_matrix_is_the_same_either_way_and_empty_on_its_diagonal() -> None:
    shown = matrix(["a", "b", "c"], {("a", "b"): Estimate(0.5), ("b", "c"): Estimate(0.25)})
    assert shown.loc["a", "b"] == shown.loc["b", "a"] == 0.5
    assert shown.loc["c", "b"] == 0.25
    assert all(isnan(shown.loc[group, group]) for group in "abc")
    assert isnan(shown.loc["a", "c"])


def test_candidates_are_all_groups_but_the_reference() -> None:
    study = replace(study_of("focus"), groups=("amt", "crowd", "lab"))
    assert candidates(study) == ["amt", "crowd"]
    assert candidates(replace(study, reference=None, reference_column="gold")) == ["amt", "crowd", "lab"]
    assert candidates(replace(study, reference=None)) == []


def test_groups_whose_intervals_meet_are_uncertain_and_few_items_not_enough() -> None:
    study = study_of("focus")
    high, near, low = (Estimate(v, v - 0.05, v + 0.05, 12) for v in (0.9, 0.85, 0.6))
    assert finding(study, {"amt": compared(high), "web": compared(low)}).status is Status.CLEAR
    assert finding(study, {"amt": compared(high), "web": compared(near)}).status is Status.UNCERTAIN
    assert finding(study, {"amt": compared(Estimate(0.9)), "web": compared(low)}).status is Status.UNCERTAIN
    few = {"amt": compared(high, shared=9), "web": compared(low)}
    assert finding(study, few).status is Status.NOT_ENOUGH_DATA
