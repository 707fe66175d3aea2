"""What Crowd vs lab says: the figures in words, who is compared with whom, and what is left out."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Status
from findings.crowd_vs_lab.agreement import (
    equality_finding,
    few_raters,
    level_finding,
    no_reference,
    order_finding,
    remarks,
)
from findings.crowd_vs_lab.tables import (
    all_tables,
    dashes,
    full_table,
    leaving_out_table,
    short_table,
    verdict_table,
)
from tests.findings.studies import said, study_of

SPEC = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=99)
ORDERED, SWAPPED = [1, 2, 3, 4, 5], [2, 1, 3, 4, 5]
LOWER, HIGHER = [1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8, 9]


def compared(candidate: list[int], reference: list[int], more: int = 0) -> Comparison:
    """Four raters a side, of whom each is as severe on all items; `more` items that only the candidate rated.

    The difference then has the error of a mean of four severities against four others: sqrt(2 · .0667 / 4) = .183.
    """
    return compare(rated_by(range(4), candidate + [3] * more), rated_by(range(4, 8), reference), SPEC)


def rated_by(raters: range, mos: list[int]) -> Ratings:
    items, n = len(mos), len(raters)
    scores = np.repeat(mos, n) + np.tile([-0.3, -0.1, 0.1, 0.3], items)
    return Ratings(np.repeat(np.arange(items), n), np.tile(raters, items), scores)


def test_one_measure_is_told_with_its_strength_and_items() -> None:
    sentence = order_finding(study_of("focus"), [compared(ORDERED, SWAPPED)])
    assert said(sentence) == (
        "How alike crowd and lab order the items: <b>very strong</b>, with Spearman's ρ <b>0.90</b> over 5 items."
    )


def test_several_measures_are_told_from_the_weakest_to_the_strongest() -> None:
    two = [compared(ORDERED, ORDERED), compared(ORDERED, SWAPPED)]
    assert said(order_finding(study_of("focus", "grammar"), two)) == (
        "How alike crowd and lab order the items: Spearman's ρ runs from <b>0.90</b> (grammar, very strong) to "
        "<b>1.00</b> (focus, very strong)."
    )


def test_measures_that_look_the_same_have_no_weakest_and_no_strongest() -> None:
    two, undefined = [compared(ORDERED, SWAPPED)] * 2, compared([3, 3, 3], [1, 2, 3])
    alike = "How alike crowd and lab order the items: Spearman's ρ is about <b>0.90</b> (very strong) on "
    assert said(order_finding(study_of("focus", "grammar"), two)) == alike + "both measures."
    study = study_of("focus", "grammar", "clarity")
    assert said(order_finding(study, [*two, undefined])) == alike + "2 of 3 measures."


def test_where_nothing_is_defined_no_figure_is_told() -> None:
    sentence = order_finding(study_of("focus"), [compared([3, 3, 3], [1, 2, 3])])
    assert said(sentence) == (
        "No correlation of crowd with lab is defined here: the first side is constant, so there is nothing to "
        "correlate."
    )


def test_levels_that_do_not_differ_are_told_so() -> None:
    sentence = level_finding(study_of("focus"), [compared(ORDERED, ORDERED)])
    assert sentence is not None
    assert said(sentence) == (
        "No difference in level between crowd and lab stands out from chance over raters: 0.00, p = 1.000."
    )
    higher = level_finding(study_of("focus"), [compared(HIGHER, LOWER)])
    assert higher is not None
    assert said(higher).startswith(
        "The level of crowd is higher than that of lab: <b>1.00</b>; test over raters, p "
    )
    two = level_finding(study_of("focus", "grammar"), [compared(ORDERED, ORDERED), compared(LOWER, LOWER)])
    assert two is not None
    assert said(two) == (
        "No difference in level between crowd and lab stands out from chance over raters (p ≥ .05 on all 2 measures, "
        "Holm-adjusted)."
    )


def test_levels_that_differ_are_told_with_their_difference() -> None:
    sentence = level_finding(study_of("focus", "grammar"), [compared(HIGHER, LOWER), compared(LOWER, LOWER)])
    assert sentence is not None
    assert said(sentence) == (
        "Levels differ on <b>1 of 2</b> measures (crowd minus lab): focus (1.00); test over raters, Holm-adjusted "
        "p &lt; .05."
    )


def test_equality_is_told_against_its_margin() -> None:
    # Single ratings: 20 · (2 + .05) / 19 is 1.469 squared. t(3, .95) · .183 = 2.353 · .183 = .430.
    shown = equality_finding(study_of("focus"), [compared(ORDERED, ORDERED)])
    assert shown is not None
    assert said(shown) == (
        "That both are equal within ±0.37 points (0.25 of the SD of all single reference ratings, 1.47) is <b>not "
        "shown</b>: the 90 % interval of the difference is −0.43 … 0.43. Without any difference, such a study would "
        "show it with a power of 20 %."
    )
    wide = compare(rated_by(range(4), ORDERED), rated_by(range(4, 8), ORDERED), replace(SPEC, margin=0.6))
    equal = equality_finding(study_of("focus"), [wide])
    assert equal is not None
    assert said(equal) == (
        "Equal within ±0.60 points (as it was set): the 90 % interval of the difference is −0.43 … 0.43."
    )
    several = equality_finding(study_of("focus", "grammar"), [wide, compare_levels(HIGHER, LOWER, 0.6)])
    assert several is not None
    assert said(several) == (
        "Equality within the margin that was set is shown on <b>1 of 2</b> measures (Holm-adjusted): focus."
    )


def compare_levels(candidate: list[int], reference: list[int], margin: float) -> Comparison:
    return compare(
        rated_by(range(4), candidate), rated_by(range(4, 8), reference), replace(SPEC, margin=margin)
    )


def test_few_raters_are_told_beside_the_level() -> None:
    told = [said(remark) for remark in few_raters(study_of("focus"), [compared(ORDERED, ORDERED)])]
    assert told == [
        "focus: the candidate has only 4 raters: Student's t has 3 degrees of freedom, and an interval this wide is "
        "all that so few can tell."
    ]


def test_a_metric_as_reference_has_no_level() -> None:
    metric = dict(enumerate([0.31, 0.28, 0.35, 0.41, 0.44]))
    against = compare(rated_by(range(4), ORDERED), metric, SPEC)
    study = study_of("focus", reference=None, reference_column="rouge1")
    sentence = level_finding(study, [against])
    assert sentence is not None
    assert said(sentence) == (
        "rouge1 is a column of numbers on a scale of its own: how alike the items are ordered can be told, not whether "
        "crowd rates higher."
    )
    assert equality_finding(study, [against]) is None
    assert few_raters(study, [against]) == []
    full = full_table([against], ["focus"])
    assert list(short_table(full)[0]) == ["Measure", "Spearman ρ", "Items"]
    ((only, _),) = all_tables(full)
    assert list(only[0]) == [
        "Measure",
        "Items",
        "Spearman ρ",
        "Strength",
        "p of ρ",
        "Pearson r",
        "Kendall τ-b",
    ]
    assert verdict_table(study, [against]) is None
    assert "Mean difference, everyone" not in leaving_out_table(study, [against], [against])[0]


def test_items_of_one_side_only_are_counted_in_the_remarks() -> None:
    told = [said(remark) for remark in remarks(study_of("focus"), [compared(ORDERED, ORDERED, more=2)])]
    assert "focus: left out: 2 items rated by crowd only and 0 known to lab only." in told


def test_without_anything_to_compare_with_the_way_out_is_told() -> None:
    alone = no_reference(study_of("focus", reference=None))
    same = no_reference(study_of("focus", reference="crowd"))
    assert alone is not None
    assert same is not None
    assert said(alone).startswith("There is nothing to compare crowd with. Choose another group")
    assert said(same) == "Candidate and reference are both crowd. Choose another reference."
    assert no_reference(study_of("focus")) is None
    assert no_reference(study_of("focus", reference=None, reference_column="words")) is None


def test_the_tables_hold_the_figures_unrounded_and_name_what_the_rows_are() -> None:
    full = full_table([compared(ORDERED, SWAPPED)], ["expert"], of="Knowledge")
    shown, written = short_table(full)
    assert list(shown) == ["Knowledge", "Spearman ρ", "Mean difference", "RMSE", "Items"]
    assert shown["Spearman ρ"][0] == 0.9
    assert written["Spearman ρ"] == ["0.900"]
    tables = {what: table for table, what in all_tables(full)}
    assert list(tables["Spread of the items per measure"][0])[1:] == ["Spread", "Slope"]
    assert "Correlations over systems per measure" not in tables


def test_a_figure_stands_with_its_interval_in_one_cell() -> None:
    exact = compared(LOWER, LOWER)
    told = replace(exact, spearman=Estimate(0.9, 0.8412, 0.9555, 8), concordance=Estimate(nan, reason="none"))
    full = full_table([told], ["focus"])
    assert short_table(full)[1]["Spearman ρ"] == ["0.900 (0.841 to 0.956)"]
    (first, _), *_ = all_tables(full)
    assert "Concordance" not in first[0]


def test_a_dash_has_its_reason() -> None:
    lone = Ratings(np.arange(8), np.full(8, 4), LOWER)
    one = compare(rated_by(range(4), LOWER), lone, replace(SPEC, bootstrap=BootstrapSpec(20)))
    study = study_of("focus")
    few, told = ([said(sentence) for sentence in dashes(study, [one], whole)] for whole in (False, True))
    assert set(few) <= set(told)
    assert not [sentence for sentence in few if "Ceiling" in sentence]
    assert (
        "No interval of Mean difference (focus): the reference has a single rater, whose severity cannot be told from "
        "the difference."
    ) in told
    assert "No Ceiling (focus): fewer than 3 items were rated by two different people on each side." in told
    assert "No ρ over systems (focus): no systems are named for the items." not in told


def test_a_verdict_that_hangs_on_the_test_has_its_row() -> None:
    turned = verdict_table(study_of("focus"), [compared(HIGHER, LOWER)])
    assert turned is not None
    assert turned[0].to_dict("records") == [
        {
            "Measure": "focus",
            "As asked": "significant, p = .012",
            "But with": "Mann-Whitney, two-sided: p = .481; Mann-Whitney, greater: p = .241",
        }
    ]
    assert verdict_table(study_of("focus"), [compared(ORDERED, ORDERED)]) is None


def test_an_order_is_clear_where_all_intervals_leave_out_0() -> None:
    one = compared(ORDERED, SWAPPED)

    def status(*rho: Estimate) -> Status:
        study = study_of("focus", "grammar") if len(rho) > 1 else study_of("focus")
        return order_finding(study, [replace(one, spearman=each) for each in rho]).status

    clear, holds_0 = Estimate(0.9, 0.7, 0.95, 9), Estimate(0.3, -0.1, 0.6, 9)
    undefined = Estimate(nan, reason="the first side is constant")
    assert status(clear) is Status.CLEAR
    assert status(clear, clear) is Status.CLEAR
    assert status(holds_0) is Status.UNCERTAIN
    assert status(clear, holds_0) is Status.UNCERTAIN
    assert status(Estimate(0.9)) is Status.UNCERTAIN, "before its interval is drawn"
    assert status(undefined) is Status.NOT_ENOUGH_DATA


def test_levels_and_equality_are_uncertain_where_no_test_finds_them() -> None:
    study, both = study_of("focus"), study_of("focus", "grammar")
    same, higher = compared(ORDERED, ORDERED), compared(HIGHER, LOWER)
    wide = compare_levels(ORDERED, ORDERED, 0.6)
    statuses = [
        (told.status if told else None)
        for told in (
            level_finding(study, [same]),
            level_finding(study, [higher]),
            level_finding(both, [same, same]),
            level_finding(both, [higher, same]),
            equality_finding(study, [same]),
            equality_finding(study, [wide]),
        )
    ]
    no, yes = Status.UNCERTAIN, Status.CLEAR
    assert statuses == [no, yes, no, yes, no, yes]
    metric = compare(rated_by(range(4), ORDERED), dict(enumerate([0.3, 0.2, 0.35, 0.41, 0.44])), SPEC)
    told = level_finding(study_of("focus", reference=None, reference_column="rouge1"), [metric])
    assert told is not None
    assert told.status is Status.NOT_APPLICABLE
