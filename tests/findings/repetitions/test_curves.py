"""What is said of curves of ratings: the knee, what is saved there and given up, and why there may be none."""

from math import nan

import numpy as np
import pytest

from analysis.agreement.agreement_summary import AgreementSummary, agreement_summary
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
    one = Estimate(value, low, high, n, warning="Based on few items." if n < 20 else "")
    return Reliability(measure, AgreementSummary(one, one, one, 4.0, 8))


SURE = reliability("focus", 0.3, 0.2, 0.4)


def test_the_ratings_needed_come_first_and_the_knee_second() -> None:
    found = finding(study_of("focus"), [FOCUS], [SURE], intervals=intervals(FOCUS))
    assert said(found).startswith(
        "Focus needs about <b>10</b> ratings per item. The curve of focus bends at <b>4</b>"
    )
    for part in ("Reliability 0.80", "95% CI 6–16", "50 items", "these raters"):
        assert part in said(found.evidence)


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
    found = finding(study_of("focus"), [FOCUS], [SURE], 0.9)
    assert "<b>21</b>" in said(found)
    assert "Reliability 0.90 · 95% CI 14–36" in said(found.evidence)


def test_of_several_the_one_that_needs_most_is_named_and_the_easiest() -> None:
    assert in_focus([FOCUS, GRAMMAR, CLARITY]) is GRAMMAR
    wide, unknown = reliability("grammar", 0.1, 0.02, 0.2), reliability("clarity", 0.02, -0.05, 0.1)
    asked = [FOCUS, GRAMMAR, CLARITY], [SURE, wide, unknown]
    found = finding(study_of("focus", "grammar", "clarity"), *asked, intervals=intervals(*asked[0]))
    assert said(found).startswith("Grammar, the hardest measure, needs about <b>36</b> ratings per item.")
    for part in ("easiest measure: 10", "no number for clarity", "95% CI 16–196"):
        assert part in said(found.evidence)
    assert said(found.warnings[0]) == "More items would narrow this."
    assert "Knees lie from <b>4 to 5</b> (2 of 3 measures have one)." in said(found)


def test_measures_that_need_as_many_have_no_easiest() -> None:
    found = finding(study_of("focus", "grammar"), [FOCUS, GRAMMAR], [SURE, SURE])
    assert "easiest" not in said(found.evidence)


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
    reliabilities = [Reliability("focus", agreement_summary(ratings, "these raters"))]
    return said(finding(study_of("focus", reference=reference), fitted, reliabilities))


def test_ratings_that_are_chance_do_not_agree_and_no_mean_gets_reliable() -> None:
    told = told_of(np.random.default_rng(0).normal(0, 1, (50, 12)))
    assert told.startswith("Raters do not agree beyond chance on focus")
    assert "What more ratings bring cannot be told" in told


@pytest.mark.parametrize(
    "score",
    [
        np.full((50, 12), 3.0),
        np.arange(4.0)[:, None] * 3 + np.random.default_rng(0).normal(0, 1, (4, 12)),
        np.ones((1, 1)),
    ],
)
def test_no_number_is_named_from_equal_ratings_or_few_items(score: np.ndarray) -> None:
    assert told_of(score).startswith("Not enough data to say how many ratings focus needs.")
    assert told_of(score, reference=None).endswith("This is repeatability, not validity.")


def test_without_a_reference_it_is_said_to_be_repeatability() -> None:
    rng = np.random.default_rng(0)
    told = told_of(rng.normal(0, 1, 200)[:, None] + rng.normal(0, 1, (200, 8)), reference=None)
    assert told.startswith("Focus needs about <b>")
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
    assert status(FOCUS, chance) is Status.CLEAR
    assert status(FOCUS, few) is Status.UNCERTAIN, "the knee is told, though no number of ratings is"
    assert status(CLARITY, few) is Status.NOT_ENOUGH_DATA
    assert status(CLARITY, unknown) is Status.NOT_ENOUGH_DATA
    assert status(FOCUS, few, reference=None) is Status.NOT_ENOUGH_DATA
    assert finding(study, [CLARITY], []).status is Status.NOT_ENOUGH_DATA
