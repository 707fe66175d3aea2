"""What is said of candidates, from studies whose verdict is known beforehand."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pytest

from analysis.comparison.comparison import ComparisonSpec, compare
from analysis.standing_in import alternative_annotator_test, effective_number_of_raters
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from features.words import plain
from findings.standing_in.candidates import (
    OTHER_SCALE,
    Asked,
    Standing,
    cautions,
    finding,
    meaning_of,
    nobody,
    skipped,
    undefined,
    worth_finding,
)
from findings.standing_in.tables import by_rater, full_table, table
from tests.findings.studies import said

ASKED = Asked("lab", "focus", True, "negative rmse", 0.2, 0.05, 30)
RNG = np.random.default_rng(1)
TRUTH = RNG.normal(3, 1, 60)
ITEM, RATER = np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
LAB = Ratings(ITEM, RATER, TRUTH[ITEM] + RNG.normal(0, 1, 360))


def standing(
    name: str, values: Mapping[Any, float], asked: Asked = ASKED, reference: Ratings = LAB
) -> Standing:
    test = alternative_annotator_test(
        reference.rater,
        reference.item,
        reference.score,
        values,
        asked.score,
        asked.epsilon,
        asked.q,
        asked.fewest,
    )
    compared = compare(reference, values, ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0))
    return Standing(name, "column", test, effective_number_of_raters(reference, values), compared)


GOOD = standing("good", dict(enumerate((TRUTH + RNG.normal(0, 0.3, 60)).tolist())))
BAD = standing("bad", dict(enumerate(RNG.normal(8, 3, 60).tolist())))
NOISY = Ratings(ITEM, RATER, TRUTH[ITEM] + RNG.normal(0, 2.5, 360))
SAME = standing("middle", dict(enumerate((3 + RNG.normal(0, 0.01, 60)).tolist())), reference=NOISY)


def test_one_candidate_passes_or_that_is_not_shown() -> None:
    passes = finding(ASKED, [GOOD])
    assert said(passes) == "good may replace a rater of lab on focus."
    line = plain(passes.evidence)
    assert line.startswith(
        f"good is worth about {GOOD.worth.value:.1f} raters · 95% CI {GOOD.worth.low:.1f}–"
    )
    assert "60 items · for raters like these · replaces 6 of 6 raters tested" in line
    assert line.endswith("ε = 0.20")
    fails = finding(ASKED, [BAD])
    assert said(fails) == "It is not shown that bad may replace a rater of lab on focus."
    assert "replaces 0 of 6 raters tested" in plain(fails.evidence)


def test_of_several_those_that_pass_are_named_and_the_highest_advantage_told() -> None:
    some = finding(ASKED, [BAD, GOOD])
    assert said(some) == "1 of 2 candidates may replace a rater of lab on focus."
    assert plain(some.evidence).startswith("good · good is worth about")
    assert said(finding(ASKED, [BAD, BAD])).startswith("None of 2 candidates")
    assert said(finding(ASKED, [GOOD, GOOD])).startswith("All 2 candidates")


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
    found = finding(ASKED, [BAD, one])
    assert (said(found).startswith("Passing says little")) == says_little
    assert one.verdict == ("unclear" if says_little else "yes")
    assert one.passes is not says_little
    assert found.status is (Status.UNCERTAIN if says_little else Status.CLEAR)
    assert said(finding(ASKED, [replace(BAD, agreement=alpha)])).startswith("It is not shown")
    if says_little and alpha.n:
        assert plain(found.evidence).startswith(f"alpha {alpha.value:.2f}".replace("-", "−"))
        assert plain(found.evidence).endswith("60 items · for raters like these · good would pass")


def test_its_worth_order_and_level_are_told_the_right_way_round() -> None:
    lower = standing("low", dict(enumerate((TRUTH - 1).tolist())))
    told = said(worth_finding(ASKED, [lower]) or ("", {}))
    assert "One value of low tells as much about which item is better as" in told
    assert "points lower" in told
    assert lower.level.value == pytest.approx(float((TRUTH - 1).mean() - LAB.score.mean()))
    assert lower.level.low <= lower.level.value <= lower.level.high or np.isnan(lower.level.low)


def test_who_stays_in_the_middle_passes_with_a_caution() -> None:
    assert SAME.passes
    assert SAME.worth.value < 0.5
    (told,) = cautions(ASKED, [GOOD, SAME])
    assert said(told).startswith("middle passes, yet is worth less than half a rater")
    assert not cautions(ASKED, [GOOD])


def test_too_few_items_are_told_with_what_would_be_needed() -> None:
    few = Ratings(LAB.item[: 6 * 20], LAB.rater[: 6 * 20], LAB.score[: 6 * 20])
    one = standing("good", dict(enumerate(TRUTH.tolist())), reference=few)
    told = said(finding(ASKED, [one]))
    assert "cannot be told</b>: 0 raters of lab share 30 items with another rater and the candidate" in told
    assert "it takes 3" in told
    assert "3 share 20, which makes the test less sure" in told
    assert finding(ASKED, [one]).status is Status.NOT_ENOUGH_DATA
    who = said(skipped(ASKED, [one], [f"lab {n}" for n in range(6)]) or ("", {}))
    assert who.startswith("No rater was tested: each shares fewer than 30 items")
    assert "lab 0 (20)" in who
    fewer = Ratings(LAB.item[: 6 * 4], LAB.rater[: 6 * 4], LAB.score[: 6 * 4])
    told = said(finding(ASKED, [standing("good", dict(enumerate(TRUTH.tolist())), reference=fewer)]))
    assert "the third most of a rater is 4" in told
    two = LAB.rater < 2
    pair = Ratings(LAB.item[two], LAB.rater[two], LAB.score[two])
    tested = standing("good", dict(enumerate(TRUTH.tolist())), reference=pair)
    assert not tested.tested
    assert "Ratings of more raters would do" in said(finding(ASKED, [tested]))
    assert any("No verdict (good): 2 raters could be tested" in said(told) for told in undefined([tested]))


def test_another_scale_is_not_tested_and_says_so() -> None:
    other = replace(GOOD, name="metric", test=None, untested=OTHER_SCALE)
    told = said(finding(ASKED, [other]))
    assert "<b>cannot be told</b>: numbers on another scale" in told
    assert "put on that scale" in told
    assert "No advantage (metric)" in said(undefined([other])[0])
    without = replace(other, worth=Estimate(float("nan"), reason="no item was rated by two reference raters"))
    assert "and no item was rated by two" in said(finding(ASKED, [without]))
    assert worth_finding(ASKED, [without]) is None


def test_tables_have_every_figure_and_dashes_where_there_is_none() -> None:
    other = replace(GOOD, name="metric", test=None, untested=OTHER_SCALE)
    full = full_table([GOOD, BAD, other])
    assert full["May stand in"].tolist()[:2] == ["yes", "no"]
    assert full["Winning rate"].tolist()[:2] == [1.0, 0.0]
    assert full["Advantage"].isna().tolist() == [False, False, True]
    shown, written = table([GOOD, BAD, other])
    assert not [label for label in shown if label.endswith((" low", " high"))]
    assert set(written) <= set(shown)
    rows = by_rater(GOOD, [f"lab {n}" for n in range(6)])
    assert rows is not None
    assert sorted(rows[0]["Rater"]) == [f"lab {n}" for n in range(6)]
    assert set(rows[0]["Replaced"]) == {"yes"}
    assert by_rater(other, []) is None


def test_epsilon_says_whom_it_is_usual_for() -> None:
    assert "experts" in said(meaning_of(0.2))
    assert "skilled" in said(meaning_of(0.15))
    assert "crowd workers" in said(meaning_of(0.1))
    assert "usual" not in said(meaning_of(0.35))
    assert "35 %" in said(meaning_of(0.35))
    assert "Nobody stands in for lab on focus" in said(nobody(ASKED))


def test_who_passes_is_clear_and_who_cannot_be_tested_has_no_verdict() -> None:
    other = replace(GOOD, test=None, untested=OTHER_SCALE)
    unpaired = replace(GOOD, test=None, untested="no item was rated by two reference raters")
    for standings, status in (
        ([GOOD], Status.CLEAR),
        ([BAD], Status.UNCERTAIN),
        ([BAD, GOOD], Status.CLEAR),
        ([BAD, BAD], Status.UNCERTAIN),
        ([other], Status.NOT_APPLICABLE),
        ([unpaired], Status.NOT_ENOUGH_DATA),
    ):
        assert finding(ASKED, standings).status is status
