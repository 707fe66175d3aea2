"""Verdicts of groups compared with the reference: order, level, spread, equality, and order without rater noise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from operator import attrgetter, itemgetter
from statistics import median

from analysis.comparison.comparison import Comparison, OrderSummary
from analysis.comparison.true_scores import COLUMN
from analysis.values.estimate import Estimate, holm
from data.queries.named import ALL_RATINGS
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    for_raters,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.comparison.results import Compared, Row
from features.plotting.theme import as_typed, count, decimal, estimate_with_interval, p_phrase, share
from features.study import SPLIT_HALVES, Scenario, Study
from features.words import counted, extent_in_words, listed

SIGNIFICANT = 0.05
FEWEST_ITEMS = 10
"""Shared items that a group needs to be named closest to the reference."""
PAGE = "crowd_vs_lab.py"
_NO_ITEM = "{candidate} and {reference} share no item."
_OTHER_REFERENCE = "Choose another reference in the sidebar"
Tested = tuple[str, Comparison, float]
"""A measure, its comparison, and the adjusted p of a test."""


def missing_reference(study: Study) -> Finding | None:
    """Return the finding of a study without anything to compare the candidate with; None where there is something."""
    if study.comparable:
        return None
    group = {"candidate": capitalized(study.candidate)}
    if study.reference is not None:
        return not_enough_data("{candidate} is both candidate and reference.", group, _OTHER_REFERENCE)
    halves = NextStep("Compare two halves of its ratings", "repetitions.py", {"reference": SPLIT_HALVES})
    choose = "Choose another group or a numeric column as reference in the sidebar"
    return not_enough_data("{candidate} has no reference to compare with.", group, choose, next_step=halves)


def no_shared_measure(study: Study, pair: Row, items: int) -> Finding:
    """Return the finding of two groups that rated different measures, with the step that compares two of them."""
    sides = {"candidate": capitalized(study.candidate), "reference": study.reference_name}
    if not items:
        return not_enough_data(_NO_ITEM, sides, _OTHER_REFERENCE)
    parameters = dict(zip(("candidate_measure", "reference_measure"), pair, strict=True))
    return not_enough_data(
        "{candidate} and {reference} share no measure.",
        sides,
        counted(items, "shared item"),
        "two different measures can be compared",
        next_step=NextStep(f"Compare {pair[0]} with {pair[1]}", PAGE, parameters),
    )


def order_finding(c: Compared, name: str = MAIN) -> Finding:
    """Return how alike both sides order the items: the measure on which they correlate least."""
    if not c.items:
        return not_enough_data(_NO_ITEM, _sides(c), _OTHER_REFERENCE, name=name)
    known = [(one.spearman, m, one) for m, one in zip(c.measures, c.of, strict=True) if one.spearman.defined]
    if not known:
        why = "; ".join(dict.fromkeys(one.spearman.reason for one in c.of))
        headline = "Not enough data to correlate {candidate} with {reference}."
        values = {"candidate": c.candidate, "reference": c.reference}
        return not_enough_data(headline, values, why, counted(c.items, "item"), name=name)
    low, high = (end(known, key=lambda one: one[0].value) for end in (min, max))
    is_alone, is_clear = len(known) == 1, all(rho.excludes() for rho, *_ in known)
    where, rho = low[1], decimal(low[0].value)
    line = [confidence_interval(low[0]), counted(low[2].items_shared, "item")]
    headline = "{candidate} and {reference} correlate at ρ = <b>{rho}</b> on {where}."
    if rho != decimal(high[0].value):
        headline = "{candidate} and {reference} correlate least on {where}, ρ = <b>{rho}</b>."
        line.append(f"best: {high[1]} {estimate_with_interval(high[0])}")
    elif not is_alone:
        where = extent_in_words(len(known), len(c.of), "measures")
    elif is_clear or isnan(low[0].low):
        line.append(low[2].strength)
    else:
        headline = "{candidate} and {reference} do not clearly correlate on {where}."
        line.insert(0, f"Spearman's ρ {rho}")
    scope = scope_of([one for of, _, one in known if not isnan(of.low)])
    return clear_if(is_clear, headline, _sides(c) | {"where": where, "rho": rho}, *line, scope, name=name)


def systems_finding(c: Compared) -> Finding | None:
    """Return how alike both sides order the systems that the items belong to; None where there are none."""
    known = _defined_estimates(c, lambda one: one.systems.spearman)
    if not known:
        return None
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    return clear_if(
        all(rho.excludes() for *_, rho in known),
        "Over systems, {candidate} and {reference} correlate at ρ = <b>{rho}</b> on {measure}.",
        {"candidate": c.candidate, "reference": c.reference, "rho": decimal(low[0]), "measure": low[1]},
        confidence_interval(low[2]),
        counted(low[2].n, "system"),
        f"best: {high[1]} {estimate_with_interval(high[2])}" if len(known) > 1 else "",
        for_raters("these raters"),
        name="systems",
    )


def level_finding(c: Compared) -> Finding | None:
    """Return on how many measures one side rates higher, by the test of its scope, Holm-adjusted."""
    if c.full and not any(one.same_scale for one in c.full):
        headline = "Levels cannot be compared across different scales or measures."
        return not_applicable(headline, name="level")
    tested, found = tests_of(c, level_p)
    if not tested:
        return None
    measure, largest, _ = max(found or tested, key=lambda each: abs(each[1].mean_difference.value))
    difference, named = largest.mean_difference, f"Largest: {measure}" if len(tested) > 1 else "Difference"
    write = c.difference_format(measure)
    higher = sum(one.mean_difference.value > 0 for _, one, _ in found)
    lower = len(found) - higher
    on = "" if len(tested) > 1 else " on {where}"
    headline = f"{{candidate}} and {{reference}} do not clearly differ in level{on}."
    if higher and lower:
        headline = "{candidate} and {reference} differ in level on <b>{where}</b>."
    elif found:
        verb = "are" if c.candidate == ALL_RATINGS else "rates"
        headline = (
            f"{{candidate}} {verb} {'higher' if higher else 'lower'} than {{reference}} on <b>{{where}}</b>."
        )
    return clear_if(
        bool(found),
        headline,
        _sides(c) | {"where": _where(tested, found)},
        f"{count(higher)} higher, {count(lower)} lower" if higher and lower else "",
        f"{named} {'+' if difference.value > 0 else ''}{write(difference.value)}",
        confidence_interval(difference, write),
        counted(largest.items_shared, "item"),
        _ALL_RATINGS if c.has_repeats else "",
        _adjusted(tested),
        scope_of([one for _, one, _ in tested]),
        name="level",
    )


def equality_finding(c: Compared) -> Finding | None:
    """Return on how many measures both sides are shown to be level within the margin, Holm-adjusted."""
    tested, equal = tests_of(c, equivalence_p)
    if not tested:
        return None
    measure, one, _ = (equal or tested)[0]
    test, several, write = one.equivalence, len(tested) > 1, c.difference_format(measure)
    if one.spec.margin is None:
        usual = f"0.25 SD of {'single ratings by ' if one.reference.raters else ''}{c.reference}"
        margin = f"Margin ± {usual}" if several else f"Margin ± {write(test.margin)} ({usual})"
    else:
        margin = f"Margin ± {as_typed(test.margin)}"
    between = Estimate(one.mean_difference.value, test.low, test.high)
    ends = confidence_interval(between, write, level=0.9)
    power = share(max(each.equivalence.power for _, each, _ in tested))
    headline = "Levels are equal within the margin on <b>{where}</b>."
    if not equal:
        headline = "Levels are not shown to be equal on {where}."
        headline = "No measure is shown to have equal levels." if several else headline
    return clear_if(
        bool(equal),
        headline,
        {"where": _where(tested, equal)},
        margin,
        "" if several else ends,
        counted(one.items_shared, "item"),
        scope_of([each for _, each, _ in tested]),
        "Holm-adjusted" if several and equal else "",
        "" if equal else f"power {'at most ' if several else ''}{power} if there is no difference",
        name="equality",
    )


def spread_finding(c: Compared) -> Finding | None:
    """Return on how many measures one side spreads the items wider, by the test of spreads without rater noise."""
    tested, found = tests_of(c, spread_p)
    if not tested:
        return None
    wider = sum(one.true_scores.spread.value > 1 for _, one, _ in found)
    on = "" if len(tested) > 1 else " on {where}"
    headline = f"{{candidate}} and {{reference}} do not clearly differ in the spread of the items{on}."
    if found and wider in (0, len(found)):
        verb = "use" if c.candidate == ALL_RATINGS else "uses"
        headline = f"{{candidate}} {verb} {'more' if wider else 'less'} of the scale on <b>{{where}}</b>."
    elif found:
        headline = "{candidate} and {reference} use the scale differently on <b>{where}</b>."
    named = found or (tested if len(tested) == 1 else [])
    ratios = listed([f"{m} {estimate_with_interval(one.true_scores.spread)}" for m, one, _ in named])
    return clear_if(
        bool(found),
        headline,
        _sides(c) | {"where": _where(tested, found)},
        f"Ratio of true SDs: {ratios}" if ratios else "Ratio of true SDs",
        _adjusted(tested),
        counted(tested[0][1].true_scores.spread.n, "item"),
        for_raters(c.scope_without_noise),
        name="spread",
    )


def ceiling_finding(c: Compared) -> Finding | None:
    """Return how both sides would correlate without rater noise, or the highest correlation that can be reached."""
    corrected = _defined_estimates(c, lambda one: one.true_scores.corrected)
    ceilings = _defined_estimates(c, lambda one: one.true_scores.ceiling)
    known = corrected or ceilings
    if not known:
        why = dict.fromkeys(one.true_scores.ceiling.reason for one in c.full)
        if COLUMN in why:
            return None
        return not_enough_data("Not enough data to estimate rater noise.", {}, "; ".join(why), name="ceiling")
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    value, measure, best = high
    line = [confidence_interval(best), counted(best.n, "item")]
    is_shared = any(estimate.low > 1 for _, _, estimate in corrected)
    headline = "Without error, a candidate would correlate at <b>{r}</b> with {reference} on {measure}."
    if corrected:
        headline = (
            "Without rater noise, {candidate} and {reference} would correlate at <b>{r}</b> on {measure}."
        )
    if len(known) > 1:
        line.append(f"lowest: {low[1]} {estimate_with_interval(low[2])}")
    elif corrected:
        one = dict(c.rows)[measure]
        line.append(f"observed r {decimal(one.pearson.value)}")
        line.append(f"ceiling {decimal(one.true_scores.ceiling.value)}")
    finding = clear_if(
        all(estimate.excludes() for _, _, estimate in (*corrected, *ceilings)),
        headline,
        {"candidate": c.candidate, "reference": c.reference, "r": decimal(value), "measure": measure},
        *line,
        "above 1 by chance" if corrected and value > 1 and not is_shared else "",
        for_raters(c.scope_without_noise),
        name="ceiling",
    )
    if not is_shared:
        return finding
    shared = "A correlation above 1 by more than chance shows that errors of both sides correlate: no correction holds."
    return replace(finding, warnings=[(shared, {})])


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
    groups = counted(len(by_group), "group")
    values: dict[str, object] = {"reference": first.reference, "groups": groups}
    known = {
        group: [one.spearman for one in c.of if one.spearman.defined and one.items_shared >= FEWEST_ITEMS]
        for group, c in by_group.items()
    }
    middle = {group: median([e.value for e in of]) for group, of in known.items() if of}
    if not any(c.items for c in by_group.values()):
        headline = "No measure of {reference} was rated by another group on the same items."
        return not_enough_data(headline, values, groups)
    if len(middle) < 2:
        there = f"{counted(len(middle), 'group')} with {FEWEST_ITEMS} shared items or more on some measure, needs 2"
        return not_enough_data("Not enough data to compare {groups} with {reference}.", values, there)
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
        ends = f"Highest: {high} {estimate_with_interval(of_high)}"
    lowest = f"lowest: {low} {estimate_with_interval(of_low)}"
    return clear_if(is_clear, headline, values, ends, lowest, groups, scope)


_ALL_RATINGS = "means of all ratings, repeats included"


def groups_level_finding(by_group: Mapping[str, Compared]) -> Finding | None:
    parts, differ = [], 0
    for group, c in by_group.items():
        levels = [one.mean_difference for one in c.full if one.same_scale and one.mean_difference.defined]
        clearly = sum(level.excludes() for level in levels)
        differ += clearly > 0
        if len(c.measures) == 1 and levels:
            write = c.difference_format(c.measures[0])
            parts.append(
                f"{group} {'+' if levels[0].value > 0 else ''}{estimate_with_interval(levels[0], write)}"
            )
        elif levels:
            parts.append(f"{group} on {extent_in_words(clearly, len(levels), 'measures')}")
    if not parts:
        return None
    first = next(iter(by_group.values()))
    values = {"reference": first.reference, "where": extent_in_words(differ, len(by_group), "groups")}
    scope = scope_of([one for c in by_group.values() for one in c.full])
    headline = "Levels differ from {reference} in <b>{where}</b>."
    if not differ:
        headline = "No group clearly differs in level from {reference}."
    means = _ALL_RATINGS if first.has_repeats else ""
    return clear_if(differ > 0, headline, values, listed(parts), means, scope, name="levels")


def _holm(compared: Sequence[Comparison], p_of: Callable[[Comparison], float]) -> list[float]:
    """Return Holm-adjusted p of a test by measure; NaN where both sides are on different scales."""
    return [float(p) for p in holm([p_of(one) if one.same_scale else nan for one in compared])]


level_p = partial(_holm, p_of=attrgetter("level_p"))
"""Adjusted p of the test of level, by measure."""
raters_p = partial(_holm, p_of=attrgetter("rater_p"))
"""Adjusted p of the test over raters, whatever the scope."""
equivalence_p = partial(_holm, p_of=attrgetter("equivalence.p"))
"""Adjusted p of the equivalence test."""
spread_p = partial(_holm, p_of=attrgetter("true_scores.spread_p"))
"""Adjusted p of equal true spreads."""


def scope_of(compared: Sequence[Comparison | OrderSummary]) -> str:
    """Return the raters that intervals and tests hold for, "" before there are any."""
    return for_raters(*(one.scope for one in compared if isinstance(one, Comparison)))


def tests_of(
    c: Compared, p_of: Callable[[Sequence[Comparison]], list[float]]
) -> tuple[list[Tested], list[Tested]]:
    """Return the measures on which a Holm-adjusted test is defined, and those on which it finds something."""
    tested = [(m, one, p) for (m, one), p in zip(c.rows, p_of(c.full), strict=True) if p == p]
    return tested, [each for each in tested if each[2] < SIGNIFICANT]


def _where(tested: Sequence[Tested], found: Sequence[Tested]) -> str:
    """Return on how many of the tested measures something is found, or the only measure's name."""
    return extent_in_words(len(found), len(tested), "measures") if len(tested) > 1 else tested[0][0]


def _adjusted(tested: Sequence[Tested]) -> str:
    return "Holm-adjusted" if len(tested) > 1 else p_phrase(tested[0][2])


def _defined_estimates(
    c: Compared, figure: Callable[[Comparison], Estimate]
) -> list[tuple[float, str, Estimate]]:
    return [(e.value, m, e) for m, one in c.rows if (e := figure(one)).defined]


def _sides(c: Compared) -> dict[str, object]:
    return {"candidate": capitalized(c.candidate), "reference": c.reference}
