"""What is said of curves of ratings: the knee, what is saved there and given up, and why there may be none."""

import numpy as np

from analysis.repetitions.fitted_curves import fit_curves
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.values.ratings import Ratings
from findings.repetitions import leaving_out
from findings.repetitions.curves import finding, in_focus, no_other_reference, remarks
from tests.findings.repetitions.fitted import of_points, saturating
from tests.findings.studies import said, study_of

FOCUS, GRAMMAR = saturating(), saturating("grammar", b=0.4)
CLARITY = of_points(np.linspace(0.2, 0.9, 8), "clarity")


def test_one_knee_is_told_with_what_is_saved_and_given_up() -> None:
    assert said(finding(study_of("focus"), [FOCUS])) == (
        "At <b>4</b> of 12 ratings per item the correlation of focus is <b>0.85</b> instead of 0.90: <b>66 %</b> of "
        "the ratings saved."
    )


def test_of_several_the_middle_one_is_told_and_where_the_others_lie() -> None:
    assert in_focus([FOCUS, GRAMMAR, CLARITY]) is GRAMMAR
    assert said(finding(study_of("focus", "grammar", "clarity"), [FOCUS, GRAMMAR, CLARITY])) == (
        "At <b>5</b> of 12 ratings per item the correlation of grammar is <b>0.82</b> instead of 0.90: <b>58 %</b> "
        "of the ratings saved. Knees lie from <b>4 to 5</b> (2 of 3 measures have one)."
    )


def test_without_a_knee_the_reason_is_told() -> None:
    assert said(finding(study_of("clarity"), [CLARITY])) == (
        "More ratings per item still pay everywhere, or there are too few to tell: no measure has a knee (no "
        "saturation in this range: the curve does not level off within 8 repetitions)."
    )


def test_split_halves_tell_the_reliability_of_one_and_how_many_it_takes() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(200), 8)
    ratings = Ratings(
        item, np.tile(np.arange(8), 200), rng.normal(0, 1, 200)[item] + rng.normal(0, 1, len(item))
    )
    (halves,) = fit_curves(["focus"], [simulate(ratings, None, RepetitionSpec(shuffles=20))], 1.0)
    assert halves.beyond is not None
    one = halves.beyond.reliability_of_one
    assert abs(one - 0.5) < 0.06
    told = said(finding(study_of("focus", reference=None), [halves]))
    needed = int(np.ceil(0.8 * (1 - one) / (0.2 * one)))
    assert f"ratings of focus have a reliability of <b>{one:.2f}</b> each" in told
    assert f"a mean with a reliability of 0.8 takes about <b>{needed}</b> ratings per item." in told


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
    np.testing.assert_allclose([before, after], [0.9 - 0.6 * np.exp(-1.2), 0.2])
    rows, written = leaving_out.table([FOCUS], [fewer], "Spearman's ρ", "Measure")
    assert rows["Compared at r"].tolist() == [2]
    assert rows["Knee, everyone"].tolist() == [4]
    assert rows["Knee, without"].isna().all()
    assert written["Spearman's ρ, difference"](rows["Spearman's ρ, difference"][0]) == "−0.519"
