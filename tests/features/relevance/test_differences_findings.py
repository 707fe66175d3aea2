"""Differing surrogates: status, numbers of the verdict, and tables."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.relevance import tukey
from analysis.relevance.anova import repeated_measures_table
from features.blocks import Status
from features.relevance import agreement_findings
from features.relevance.agreement_results import SECONDS, Differences, measure_name, measures_of
from tests.features.relevance.judged import SURROGATES, evidence, said

MEANS = np.array([[0.5, 0.9, 0.7], [0.4, 0.8, 0.75], [0.45, 0.95, 0.6], [0.5, 0.85, 0.7]])
EQUAL = 0.5 + 0.1 * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def compared(table: NDArray[np.float64], measure: str) -> Differences:
    test = repeated_measures_table(table, np.arange(table.shape[1]))
    pairs = tukey.tukey_after_anova(test, lower_is_better=measure == SECONDS)
    names = measure, *measure_name(measure)
    return Differences(*names, "raters", SURROGATES, test, pairs, is_share=measure != SECONDS)


@pytest.mark.parametrize(
    ("of", "words", "statistic", "status"),
    [
        (
            compared(MEANS, "Accuracy (LDC)"),
            ["3 of 3", "accuracy"],
            "F(2, 6) = 37.80, p = .004",
            Status.CLEAR,
        ),
        (
            compared(MEANS[:, :2], "Accuracy (RP)"),
            ["higher with Summary", "Headline"],
            "F(1, 3) = 171.95, p < .001",
            Status.CLEAR,
        ),
        (
            compared(EQUAL, "F (LDC)"),
            ["not clearly", "F"],
            "F(2, 4) = 0.00, p = 1.000",
            Status.UNCERTAIN,
        ),
    ],
)
def test_which_surrogates_differ(of: Differences, words: list[str], statistic: str, status: Status) -> None:
    found = agreement_findings.differences_finding(of)
    assert found.status is status
    assert [word for word in words if word not in said(found)] == []
    assert statistic in evidence(found)


def test_one_subject_is_not_enough() -> None:
    assert (
        agreement_findings.differences_finding(compared(MEANS[:1], "Seconds")).status
        is Status.NOT_ENOUGH_DATA
    )


def test_means_are_sorted_the_best_first() -> None:
    of_accuracy, of_seconds = compared(MEANS, "Accuracy (LDC)"), compared(10 * MEANS, SECONDS)
    assert agreement_findings.means_table(of_accuracy, "m").frame["Surrogate"].tolist() == [
        "Summary",
        "Full Text",
        "Headline",
    ]
    assert agreement_findings.means_table(of_seconds, "m").frame["Surrogate"].tolist() == [
        "Headline",
        "Full Text",
        "Summary",
    ]
    assert agreement_findings.write_of(of_accuracy)(0.4625) == "46.2%"
    assert agreement_findings.write_of(of_seconds)(4.625) == "4.62"
    pairs = agreement_findings.pairs_table(of_accuracy).frame
    np.testing.assert_allclose(pairs["Difference"], [0.4125, 0.225, 0.1875])


def test_few_subjects_and_missing_cells_are_warned_of() -> None:
    (few,) = agreement_findings.differences_warnings(compared(MEANS, "Accuracy (LDC)"))
    assert few.text[1] == {"n": "4", "subjects": "raters"}
    table = MEANS.copy()
    table[0, 2] = nan
    missing, *_ = agreement_findings.differences_warnings(compared(table, "Accuracy (LDC)"))
    assert (missing.text[1]["n"], missing.text[1]["of"]) == ("1", "12")


def test_measures_are_those_that_are_defined() -> None:
    assert len(measures_of(SURROGATES)) == 9
    assert measures_of(replace(SURROGATES, has_gold=False, is_predicted=False)) == ["Seconds"]
