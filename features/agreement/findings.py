"""Findings and tables of "Agreement": of groups on measures, without excluded raters, of pairs, by all coefficients."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan

import numpy as np

from analysis.agreement.alpha import Weights
from analysis.agreement.kappas import FEWEST_SHARED, RaterPairs
from analysis.assessors.consistency import AgreementFigure
from analysis.values.estimate import Estimate
from features.agreement.results import TENTATIVE, Agreements, Coefficients, GroupAgreement, correlations_of
from features.assessments import HARDLY_ANY
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Status,
    Table,
    Text,
    Warning,
    clear_if,
    confidence_interval,
    evidence,
    for_raters,
    not_enough_data,
    uncertain,
)
from features.exclusion import largest_change
from features.plotting.theme import ONE_DIGIT, THREE_DIGITS, count, decimal, estimate_with_interval, interval
from features.study import Scenario, Study
from features.words import (
    UNNAMED,
    Column,
    by_reason,
    counted,
    estimate_columns,
    listed,
    per_item,
    table_of,
    why_column,
)

WEIGHTS: dict[str, Weights] = {"quadratic": "quadratic", "linear": "linear", "none": "identity"}
ALPHA, ONE, MEAN, HALVES = "Alpha", "One rating", "Mean of ratings", "Split halves"
_THESE, _OTHERS = "95% CI, these raters", "95% CI, raters like these"
_MEANINGS = {
    "alpha": "do raters give an item the same score, severity included? 1 always, 0 by chance",
    "ICC(1,1)": "how much of one rating is the item, when raters differ from item to item",
    "ICC(A,1)": "the same with crossed raters, severity counting as disagreement",
    "ICC(C,1)": "the same with crossed raters, severity set aside",
    "ICC(1,k)": "of the mean of an item's ratings, raters differing from item to item",
    "ICC(A,k)": "of the mean of an item's ratings, severity counting as disagreement",
    "ICC(C,k)": "of the mean of an item's ratings, severity set aside",
    "percent agreement": "of two ratings of an item, how often are both the same value? Chance counts as agreement",
    "Brennan-Prediger": "beyond chance, if all values were equally likely by chance",
    **dict.fromkeys(
        ("Gwet's AC1", "Gwet's AC2"),
        "beyond chance, where only items that are hard to judge are left to chance; stays high if one value prevails",
    ),
    "Fleiss' kappa": "beyond chance, if all used the values as often as all together; falls if one value prevails",
    "Conger's kappa": "beyond chance, if each rater used the values as often as now; falls if one value prevails",
    "Cohen's kappa": "beyond chance, if both raters used the values as often as now; falls if one value prevails",
    "mean pairwise kappa": "Cohen's kappa of each rater pair, averaged (Light's)",
}


def agreement_finding(study: Study, found: Sequence[GroupAgreement]) -> Finding:
    """Return whether raters agree, on the measure or in the group where they do most."""
    by_group = len(study.groups) > 1 and len(study.measures) == 1
    shown = [each for each in found if by_group or each.group == study.candidate]
    with_verdict = [each for each in shown if each.has_verdict]
    if not with_verdict:
        return _without_verdict(study, shown)
    best = max(with_verdict, key=lambda each: each.alpha.value)
    alpha, several = best.alpha, len(shown) > 1
    where = best.group if by_group else best.measure
    values: dict[str, object] = {"measure": best.measure, "alpha": decimal(alpha.value)}
    headline = "Raters agree on {measure} with an alpha of <b>{alpha}</b>"
    if several:
        who = "{who} " if len(study.groups) > 1 and not by_group else ""
        up_to = "at most" if alpha.value < TENTATIVE else "up to"
        headline = f"Single {who}ratings reach an alpha of {up_to} <b>{{alpha}}</b>"
        values["who"] = study.candidate
    verdict = alpha_verdict(
        alpha, headline, values, " on any measure" if several and not by_group else "", " on {measure}"
    )
    without = [each.group if by_group else each.measure for each in shown if each not in with_verdict]
    line = _evidence(
        study,
        best,
        where if several else "",
        alpha.low > 0,
        f"usual minimum {decimal(TENTATIVE)}" if alpha.low > 0 else "",
        _reliability_of_means([best] if by_group or not several else with_verdict),
        f"not enough data on {listed(without)}" if without else "",
    )
    if best.summary.is_rough and verdict.status is Status.CLEAR:
        verdict = replace(verdict, status=Status.UNCERTAIN)
    return replace(verdict, evidence=line, warnings=_cautions(best))


def alpha_verdict(
    alpha: Estimate, agree: str, values: Mapping[str, object], on_any: str = "", on: str = ""
) -> Finding:
    """Return whether raters agree beyond chance; if so, how alpha compares with the usual minimum, after `agree`."""
    if alpha.low > 0:
        is_clear = alpha.high < TENTATIVE or alpha.low >= TENTATIVE
        side = ("" if is_clear else "possibly ") + ("below" if alpha.value < TENTATIVE else "above")
        return clear_if(is_clear, f"{agree}, {side} the usual minimum.", values)
    if alpha.value <= 0 or alpha.high < HARDLY_ANY:
        return clear_if(alpha.high < HARDLY_ANY, f"Raters do not agree beyond chance{on_any}.")
    return uncertain(f"It is unclear whether raters agree beyond chance{on}.", values)


def _without_verdict(study: Study, shown: Sequence[GroupAgreement]) -> Finding:
    defined = [each for each in shown if each.alpha.defined]
    if not defined:
        reasons = dict.fromkeys(each.summary.one.reason or each.alpha.reason for each in shown)
        found = not_enough_data(
            "Not enough data to say whether raters agree.", {}, "; ".join(filter(None, reasons))
        )
        if study.whole.has("text_id") or study.whole.has("text"):
            return replace(found, next_step=NextStep("See the consistency of each rater", "assessors.py"))
        return found
    best = max(defined, key=lambda each: (each.alpha.low == each.alpha.low, each.alpha.n))
    alpha, values = best.alpha, {"measure": best.measure}
    if alpha.value == 1 and alpha.reason:
        scope = for_raters(best.summary.scope)
        return not_enough_data("Raters never disagree on {measure}.", values, alpha.reason, scope)
    found = not_enough_data("Not enough data to say whether raters agree on {measure}.", values)
    return replace(found, evidence=_evidence(study, best, "", False, alpha.reason), warnings=_cautions(best))


def _cautions(each: GroupAgreement) -> list[Text]:
    summary = each.summary
    rough = f"Rough: {summary.raters} raters stand for raters like these." if summary.is_rough else ""
    return [("{told}", {"told": caution}) for caution in (each.alpha.warning, rough) if caution]


def _evidence(study: Study, each: GroupAgreement, where: str, has_number: bool, *more: str) -> Text:
    """Return the evidence; `has_number` says that the headline has alpha already."""
    return evidence(
        where,
        "" if has_number else f"alpha {decimal(each.alpha.value)}",
        confidence_interval(each.alpha),
        counted(each.alpha.n, "item"),
        counted(each.summary.raters, "rater") if study.raters_are_persons else UNNAMED,
        for_raters(each.summary.scope),
        *more,
    )


def _reliability_of_means(known: Sequence[GroupAgreement]) -> str:
    means = [each.summary.mean for each in known if each.summary.mean.defined and each.summary.k > 1]
    if not means:
        return ""
    sizes = {per_item(each.summary.per_item) for each in known}
    of = f"item means, {next(iter(sizes))}" if len(sizes) == 1 else "item means"
    if len(means) == 1:
        return f"{of}: {estimate_with_interval(means[0])}"
    low, high = (decimal(pick(mean.value for mean in means)) for pick in (min, max))
    return f"{of}: {low}" if low == high else f"{of}: {low}–{high}"


Changes = Sequence[tuple[GroupAgreement, Estimate]]
"""Each group's agreement with everyone, and its alpha without the excluded raters."""


