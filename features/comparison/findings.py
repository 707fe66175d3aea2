"""Verdicts of groups compared with the reference: order, level, spread, equality, and order without rater noise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from operator import itemgetter
from statistics import median

from analysis.comparison.comparison import Comparison, OrderAlone
from analysis.comparison.true_scores import COLUMN
from analysis.values.estimate import Estimate, holm
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Text,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.comparison.results import Compared, Row
from features.plotting.numbers import count, decimal, p_phrase, share
from features.study import SPLIT_HALVES, Scenario, Study
from features.words import counted, listed, throughout

SIGNIFICANT = 0.05
FEWEST_ITEMS = 10
"""Shared items that a group needs to be named closest to the reference."""
PAGE = "crowd_vs_lab.py"
Tested = tuple[str, Comparison, float]
"""A measure, its comparison, and the adjusted p of a test."""


def missing_reference(study: Study) -> Finding | None:
    """Return the finding of a study without anything to compare the candidate with; None where there is something."""
    if study.comparable:
        return None
    group = {"candidate": capitalized(study.candidate)}
    if study.reference is not None:
        return not_enough_data(
            "{candidate} is both candidate and reference.", group, "Choose another reference in the sidebar"
        )
    return not_enough_data(
        "{candidate} has no reference to be compared with.",
        group,
        "Choose another group or a numeric column as reference in the sidebar",
        next_step=NextStep(
            "Compare two halves of its ratings", "repetitions.py", {"reference": SPLIT_HALVES}
        ),
    )


def no_shared_measure(study: Study, pair: Row, items: int) -> Finding:
    """Return the finding of two groups that rated different measures, with the step that compares two of them."""
    if not items:
        return _no_shared_item(study.candidate, study.reference_name)
    asked = dict(zip(("candidate_measure", "reference_measure"), pair, strict=True))
    return not_enough_data(
        "{candidate} and {reference} share no measure.",
        {"candidate": capitalized(study.candidate), "reference": study.reference_name},
        counted(items, "shared item"),
        "two different measures can be compared",
        next_step=NextStep(f"Compare {pair[0]} with {pair[1]}", PAGE, asked),
    )


def _no_shared_item(candidate: str, reference: str) -> Finding:
    return not_enough_data(
        "{candidate} and {reference} share no item.",
        {"candidate": capitalized(candidate), "reference": reference},
        "Choose another reference in the sidebar",
    )


def order_finding(c: Compared, name: str = MAIN) -> Finding:
    """Return how alike both sides order the items: the measure on which they differ most."""
    if not c.items:
        return replace(_no_shared_item(c.candidate, c.reference), name=name)
    known = [(one.spearman, m, one) for m, one in zip(c.measures, c.of, strict=True) if one.spearman.defined]
    if not known:
        why = "; ".join(dict.fromkeys(one.spearman.reason for one in c.of))
        headline = "Not enough data to correlate {candidate} with {reference}."
        values = {"candidate": c.candidate, "reference": c.reference}
        return not_enough_data(headline, values, capitalized(why), counted(c.items, "item"), name=name)
    low, high = (end(known, key=lambda one: one[0].value) for end in (min, max))
    is_alone, is_clear = len(known) == 1, all(excludes(rho) for rho, *_ in known)
    where, rho = low[1], decimal(low[0].value)
    line = [confidence_interval(low[0]), counted(low[2].items_shared, "item")]
    headline = "{candidate} and {reference} correlate at ρ = <b>{rho}</b> on {where}."
    if rho != decimal(high[0].value):
        headline = "{candidate} and {reference} differ most on {where}, ρ = <b>{rho}</b>."
        line.append(f"Best: {high[1]} {_with_interval(high[0])}")
    elif not is_alone:
        where = throughout(len(known), len(c.of), "measures")
    elif is_clear or isnan(low[0].low):
        line.append(low[2].strength)
    else:
        headline = "{candidate} and {reference} do not clearly correlate on {where}."
        line.insert(0, f"Spearman's ρ {rho}")
    scope = scope_of([one for of, _, one in known if not isnan(of.low)])
    return clear_if(is_clear, headline, _sides(c) | {"where": where, "rho": rho}, *line, scope, name=name)


def systems_finding(c: Compared) -> Finding | None:
    """Return how alike both sides order the systems that the items belong to; None where there are none."""
    known = _known(c, lambda one: one.systems.spearman)
    if not known:
        return None
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    return clear_if(
        all(excludes(rho) for *_, rho in known),
        "Over systems, {candidate} and {reference} correlate at ρ = <b>{rho}</b> on {measure}.",
        {"candidate": c.candidate, "reference": c.reference, "rho": decimal(low[0]), "measure": low[1]},
        confidence_interval(low[2]),
        counted(low[2].n, "system"),
        f"Best: {high[1]} {_with_interval(high[2])}" if len(known) > 1 else "",
        for_raters("these raters"),
        name="systems",
    )


def level_finding(c: Compared) -> Finding | None:
    """Return on how many measures one side rates higher, by the test of its scope, Holm-adjusted."""
    if c.full and not any(one.same_scale for one in c.full):
        return replace(
            not_applicable("Levels cannot be compared across different scales or measures."), name="level"
        )
    tested, found = tests_of(c, level_p)
    if not tested:
        return None
    measure, largest, p = max(found or tested, key=lambda each: abs(each[1].mean_difference.value))
    difference, several = largest.mean_difference, len(tested) > 1
    values = _sides(c) | {"where": _where(tested, found)}
    higher = sum(one.mean_difference.value > 0 for _, one, _ in found)
    mixed = ""
    if not found:
        on = "" if several else " on {where}"
        headline = f"{{candidate}} and {{reference}} do not clearly differ in level{on}."
    elif higher in (0, len(found)):
        way = "higher" if higher else "lower"
        headline = f"{{candidate}} rates {way} than {{reference}} on <b>{{where}}</b>."
    else:
        headline = "{candidate} and {reference} differ in level on <b>{where}</b>."
        mixed = f"{count(higher)} higher, {count(len(found) - higher)} lower"
    return clear_if(
        bool(found),
        headline,
        values,
        mixed,
        f"{f'Largest: {measure}' if several else 'Difference'} {_signed(difference.value)}",
        confidence_interval(difference),
        counted(largest.items_shared, "item"),
        "Holm-adjusted" if several else p_phrase(p),
        scope_of([one for _, one, _ in tested]),
        name="level",
    )


def equality_finding(c: Compared) -> Finding | None:
    """Return on how many measures both sides are shown to be level within the margin, Holm-adjusted."""
    tested, equal = tests_of(c, equivalence_p)
    if not tested:
        return None
    _, one, _ = (equal or tested)[0]
    test, several = one.equivalence, len(tested) > 1
    margin, usual = f"Margin ± {decimal(test.margin)}", f"0.25 SD of single ratings by {c.reference}"
    if one.spec.margin is None:
        margin = f"Margin ± {usual}" if several else f"{margin} ({usual})"
    ends = confidence_interval(Estimate(one.mean_difference.value, test.low, test.high), level=0.9)
    power = share(max(each.equivalence.power for _, each, _ in tested))
    headline = "Levels are equal within the margin on <b>{where}</b>."
    told = "Holm-adjusted" if several else ""
    if not equal:
        headline = "Levels are not shown to be equal on {where}."
        told = f"power if there is no difference {'at most ' if several else ''}{power}"
        if several:
            headline = "No measure is shown to have equal levels."
    return clear_if(
        bool(equal),
        headline,
        {"where": _where(tested, equal)},
        margin,
        "" if several else ends,
        counted(one.items_shared, "item"),
        scope_of([each for _, each, _ in tested]),
        told,
        name="equality",
    )


def spread_finding(c: Compared) -> Finding | None:
    """Return on how many measures one side spreads the items wider, by the test of spreads without rater noise."""
    tested, found = tests_of(c, spread_p)
    if not tested:
        return None
    several = len(tested) > 1
    named = [f"{m} {_with_interval(one.true_scores.spread)}" for m, one, _ in found or tested]
    wider = sum(one.true_scores.spread.value > 1 for _, one, _ in found)
    if not found:
        on = "" if several else " on {where}"
        headline = f"{{candidate}} and {{reference}} do not clearly differ in the spread of the items{on}."
    elif wider in (0, len(found)):
        headline = f"{{candidate}} uses {'more' if wider else 'less'} of the scale on <b>{{where}}</b>."
    else:
        headline = "{candidate} and {reference} use the scale differently on <b>{where}</b>."
    return clear_if(
        bool(found),
        headline,
        _sides(c) | {"where": _where(tested, found)},
        f"Ratio of true SDs: {listed(named)}" if found or not several else "Ratio of true SDs",
        "Holm-adjusted" if several else p_phrase(tested[0][2]),
        counted(tested[0][1].true_scores.spread.n, "item"),
        _true_scope(c),
        name="spread",
    )


def ceiling_finding(c: Compared) -> Finding | None:
    """Return how both sides would correlate without rater noise, or the highest correlation that can be reached."""
    corrected = _known(c, lambda one: one.true_scores.corrected)
    ceilings = _known(c, lambda one: one.true_scores.ceiling)
    known = corrected or ceilings
    if not known:
        why = dict.fromkeys(one.true_scores.ceiling.reason for one in c.full)
        if COLUMN in why:
            return None
        headline = "Not enough data to estimate rater noise."
        return not_enough_data(headline, {}, capitalized("; ".join(why)), name="ceiling")
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    value, measure, best = high
    line = [confidence_interval(best), counted(best.n, "item")]
    is_shared = any(estimate.low > 1 for _, _, estimate in corrected)
    headline = "Without rater noise, {candidate} and {reference} would correlate at <b>{r}</b> on {measure}."
    if not corrected:
        headline = "Without error, a candidate would correlate at <b>{r}</b> with {reference} on {measure}."
    if len(known) > 1:
        line.append(f"Lowest: {low[1]} {_with_interval(low[2])}")
    elif corrected:
        one = dict(c.rows)[measure]
        line.append(f"observed r {decimal(one.pearson.value)}")
        line.append(f"ceiling {decimal(one.true_scores.ceiling.value)}")
    if corrected and value > 1 and not is_shared:
        line.append("above 1 by chance")
    finding = clear_if(
        all(excludes(estimate) for _, _, estimate in (*corrected, *ceilings)),
        headline,
        {"candidate": c.candidate, "reference": c.reference, "r": decimal(value), "measure": measure},
        *line,
        _true_scope(c),
        name="ceiling",
    )
    return replace(finding, warnings=[_SHARED_ERRORS]) if is_shared else finding


_SHARED_ERRORS: Text = (
    "A corrected correlation is above 1 by more than chance, so the errors of both sides are correlated: neither "
    "ceiling nor correction holds.",
    {},
)


def exclusion_finding(c: Compared, everyone: Compared, scenario: Scenario) -> Finding:
    """Return what changes most in the verdicts without the excluded raters, in these ratings."""
    who = {"who": scenario.who}
    order = [
        (before.spearman, after.spearman, m, after.items_shared)
        for m, before, after in zip(c.measures, everyone.of, c.of, strict=True)
        if before.spearman.defined and after.spearman.defined
    ]
    if not order:
        headline = "No measure can be compared, with or without {who}."
        if any(one.spearman.defined for one in everyone.of):
            headline = "Without {who}, no measure can be compared."
        return not_enough_data(headline, who, name="exclusion")
    old, new, measure, items = max(order, key=lambda each: abs(each[1].value - each[0].value))
    rho = f"ρ {decimal(new.value, 3)} instead of {decimal(old.value, 3)} on {measure}"
    line = counted(items, "item"), "in these ratings"
    for headline, p_of in (
        ("Without {who}, levels differ on <b>{after}</b> instead of {before}.", level_p),
        ("Without {who}, equal levels are shown on <b>{after}</b> instead of {before}.", equivalence_p),
    ):
        before, after = ({m for m, *_ in tests_of(each, p_of)[1]} for each in (everyone, c))
        values: dict[str, object] = {
            "after": counted(len(after), "measure") if after else "no measure",
            "before": count(len(before)) if before else "none",
            "changed": counted(len(before ^ after), "measure"),
        }
        if len(before) == len(after):
            headline = "Without {who}, the verdict on levels changes on <b>{changed}</b>."
        if before != after:
            return clear(headline, who | values, rho, *line, name="exclusion")
    levels = len(tests_of(c, level_p)[1])
    still = f"levels still differ on {counted(levels, 'measure')}" if levels else ""
    headline = "Without {who}, no verdict changes."
    return clear(headline, who, f"Largest change: {rho}", still, *line, name="exclusion")


def groups_finding(by_group: Mapping[str, Compared]) -> Finding:
    """Return which group correlates best with the reference, where that is clear."""
    first = next(iter(by_group.values()))
    values: dict[str, object] = {"reference": first.reference}
    known = {
        group: [one.spearman for one in c.of if one.spearman.defined and one.items_shared >= FEWEST_ITEMS]
        for group, c in by_group.items()
    }
    middle = {group: median([e.value for e in of]) for group, of in known.items() if of}
    groups = counted(len(by_group), "group")
    if not any(c.items for c in by_group.values()):
        headline = "No measure of {reference} was rated by another group on the same items."
        return not_enough_data(headline, values, groups)
    if len(middle) < 2:
        there = f"{counted(len(middle), 'group')} with {FEWEST_ITEMS} shared items or more on some measure, needs 2"
        headline = "Not enough data to compare {groups} with {reference}."
        return not_enough_data(headline, values | {"groups": groups}, there)
    low, high = (end(middle, key=middle.__getitem__) for end in (min, max))
    values |= {"high": capitalized(high), "low": low, "rho": decimal(middle[high])}
    scope = scope_of([one for c in by_group.values() for one in c.of if not isnan(one.spearman.low)])
    if len(first.measures) > 1:
        headline = "{high} has the highest median correlation with {reference}, ρ = <b>{rho}</b>."
        over = f"median over {counted(len(first.measures), 'measure')}"
        return uncertain(headline, values, f"Lowest: {low} {decimal(middle[low])}", over, groups, scope)
    (of_low,), (of_high,) = known[low], known[high]
    is_clear, ends = of_low.high < of_high.low, confidence_interval(of_high)
    headline = "{high} correlates more with {reference} than {low} does, ρ = <b>{rho}</b>."
    if isnan(of_low.high) or isnan(of_high.low):
        headline = "{high} correlates best with {reference}, ρ = <b>{rho}</b>."
    elif not is_clear:
        headline = "No group clearly correlates best with {reference}."
        ends = f"Highest: {high} {_with_interval(of_high)}"
    lowest = f"lowest: {low} {_with_interval(of_low)}"
    return clear_if(is_clear, headline, values, ends, lowest, groups, scope)


def groups_level_finding(by_group: Mapping[str, Compared]) -> Finding | None:
    """Return how many groups differ in level from the reference."""
    told, differ = [], 0
    for group, c in by_group.items():
        levels = [one.mean_difference for one in c.full if one.same_scale and one.mean_difference.defined]
        clearly = sum(excludes(level) for level in levels)
        differ += clearly > 0
        if len(c.measures) == 1 and levels:
            sign = "+" if levels[0].value > 0 else ""
            told.append(f"{group} {sign}{_with_interval(levels[0])}")
        elif levels:
            told.append(f"{group} on {throughout(clearly, len(levels), 'measures')}")
    if not told:
        return None
    first = next(iter(by_group.values()))
    values = {"reference": first.reference, "where": throughout(differ, len(by_group), "groups")}
    scope = scope_of([one for c in by_group.values() for one in c.full])
    headline = "Levels differ from {reference} in <b>{where}</b>."
    if not differ:
        headline = "No group clearly differs in level from {reference}."
    return clear_if(differ > 0, headline, values, listed(told), scope, name="levels")


def scope_of(compared: Sequence[Comparison | OrderAlone]) -> str:
    """Return the raters that intervals and tests hold for, "" before there are any."""
    return for_raters(*(one.scope for one in compared if isinstance(one, Comparison)))


def level_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of the test of level; NaN where both sides are on different scales."""
    return _holm(compared, lambda one: one.level_p)


