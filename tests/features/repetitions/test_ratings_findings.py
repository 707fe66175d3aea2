"""Verdicts on ratings: the ratings needed, where gains slow, and what is recommended."""

from dataclasses import replace
from math import atanh, inf, nan, sqrt, tanh

import numpy as np
import pytest

from analysis.agreement.agreement_summary import AgreementSummary, agreement_summary
from analysis.repetitions.attenuation import ratings_needed
from analysis.repetitions.knee import FittedCurves, fit_curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from features.blocks import Finding, Status
from features.repetitions.ratings_findings import (
    curve_finding,
    curve_warnings,
    exclusion_finding,
    needed_finding,
    obstacle,
    repetitions_table,
)
from features.repetitions.ratings_results import Needed, RatingsSpec, Repetitions
from tests.features.repetitions.fitted import intervals, of_points, saturating
from tests.features.studies import said, study_of, verdict
from tests.golden.content import numbers_in

SPEC = RatingsSpec(RepetitionSpec())
FOCUS, GRAMMAR = saturating(), saturating("grammar", b=0.4)
CLARITY = of_points(np.linspace(0.2, 0.9, 8), "clarity")


def needed(
    measure: str, value: float, low: float, high: float, n: int = 50, target: float = 0.8, share: float = 1.0
) -> Needed:
    one = Estimate(value, low, high, n, warning="Based on few items." if n < 20 else "")
    summary = AgreementSummary(one, one, one, 4.0, 8, items_share=share)
    return Needed(measure, summary, ratings_needed(summary, target))


SURE = needed("focus", 0.3, 0.2, 0.4)


def curves(
    *fitted: FittedCurves, known: bool = True, without: float = 0.0, reference: str | None = "lab"
) -> Finding:
    """Return the finding on curves, with or without their knees' intervals."""
    found = Repetitions((), fitted, tuple(intervals(*fitted, without_knee=without)) if known else None)
    study = study_of(*(one.measure for one in fitted), reference=reference)
    return curve_finding(study, found, SPEC)


def test_the_hardest_measure_is_named_with_its_interval_and_the_easiest() -> None:
    wide, unknown = needed("grammar", 0.1, 0.02, 0.2), needed("clarity", 0.02, -0.05, 0.1)
    found = needed_finding([SURE, wide, unknown], 0.8)
    assert verdict(found) == (Status.UNCERTAIN, "36")
    assert said(found).startswith("Grammar")
    assert numbers_in(said(found.evidence)) == [0.8, 95, 16, 196, 50, 10]
    assert "clarity" in said(found.evidence)


def test_of_one_measure_there_is_no_hardest_and_of_equal_ones_no_easiest() -> None:
    assert verdict(needed_finding([SURE], 0.8)) == (Status.CLEAR, "10")
    assert said(needed_finding([SURE], 0.8)).startswith("Focus")
    assert "easiest" not in said(needed_finding([SURE, SURE], 0.8).evidence)


def test_one_rating_is_written_in_the_singular() -> None:
    assert said(needed_finding([needed("focus", 0.9, 0.85, 0.95)], 0.8)).endswith("<b>1</b> rating per item.")


def test_another_target_can_be_chosen() -> None:
    found = needed_finding([needed("focus", 0.3, 0.2, 0.4, target=0.9)], 0.9)
    assert "<b>21</b>" in said(found)
    assert said(found.evidence).startswith("Reliability 0.90 · 95% CI 14–36")


def test_the_items_recommended_make_the_interval_narrow_enough() -> None:
    wide = needed("grammar", 0.1, 0.02, 0.2)
    step = needed_finding([wide], 0.8).next_step
    assert step is not None
    items = int("".join(letter for letter in step.label if letter.isdigit()))
    half = (atanh(0.2) - atanh(0.02)) / 2 * sqrt(50 / items)
    ends = [tanh(atanh(0.1) + side * half) for side in (-1, 1)]
    assert ends[1] / (1 - ends[1]) / (ends[0] / (1 - ends[0])) == pytest.approx(4, rel=0.02)


def test_where_raters_make_up_the_width_more_raters_are_recommended() -> None:
    step = needed_finding([needed("grammar", 0.1, 0.02, 0.2, share=0.3)], 0.8).next_step
    assert step is not None
    assert step.label == "Plan more raters"


