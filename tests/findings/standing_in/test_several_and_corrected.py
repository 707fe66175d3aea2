"""What is said of candidates that err alike, and of scores with a candidate's help."""

import numpy as np

from analysis.standing_in import corrected_score, corrected_scores, shared_errors
from analysis.values.ratings import Ratings
from features.blocks import Status
from findings.standing_in import corrected, several
from findings.standing_in.candidates import Asked
from tests.findings.studies import said

ASKED = Asked("lab", "focus", False, "negative rmse", 0.2, 0.05, 30)
RNG = np.random.default_rng(4)
TRUTH = RNG.normal(3, 1, 80)
ITEM = np.repeat(np.arange(80), 4)
LAB = Ratings(ITEM, np.tile(np.arange(4), 80), TRUTH[ITEM] + RNG.normal(0, 0.5, 320))
COMMON = RNG.normal(0, 1, 80)
TWINS = [dict(enumerate((TRUTH + COMMON + RNG.normal(0, 0.2, 80)).tolist())) for _ in range(3)]


def test_candidates_that_share_an_error_are_worth_hardly_more_than_one() -> None:
    errors = shared_errors(LAB, TWINS)
    told = said(several.finding(ASKED, list("abc"), errors))
    assert told.startswith("The errors of 3 candidates go together at <b>r = 0.9")
    assert "on average" in told
    assert "their mean is worth <b>1." in told
    rows, written = several.table(list("abc"), errors)
    assert rows[["Candidate", "Other candidate"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert all(" to " in cell for cell in written["Correlation of errors"])  # type: ignore[union-attr]
    assert "on average" not in said(several.finding(ASKED, list("ab"), shared_errors(LAB, TWINS[:2])))


def test_errors_that_are_not_known_say_why() -> None:
    alone = Ratings(LAB.item[::4], LAB.rater[::4], LAB.score[::4])
    told = said(several.finding(ASKED, list("abc"), shared_errors(alone, TWINS)))
    assert told.startswith("Not enough data to say whether candidates err alike: no item was rated by two")


def test_errors_that_may_correlate_in_any_way_are_not_enough_data() -> None:
    two = LAB.rater < 2
    pair = Ratings(LAB.item[two], LAB.rater[two], LAB.score[two])
    errors = shared_errors(pair, TWINS)
    assert (errors.correlation.low, errors.correlation.high) == (-1.0, 1.0)
    assert (errors.worth.low, errors.worth.high) == (1.0, float("inf"))
    finding = several.finding(ASKED, list("abc"), errors)
    assert finding.status is Status.NOT_ENOUGH_DATA


def test_corrected_scores_say_on_how_many_items_they_rest() -> None:
    f = TRUTH + RNG.normal(0, 0.2, 80)
    y = np.where(np.arange(80) < 20, TRUTH, np.nan)
    one = corrected.Corrected("model", {corrected.ALL_ITEMS: corrected_score(f, y)}, False, True)
    told = said(corrected.finding(ASKED, one))
    assert told.startswith("With model on 80 items, 20 of which lab rated, the mean score is <b>")
    rows, written = corrected.table(one)
    assert rows["Rated"].tolist() == [20]
    assert rows["Reference alone"].tolist() == [float(TRUTH[:20].mean())]
    assert set(written) <= set(rows)
    systems = np.array(["s1", "s2"])[np.arange(80) % 2]
    both = corrected.Corrected("model", corrected_scores(systems, f, y), True, False)
    assert "narrower than from the reference alone for <b>2 of 2 systems</b>" in said(
        corrected.finding(ASKED, both)
    )
    rows, _ = corrected.table(both)
    assert rows["System"].tolist() == ["s1", "s2"]
    assert rows["Plain form"].isna().all()


def test_where_nothing_can_be_corrected_that_is_said() -> None:
    everything = corrected.Corrected(
        "model", {corrected.ALL_ITEMS: corrected_score(TRUTH, TRUTH)}, False, True
    )
    assert "can add nothing to the scores: lab rated all of its 80 items" in said(
        corrected.finding(ASKED, everything)
    )
    few = corrected_score(TRUTH, np.where(np.arange(80) < 2, TRUTH, np.nan))
    told = said(corrected.finding(ASKED, corrected.Corrected("m", {corrected.ALL_ITEMS: few}, False, True)))
    assert "cannot be told</b>: fewer than 3 items have a reference" in told


def test_what_cannot_be_corrected_or_compared_has_no_verdict() -> None:
    alone = Ratings(LAB.item[::4], LAB.rater[::4], LAB.score[::4])
    assert several.finding(ASKED, list("abc"), shared_errors(LAB, TWINS)).status is Status.CLEAR
    assert several.finding(ASKED, list("abc"), shared_errors(alone, TWINS)).status is Status.NOT_ENOUGH_DATA

    def status(rated: int) -> Status:
        score = corrected_score(TRUTH, np.where(np.arange(80) < rated, TRUTH, np.nan))
        of = corrected.Corrected("m", {corrected.ALL_ITEMS: score}, False, True)
        return corrected.finding(ASKED, of).status

    assert status(80) is Status.NOT_APPLICABLE
    assert status(2) is Status.NOT_ENOUGH_DATA
    assert status(20) is Status.CLEAR
