"""What Agreement says: whether raters agree, for whom that holds, and when the data are too few to say."""

from math import nan
from typing import Any

import pandas as pd
import pytest

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.values.estimate import Estimate
from features.blocks import Finding, Status
from findings.agreement.summary import Agreed, agreement_table, finding, full_table, remarks
from tests.findings.studies import said, study_of


def alpha(value: float, low: float, high: float, items: int = 40, warning: str = "") -> Estimate:
    return Estimate(value, low, high, items, warning=warning)


def agreed(
    measure: str,
    of: Estimate,
    mean: Estimate | None = None,
    group: str = "crowd",
    scope: Any = "these raters",
    raters: int = 8,
) -> Agreed:
    one = Estimate(0.5, n=of.n, reason=of.reason)
    figures = AgreementSummary(of, one, mean or Estimate(0.8, 0.7, 0.9, of.n), 4.0, raters, scope=scope)
    return Agreed(measure, group, figures)


ALONE = study_of("focus", "grammar", reference=None)
ONE = study_of("focus", reference=None)


def written(found: Finding) -> tuple[str, str]:
    return said(found.headline), said(found.evidence)


def test_one_measure_has_its_alpha_its_interval_and_the_reliability_of_means() -> None:
    headline, line = written(finding(ONE, [agreed("focus", alpha(0.5, 0.4, 0.6))]))
    assert "<b>0.50</b>" in headline
    for part in ("95% CI 0.40–0.60", "40 items", "8 raters", "for these raters", "means of 4: 0.80"):
        assert part in line


def test_of_several_measures_the_highest_alpha_is_named() -> None:
    headline, line = written(
        finding(ALONE, [agreed("focus", alpha(0.5, 0.4, 0.6)), agreed("grammar", alpha(0.75, 0.7, 0.8))])
    )
    assert "<b>0.75</b>" in headline
    assert line.startswith("grammar")


def test_groups_are_compared_where_there_is_one_measure_and_else_the_candidate_is_told() -> None:
    two = [agreed("focus", alpha(0.3, 0.2, 0.4)), agreed("focus", alpha(0.7, 0.6, 0.8), group="lab")]
    assert said(finding(study_of("focus"), two).evidence).startswith("lab")
    four = [*two, agreed("grammar", alpha(0.9, 0.85, 0.95)), agreed("grammar", alpha(0, -1, 1), group="lab")]
    found = finding(study_of("focus", "grammar"), four)
    assert "crowd" in said(found.headline)
    assert said(found.evidence).startswith("grammar")


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
    assert finding(ONE, [agreed("focus", of)]).status is status


def test_agreement_below_chance_is_a_result() -> None:
    for of in (alpha(-0.1, -0.3, 0.1), alpha(-0.1, -0.5, 0.4), alpha(0.03, -0.02, 0.08)):
        assert said(finding(ONE, [agreed("focus", of)]).headline) == "Raters do not agree beyond chance."


def test_warnings_of_the_interval_stand_with_the_finding() -> None:
    warned = finding(ONE, [agreed("focus", alpha(0.9, 0.8, 0.95, 12, "Based on 12 items."))])
    assert [said(warning) for warning in warned.warnings] == ["Based on 12 items."]


def test_three_raters_are_rough_for_raters_like_these() -> None:
    rough = finding(ONE, [agreed("focus", alpha(0.5, 0.4, 0.6), scope="raters like these", raters=3)])
    assert rough.status is Status.UNCERTAIN
    assert "raters like these" in said(rough.evidence)
    assert "3 raters" in said(rough.warnings[0])


def test_without_pairs_the_reason_is_the_evidence() -> None:
    undefined = agreed("focus", Estimate(nan, reason="no item has two ratings"))
    assert "no item has two ratings" in said(finding(ONE, [undefined]).evidence)
    assert any("no item has two ratings" in said(remark) for remark in remarks(ONE, [undefined]))


def test_measures_without_enough_data_are_named() -> None:
    few = agreed("focus", alpha(0.9, 0.8, 0.95, 12, "Based on 12 items."))
    found = finding(ALONE, [few, agreed("grammar", alpha(0.5, 0.4, 0.6))])
    assert found.status is Status.CLEAR
    assert "not enough data on focus" in said(found.evidence)


def test_the_table_has_each_figure_with_its_interval_and_the_download_the_ends() -> None:
    figures = agreed("focus", alpha(0.5, 0.4, 0.6)).figures
    halves = Agreed("focus", "crowd", figures, Estimate(0.7, 0.6, 0.8), 2)
    table, formats = agreement_table(ALONE, [halves])
    assert list(table) == [
        "Measure", "Alpha", "One rating", "Mean of ratings", "Split halves", "Items", "Ratings per item",
    ]  # fmt: skip
    assert formats["Alpha"] == ["0.500 (0.400 to 0.600)"]
    assert formats["Split halves"] == ["0.700, 2 each"]
    full = full_table(study_of("focus"), [halves])
    pd.testing.assert_series_equal(full.loc[0, ["Group", "Alpha low", "Alpha high"]], pd.Series(
        {"Group": "crowd", "Alpha low": 0.4, "Alpha high": 0.6}, name=0, dtype=object))  # fmt: skip
