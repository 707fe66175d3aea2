"""Findings on candidates, from studies with a verdict known beforehand."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from analysis.comparison.comparison import ComparisonSpec, compare
from analysis.standing_in import alternative_annotator_test, effective_number_of_raters
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from features.replacement.findings import (
    candidates_table,
    no_candidates,
    raters_table,
    replacement_finding,
    replacement_notes,
    replacement_warnings,
    worth_finding,
)
from features.replacement.results import OTHER_SCALE
from features.replacement.specs import CandidateResult, ReplacementSpec
from features.words import plain
from tests.features.studies import said, verdict
from tests.golden.content import numbers_in

SPEC = ReplacementSpec("lab", "focus", "negative rmse", several_measures=True)
RNG = np.random.default_rng(1)
TRUTH = RNG.normal(3, 1, 60)
ITEM, RATER = np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
LAB = Ratings(ITEM, RATER, TRUTH[ITEM] + RNG.normal(0, 1, 360))


def candidate(name: str, values: Mapping[Any, float], reference: Ratings = LAB) -> CandidateResult:
    test = alternative_annotator_test(
        reference.rater,
        reference.item,
        reference.score,
        values,
        SPEC.score,
        SPEC.epsilon,
        SPEC.q,
        SPEC.fewest,
    )
    compared = compare(reference, values, ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0))
    return CandidateResult(name, "column", test, effective_number_of_raters(reference, values), compared)


GOOD = candidate("good", dict(enumerate((TRUTH + RNG.normal(0, 0.3, 60)).tolist())))
BAD = candidate("bad", dict(enumerate(RNG.normal(8, 3, 60).tolist())))
NOISY = Ratings(ITEM, RATER, TRUTH[ITEM] + RNG.normal(0, 2.5, 360))
SAME = candidate("middle", dict(enumerate((3 + RNG.normal(0, 0.01, 60)).tolist())), reference=NOISY)


RATERS = [f"lab {n}" for n in range(6)]


def test_one_candidate_passes_or_that_is_not_shown() -> None:
    passes = replacement_finding(SPEC, (GOOD,))
    assert passes.status is Status.CLEAR
    assert said(passes).startswith("Good can replace")
    line = plain(passes.evidence)
    assert line.startswith(f"Advantage of good {100 * GOOD.advantage.value:.0f}")
    assert f"95% CI {100 * GOOD.advantage.low:.0f}–{100 * GOOD.advantage.high:.0f}" in line
    assert "replaces 6 of 6" in line
    fails = replacement_finding(SPEC, (BAD,))
    assert said(fails).startswith("It is not shown")
    assert "replaces 0 of 6 raters tested" in plain(fails.evidence)


def test_of_several_those_that_pass_are_named_and_the_highest_advantage_told() -> None:
    some = replacement_finding(SPEC, (BAD, GOOD))
    assert verdict(some) == (Status.CLEAR, "1", "2")
    assert plain(some.evidence).startswith("Good · advantage of good")
    assert said(replacement_finding(SPEC, (BAD, BAD))).startswith("None of 2 candidates")
    assert said(replacement_finding(SPEC, (GOOD, GOOD))).startswith("Both candidates")


@pytest.mark.parametrize(
    ("alpha", "says_little"),
    [
        (Estimate(0.03, -0.02, 0.08, 60), True),
        (Estimate(0.12, 0.05, 0.19, 60), True),
        (Estimate(-0.2, -0.3, -0.1, 60), True),
        (Estimate(0.1), True),
        (Estimate(0.15, 0.05, 0.25, 60), False),
        (Estimate(1.0, n=60), False),
        (Estimate(nan), False),
    ],
)
def test_passing_says_little_where_the_reference_raters_hardly_agree(
    alpha: Estimate, says_little: bool
) -> None:
    one = replace(GOOD, agreement=alpha)
    found = replacement_finding(SPEC, (BAD, one))
    assert said(found).startswith("Passing the test says little") == says_little
    assert one.verdict == ("unclear" if says_little else "yes")
    assert one.passes is not says_little
    assert found.status is (Status.UNCERTAIN if says_little else Status.CLEAR)
    assert said(replacement_finding(SPEC, (replace(BAD, agreement=alpha),))).startswith("It is not shown")
    if says_little and alpha.n:
        assert plain(found.evidence).startswith(f"Alpha {alpha.value:.2f}".replace("-", "−"))
        assert plain(found.evidence).endswith("good would pass")


def test_worth_order_and_level_are_in_one_finding() -> None:
    lower = candidate("low", dict(enumerate((TRUTH - 1).tolist())))
    found = worth_finding(SPEC, (lower,))
    assert found is not None
    assert lower.worth.value == inf, "it ranks items without error"
    assert found.status is Status.UNCERTAIN, "its interval has no end"
    for low, number in ((12.7, "12"), (1.28, "1.2")):
        bounded = worth_finding(SPEC, (replace(lower, worth=Estimate(inf, low, inf, 60)),))
        assert bounded is not None
        assert verdict(bounded) == (Status.CLEAR, number)
    line = plain(found.evidence)
    assert f"ρ with the lab mean {lower.order.value:.2f}" in line
    assert f"level difference −{abs(lower.level.value):.2f}" in line
    assert lower.level.value == pytest.approx(float((TRUTH - 1).mean() - LAB.score.mean()))
    assert lower.level.low <= lower.level.value <= lower.level.high or np.isnan(lower.level.low)


@pytest.mark.parametrize(
    ("worth", "number", "interval"),
    [
        (Estimate(9.1, 5.0, 28.6, 50), "9", "95% CI 5.0–28.6"),
        (Estimate(1.44, 0.5, 3.0, 50), "1.4", "95% CI 0.5–3.0"),
        (Estimate(20.0, 4.0, float("inf"), 50), "20", "95% CI from 4.0 without an upper end"),
    ],
)
def test_a_group_is_worth_a_number_of_raters(worth: Estimate, number: str, interval: str) -> None:
    group = replace(GOOD, name="crowd", kind="group", worth=worth)
    found = worth_finding(replace(SPEC, several_measures=False), (group,))
    assert found is not None
    assert verdict(found) == (Status.CLEAR, number)
    assert plain(found.evidence).startswith(f"{interval} · 50 items")


@pytest.mark.parametrize("high", [0.2, 3.0])
def test_no_number_of_raters_is_named_for_a_candidate_that_ranks_at_random(high: float) -> None:
    found = worth_finding(SPEC, (replace(GOOD, worth=Estimate(0.01, 0.0, high, 50)),))
    assert found is not None
    assert found.status is (Status.CLEAR if high < 0.5 else Status.UNCERTAIN)
    assert "better than chance" in said(found)
    assert "<b>" not in said(found)


def test_a_group_has_the_article_that_its_name_asks_for() -> None:
    spec = replace(SPEC, reference="expert")
    assert "an expert rater" in said(replacement_finding(spec, (GOOD,)))


def test_a_candidate_in_the_middle_passes_with_a_warning() -> None:
    assert SAME.passes
    assert SAME.worth.value < 0.5
    (told,) = replacement_warnings(SPEC, (GOOD, SAME))
    assert "passing: middle." in said(told.text)
    assert not list(replacement_warnings(SPEC, (GOOD,)))


def test_too_few_items_are_reported_with_what_would_help() -> None:
    values = dict(enumerate(TRUTH.tolist()))
    few = Ratings(LAB.item[: 6 * 20], LAB.rater[: 6 * 20], LAB.score[: 6 * 20])
    one = candidate("good", values, reference=few)
    found = replacement_finding(SPEC, (one,))
    assert numbers_in(plain(found.evidence)) == [0, 6, 30, 3]
    assert found.status is Status.NOT_ENOUGH_DATA
    assert found.next_step is not None
    assert found.next_step.parameters == {"stand_in_measure": "focus", "fewest_shared": "20"}
    (note,) = replacement_notes(SPEC, (one,))
    assert (note[1]["fewest"], note[1]["number"]) == ("30", "all 6 raters")
    fewer = Ratings(LAB.item[: 6 * 4], LAB.rater[: 6 * 4], LAB.score[: 6 * 4])
    found = replacement_finding(SPEC, (candidate("good", values, reference=fewer),))
    assert found.next_step is None
    assert "by the same raters" in plain(found.evidence)
    two = LAB.rater < 2
    pair = candidate("good", values, reference=Ratings(LAB.item[two], LAB.rater[two], LAB.score[two]))
    assert not pair.is_tested
    assert "ratings by more raters" in plain(replacement_finding(SPEC, (pair,)).evidence)
    (why,) = candidates_table(SPEC, {"focus": (pair,)}).frame["Why"]
    assert numbers_in(why) == [3, 2]


def test_another_scale_is_not_tested_and_can_be_changed() -> None:
    other = replace(GOOD, name="metric", test=None, untested=OTHER_SCALE)
    found = replacement_finding(SPEC, (other,))
    assert found.status is Status.NOT_APPLICABLE
    assert found.next_step is not None
    assert found.next_step.parameters["rescaled"] == "true"
    assert candidates_table(SPEC, {"focus": (other,)}).frame["Why"].tolist() == [OTHER_SCALE]
    without = replace(other, worth=Estimate(nan, reason="no item was rated by two reference raters"))
    assert without.worth.reason in plain(replacement_finding(SPEC, (without,)).evidence)
    assert worth_finding(SPEC, (without,)) is None


def test_tables_have_every_figure_and_nan_where_there_is_none() -> None:
    other = replace(GOOD, name="metric", test=None, untested=OTHER_SCALE)
    table = candidates_table(SPEC, {"focus": (GOOD, BAD, other)})
    assert table.columns_at_first_sight == ["Candidate", "Can replace a rater", "Advantage", "Worth, raters"]
    assert table.frame["Can replace a rater"].tolist()[:2] == ["yes", "not shown"]
    assert table.frame["Winning rate"].tolist()[:2] == [1.0, 0.0]
    assert table.frame["Advantage"].isna().tolist() == [False, False, True]
    assert table.frame["Worth, raters from"].tolist()[0] == GOOD.worth.low
    several = candidates_table(SPEC, {"focus": (GOOD,), "grammar": (BAD,)})
    assert several.frame["Measure"].tolist() == ["focus", "grammar"]
    rows = raters_table(SPEC, (GOOD, BAD), RATERS)
    assert rows is not None
    assert rows.frame["Candidate"].tolist() == ["good"] * 6 + ["bad"] * 6
    assert sorted(rows.frame["Rater"][:6]) == RATERS
    assert rows.frame["Replaced"].tolist() == ["yes"] * 6 + ["no"] * 6
    assert raters_table(SPEC, (other,), []) is None
    assert no_candidates(SPEC).status is Status.NOT_ENOUGH_DATA


def test_a_candidate_that_passes_is_clear_and_one_without_a_test_has_no_verdict() -> None:
    other = replace(GOOD, test=None, untested=OTHER_SCALE)
    unpaired = replace(GOOD, test=None, untested="no item was rated by two reference raters")
    for results, status in (
        ((GOOD,), Status.CLEAR),
        ((BAD,), Status.UNCERTAIN),
        ((BAD, GOOD), Status.CLEAR),
        ((BAD, BAD), Status.UNCERTAIN),
        ((other,), Status.NOT_APPLICABLE),
        ((unpaired,), Status.NOT_ENOUGH_DATA),
    ):
        assert replacement_finding(SPEC, results).status is status
