"""Findings of Agreement: agreement of raters, its scope, and when the data are too few."""

from math import nan
from typing import Any

import numpy as np
import pytest

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.kappas import rater_pairs
from analysis.assessors.consistency import AgreementFigure
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from features.agreement.findings import (
    agreement_finding,
    agreement_table,
    changed_alphas,
    coefficients_table,
    coefficients_warnings,
    difference_finding,
    exclusion_finding,
    pairs_note,
)
from features.agreement.results import Coefficients, GroupAgreement
from features.blocks import Finding, Status
from features.study import Scenario
from tests.features.studies import said, study_of, verdict


def alpha(value: float, low: float, high: float, items: int = 40, warning: str = "") -> Estimate:
    return Estimate(value, low, high, items, warning=warning)


def agreed(
    measure: str,
    of: Estimate,
    mean: Estimate | None = None,
    group: str = "crowd",
    scope: Any = "these raters",
    raters: int = 8,
) -> GroupAgreement:
    one = Estimate(0.5, n=of.n, reason=of.reason)
    figures = AgreementSummary(
        of, one, mean or Estimate(0.8, 0.7, 0.9, of.n), 4.0, raters, scope=scope, per_item=4.0
    )
    return GroupAgreement(measure, group, figures)


ALONE = study_of("focus", "grammar", reference=None)
ONE = study_of("focus", reference=None)


def written(found: Finding) -> tuple[str, str]:
    return said(found.headline), said(found.evidence)


def test_one_measure_has_its_alpha_its_interval_and_the_reliability_of_means() -> None:
    headline, line = written(agreement_finding(ONE, [agreed("focus", alpha(0.5, 0.4, 0.6))]))
    assert "<b>0.50</b>" in headline
    for part in (
        "95% CI 0.40–0.60",
        "40 items",
        "8 raters",
        "for these raters",
        "item means, 4 per item: 0.80",
    ):
        assert part in line


def test_of_several_measures_the_highest_alpha_is_named() -> None:
    headline, line = written(
        agreement_finding(
            ALONE, [agreed("focus", alpha(0.5, 0.4, 0.6)), agreed("grammar", alpha(0.75, 0.7, 0.8))]
        )
    )
    assert "<b>0.75</b>" in headline
    assert line.startswith("Grammar")


def test_groups_are_compared_where_there_is_one_measure_and_else_the_candidate_is_reported() -> None:
    two = [agreed("focus", alpha(0.3, 0.2, 0.4)), agreed("focus", alpha(0.7, 0.6, 0.8), group="lab")]
    assert said(agreement_finding(study_of("focus"), two).evidence).startswith("Lab")
    four = [*two, agreed("grammar", alpha(0.9, 0.85, 0.95)), agreed("grammar", alpha(0, -1, 1), group="lab")]
    found = agreement_finding(study_of("focus", "grammar"), four)
    assert "crowd" in said(found.headline)
    assert said(found.evidence).startswith("Grammar")


@pytest.mark.parametrize(
    ("of", "status"),
    [
        (alpha(0.5, 0.4, 0.6), Status.CLEAR),
        (alpha(0.3, -0.1, 0.6), Status.UNCERTAIN),
        (alpha(0.03, -0.02, 0.08), Status.CLEAR),
        (alpha(-0.1, -0.3, 0.1), Status.CLEAR),
        (alpha(-0.1, -0.5, 0.4), Status.UNCERTAIN),
        (alpha(0.9, 0.8, 0.95, 12, "Based on 12 items."), Status.NOT_ENOUGH_DATA),
        (Estimate(1.0, n=40, reason="no disagreement on 40 items", warning="none"), Status.NOT_ENOUGH_DATA),
        (Estimate(0.7, n=4, reason="4 items"), Status.NOT_ENOUGH_DATA),
        (Estimate(nan, reason="no item has two ratings"), Status.NOT_ENOUGH_DATA),
    ],
)
def test_the_status_follows_the_interval_and_its_warning(of: Estimate, status: Status) -> None:
    assert agreement_finding(ONE, [agreed("focus", of)]).status is status


