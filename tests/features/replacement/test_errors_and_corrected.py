"""Findings on candidates that err alike, and on scores with a candidate's help."""

import numpy as np
import pytest

from analysis.standing_in import corrected_score, corrected_scores, shared_errors
from analysis.values.ratings import Ratings
from features.blocks import Status
from features.replacement.corrected import (
    ALL_ITEMS,
    Corrected,
    corrected_finding,
    corrected_table,
    errors_finding,
    errors_table,
)
from features.replacement.specs import ReplacementSpec
from features.words import plain
from tests.features.studies import said
from tests.golden.content import numbers_in

SPEC = ReplacementSpec("lab", "focus", "negative rmse")
RNG = np.random.default_rng(4)
TRUTH = RNG.normal(3, 1, 80)
ITEM = np.repeat(np.arange(80), 4)
LAB = Ratings(ITEM, np.tile(np.arange(4), 80), TRUTH[ITEM] + RNG.normal(0, 0.5, 320))
COMMON = RNG.normal(0, 1, 80)
TWINS = [dict(enumerate((TRUTH + COMMON + RNG.normal(0, 0.2, 80)).tolist())) for _ in range(3)]


def test_candidates_that_share_an_error_are_worth_hardly_more_than_one() -> None:
    errors = shared_errors(LAB, TWINS)
    found = errors_finding(SPEC, list("abc"), errors)
    assert found.status is Status.CLEAR
    assert numbers_in(said(found)) == [pytest.approx(errors.correlation.value, abs=0.006)]
    assert f"worth {errors.worth.value:.1f}" in plain(found.evidence)
    table = errors_table(list("abc"), errors)
    pairs = table.frame[["Candidate", "Other candidate"]].to_numpy().tolist()
    assert pairs == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert table.frame["Correlation of errors from"].notna().all()
    assert "average" not in said(errors_finding(SPEC, list("ab"), shared_errors(LAB, TWINS[:2])))


def test_errors_that_are_not_known_say_why() -> None:
    alone = Ratings(LAB.item[::4], LAB.rater[::4], LAB.score[::4])
    found = errors_finding(SPEC, list("abc"), shared_errors(alone, TWINS))
    assert found.status is Status.NOT_ENOUGH_DATA


def test_errors_that_may_correlate_in_any_way_are_not_enough_data() -> None:
    two = LAB.rater < 2
    pair = Ratings(LAB.item[two], LAB.rater[two], LAB.score[two])
    errors = shared_errors(pair, TWINS)
    assert (errors.correlation.low, errors.correlation.high) == (-1.0, 1.0)
    assert (errors.worth.low, errors.worth.high) == (1.0, float("inf"))
    assert errors_finding(SPEC, list("abc"), errors).status is Status.NOT_ENOUGH_DATA


def test_corrected_scores_say_of_how_many_items_they_are() -> None:
    f = TRUTH + RNG.normal(0, 0.2, 80)
    y = np.where(np.arange(80) < 20, TRUTH, np.nan)
    score = corrected_score(f, y)
    one = Corrected("model", {ALL_ITEMS: score}, False, True)
    found = corrected_finding(SPEC, one)
    assert f"<b>{score.tuned.value:.2f}</b>" in said(found)
    assert plain(found.evidence).startswith(f"95% CI {score.tuned.low:.2f}–{score.tuned.high:.2f} · 80 items")
    assert "20 rated by lab" in plain(found.evidence)
    table = corrected_table(one).frame
    assert table["Rated"].tolist() == [20]
    assert table["Reference alone"].tolist() == [float(TRUTH[:20].mean())]
    systems = np.array(["s1", "s2"])[np.arange(80) % 2]
    both = Corrected("model", corrected_scores(systems, f, y), True, False)
    assert numbers_in(said(corrected_finding(SPEC, both))) == [2, 2]
    table = corrected_table(both).frame
    assert table["System"].tolist() == ["s1", "s2"]
    assert table["Plain form"].isna().all()


def test_what_cannot_be_corrected_has_no_verdict() -> None:
    def found(rated: int) -> tuple[Status, str]:
        score = corrected_score(TRUTH, np.where(np.arange(80) < rated, TRUTH, np.nan))
        finding = corrected_finding(SPEC, Corrected("m", {ALL_ITEMS: score}, False, True))
        return finding.status, plain(finding.evidence)

    assert found(80)[0] is Status.NOT_APPLICABLE
    assert found(2)[0] is Status.NOT_ENOUGH_DATA
    assert found(2)[1].startswith("Fewer than 3 items have a reference")
    assert found(20)[0] is Status.CLEAR