def test_nothing_is_recommended_that_is_out_of_reach() -> None:
    """An interval near 0 from 1,400 items: hundreds of thousands of items would be needed."""
    near_zero = needed("focus", 0.002, -0.05, 0.25, n=1400)
    found = needed_finding([near_zero], 0.8)
    assert found.status is Status.UNCERTAIN
    assert found.next_step is None
    flat = of_points(np.linspace(0.01, 0.02, 8))
    flat = replace(flat, curves=replace(flat.curves, items=np.full(8, 1400)))
    of_curve = curves(flat, known=False)
    assert of_curve.status is Status.CLEAR, "the interval shows that there is next to no correlation"
    assert "does not correlate" in said(of_curve)
    assert of_curve.next_step is None


def test_an_unclear_correlation_recommends_the_items_that_would_show_it() -> None:
    low = of_points(np.linspace(0.1, 0.2, 8))
    found = curves(low, known=False)
    assert found.status is Status.UNCERTAIN
    assert found.next_step is not None
    items = int("".join(letter for letter in found.next_step.label if letter.isdigit()))
    enough = replace(low, curves=replace(low.curves, items=np.full(8, items)))
    assert enough.correlation.low == pytest.approx(0, abs=0.003)


@pytest.mark.parametrize(("low", "high"), [(-0.05, 0.1), (-0.15, 0.15)])
def test_raters_who_do_not_agree_are_a_result(low: float, high: float) -> None:
    found = needed_finding([needed("focus", 0.0, low, high)], 0.8)
    assert found.status is Status.CLEAR
    assert "do not agree beyond chance" in said(found)


def test_few_items_and_unknown_intervals_are_not_enough_data() -> None:
    for one in (needed("focus", 0.3, 0.2, 0.4, n=4), needed("focus", 0.3, nan, nan)):
        assert needed_finding([one], 0.8).status is Status.NOT_ENOUGH_DATA


def test_gains_slow_at_the_knee_once_its_interval_is_known() -> None:
    found = curves(FOCUS)
    assert verdict(found) == (Status.CLEAR, "4")
    assert numbers_in(said(found.evidence))[:5] == [95, 2, 9, 50, 12]
    several = curves(FOCUS, GRAMMAR, CLARITY)
    assert "<b>5</b>" in said(several)
    assert numbers_in(said(several.evidence))[:7] == [4, 5, 2, 3, 95, 2, 9]
    assert "on grammar" in said(several.evidence)
    scoped = curve_finding(
        study_of("focus"),
        Repetitions((), (FOCUS,), tuple(intervals(FOCUS))),
        replace(SPEC, scope="these raters"),
    )
    assert "for these raters" in said(scoped.evidence)


def test_the_interval_of_the_correlation_is_that_of_the_number_in_the_headline() -> None:
    """The fitted curve and the measured correlation differ: number and interval are both of the latter."""
    rough = of_points(0.6 * (1 - np.exp(-0.6 * np.arange(1, 13))) + 0.3 + np.tile([0.03, -0.03], 6))
    found, told = curves(rough, known=False), rough.correlation
    assert round(float(rough.saturation.at(12)), 2) != round(told.value, 2)
    assert f"<b>{told.value:.2f}</b>" in said(found)
    assert f"95% CI {told.low:.2f}–{told.high:.2f}" in said(found.evidence)
    assert told.low < told.value < told.high
    centered = (atanh(told.low) + atanh(told.high)) / 2
    assert tanh(centered) == pytest.approx(told.value)


def test_a_knee_that_many_bootstrap_samples_lack_is_not_reported() -> None:
    assert curves(FOCUS, without=0.1).status is Status.CLEAR
    for without in (0.11, 0.37):
        assert curves(FOCUS, without=without).status is Status.NOT_ENOUGH_DATA
    assert "37%" in said(curves(FOCUS, without=0.37).evidence)


def test_an_open_upper_end_of_a_knee_is_written_as_such() -> None:
    (drawn,) = intervals(FOCUS)
    opened = replace(drawn, knee=replace(drawn.knee, high=inf))
    found = curve_finding(study_of("focus"), Repetitions((), (FOCUS,), (opened,)), SPEC)
    assert said(found.evidence).startswith("95% CI 2 or more")


