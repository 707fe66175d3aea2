"""Findings on raters: who is named with which numbers, null results, and studies that are too small."""

from math import nan

import numpy as np
import pytest

from analysis.assessors.typical_rater import compare_with_typical, pooled_variance, scatter_changes
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from features.blocks import Finding, Status
from features.plotting.theme import decimal
from features.raters.typical_rater_findings import (
    ABOVE,
    BELOW,
    RESIDUAL,
    ComparedRaters,
    leading_measure,
    naming_finding,
    scatter_finding,
    verdicts,
)
from features.words import plain
from tests.features.raters_of_studies import compared, panel
from tests.features.studies import said, verdict
from tests.golden.content import numbers_in

ALIKE = 0.7, 0.71, 0.69, 0.7, 0.68, 0.72, 0.7
ONE_BELOW = 0.0, *ALIKE


def told(finding: Finding) -> tuple[str, str]:
    return plain(finding.headline), plain(finding.evidence)


def test_one_rater_below_is_named_with_its_figure_and_the_typical_one() -> None:
    finding = naming_finding([panel(*ONE_BELOW)])
    headline, line = told(finding)
    assert verdict(finding) == (Status.CLEAR, "1", "8")
    assert "less consistent" in headline
    assert line.startswith("Rater a: ")
    assert numbers_in(line) == [0, 95, -0.1, 0.1, 0.7, 50, 8]


def test_raters_above_are_named_alone_or_with_those_below() -> None:
    above = naming_finding([panel(0.97, *ALIKE)])
    assert verdict(above) == (Status.CLEAR, "1", "8")
    assert "more consistent" in said(above)
    both = naming_finding([panel(0.97, -0.1, 0.0, *ALIKE)])
    assert verdict(both) == (Status.CLEAR, "2", "10")
    headline, line = told(both)
    assert "less consistent" in headline
    assert "also c" in line
    assert "clearly above: a" in line


def test_a_null_result_says_so_with_what_would_be_missed() -> None:
    finding = naming_finding([panel(*ALIKE, n=25)])
    headline, line = told(finding)
    assert headline.startswith("No rater")
    typical, missed, items, raters, scope, p = line.split(" · ")
    assert (typical, items, raters) == ("Typical r 0.70", "25 items each", "7 raters")
    assert scope == "for these raters"
    assert 0.0 < float(missed.removeprefix("a rater at ").split()[0]) < 0.35
    assert p == "test of equal consistency p = 1.000"
    assert finding.status is Status.UNCERTAIN


def test_raters_may_differ_although_nobody_stands_out() -> None:
    finding = naming_finding([panel(0.5, 0.55, 0.6, 0.82, 0.85, 0.8, 0.52, 0.83, 0.7, 0.7)])
    assert verdict(finding) == (Status.CLEAR,)
    assert "Raters differ" in said(finding)


def test_of_several_measures_the_clearest_is_reported() -> None:
    measures = [panel(*ALIKE, 0.7, measure="grammar"), panel(*ONE_BELOW)]
    assert verdict(naming_finding(measures))[1:] == ("1", "8")
    headline, line = told(naming_finding(measures))
    assert "on at least one measure" in headline
    assert line.startswith("Rater a on focus: r = 0.00")
    assert numbers_in(line)[-2:] == [8, 2]
    assert leading_measure(measures) == "focus"
    assert "on grammar" in told(naming_finding([measures[0], panel(*ALIKE)]))[1]


def test_many_raters_are_a_screening_list() -> None:
    rng = np.random.default_rng(0)
    figures = [Estimate(r, nan, nan, 40) for r in np.tanh(0.8 + rng.normal(0, 0.16, 80)).tolist()]
    figures[0] = Estimate(-0.3, -0.5, -0.1, 40)
    headline, line = told(naming_finding([compared([f"r{at}" for at in range(80)], figures)]))
    assert numbers_in(headline) == [1, 80]
    assert "1 in 20" in line


@pytest.mark.parametrize("measures", [[], [panel()], [panel(0.9, 0.1)], [panel(*ONE_BELOW, n=9)]])
def test_too_small_studies_have_not_enough_data(measures: list[ComparedRaters]) -> None:
    finding = naming_finding(measures)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert leading_measure(measures) is None


def test_verdicts_hold_the_tested_raters_of_each_measure() -> None:
    found = verdicts([panel(0.97, -0.1, *ALIKE), panel(measure="grammar")])
    assert [found["focus"][name][0] for name in "abc"] == [ABOVE, BELOW, ""]
    assert found["focus"]["b"][1] < 0.05
    assert found["grammar"] == {}


def test_scatter_is_worded_as_such() -> None:
    rng = np.random.default_rng(1)
    item, rater = np.divmod(np.arange(480), 8)
    quality, noise = rng.normal(0, 1, 60)[item], rng.normal(0, 0.7, 480)
    score = quality + np.where(rater == 2, 4.0, 1.0) * noise

    def scattered(values: np.ndarray) -> ComparedRaters:
        found = scatter_changes(Ratings(item, rater, values))
        tests = compare_with_typical(found.z, found.units, pooled_variance(found))
        figures = [Estimate(RESIDUAL.value(z), n=60) for z in found.z.tolist()]
        return ComparedRaters("focus", list("abcdefgh"), figures, tests, RESIDUAL)

    (finding,) = scatter_finding(scattered(score), decimal)
    headline, line = told(finding)
    assert headline.startswith("1 of 8 raters ")
    sd = float(line.removeprefix("Rater c on focus: residual SD ").split(" ")[0])
    assert sd == pytest.approx(
        np.std((score - (score.reshape(60, 8).sum(1)[item] - score) / 7)[rater == 2], ddof=1), abs=0.006
    )
    assert not finding.is_main
    assert not list(scatter_finding(scattered(quality + noise), decimal))
