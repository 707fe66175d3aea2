"""Findings on groups compared: status, the numbers they name, and who is warned of what."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.comparison.clusters import Belonging, SystemCorrelations
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.blocks import Finding, Status
from features.comparison import findings, section
from features.comparison.results import Compared, candidates
from features.study import Scenario
from features.words import plain
from tests.features.studies import study_of
from tests.findings_rules import faults_of
from tests.golden.content import numbers_in

SPEC = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0)
ORDERED, SWAPPED = [1, 2, 3, 4, 5], [2, 1, 3, 4, 5]
LOWER, HIGHER = [1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8, 9]
UNDEFINED = Estimate(nan, reason="the first side is constant")


def compared(candidate: list[int], reference: list[int], margin: float | None = None) -> Comparison:
    """Four raters on each side, each as severe on all items.

    The difference then has the error of a mean of four severities against four others: sqrt(2 · .0667 / 4) = .183.
    """
    spec = replace(SPEC, margin=margin)
    return compare(rated_by(range(4), candidate), rated_by(range(4, 8), reference), spec)


def rated_by(raters: range, mos: list[int]) -> Ratings:
    items, n = len(mos), len(raters)
    scores = np.repeat(mos, n) + np.tile([-0.3, -0.1, 0.1, 0.3], items)
    return Ratings(np.repeat(np.arange(items), n), np.tile(raters, items), scores)


def of(*each: Comparison, candidate: str = "crowd") -> Compared:
    """Comparisons with lab on as many measures."""
    return Compared(candidate, "lab", ["focus", "grammar", "clarity"][: len(each)], each)


def ordered(*rho: Estimate, items: int = 12, candidate: str = "crowd") -> Compared:
    one = compared(ORDERED, SWAPPED)
    return of(*(replace(one, spearman=each, items_shared=items) for each in rho), candidate=candidate)


def around(value: float, half: float = 0.05) -> Estimate:
    return Estimate(value, value - half, value + half, 12)


def evidence(finding: Finding | None) -> str:
    assert finding is not None
    return plain(finding.evidence)


def headline(finding: Finding | None) -> str:
    assert finding is not None
    assert faults_of(finding) == []
    return plain(finding.headline)


def status(finding: Finding | None) -> Status:
    assert finding is not None
    return finding.status


def test_the_measure_with_the_lowest_correlation_is_named_with_its_interval() -> None:
    found = findings.order_finding(ordered(around(0.93), around(0.63)))
    assert headline(found).endswith("on grammar, ρ = 0.63.")
    assert evidence(found).startswith("95% CI 0.58–0.68 · 12 items · best: focus 0.93 (0.88–0.98)")


def test_one_measure_or_equal_ones_have_one_correlation() -> None:
    assert "ρ = 0.90 on focus" in headline(findings.order_finding(ordered(around(0.9))))
    both = findings.order_finding(ordered(around(0.9), around(0.9)))
    some = findings.order_finding(ordered(around(0.9), around(0.9), UNDEFINED))
    assert "0.90 on both measures" in headline(both)
    assert "0.90 on 2 of 3 measures" in headline(some)


def test_an_order_is_clear_where_all_intervals_exclude_0() -> None:
    holds_0 = Estimate(0.3, -0.1, 0.6, 12)
    cases = (
        ([around(0.9)], Status.CLEAR),
        ([around(0.9), around(0.8)], Status.CLEAR),
        ([holds_0], Status.UNCERTAIN),
        ([around(0.9), holds_0], Status.UNCERTAIN),
        ([Estimate(0.9)], Status.UNCERTAIN),  # before its interval is known
        ([UNDEFINED], Status.NOT_ENOUGH_DATA),
    )
    for rho, expected in cases:
        assert findings.order_finding(ordered(*rho)).status is expected
    assert "do not clearly correlate" in headline(findings.order_finding(ordered(holds_0)))
    none = findings.order_finding(ordered(UNDEFINED, items=0))
    assert none.status is Status.NOT_ENOUGH_DATA


def test_levels_are_counted_by_direction_and_the_largest_difference_is_named() -> None:
    same, higher, lower = compared(ORDERED, ORDERED), compared(HIGHER, LOWER), compared(LOWER, HIGHER)
    found = findings.level_finding(of(higher, same))
    assert ("higher" in headline(found), numbers_in(headline(found))) == (True, [1, 2])
    assert evidence(found).startswith("Largest: focus +1.00 · 8 items")
    assert "lower than lab on both" in headline(findings.level_finding(of(lower, lower)))
    mixed = findings.level_finding(of(higher, lower, same))
    assert numbers_in(headline(mixed)) == [2, 3]
    assert "1 higher, 1 lower" in evidence(mixed)
    one = findings.level_finding(of(higher))
    assert "higher than lab on focus" in headline(one)
    assert "p = .012" in evidence(one)
    assert "repeats included" not in evidence(one)
    assert "repeats included" in evidence(findings.level_finding(replace(of(higher), has_repeats=True)))
    unnamed = findings.level_finding(replace(of(higher), candidate="all ratings"))
    assert "All ratings are higher" in headline(unnamed)


def test_levels_and_equality_are_uncertain_where_no_test_finds_them() -> None:
    same, higher, wide = compared(ORDERED, ORDERED), compared(HIGHER, LOWER), compared(ORDERED, ORDERED, 0.6)
    found = [
        findings.level_finding(of(same)),
        findings.level_finding(of(higher)),
        findings.level_finding(of(same, same)),
        findings.level_finding(of(higher, same)),
        findings.equality_finding(of(same)),
        findings.equality_finding(of(wide)),
        findings.equality_finding(of(same, same)),
        findings.equality_finding(of(wide, compared(HIGHER, LOWER, 0.6))),
    ]
    assert [status(one) for one in found] == [Status.UNCERTAIN, Status.CLEAR] * 4


def test_equality_is_shown_within_its_margin_with_the_power_where_it_is_not() -> None:
    # Single ratings: 20 · (2 + .05) / 19 is 1.469 squared. t(3, .95) · .183 = 2.353 · .183 = .430.
    told = evidence(findings.equality_finding(of(compared(ORDERED, ORDERED))))
    assert "± 0.37" in told
    assert "90% CI −0.43 to 0.43" in told
    assert numbers_in(told)[-1] == 20
    several = findings.equality_finding(of(compared(ORDERED, ORDERED, 0.6), compared(HIGHER, LOWER, 0.6)))
    assert "1 of 2 measures" in headline(several)
    assert "± 0.6 ·" in evidence(several)


def test_a_metric_as_reference_has_no_level() -> None:
    metric = compare(rated_by(range(4), ORDERED), dict(enumerate([0.31, 0.28, 0.35, 0.41, 0.44])), SPEC)
    assert status(findings.level_finding(of(metric))) is Status.NOT_APPLICABLE
    assert findings.equality_finding(of(metric)) is None
    assert findings.spread_finding(of(metric)) is None
    assert findings.ceiling_finding(of(metric)) is None
    lone = Ratings(np.arange(8), np.full(8, 4), LOWER)
    single = findings.ceiling_finding(of(compare(rated_by(range(4), LOWER), lone, SPEC)))
    assert status(single) is Status.NOT_ENOUGH_DATA
    assert evidence(single).startswith("Fewer than 3 items")


def true(ceiling: Estimate, corrected: Estimate, spread: Estimate, p: float) -> Comparison:
    found = compared(ORDERED, SWAPPED)
    scores = replace(found.true_scores, ceiling=ceiling, corrected=corrected, spread=spread, spread_p=p)
    return replace(found, true_scores=scores, pearson=Estimate(0.84))


HIGH = true(around(0.97, 0.02), Estimate(1.02, 0.9, 1.14), Estimate(1.31, 1.1, 1.6), 0.004)
LOW = true(around(0.8, 0.1), Estimate(0.5, 0.2, 0.8), Estimate(0.9, 0.6, 1.2), 0.4)


def test_the_highest_corrected_correlation_is_named_with_the_lowest() -> None:
    found = findings.ceiling_finding(of(LOW, HIGH))
    assert "correlate at 1.02 on grammar" in headline(found)
    assert evidence(found).startswith("95% CI 0.90–1.14")
    assert "lowest: focus 0.50 (0.20–0.80)" in evidence(found)
    assert "above 1 by chance" in evidence(found)
    alone = evidence(findings.ceiling_finding(of(HIGH)))
    assert "observed r 0.84" in alone
    assert "ceiling 0.97" in alone


def test_shared_errors_of_both_sides_are_warned_of() -> None:
    found = findings.ceiling_finding(of(true(around(0.9), around(1.2, 0.1), around(1.0), 0.9)))
    assert found is not None
    assert len(found.warnings) == 1
    assert "by chance" not in evidence(found)


def test_the_spread_is_counted_by_direction() -> None:
    narrow = true(around(0.9), around(0.9), around(0.6, 0.1), 0.001)
    cases = (
        ([HIGH], Status.CLEAR, "Crowd uses more of the scale on focus."),
        ([narrow], Status.CLEAR, "Crowd uses less of the scale on focus."),
        ([HIGH, LOW], Status.CLEAR, "Crowd uses more of the scale on 1 of 2 measures."),
        ([HIGH, narrow], Status.CLEAR, "Crowd and lab use the scale differently on both measures."),
        ([LOW], Status.UNCERTAIN, "Crowd and lab do not clearly differ in the spread of the items on focus."),
        ([LOW, LOW], Status.UNCERTAIN, "Crowd and lab do not clearly differ in the spread of the items."),
    )
    for each, expected, words in cases:
        found = findings.spread_finding(of(*each))
        assert (status(found), headline(found)) == (expected, words)
    assert findings.spread_p([HIGH, LOW]) == pytest.approx([0.008, 0.4])


def test_ceiling_and_systems_are_clear_where_their_intervals_exclude_0() -> None:
    nothing = true(Estimate(0.4, 0.0, 0.9), Estimate(0.5, -0.2, 1.2), around(1.0), 0.9)
    assert [status(findings.ceiling_finding(of(one))) for one in (HIGH, nothing)] == [
        Status.CLEAR,
        Status.UNCERTAIN,
    ]
    over = SystemCorrelations(Estimate(0.69, 0.25, 0.9, 14), Estimate(0.7, 0.3, 0.9, 14), 14)
    weaker = replace(over, spearman=Estimate(0.2, -0.4, 0.7, 14))
    one = findings.systems_finding(of(replace(HIGH, systems=over)))
    assert (status(one), evidence(one).split(" · ")[:2]) == (Status.CLEAR, ["95% CI 0.25–0.90", "14 systems"])
    two = findings.systems_finding(of(replace(HIGH, systems=over), replace(LOW, systems=weaker)))
    assert status(two) is Status.UNCERTAIN
    assert "0.20 on grammar" in headline(two)
    assert findings.systems_finding(of(HIGH)) is None


def test_the_verdict_that_changes_most_without_a_rater_comes_first() -> None:
    """With everyone, levels differ on two of three measures; without the rater, on none."""
    same, higher = compared(ORDERED, ORDERED), compared(HIGHER, LOWER)
    rater = Scenario(left_out_codes=(6,), names=("crowd 07",), applied=True)
    found = findings.exclusion_finding(of(same, same, same), of(higher, higher, same), rater)
    assert "no measure instead of 2" in headline(found)
    assert (found.name, found.status) == ("exclusion", Status.CLEAR)
    moved = findings.exclusion_finding(of(higher, same), of(same, higher), rater)
    assert "changes on 2 measures" in headline(moved)
    alike = findings.exclusion_finding(of(higher, same), of(higher, compared(ORDERED, SWAPPED)), rater)
    assert "no verdict changes" in headline(alike)
    assert "ρ 1.000 instead of 0.900 on grammar" in evidence(alike)
    assert "differ on 1 measure" in evidence(alike)


def test_without_anything_left_no_measure_can_be_compared() -> None:
    nobody = Scenario(left_out_codes=(0, 1), names=("a", "b"), applied=True)
    gone, there = ordered(UNDEFINED), ordered(around(0.9))
    assert "no measure can be compared" in headline(findings.exclusion_finding(gone, there, nobody))
    never = findings.exclusion_finding(gone, gone, nobody)
    assert (never.status, "with or without" in headline(never)) == (Status.NOT_ENOUGH_DATA, True)


def groups(**rho: Sequence[Estimate]) -> dict[str, Compared]:
    return {group: ordered(*each, candidate=group) for group, each in rho.items()}


def test_the_closest_group_is_clear_only_where_its_interval_is_above_the_lowest() -> None:
    apart = findings.groups_finding(groups(amt=[around(0.9)], web=[around(0.6)]))
    assert headline(apart).startswith("Amt correlates more")
    assert "ρ = 0.90" in headline(apart)
    assert (apart.status, "web 0.60 (0.55–0.65)" in evidence(apart)) == (Status.CLEAR, True)
    near = findings.groups_finding(groups(amt=[around(0.9)], web=[around(0.85)]))
    assert (near.status, "No group clearly" in headline(near)) == (Status.UNCERTAIN, True)
    early = findings.groups_finding(groups(amt=[Estimate(0.9)], web=[around(0.6)]))
    assert (early.status, "0.90" in headline(early)) == (Status.UNCERTAIN, True)


def test_over_several_measures_the_median_is_reported_and_few_items_are_not_enough() -> None:
    three = {"amt": (0.9, 0.7, 0.1), "web": (0.2, 0.8, 0.3)}
    found = findings.groups_finding(groups(**{g: [Estimate(r) for r in rho] for g, rho in three.items()}))
    assert "ρ = 0.70" in headline(found)
    assert "web 0.30" in evidence(found)
    few = {
        "amt": ordered(around(0.9), items=9, candidate="amt"),
        "web": ordered(around(0.2), candidate="web"),
    }
    assert findings.groups_finding(few).status is Status.NOT_ENOUGH_DATA
    none = {group: ordered(UNDEFINED, items=0, candidate=group) for group in ("amt", "web")}
    assert findings.groups_finding(none).status is Status.NOT_ENOUGH_DATA


def test_groups_whose_level_differs_are_counted() -> None:
    one = compared(HIGHER, LOWER)
    apart = replace(one, mean_difference=Estimate(1.0, 0.4, 1.6, 8))
    near = replace(one, mean_difference=Estimate(0.1, -0.4, 0.6, 8))
    found = findings.groups_level_finding(
        {"amt": of(apart, candidate="amt"), "web": of(near, candidate="web")}
    )
    assert (status(found), "1 of 2 groups" in headline(found)) == (Status.CLEAR, True)
    assert "Amt +1.00 (0.40–1.60)" in evidence(found)
    assert "repeats included" not in evidence(found)
    repeated = {"amt": replace(of(apart, candidate="amt"), has_repeats=True)}
    assert "repeats included" in evidence(findings.groups_level_finding(repeated))
    none = findings.groups_level_finding({"web": of(near, near, candidate="web")})
    assert (status(none), "0 of 2 measures" in evidence(none)) == (Status.UNCERTAIN, True)


def test_groups_without_a_shared_measure_get_a_pair_to_compare() -> None:
    found = findings.no_shared_measure(study_of("ESA", "MQM"), ("ESA", "MQM"), 2903)
    assert found.status is Status.NOT_ENOUGH_DATA
    assert "2,903 shared items" in evidence(found)
    assert found.next_step is not None
    assert found.next_step.parameters == {"candidate_measure": "ESA", "reference_measure": "MQM"}
    assert "share no item" in headline(findings.no_shared_measure(study_of("ESA"), ("ESA", "MQM"), 0))


def test_without_a_reference_there_is_a_next_step() -> None:
    alone = findings.missing_reference(study_of("focus", reference=None))
    assert alone is not None
    assert alone.next_step is not None
    assert alone.next_step.page == "repetitions.py"
    assert findings.missing_reference(study_of("focus", reference="crowd")) is not None
    assert findings.missing_reference(study_of("focus")) is None
    assert findings.missing_reference(study_of("focus", reference=None, reference_column="words")) is None


def test_candidates_are_all_groups_but_the_reference() -> None:
    study = replace(study_of("focus"), groups=("amt", "crowd", "lab"))
    assert candidates(study) == ["amt", "crowd"]
    assert candidates(replace(study, reference=None, reference_column="gold")) == ["amt", "crowd", "lab"]
    assert candidates(replace(study, reference=None)) == []


def made(lab: int = 6, shares: tuple[int, ...] = (), systems: int = 0) -> Comparison:
    """30 items; 6 crowd raters or as many as there are shares, and some lab raters, of all items."""
    rng = np.random.default_rng(1)
    quality = np.linspace(1, 5, 30)
    item, rater = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    if shares:
        item, rater = np.arange(30), np.repeat(np.arange(len(shares)), shares)
    crowd = Ratings(item, rater, quality[item] + rng.normal(0, 0.5, len(item)))
    of_lab = np.repeat(np.arange(30), lab), np.tile(np.arange(100, 100 + lab), 30)
    score = quality[of_lab[0]] + rng.normal(0, 0.5, 30 * lab)
    system = np.arange(30) % systems if systems else np.full(30, -1)
    belonging = Belonging(np.arange(30), system, np.full(30, -1))
    return compare(crowd, Ratings(*of_lab, score), SPEC, belonging=belonging)


def cautions(*each: Comparison) -> str:
    warning = section.warnings_of(of(*each))
    return "" if warning is None else plain(warning.text)


def test_nothing_is_warned_of_in_an_even_study() -> None:
    assert cautions(made()) == ""
    assert cautions(made(systems=10)) == ""


def test_few_raters_unequal_work_and_few_systems_are_warned_of() -> None:
    assert numbers_in(cautions(made(lab=3)))[:2] == [3, 5]
    assert "single rater in lab" in cautions(made(lab=1)).casefold()
    # 30 items by six raters, of whom one took 25: 30² / (25² + 5) = 1.4 raters.
    assert numbers_in(cautions(made(shares=(25, 1, 1, 1, 1, 1))))[:2] == [6, 1]
    assert "3 systems, fewer than 8" in cautions(made(systems=3))
    assert cautions(made(), made(lab=3)).startswith("Grammar: 3 raters")
    both = cautions(made(lab=3, systems=3))
    assert "3 raters in lab" in both
    assert "3 systems" in both


def test_items_of_one_side_only_and_missing_intervals_are_noted() -> None:
    more = compare(rated_by(range(4), [*LOWER, 3, 3]), rated_by(range(4, 8), LOWER), SPEC)
    (row,) = section.groups_table(of(more)).frame.to_dict("records")
    assert (row["Only candidate"], row["Only reference"]) == (2, 0)
    lone = Ratings(np.arange(8), np.full(8, 4), LOWER)
    single = compare(rated_by(range(4), LOWER), lone, replace(SPEC, bootstrap=BootstrapSpec(20)))
    notes = [plain(one.text) for one in section.notes_of(of(single))]
    assert any("Mean difference" in one and "single rater" in one for one in notes)
