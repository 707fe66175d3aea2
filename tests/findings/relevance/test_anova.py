"""Which surrogates differ, in whole sentences with their numbers."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.relevance import tukey
from analysis.relevance.anova import of_table
from features.blocks import Status
from findings.relevance import anova
from tests.findings.relevance.judged import MEANS, SURROGATES, told

EQUAL = 0.5 + 0.1 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def compared(table: NDArray[np.float64], measure: str) -> anova.Compared:
    test = of_table(table, np.arange(table.shape[1]))
    pairs = tukey.after(test, lower_is_better=measure == anova.SECONDS)
    return anova.Compared(measure, "raters", test, pairs, dict(enumerate(SURROGATES.names)), "Full Text")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (
            compared(MEANS, "Accuracy (LDC)"),
            "Surrogates differ in accuracy (LDC) (F(2, 6) = 37.80, p = .004); 3 of 3 pairs: Summary above Headline, "
            "Full Text above Headline and Summary above Full Text.",
        ),
        (
            compared(MEANS[:, :2], "Accuracy (RP)"),
            "Surrogates differ in accuracy (RP) (F(1, 3) = 171.95, p < .001); Summary above Headline.",
        ),
        (
            compared(EQUAL, "F (LDC)"),
            "Surrogates do not differ significantly in F (LDC) (F(2, 4) = 0.00, p = 1.000).",
        ),
    ],
)
def test_which_surrogates_differ(of: anova.Compared, said: str) -> None:
    assert told(anova.finding_of(of)) == said


def test_means_stand_best_first_and_the_full_text_has_no_prediction() -> None:
    of_accuracy, of_seconds = compared(MEANS, "Accuracy (LDC)"), compared(10 * MEANS, anova.SECONDS)
    assert anova.means_table(of_accuracy)[0]["Surrogate"].tolist() == ["Summary", "Full Text", "Headline"]
    assert anova.means_table(of_seconds)[0]["Surrogate"].tolist() == ["Headline", "Full Text", "Summary"]
    assert of_accuracy.written(0.4625) == "46.2 %"
    assert of_seconds.written(4.625) == "4.62"
    assert told(anova.notes(compared(MEANS[:, :2], "Accuracy (RP)"))[-1]) == (
        "Full Text is what the others are held against, and has no part in the test."
    )
    assert list(map(told, anova.remarks(of_accuracy))) == [
        "There are only 4 raters: the test can find large differences only."
    ]
    pairs, _ = anova.pairs_table(of_accuracy)
    np.testing.assert_allclose(pairs["Difference"], [0.4125, 0.225, 0.1875])


def test_missing_cells_are_counted() -> None:
    table = MEANS.copy()
    table[0, 2] = nan
    (missing, *_) = map(told, anova.remarks(compared(table, "Accuracy (LDC)")))
    assert missing.startswith("1 of 12 cells are missing: mixed model")


def test_measures_are_those_that_something_is_known_of() -> None:
    assert len(anova.measures(SURROGATES)) == 9
    assert anova.measures(replace(SURROGATES, has_gold=False, has_full_text=False)) == ["Seconds"]


def test_surrogates_differ_clearly_where_the_test_says_so() -> None:
    assert anova.finding_of(compared(MEANS, "Accuracy (LDC)")).status is Status.CLEAR
    assert anova.finding_of(compared(EQUAL, "F (LDC)")).status is Status.UNCERTAIN
    untested = compared(MEANS[:1], "Accuracy (LDC)")
    assert anova.finding_of(untested).status is Status.NOT_ENOUGH_DATA