def changed_alphas(before: Sequence[GroupAgreement], after: Sequence[GroupAgreement]) -> Changes:
    """Return each group's agreement with everyone, and its alpha without the excluded raters."""
    left = {(each.measure, each.group): each.alpha for each in after}
    gone = Estimate(nan, reason="no rater is left")
    return [(each, left.get((each.measure, each.group), gone)) for each in before]


def exclusion_finding(scenario: Scenario, changes: Changes, several_groups: bool) -> Finding:
    """Return the alpha that changes most without the excluded raters, in these ratings."""
    names = [f"{each.measure} ({each.group})" if several_groups else each.measure for each, _ in changes]
    before = dict(zip(names, (each.alpha for each, _ in changes), strict=True))
    after = dict(zip(names, (alpha for _, alpha in changes), strict=True))
    return largest_change(scenario, "alpha on", before, after, THREE_DIGITS)


def exclusion_table(changes: Changes, several_groups: bool) -> Table:
    """Return each alpha with everyone, without the excluded raters, and the difference."""
    before = [each.alpha.value for each, _ in changes]
    after = [alpha.value for _, alpha in changes]
    return table_of(
        "agreement-without",
        "Krippendorff's alpha with all raters, without the excluded raters, and the difference.",
        [
            Column("Measure", [each.measure for each, _ in changes]),
            *([Column("Group", [each.group for each, _ in changes])] if several_groups else []),
            Column("Alpha, everyone", before, THREE_DIGITS),
            Column("Alpha, without", after, THREE_DIGITS),
            Column("Alpha, difference", np.subtract(after, before), THREE_DIGITS),
        ],
    )


