"""What is said of consistency: whole sentences with their numbers, and the tables as shown."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.assessors.consistency import CONSTANT, Consistency, OthersAgreement
from analysis.screening.bt500_rejection import Bt500
from analysis.screening.check_results import FailedChecks
from analysis.screening.equal_runs import Runs
from analysis.screening.p913_rejection import P913
from analysis.screening.subject_bias import Bias
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.study import Scenario
from findings.assessors.consistency import (
    ScreeningFigures,
    alpha_with_everyone,
    by_texts,
    finding,
    ranking_table,
    remarks,
    screening_table,
)
from tests.findings.raters import compared, panel
from tests.findings.studies import said

RATERS = np.array(["Ann", "Bob", "Cy"])
NO_SET = "no set of identical texts judged more than once"


def on_texts(*alphas: float) -> Consistency:
    of_each = tuple(
        Estimate(nan, reason=NO_SET) if alpha != alpha else Estimate(alpha, alpha - 0.1, alpha + 0.1, 12)
        for alpha in alphas
    )
    sets = np.array([0 if alpha != alpha else 5 for alpha in alphas])
    return Consistency(np.arange(len(alphas)), of_each, sets, 3 * sets)


def with_others() -> OthersAgreement:
    return OthersAgreement(
        np.arange(3),
        np.array([0.9, 0.25, nan]),
        np.array([0.8, 0.0, nan]),
        np.array([0.95, 0.5, nan]),
        np.array([20, 20, 2]),
        ("", "", "fewer than 3 items shared with others"),
        Estimate(0.61234, 0.5, 0.7, 20),
        np.array([0.55, 0.72, 0.61]),
    )


def figures(**more: object) -> ScreeningFigures:
    three, counts = np.array([0.1, -0.2, 0.3]), np.array([4, 5, 6])
    no = np.zeros(3, dtype=bool)
    given = {
        "bias": Bias(np.arange(3), three, three - 0.1, three + 0.1, counts),
        "runs": Runs(np.arange(3), counts, np.array([1, 2, 9]), three, np.array([1.0, 0.5, 0.01])),
        "bt500": Bt500(np.arange(3), counts, counts, counts, three, three, np.array([False, True, False])),
        "p913": P913(np.arange(3), three, three, counts, counts, no, counts, ("", "", "")),
        "model": None,
        "speed": None,
        "checks": None,
    }
    return ScreeningFigures(**(given | more))


def test_slots_have_no_consistency_and_persons_are_named() -> None:
    named = finding([panel(0.0, *[0.7] * 6)])
    assert said(named) == "1 of 7 raters is clearly less consistent than the typical rater."
    slots = finding([panel(0.0, *[0.7] * 6)], persons=False)
    assert slots.status is Status.NOT_APPLICABLE
    assert "the columns are slots" in said(slots)


def test_the_ranking_puts_measures_side_by_side() -> None:
    table, _ = ranking_table({"focus": on_texts(0.8, 0.9, nan), "grammar": with_others()}, RATERS)
    assert table["focus"].tolist() == ["Bob", "Ann"]
    assert table["Alpha, focus"].tolist() == ["0.900", "0.800"]
    assert table["r, grammar"].tolist() == ["0.900", "0.250"]
    assert table["95 %, grammar"].tolist() == ["0.80 to 0.95", "0.00 to 0.50"]


def test_the_screening_table_is_sorted_by_consistency_and_has_verdicts() -> None:
    scenario = Scenario("picked by hand", (1,), ("Bob",))
    checks = FailedChecks(*(np.array([one]) for one in (2, 4, 1, 0, 0.25, 0.1, 0.5)))
    tests = [compared(["Ann", "Bob", *"defgh"], [Estimate(r, n=50) for r in (0.7, 0.0, *[0.7] * 5)])]
    table, written = screening_table(
        with_others(), tests, "focus", figures(checks=checks), RATERS, np.array([], dtype=str), scenario
    )
    assert table["Typical rater"].tolist() == ["clearly below", "", ""]
    assert table["Adjusted p"].isna().tolist() == [False, False, True]
    assert written["Adjusted p"](0.0001) == "< .001"
    assert table["Rater"].tolist() == ["Bob", "Ann", "Cy"]
    assert table["Left out"].tolist() == ["yes", "", ""]
    assert table["BT.500"].tolist() == ["reject", "", ""]
    assert table["Bias, 95 %"].tolist() == ["−0.30 to −0.10", "0.00 to 0.20", "0.20 to 0.40"]
    assert table["Failed checks"].fillna(-1).tolist() == [-1, -1, 0.25]
    assert table["r with the others, 95 %"].tolist() == ["0.00 to 0.50", "0.80 to 0.95", "–"]
    assert written["Failed checks"](0.25) == "25.0 %"


def test_splits_have_columns_of_their_own() -> None:
    whole = on_texts(0.5, 0.6, 0.7)
    split = Consistency(whole.raters, whole.alpha, whole.sets, whole.judgements, {1: on_texts(0.1, nan)})
    table, written = screening_table(
        split, [], "focus", figures(), RATERS, np.array(["2010", "2011"]), Scenario()
    )
    assert table["Alpha, 2011"].fillna(-1).tolist() == [0.1, -1, -1]
    assert written["Alpha, 2011"](0.1) == "0.100"
    assert by_texts({"focus": split})


def test_alpha_with_everyone_is_told_beside_alpha_without() -> None:
    (note,) = alpha_with_everyone(with_others())
    assert said(note) == (
        "With everyone, alpha over 20 items is 0.612 (0.500 to 0.700); <i>Alpha without</i> is the same when that "
        "rater goes. Intervals of r: Fisher's z over the rater's items, for these raters."
    )
    assert alpha_with_everyone(on_texts(0.5)) == []


def test_each_reason_is_told_once_and_few_sets_are_warned_of() -> None:
    told = [said(sentence) for sentence in remarks(on_texts(0.5, nan, nan), figures(), RATERS)]
    assert told == [
        f"Undefined for Bob, Cy: {NO_SET}.",
        "Fewer than 10 sets of identical texts: 1 rater, last in the table and not compared with the typical rater.",
    ]


def test_raters_without_variation_are_listed_apart() -> None:
    ranked = replace(with_others(), reasons=("", "", CONSTANT))
    assert said(remarks(ranked, figures(), RATERS)[0]) == "Without variation, so not compared: Cy."
