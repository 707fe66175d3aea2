"""What is said of curves of ratings: the knee, what is saved there and given up, and why there may be none."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.agreement.one_way_intervals import OneWayIntervals, one_way_intervals
from analysis.repetitions.fitted_curves import FittedCurves, fit_curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from findings.repetitions import leaving_out
from findings.repetitions.curves import at_a_glance, finding, in_focus, no_other_reference, remarks
from findings.repetitions.needed import Reliability
from tests.findings.repetitions.fitted import intervals, of_points, saturating
from tests.findings.studies import said, study_of

FOCUS, GRAMMAR = saturating(), saturating("grammar", b=0.4)
CLARITY = of_points(np.linspace(0.2, 0.9, 8), "clarity")


def reliability(measure: str, value: float, low: float, high: float, n: int = 50) -> Reliability:
    return Reliability(measure, OneWayIntervals(Estimate(value, low, high, n), Estimate(1.0, 0.9, 1.1, n)))


SURE = reliability("focus", 0.3, 0.2, 0.4)


def test_the_ratings_needed_come_first_and_the_knee_second() -> None:
    assert said(finding(study_of("focus"), [FOCUS], [SURE], intervals=intervals(FOCUS))) == (
        "A mean rating with a reliability of 0.80 takes <b>10</b> ratings per item for focus (95 % interval 6 to 16; "
        "50 items; one rating has 0.30 (0.20 to 0.40)). The curve of focus bends at <b>4</b> of 12 ratings (its knee): "
        "a correlation of <b>0.85</b> instead of 0.90 (0.81 to 0.95 over 50 items, for these raters), <b>66 %</b> of "
        "the per-rating cost saved. The knee moves with how many ratings were collected: with 24 it would lie at 5."
    )


def test_no_knee_is_told_before_its_interval_is_known() -> None:
    studies = study_of("focus", "grammar"), [FOCUS, GRAMMAR], [SURE]
    assert said(at_a_glance(*studies)) == said(finding(*studies))
    assert "bends at" not in said(finding(*studies))


def test_a_knee_that_many_bootstrap_samples_lack_is_not_told() -> None:
    for without, told in ((0.1, True), (0.11, False), (0.37, False)):
        unsure = intervals(FOCUS, without_knee=without)
        found = finding(study_of("focus"), [FOCUS], [SURE], intervals=unsure)
        assert ("bends at" in said(found)) == told
    assert "37 %" in said(found)


def test_another_reliability_can_be_chosen() -> None:
    assert said(finding(study_of("focus"), [FOCUS], [SURE], 0.9)).startswith(
        "A mean rating with a reliability of 0.90 takes <b>21</b> ratings per item for focus (95 % interval 14 to 36;"
    )


def test_of_several_the_one_that_takes_most_is_told_and_where_the_others_lie() -> None:
    assert in_focus([FOCUS, GRAMMAR, CLARITY]) is GRAMMAR
    wide, unknown = reliability("grammar", 0.1, 0.02, 0.2), reliability("clarity", 0.02, -0.05, 0.1)
    told = said(
        finding(
            study_of("focus", "grammar", "clarity"),
            [FOCUS, GRAMMAR, CLARITY],
            [SURE, wide, unknown],
            intervals=intervals(FOCUS, GRAMMAR, CLARITY),
        )
    )
    assert told.startswith(
        "A mean rating with a reliability of 0.80 takes <b>36</b> ratings per item for grammar (95 % interval 16 to "
        "196; 50 items; one rating has 0.10 (0.02 to 0.20)), too wide to plan by: more items or raters would narrow "
        "it; of 2 measures it takes most, the least takes 10. For clarity it cannot be told. The curve of grammar "
        "bends at <b>5</b> of 12 ratings (its knee)"
    )
    assert "Knees lie from <b>4 to 5</b> (2 of 3 measures have one)." in told
    same = said(
        finding(
            study_of("focus", "grammar"),
            [FOCUS, replace(FOCUS, measure="grammar")],
            [SURE, wide],
            intervals=intervals(FOCUS, replace(FOCUS, measure="grammar")),
        )
    )
    assert "; of 2 measures it takes most, the least takes 10" in same
    assert f"Knees lie at <b>{FOCUS.knee}</b> (2 of 2 measures have one)." in same


def test_measures_that_take_as_many_have_no_most() -> None:
    told = said(finding(study_of("focus", "grammar"), [FOCUS, GRAMMAR], [SURE, SURE]))
    assert "; none of 2 measures takes fewer." in told


def test_an_interval_without_an_upper_end_is_told_in_words() -> None:
    hardly = reliability("focus", 0.1, 1e-9, 0.2)
    told = said(finding(study_of("focus"), [FOCUS], [hardly]))
    assert (
        "(95 % interval 16 or more; 50 items; one rating has 0.10 (0.00 to 0.20)), too wide to plan by"
        in told
    )


def test_without_a_knee_the_reason_is_told() -> None:
    assert said(finding(study_of("clarity"), [CLARITY], [SURE])).endswith(
        "Where the correlation flattens cannot be told: no measure has a knee (no saturation in this range: the curve "
        "does not level off within 8 repetitions)."
    )


def told_of(score: np.ndarray, reference: str | None = "lab") -> str:
    """What is said of scores (items, ratings), each by a rater of its own, and a reference that has nothing to do
    with them.
    """
    n, m = score.shape
    ratings = Ratings(np.repeat(np.arange(n), m), np.arange(n * m), score.ravel())
    known = dict(enumerate(np.random.default_rng(9).normal(0, 1, n).tolist())) if reference else None
    fitted = fit_curves(["focus"], [simulate(ratings, known, RepetitionSpec(shuffles=5))], 1.0)
    reliabilities = [Reliability("focus", one_way_intervals(ratings))]
    return said(finding(study_of("focus", reference=reference), fitted, reliabilities))


def test_nothing_is_concluded_from_ratings_that_are_chance() -> None:
    assert told_of(np.random.default_rng(0).normal(0, 1, (50, 12))) == (
        "How many ratings per item give a mean with a reliability of 0.80 cannot be told: for focus one rating has a "
        "reliability of 0.00 (−0.03 to 0.05) over 50 items, an interval that holds 0. It takes more items, or items "
        "that differ more. What more ratings bring cannot be told: after 12 ratings per item the correlation of focus "
        "is 0.12 (−0.17 to 0.39) over 50 items, an interval that holds 0; more items would be needed."
    )


def test_nothing_is_concluded_from_equal_ratings() -> None:
    assert told_of(np.full((50, 12), 3.0)) == (
        "How many ratings per item give a mean with a reliability of 0.80 cannot be told: all ratings are equal, so no "
        "ICC is defined. What more ratings bring cannot be told: all ratings are equal, so no correlation is defined."
    )


def test_nothing_is_concluded_from_four_items() -> None:
    score = np.arange(4.0)[:, None] * 3 + np.random.default_rng(0).normal(0, 1, (4, 12))
    assert told_of(score) == (
        "How many ratings per item give a mean with a reliability of 0.80 cannot be told from 4 items: it takes at "
        "least 10. What more ratings bring cannot be told from a correlation over 4 items: it takes at least 10."
    )
    assert told_of(score, reference=None) == (
        "How many ratings per item give a mean with a reliability of 0.80 cannot be told from 4 items: it takes at "
        "least 10. This is repeatability, not validity."
    )


def test_one_rating_of_one_item_tells_why_nothing_can_be_told() -> None:
    assert told_of(np.ones((1, 1))) == (
        "How many ratings per item give a mean with a reliability of 0.80 cannot be told: fewer than two items do not "
        "show how items differ. What more ratings bring cannot be told: one item alone has no correlation."
    )


def test_without_a_reference_it_is_said_to_be_repeatability() -> None:
    rng = np.random.default_rng(0)
    told = told_of(rng.normal(0, 1, 200)[:, None] + rng.normal(0, 1, (200, 8)), reference=None)
    assert told.startswith("A mean rating with a reliability of 0.80 takes <b>")
    assert told.endswith("This is repeatability, not validity.")


def test_remarks_tell_what_is_sampled_and_undefined() -> None:
    assert [said(remark) for remark in remarks([FOCUS, CLARITY], ["focus"], 5000)] == [
        "focus: the curves rest on 5000 items drawn at random (seed 0).",
        "clarity: no saturation in this range: the curve does not level off within 8 repetitions.",
    ]


def test_the_same_group_on_both_sides_is_told() -> None:
    same = no_other_reference(study_of("focus", reference="crowd"))
    assert same is not None
    assert said(same).startswith(
        "Candidate and reference are both crowd. Choose another reference, or split halves"
    )
    assert no_other_reference(study_of("focus", reference=None)) is None


def test_with_and_without_are_read_at_the_last_number_that_both_have() -> None:
    fewer = of_points(np.array([0.1, 0.2]), "focus")
    ((measure, before, after),) = leaving_out.changes([GRAMMAR, FOCUS], [fewer])
    assert measure == "focus"
    np.testing.assert_allclose([before.value, after.value], [0.9 - 0.6 * np.exp(-1.2), 0.2])
    assert (before.n, after.n) == (50, 50)
    rows, written = leaving_out.table([FOCUS], [fewer], "Spearman's ρ", "Measure")
    assert rows["Compared at r"].tolist() == [2]
    assert rows["Knee, everyone"].tolist() == [4]
    assert rows["Knee, without"].isna().all()
    assert written["Spearman's ρ, difference"](rows["Spearman's ρ, difference"][0]) == "−0.519"


def test_the_status_is_that_of_what_is_concluded_first() -> None:
    study = study_of("focus")
    wide, chance = reliability("focus", 0.1, 0.02, 0.2), reliability("focus", 0.02, -0.05, 0.1)
    few, unknown = reliability("focus", 0.3, 0.2, 0.4, n=4), reliability("focus", 0.3, nan, nan)

    def status(fitted: FittedCurves, of: Reliability, reference: str | None = "lab") -> Status:
        return finding(
            study_of("focus", reference=reference), [fitted], [of], intervals=intervals(fitted)
        ).status

    assert status(FOCUS, SURE) is Status.CLEAR
    assert status(FOCUS, wide) is Status.UNCERTAIN
    assert status(FOCUS, chance) is Status.UNCERTAIN
    assert status(FOCUS, few) is Status.UNCERTAIN, "the knee is told, though no number of ratings is"
    assert status(CLARITY, few) is Status.NOT_ENOUGH_DATA
    assert status(CLARITY, unknown) is Status.NOT_ENOUGH_DATA
    assert status(FOCUS, few, reference=None) is Status.NOT_ENOUGH_DATA
    assert finding(study, [CLARITY], []).status is Status.NOT_ENOUGH_DATA