def test_without_a_knee_the_reason_is_given() -> None:
    found = curves(CLARITY)
    assert found.status is Status.NOT_ENOUGH_DATA
    assert 8 in numbers_in(said(found.evidence))


def test_split_halves_are_called_repeatability_and_have_no_knee() -> None:
    rng = np.random.default_rng(0)
    score = rng.normal(0, 1, 200)[:, None] + rng.normal(0, 1, (200, 8))
    ratings = Ratings(np.repeat(np.arange(200), 8), np.arange(1600), score.ravel())
    (halves,) = fit_curves(["focus"], [simulate(ratings, None, RepetitionSpec(shuffles=5))], 1.0)
    found = curves(halves, reference=None)
    assert f"<b>{halves.correlation.value:.2f}</b>" in said(found)
    assert "repeatability, not validity" in said(found.evidence)


def test_equal_ratings_and_few_items_have_no_correlation() -> None:
    def of(score: np.ndarray) -> Finding:
        n, m = score.shape
        ratings = Ratings(np.repeat(np.arange(n), m), np.arange(n * m), score.ravel())
        known = dict(enumerate(np.random.default_rng(9).normal(0, 1, n).tolist()))
        return curves(*fit_curves(["focus"], [simulate(ratings, known, RepetitionSpec(shuffles=5))], 1.0))

    assert of(np.full((50, 12), 3.0)).status is Status.NOT_ENOUGH_DATA
    few = of(np.arange(4.0)[:, None] * 3 + np.random.default_rng(0).normal(0, 1, (4, 12)))
    assert few.status is Status.NOT_ENOUGH_DATA
    assert "4 items, it needs 10" in said(few)
    chance = np.random.default_rng(0).normal(0, 1, (50, 12))
    ratings = Ratings(np.repeat(np.arange(50), 12), np.arange(600), chance.ravel())
    summary = agreement_summary(ratings, "these raters")
    assert (
        needed_finding([Needed("focus", summary, ratings_needed(summary, 0.8))], 0.8).status is Status.CLEAR
    )


def test_the_exclusion_says_how_the_ratings_needed_change() -> None:
    study = study_of("focus", "grammar")
    study = replace(study, dataset=study.dataset.leaving_out(("crowd 7",)))
    other = needed("focus", 0.25, 0.15, 0.35)
    same = needed("grammar", 0.3, 0.2, 0.4)
    changed = exclusion_finding(study, [SURE, same], [other, same])
    assert "for focus is 12 instead of 10" in said(changed)
    assert "largest of 2 changes" in said(changed.evidence)
    assert "stays 10" in said(exclusion_finding(study, [SURE], [SURE]))


def test_the_same_group_on_both_sides_has_no_answer() -> None:
    found = obstacle(study_of("focus", reference="crowd"))
    assert found is not None
    assert found.status is Status.NOT_APPLICABLE


def test_warnings_name_what_is_sampled_and_undefined() -> None:
    told = [said(one.text) for one in curve_warnings([FOCUS, CLARITY], ["focus"])]
    assert [text.partition(":")[0] for text in told] == ["focus", "clarity"]


def test_a_warning_that_holds_for_all_lists_no_names() -> None:
    less = [replace(one, curves=replace(one.curves, left_out=3)) for one in (FOCUS, CLARITY)]
    told = [said(one.text) for one in curve_warnings(less, ["focus"], several="comparisons")]
    assert "Both comparisons: 3 items without a reference value left out." in told
    assert {text.partition(":")[0] for text in told} == {"Both comparisons", "focus", "clarity"}


def test_the_table_has_few_columns_first_and_the_fit_among_all() -> None:
    found = Repetitions((SURE,), (FOCUS,), tuple(intervals(FOCUS)))
    table = repetitions_table(found, SPEC)
    assert list(table.columns_at_first_sight) == ["Measure", "Ratings needed", "Reliability now", "Knee"]
    assert table.formats["Ratings needed"] == ["10 (6 to 16)"]
    assert table.formats["Knee"] == ["4 (2 to 9)"]
    fit = [table.frame[name][0] for name in ("a", "b", "c")]
    assert fit == [FOCUS.saturation.a, FOCUS.saturation.b, FOCUS.saturation.c]
    assert table.frame["R² shuffle 2"][0] == pytest.approx(1)
