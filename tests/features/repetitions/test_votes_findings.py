"""Verdicts on votes: the share of items answered right, where gains slow, and both ways to an answer."""

from dataclasses import replace

import numpy as np

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.repetitions.knee import FittedCurves
from features.blocks import Finding, Status
from features.repetitions.ratings_findings import curve_warnings, why_no_knee, with_told_reason
from features.repetitions.ratings_results import Repetitions
from features.repetitions.votes import (
    ALL_VOTES,
    GOLD,
    VotesSpec,
    exclusion_finding,
    stopped_finding,
    votes_finding,
    votes_table,
)
from tests.features.repetitions.fitted import intervals, of_points, saturating
from tests.features.studies import said, study_of
from tests.features.studies import verdict as answer
from tests.golden.content import numbers_in

SPEC = VotesSpec(ChoiceRepetitionSpec(), GOLD)
FIRST = saturating("AW vs UI", reference="gold")
SECOND = saturating("KW vs UI", b=0.4, reference="gold")


def short(*shares: float) -> FittedCurves:
    return of_points(np.array(shares), "AW vs UI", reference="gold")


def verdict(*fitted: FittedCurves, known: bool = True, without: float = 0.0) -> Finding:
    found = tuple(intervals(*fitted, without_knee=without)) if known else None
    return votes_finding(Repetitions((), fitted, found), SPEC)


def test_gains_slow_at_the_knee_with_its_interval_and_the_shares_there() -> None:
    found = verdict(FIRST)
    assert answer(found) == (Status.CLEAR, "4")
    for part in ("95% CI 2–9", "85%", "instead of 90%", "50 items"):
        assert part in said(found.evidence)
    flat = of_points(0.9 - 0.1 * np.exp(-2.0 * np.arange(1, 13)), "AW vs UI", reference="gold")
    assert ("90%" in said(verdict(flat).evidence), "instead" in said(verdict(flat).evidence)) == (True, False)
    several = verdict(FIRST, SECOND)
    assert numbers_in(said(several.evidence))[:5] == [4, 5, 95, 2, 9]
    assert "KW vs UI" in said(several.evidence)


def test_without_a_sure_knee_the_share_of_items_is_given_with_its_interval() -> None:
    """Wilson's interval of 45 of 50 is 0.786 to 0.957."""
    for found in (verdict(FIRST, known=False), verdict(FIRST, without=0.2)):
        assert found.status is Status.UNCERTAIN
        assert "<b>90%</b>" in said(found)
        assert numbers_in(said(found.evidence))[:5] == [95, 79, 96, 50, 12]
    assert "20% of the bootstrap samples" in said(verdict(FIRST, without=0.2).evidence)


def test_too_few_votes_for_a_knee_are_the_reason() -> None:
    found = verdict(short(0.5, 0.6, 0.7))
    assert "<b>70%</b>" in said(found)
    assert "with one vote 50%" in said(found.evidence)
    assert "too few votes" in said(found.evidence)
    few = [short(0.5, 0.6, 0.7)]
    assert "too few" in "".join(said(one.text) for one in curve_warnings(few, [], "votes"))
    assert not list(curve_warnings(few, [], "votes", told=with_told_reason(few))), "it is said once"
    assert with_told_reason([*few, FIRST]) == set(), "the finding names the knee of the other curve"
    assert why_no_knee(short(0.5), "votes").startswith("too few votes")


def test_against_the_answer_of_all_votes_one_vote_is_compared() -> None:
    """All votes match their own answer by construction. Wilson's interval of 25 of 50 is 0.366 to 0.634."""
    found = votes_finding(
        Repetitions((), (short(0.5, 0.6, 1.0),), None), VotesSpec(ChoiceRepetitionSpec(), ALL_VOTES)
    )
    assert answer(found)[1:] == ("50%",)
    assert numbers_in(said(found.evidence))[:5] == [95, 37, 63, 50, 3]


def test_few_items_and_single_votes_are_not_enough_data() -> None:
    alone = replace(FIRST, curves=replace(FIRST.curves, items=np.full(12, 1)))
    for found in (verdict(alone), verdict(short(0.8)), verdict(short())):
        assert found.status is Status.NOT_ENOUGH_DATA
    assert numbers_in(said(verdict(alone))) == [1, 10]
    assert not stopped_finding().status.concludes


def test_the_table_shows_shares_first_and_the_knee_with_its_interval() -> None:
    (drawn,) = intervals(FIRST)
    drawn = replace(drawn, low=np.full(12, 0.8), high=np.full(12, 0.95))
    table = votes_table(Repetitions((), (FIRST,), (drawn,)))
    assert list(table.columns_at_first_sight) == ["Comparison", "After 1", "At the knee", "After all", "Knee"]
    assert table.formats["Knee"] == ["4 (2 to 9)"]
    np.testing.assert_allclose(table.frame["At the knee"], 0.9 - 0.6 * np.exp(-2.4))
    assert table.formats["At the knee"] == ["84.6% (80.0 to 95.0%)"]
    assert votes_table(Repetitions((), (FIRST,))).formats["Knee"] == ["4"]


def test_excluded_raters_are_named_with_the_largest_change_at_equally_many_votes() -> None:
    study = study_of("focus")
    study = replace(study, dataset=study.dataset.leaving_out(("w1", "w2")))
    found = exclusion_finding(study, [FIRST, SECOND], [short(0.3, 0.4), SECOND], SPEC)
    before = 100 * (0.9 - 0.6 * np.exp(-1.2))
    assert answer(found)[1:] == ("2", "40.0%", f"{before:.1f}%")
    assert "AW vs UI" in said(found)
