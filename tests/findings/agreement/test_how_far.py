"""What Agreement says: where raters agree most and least, when it cannot be told, and what single ratings are worth."""

from math import nan

import pandas as pd

from analysis.agreement.how_far import HowFar
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.agreement.how_far import Agreed, agreement_table, finding, full_table, remarks, verdict
from tests.findings.studies import said, study_of


def alpha(value: float, low: float, high: float, items: int = 40) -> Estimate:
    return Estimate(value, low, high, items)


def agreed(measure: str, of: Estimate, mean: Estimate | None = None, group: str = "crowd") -> Agreed:
    figures = HowFar(of, Estimate(0.5, n=of.n), mean or Estimate(0.8, 0.7, 0.9, of.n), 4.0, 8)
    return Agreed(measure, group, figures)


ALONE = study_of("focus", "grammar", reference=None)


def test_one_measure_is_told_with_what_its_ratings_and_their_mean_are_worth() -> None:
    study = study_of("focus", reference=None)
    assert said(finding(study, [agreed("focus", alpha(0.5, 0.4, 0.6))])) == (
        "Raters agree on focus with Krippendorff's alpha <b>0.50</b> (0.40 to 0.60 over 40 items, for these raters): "
        "too little to rely on single ratings (Krippendorff asks for 0.67 for tentative conclusions). The mean of an "
        "item's 4 ratings has a reliability of <b>0.80 (0.70 to 0.90)</b>."
    )
    wide = agreed("focus", alpha(0.5, 0.4, 0.6), mean=Estimate(0.75, 0.13, 0.93, 40))
    assert said(finding(study, [wide])).endswith(
        "How reliable the mean of an item's 4 ratings is lies open: 0.75 (0.13 to 0.93); more raters or items would "
        "narrow it."
    )


def test_of_several_measures_the_ends_are_named_only_where_their_intervals_leave_room() -> None:
    apart = [agreed("focus", alpha(0.5, 0.4, 0.6)), agreed("grammar", alpha(0.75, 0.7, 0.8))]
    assert said(finding(ALONE, apart)).startswith(
        "Raters agree most on grammar (Krippendorff's alpha <b>0.75</b>, 0.70 to 0.80) and least on focus "
        "(<b>0.50</b>, 0.40 to 0.60); the means"
    )
    assert "in 1 of 2 measures" in said(finding(ALONE, apart))
    near = [agreed("focus", alpha(0.5, 0.4, 0.6)), agreed("grammar", alpha(0.55, 0.45, 0.65))]
    told = said(finding(ALONE, near))
    assert told.startswith(
        "On which measure raters agree most cannot be told: Krippendorff's alpha runs from"
    )
    assert "Nowhere is a single rating surely enough" in told


def test_equal_figures_have_no_most_and_least() -> None:
    same = [agreed(measure, alpha(0.5, 0.4, 0.6)) for measure in ("focus", "grammar")]
    told = said(finding(ALONE, same))
    assert told.startswith("Krippendorff's alpha is about <b>0.50</b> in both measures")
    assert "have reliabilities of about" in told


def test_groups_are_compared_where_there_is_one_measure_and_else_the_candidate_is_told() -> None:
    two = [agreed("focus", alpha(0.3, 0.2, 0.4)), agreed("focus", alpha(0.7, 0.6, 0.8), group="lab")]
    assert said(finding(study_of("focus"), two)).startswith(
        "On focus raters of lab agree most (Krippendorff's alpha <b>0.70</b>, 0.60 to 0.80), those of crowd least"
    )
    four = [*two, agreed("grammar", alpha(0.9, 0.85, 0.95)), agreed("grammar", alpha(0, -1, 1), group="lab")]
    assert said(finding(study_of("focus", "grammar"), four)).startswith(
        "Raters of crowd agree most on grammar (Krippendorff's alpha <b>0.90</b>, 0.85 to 0.95) and least on focus"
    )


def test_on_few_items_or_without_pairs_nothing_is_told() -> None:
    study = study_of("focus", reference=None)
    assert said(finding(study, [agreed("focus", alpha(0.9, 0.8, 1, items=4))])) == (
        "How far raters agree cannot be told from 4 items with two ratings or more: it takes at least 10."
    )
    undefined = agreed("focus", Estimate(nan, reason="no item has two ratings"))
    assert (
        said(finding(study, [undefined])) == "How far raters agree cannot be told: no item has two ratings."
    )
    assert [said(remark) for remark in remarks(study, [undefined])] == [
        "No Alpha (focus): no item has two ratings."
    ]


def test_the_verdict_follows_the_interval_and_not_the_figure() -> None:
    assert "can be relied on" in verdict(alpha(0.85, 0.8, 0.9))
    assert "enough for tentative" in verdict(alpha(0.85, 0.7, 0.9))
    assert "is open" in verdict(alpha(0.85, 0.6, 0.9))
    assert "too little" in verdict(alpha(0.5, 0.4, 0.6))
    assert "beyond chance is not shown" in verdict(alpha(0.5, 0.0, 0.9))
    assert "cannot be told" in verdict(Estimate(1.0))


def test_the_table_has_each_figure_with_its_interval_and_the_download_the_ends() -> None:
    halves = Agreed(
        "focus", "crowd", agreed("focus", alpha(0.5, 0.4, 0.6)).figures, Estimate(0.7, 0.6, 0.8), 2
    )
    table, written = agreement_table(ALONE, [halves])
    assert list(table) == [
        "Measure", "Alpha", "One rating", "Mean of ratings", "Split halves", "Items", "Ratings per item",
    ]  # fmt: skip
    assert written["Alpha"] == ["0.500 (0.400 to 0.600)"]
    assert written["Split halves"] == ["0.700, 2 each"]
    full = full_table(study_of("focus"), [halves])
    pd.testing.assert_series_equal(full.loc[0, ["Group", "Alpha low", "Alpha high"]], pd.Series(
        {"Group": "crowd", "Alpha low": 0.4, "Alpha high": 0.6}, name=0, dtype=object))  # fmt: skip


def test_agreement_is_clear_where_its_interval_leaves_out_chance() -> None:
    study = study_of("focus", reference=None)

    def status(of: Estimate) -> Status:
        return finding(study, [agreed("focus", of)]).status

    assert status(alpha(0.5, 0.4, 0.6)) is Status.CLEAR
    assert status(alpha(0.1, -0.1, 0.3)) is Status.UNCERTAIN
    assert status(Estimate(0.9, n=40)) is Status.UNCERTAIN
    assert status(alpha(0.9, 0.8, 1, items=4)) is Status.NOT_ENOUGH_DATA
    assert status(Estimate(nan, reason="no item has two ratings")) is Status.NOT_ENOUGH_DATA


def test_of_several_measures_it_is_clear_where_the_ends_are_told_apart() -> None:
    low, near, high = alpha(0.5, 0.4, 0.6), alpha(0.55, 0.45, 0.65), alpha(0.75, 0.7, 0.8)

    def status(one: Estimate, other: Estimate) -> Status:
        return finding(ALONE, [agreed("focus", one), agreed("grammar", other)]).status

    assert status(low, high) is Status.CLEAR
    assert status(low, near) is Status.UNCERTAIN
    assert status(low, low) is Status.CLEAR
    assert status(alpha(0, -0.1, 0.1), alpha(0, -0.1, 0.1)) is Status.UNCERTAIN