def raters_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of the test over raters, whatever the scope; NaN as `level_p`."""
    return _holm(compared, lambda one: one.rater_p)


def equivalence_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of the equivalence test; NaN as `level_p`."""
    return _holm(compared, lambda one: one.equivalence.p)


def spread_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of equal true spreads; NaN as `level_p`."""
    return _holm(compared, lambda one: one.true_scores.spread_p)


def _holm(compared: Sequence[Comparison], p_of: Callable[[Comparison], float]) -> list[float]:
    return [float(p) for p in holm([p_of(one) if one.same_scale else nan for one in compared])]


def tests_of(
    c: Compared, p_of: Callable[[Sequence[Comparison]], list[float]]
) -> tuple[list[Tested], list[Tested]]:
    """Return the measures on which a Holm-adjusted test is defined, and those on which it finds something."""
    tested = [(m, one, p) for (m, one), p in zip(c.rows, p_of(c.full), strict=True) if p == p]
    return tested, [each for each in tested if each[2] < SIGNIFICANT]


def _where(tested: Sequence[Tested], found: Sequence[Tested]) -> str:
    """Return on how many of the tested measures something is found, or the only measure's name."""
    return throughout(len(found), len(tested), "measures") if len(tested) > 1 else tested[0][0]


def _known(c: Compared, figure: Callable[[Comparison], Estimate]) -> list[tuple[float, str, Estimate]]:
    """Return value, measure and estimate of a figure where it is defined."""
    return [(e.value, m, e) for m, one in c.rows if (e := figure(one)).defined]


def _sides(c: Compared) -> dict[str, object]:
    return {"candidate": capitalized(c.candidate), "reference": c.reference}


def _true_scope(c: Compared) -> str:
    """Return the raters that figures of true scores hold for: others, where rater ids are those of persons."""
    return for_raters("raters like these" if c.raters_are_persons else "these raters")


def _with_interval(e: Estimate, write: Callable[[float], str] = decimal) -> str:
    between = confidence_interval(e, write).removeprefix("95% CI ")
    return write(e.value) + (f" ({between})" if between else "")


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + decimal(value)