@pytest.mark.parametrize(
    ("of", "side", "status"),
    [
        (alpha(0.42, 0.32, 0.53), "below", Status.CLEAR),
        (alpha(0.8, 0.7, 0.9), "above", Status.CLEAR),
        (alpha(0.62, 0.5, 0.75), "possibly below", Status.UNCERTAIN),
        (alpha(0.7, 0.6, 0.8), "possibly above", Status.UNCERTAIN),
    ],
)
def test_alpha_is_compared_with_the_usual_minimum(of: Estimate, side: str, status: Status) -> None:
    for study, measures in ((ONE, ("focus",)), (ALONE, ("focus", "grammar"))):
        found = agreement_finding(study, [agreed(measure, of) for measure in measures])
        assert said(found.headline).endswith(f", {side} the usual minimum.")
        assert found.status is status


def test_agreement_below_chance_is_a_result() -> None:
    for of in (alpha(-0.1, -0.3, 0.1), alpha(-0.1, -0.5, 0.4), alpha(0.03, -0.02, 0.08)):
        assert "do not agree beyond chance" in said(agreement_finding(ONE, [agreed("focus", of)]))


def test_warnings_of_the_interval_stand_with_the_finding() -> None:
    warned = agreement_finding(ONE, [agreed("focus", alpha(0.9, 0.8, 0.95, 12, "Based on 12 items."))])
    assert [said(warning) for warning in warned.warnings] == ["Based on 12 items."]


def test_three_raters_are_rough_for_raters_like_these() -> None:
    rough = agreement_finding(
        ONE, [agreed("focus", alpha(0.5, 0.4, 0.6), scope="raters like these", raters=3)]
    )
    assert rough.status is Status.UNCERTAIN
    assert "raters like these" in said(rough.evidence)
    assert "3 raters" in said(rough.warnings[0])


def test_without_pairs_the_reason_is_the_evidence() -> None:
    undefined = agreed("focus", Estimate(nan, reason="no item has two ratings"))
    assert said(agreement_finding(ONE, [undefined]).evidence) == "No item has two ratings"
    assert agreement_table(ONE, (undefined,)).frame["Why"].tolist() == ["no item has two ratings"]


def test_measures_without_enough_data_are_named() -> None:
    few = agreed("focus", alpha(0.9, 0.8, 0.95, 12, "Based on 12 items."))
    found = agreement_finding(ALONE, [few, agreed("grammar", alpha(0.5, 0.4, 0.6))])
    assert found.status is Status.CLEAR
    assert "not enough data on focus" in said(found.evidence)


def test_a_headline_has_one_number_and_the_evidence_does_not_repeat_it() -> None:
    headline, line = written(agreement_finding(ONE, [agreed("focus", alpha(0.5, 0.4, 0.6))]))
    assert headline.count("0.") == 1
    assert "lpha" not in line
    null = agreement_finding(ONE, [agreed("focus", alpha(0.03, -0.02, 0.08))])
    assert said(null.evidence).startswith("Alpha 0.03 · 95% CI −0.02 to 0.08 · 40 items")


def test_the_range_of_means_is_that_of_the_measures_with_a_verdict() -> None:
    high = agreed("grammar", alpha(0.75, 0.7, 0.8), Estimate(0.9, 0.8, 0.95, 40))
    line = said(agreement_finding(ALONE, [agreed("focus", alpha(0.5, 0.4, 0.6)), high]).evidence)
    assert "item means, 4 per item: 0.80–0.90" in line


def test_the_table_has_each_figure_with_its_interval_and_both_ends() -> None:
    summary = agreed("focus", alpha(0.5, 0.4, 0.6)).summary
    halves = GroupAgreement("focus", "crowd", summary, Estimate(0.7), 2)
    table = agreement_table(ALONE, (halves,))
    assert table.columns_at_first_sight == ["Measure", "Alpha", "Mean of ratings", "Split halves", "Items"]
    assert table.formats["Alpha"] == ["0.500 (0.400 to 0.600)"]
    assert table.formats["Split halves"] == ["0.700, 2 each"]
    assert table.frame.loc[0, ["Alpha", "Alpha from", "Alpha to"]].tolist() == [0.5, 0.4, 0.6]
    assert agreement_table(study_of("focus"), (halves,)).frame["Group"].tolist() == ["crowd"]