def agreement_table(study: Study, found: Agreements) -> Table:
    """Return the reliability of single ratings, of means and of halves, a row per measure and group."""
    halves = [each.halves or Estimate(nan) for each in found]
    texts = [
        f"{THREE_DIGITS(half.value)}, {each.half} each" if half.defined else "undefined"
        for each, half in zip(found, halves, strict=True)
    ]
    groups = [Column("Group", [each.group for each in found])] if len(study.groups) > 1 else []
    summaries = [each.summary for each in found]
    figures = [
        [Estimate(each.alpha.value, reason=each.one.reason or each.alpha.reason), each.one, each.mean, half]
        for each, half in zip(summaries, halves, strict=True)
    ]
    why = why_column(figures)
    return table_of(
        "agreement",
        "Agreement of raters by measure and group, with 95% CIs.",
        [
            Column("Measure", [each.measure for each in found]),
            *groups,
            *estimate_columns(ALPHA, [each.alpha for each in summaries], THREE_DIGITS),
            *estimate_columns(ONE, [each.one for each in summaries], THREE_DIGITS, at_first_sight=False),
            *estimate_columns(MEAN, [each.mean for each in summaries], THREE_DIGITS),
            Column(HALVES, [half.value for half in halves], texts),
            Column("Items", [each.alpha.n for each in found], count),
            Column("Ratings per item", [each.k for each in summaries], ONE_DIGIT, False),
            Column("Ratings per half", [each.half for each in found], count, False),
            *([why] if any(why.values) else []),
        ],
    )


def sampled_note(found: Agreements) -> Iterator[Note]:
    """Yield of how many items the part of raters in intervals is, where not of all."""
    most = max((each.summary for each in found), key=lambda summary: summary.read_off)
    if most.read_off:
        template = (
            "Raters' part in the intervals of one rating and of means is estimated from {some} of {items}, drawn at "
            "random (seed 0)."
        )
        yield Note((template, {"some": count(most.read_off), "items": counted(most.alpha.n, "item")}))


def pairs_note(pairs: RaterPairs, measure: str, raters: int, group: str) -> Note:
    """Return the range of the correlations of rater pairs, of so many raters in all; `group` is "" of a single one."""
    r = correlations_of(pairs)
    values: dict[str, object] = {"measure": measure, "fewest": FEWEST_SHARED, "group": group}
    if not len(r):
        return Note(
            ("No two raters share {fewest} items of {measure} on which both vary: no pair has an r.", values)
        )
    of = " in {group}" if group else ""
    values |= {
        "pairs": counted(len(r), "rater pair"),
        "low": decimal(float(r[0])),
        "high": decimal(float(r[-1])),
        "median": decimal(float(np.median(r))),
        "busiest": f"; the {len(pairs.raters)} of {count(raters)} raters with most ratings"
        if len(pairs.raters) < raters
        else "",
    }
    template = (
        f"Pearson's r of {{pairs}}{of} on {{measure}} has a median of <b>{{median}}</b> and runs from {{low}} to "
        "{high} (at least {fewest} shared items{busiest})."
    )
    if len(r) == 1:
        template = (
            f"Pearson's r of the only rater pair{of} on {{measure}} is <b>{{median}}</b> "
            "(at least {fewest} shared items)."
        )
    return Note((template, values))