def test_the_alpha_that_changes_most_without_some_raters_is_named() -> None:
    before = [agreed("focus", alpha(0.5, 0.4, 0.6)), agreed("grammar", alpha(0.7, 0.6, 0.8))]
    after = [agreed("focus", alpha(0.52, 0.4, 0.6)), agreed("grammar", alpha(0.6, 0.5, 0.7))]
    found = exclusion_finding(Scenario(names=("crowd 07",)), changed_alphas(before, after), False)
    assert verdict(found)[1:] == ("07", "0.600", "0.700")
    assert "grammar" in said(found)
    assert said(found.evidence).startswith("The largest of 2 changes")
    nobody = exclusion_finding(Scenario(names=("a", "b")), changed_alphas(before, []), False)
    assert verdict(nobody)[1:] == ("2",)


def test_the_note_on_pairs_has_the_median_and_both_ends() -> None:
    item, rater = (part.ravel() for part in np.indices((12, 3)))
    score = np.where(rater == 2, 5.0 - item, item)
    told = said(pairs_note(rater_pairs(Ratings(item, rater, score)), "focus", 3, "crowd").text)
    assert "3 rater pairs in crowd" in told
    assert "median of <b>−1.00</b> and runs from −1.00 to 1.00" in told
    few = said(pairs_note(rater_pairs(Ratings(item[:9], rater[:9], score[:9])), "focus", 3, "").text)
    assert "no pair has an r" in few


AC2 = "Gwet's AC2"
HIGH = AgreementFigure(Estimate(0.7, 0.65, 0.75, 60), Estimate(0.7, 0.5, 0.8, 60), 0.03)


def less(value: float, fixed: float, random: float) -> dict[str, AgreementFigure]:
    """A difference with half widths over items and over both."""
    return {
        AC2: AgreementFigure(
            Estimate(value, value - fixed, value + fixed, 60),
            Estimate(value, value - random, value + random, 60),
        )
    }


def coefficients(
    figures: dict[str, AgreementFigure], differences: dict[str, AgreementFigure] | None = None
) -> Coefficients:
    return Coefficients("focus", "grammar", figures, differences or {}, True)


def test_a_coefficient_says_what_it_means_or_why_there_is_none() -> None:
    undefined = AgreementFigure(None, Estimate(nan, reason="one item"))
    table = coefficients_table(coefficients({"alpha, ordinal": HIGH, "ICC(C,1)": undefined})).frame
    assert table["95% CI, these raters"].tolist() == ["0.650 to 0.750", "–"]
    assert table["95% CI, raters like these"].tolist() == ["0.500 to 0.800", "–"]
    assert table["Meaning"].iloc[1] == "one item"
    assert table["SE"].tolist() == ["0.030", "–"]


def test_differences_are_next_to_the_coefficients_that_have_one() -> None:
    table = coefficients_table(coefficients({"ICC(C,1)": HIGH, AC2: HIGH}, less(0.1, 0.05, 0.2))).frame
    assert table["Difference"].fillna(-1).tolist() == [-1, 0.1]
    assert table["Difference, 95% CI, these raters"].tolist() == ["–", "0.050 to 0.150"]


def test_a_difference_is_clear_where_its_wider_interval_excludes_0() -> None:
    clear = difference_finding(less(-0.2, 0.05, 0.15), "focus", "grammar")
    assert clear.status is Status.CLEAR
    assert "<b>0.20</b>" in said(clear)
    assert "95% CI −0.35 to −0.05 · 60 items · for raters like these" in said(clear.evidence)
    unclear = difference_finding(less(0.1, 0.05, 0.2), "focus", "grammar")
    assert unclear.status is Status.UNCERTAIN
    assert "differs by 0.10 · 95% CI −0.10 to 0.30" in said(unclear.evidence)
    unknown = {AC2: AgreementFigure(Estimate(nan, reason="no item has two ratings"))}
    none = difference_finding(unknown, "focus", "grammar")
    assert none.status is Status.NOT_ENOUGH_DATA
    assert said(none.evidence) == "No item has two ratings"


def test_each_reason_for_no_interval_is_reported_once() -> None:
    alone = AgreementFigure(Estimate(1.0, n=5, reason="all agree"), Estimate(1.0, n=5, reason="all agree"))
    found = coefficients({"a": alone, "b": alone, "c": HIGH})
    assert [said(one.text) for one in coefficients_warnings(found)] == ["a and b: no interval, all agree."]