def coefficients_table(found: Coefficients) -> Table:
    """Return a row per coefficient, with what it says, and its difference from that of other ratings."""
    figures = found.figures
    known = [figure.fixed or figure.random or Estimate(nan) for figure in figures.values()]
    columns = [
        Column("Coefficient", list(figures)),
        Column("Value", [each.value for each in known], THREE_DIGITS),
        Column(_THESE, [_between(figure.fixed) for figure in figures.values()]),
        Column(_OTHERS, [_between(figure.random) for figure in figures.values()]),
    ]
    if found.differences:
        less = [found.differences.get(name) or AgreementFigure(None) for name in figures]
        columns += [
            Column(
                "Difference", [nan if each.fixed is None else each.fixed.value for each in less], THREE_DIGITS
            ),
            Column(f"Difference, {_THESE}", [_between(each.fixed) for each in less]),
            Column(f"Difference, {_OTHERS}", [_between(each.random) for each in less]),
        ]
    meanings = [
        _MEANINGS[name.partition(",")[0] if name.startswith("alpha") else name]
        if each.defined
        else each.reason
        for name, each in zip(figures, known, strict=True)
    ]
    columns += [
        Column(
            "SE",
            ["–" if isnan(each.error) else THREE_DIGITS(each.error) for each in figures.values()],
            None,
            False,
        ),
        Column("Items", [each.n for each in known], count, False),
        Column("Meaning", meanings, None, not found.differences),
    ]
    return table_of(
        "coefficients", ("Every coefficient of agreement on {measure}.", {"measure": found.measure}), columns
    )


def _between(estimate: Estimate | None) -> str:
    return "–" if estimate is None else interval(estimate, 3)


def coefficients_warnings(found: Coefficients) -> Iterator[Warning]:
    """Yield each reason for which a coefficient has no interval, and that some are not computed."""
    if not found.are_complete:
        text = (
            "Agreement beyond chance is not computed for so many ratings and values; alpha and the ICCs are."
        )
        yield Warning((text, {}))
    elif found.rare_end is not None:
        text = (
            "Few ratings have the highest grade, {highest}. If the scale goes further, Brennan-Prediger and AC2 count "
            "too few grades, and their intervals held in 80 to 81 of 100 simulated studies."
        )
        yield Warning((text, {"highest": f"{found.rare_end:g}"}))
    yield from by_reason(
        (name, f"no interval, {estimate.reason}")
        for name, figure in found.figures.items()
        for estimate in (figure.fixed, figure.random)
        if estimate is not None and estimate.defined and estimate.reason
    )


def difference_finding(differences: Mapping[str, AgreementFigure], here: str, there: str) -> Finding:
    """Return whether raters agree more here than there, by Gwet's coefficient."""
    name = next(name for name in differences if name.startswith("Gwet"))
    fixed, random = differences[name].fixed, differences[name].random
    values: dict[str, object] = {"here": here, "there": there}
    if fixed is None or not fixed.defined or isnan(fixed.low):
        return not_enough_data(
            "Not enough data to compare agreement on {here} and {there}.",
            values,
            "" if fixed is None else fixed.reason,
            name="difference",
        )
    widest = fixed if random is None or isnan(random.low) else random
    is_clear = widest.excludes()
    more = "more" if fixed.value > 0 else "less"
    return clear_if(
        is_clear,
        f"Raters agree {more} on {{here}} than on {{there}}, by <b>{{difference}}</b>."
        if is_clear
        else "It is unclear whether raters agree more on {here} or on {there}.",
        values | {"difference": decimal(abs(fixed.value))},
        f"{name} {'' if is_clear else f'differs by {decimal(fixed.value)}'}".rstrip(),
        confidence_interval(widest),
        counted(fixed.n, "item"),
        for_raters("these raters" if widest is fixed else "raters like these"),
        name="difference",
    )
