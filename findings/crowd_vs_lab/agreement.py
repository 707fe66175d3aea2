"""How alike candidate and reference order the items, and whether one rates higher, in sentences."""

from collections.abc import Sequence
from math import isnan, nan
from operator import itemgetter

from analysis.comparison.comparison import Comparison, OrderAlone
from analysis.values.estimate import Estimate
from analysis.values.p_values import holm
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, decimal, interval, p_phrase, share
from features.study import Study
from features.verdicts import clear, clear_if, excludes, not_applicable, not_enough_data, uncertain
from features.words import Sentence, counted, listed, throughout

SIGNIFICANT = 0.05


def order_finding(study: Study, compared: Sequence[Comparison | OrderAlone]) -> Finding:
    """How alike both sides order the items, from the weakest measure to the strongest."""
    names = {"candidate": study.candidate, "reference": study.reference_name}
    known = [
        (c.spearman.value, m, c) for m, c in zip(study.measures, compared, strict=True) if c.spearman.defined
    ]
    if not known:
        why = dict.fromkeys(c.spearman.reason for c in compared)
        return not_enough_data(
            "No correlation of {candidate} with {reference} is defined here: {why}.",
            names | {"why": "; ".join(why)},
        )
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    scope = scope_of([c for _, _, c in known if not isnan(c.spearman.low)])
    is_clear = all(excludes(c.spearman) for _, _, c in known)
    if len(known) == 1:
        return clear_if(
            is_clear,
            "How alike {candidate} and {reference} order the items{on}: <b>{strength}</b>, with Spearman's ρ "
            "<b>{rho}</b>{interval} over {items} items.",
            {
                **names,
                "on": on(study, high[1]),
                "strength": high[2].strength,
                "rho": decimal(high[0]),
                "interval": _in_brackets(high[2].spearman),
                "items": count(high[2].items_shared),
            },
            scope,
        )
    if decimal(low[0]) == decimal(high[0]):
        return clear_if(
            is_clear,
            "How alike {candidate} and {reference} order the items: Spearman's ρ is about <b>{rho}</b> ({strength}) on "
            "{everywhere}.",
            {
                **names,
                "rho": decimal(high[0]),
                "strength": high[2].strength,
                "everywhere": throughout(len(known), len(compared), "measures"),
            },
            scope,
        )
    return clear_if(
        is_clear,
        "How alike {candidate} and {reference} order the items: Spearman's ρ runs from <b>{low}</b> "
        "({lowest}, {weak}) to <b>{high}</b> ({highest}, {strong}).",
        {
            **names,
            "low": decimal(low[0]),
            "lowest": low[1],
            "weak": low[2].strength,
            "high": decimal(high[0]),
            "highest": high[1],
            "strong": high[2].strength,
        },
        scope,
    )


def scope_of(compared: Sequence[Comparison | OrderAlone]) -> str:
    """Return the raters that intervals and tests hold for, "" before there are any."""
    return for_raters(*(c.scope for c in compared if isinstance(c, Comparison)))


def _tested_over(compared: Sequence[Comparison]) -> str:
    """Return the source of chance of the test of level, in a word or two."""
    return " or ".join(dict.fromkeys("items" if c.scope == "these raters" else "raters" for c in compared))


def level_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of the test of level; NaN where both sides are on scales of their own."""
    return [float(p) for p in holm([c.level_p if c.same_scale else nan for c in compared])]


def raters_p(compared: Sequence[Comparison]) -> list[float]:
    """Return Holm-adjusted p of the test over raters, whatever the scope; NaN as `level_p`."""
    return [float(p) for p in holm([c.rater_p if c.same_scale else nan for c in compared])]


def equivalence_p(compared: Sequence[Comparison]) -> list[float]:
    """Holm-adjusted p of the equivalence test; NaN where both sides are on scales of their own."""
    return [float(p) for p in holm([c.equivalence.p if c.same_scale else nan for c in compared])]


def level_finding(study: Study, compared: Sequence[Comparison]) -> Finding | None:
    """On how many measures one side rates higher, by the test of its scope, Holm-adjusted."""
    names = {"candidate": study.candidate, "reference": study.reference_name}
    if not any(c.same_scale for c in compared):
        return not_applicable(
            "{reference} is a column of numbers on a scale of its own: how alike the items are ordered can be told, "
            "not whether {candidate} rates higher.",
            names,
        )
    adjusted = level_p(compared)
    tested = [p for p in adjusted if p == p]
    if not tested:
        return None
    if len(tested) == 1:
        return _one_level(study, compared, adjusted)
    significant = [
        f"{measure} ({decimal(c.mean_difference.value)}{_in_brackets(c.mean_difference, '; ', '')})"
        for measure, c, p in zip(study.measures, compared, adjusted, strict=True)
        if p < SIGNIFICANT
    ]
    if not significant:
        return uncertain(
            "No difference in level between {candidate} and {reference} stands out from chance over {over} "
            "(p ≥ .05 on all {n} measures, Holm-adjusted).",
            names | {"n": str(len(tested)), "over": _tested_over(compared)},
            scope_of(compared),
        )
    return clear(
        "Levels differ on <b>{k} of {n}</b> measures ({candidate} minus {reference}): {where}; "
        "test over {over}, Holm-adjusted p &lt; .05.",
        {
            **names,
            "n": len(tested),
            "k": len(significant),
            "where": listed(significant),
            "over": _tested_over(compared),
        },
        scope_of(compared),
    )


def _one_level(study: Study, compared: Sequence[Comparison], adjusted: Sequence[float]) -> Finding:
    """The same of the one measure that is tested."""
    ((measure, only),) = (
        (m, c) for m, c, p in zip(study.measures, compared, adjusted, strict=True) if p == p
    )
    values: dict[str, object] = {
        "candidate": study.candidate,
        "reference": study.reference_name,
        "on": on(study, measure),
        "difference": decimal(only.mean_difference.value),
        "interval": _in_brackets(only.mean_difference),
        "p": p_phrase(only.level_p),
        "over": _tested_over([only]),
    }
    if only.level_p >= SIGNIFICANT:
        return uncertain(
            "No difference in level between {candidate} and {reference} stands out from chance over {over}{on}: "
            "{difference}{interval}, {p}.",
            values,
            scope_of([only]),
        )
    return clear(
        "The level of {candidate} is "
        + ("higher" if only.mean_difference.value > 0 else "lower")
        + " than that of {reference}{on}: <b>{difference}</b>{interval}; test over {over}, {p}.",
        values,
        scope_of([only]),
    )


def on(study: Study, measure: str) -> str:
    """Where a figure of one measure holds, unless the study has only that."""
    return f" on {measure}" if len(study.measures) > 1 else ""


def equality_finding(study: Study, compared: Sequence[Comparison]) -> Finding | None:
    """On how many measures both sides are shown to be level within the margin, Holm-adjusted."""
    tested = [
        (measure, c, p)
        for measure, c, p in zip(study.measures, compared, equivalence_p(compared), strict=True)
        if p == p
    ]
    if not tested:
        return None
    if len(tested) == 1:
        measure, c, p = tested[0]
        equal = c.equivalence
        values = {
            "on": on(study, measure),
            "margin": decimal(equal.margin),
            "margin_is": equal.margin_is,
            "low": decimal(equal.low),
            "high": decimal(equal.high),
        }
        if p < SIGNIFICANT:
            return clear(
                "Equal within ±{margin} points ({margin_is}){on}: the 90 % interval of the difference is {low} … "
                "{high}.",
                values,
                scope_of([c]),
            )
        return uncertain(
            "That both are equal within ±{margin} points ({margin_is}){on} is <b>not shown</b>: the 90 % interval of "
            "the difference is {low} … {high}. Without any difference, such a study would show it with a power of "
            "{power}.",
            values | {"power": share(equal.power)},
            scope_of([c]),
        )
    equal_on = [measure for measure, _, p in tested if p < SIGNIFICANT]
    values = {
        "k": str(len(equal_on)),
        "n": str(len(tested)),
        "margin": "the margin that was set"
        if tested[0][1].spec.margin is not None
        else "a quarter of the SD of single reference ratings",
    }
    if not equal_on:
        values["power"] = share(max(c.equivalence.power for _, c, _ in tested))
        return uncertain(
            "Equality within {margin} is shown on <b>none of {n}</b> measures. Without any difference, such a study "
            "would show it on one measure with a power of {power} at most.",
            values,
            scope_of(compared),
        )
    return clear(
        "Equality within {margin} is shown on <b>{k} of {n}</b> measures (Holm-adjusted): {where}.",
        values | {"where": listed(equal_on)},
        scope_of(compared),
    )


def few_raters(study: Study, compared: Sequence[Comparison]) -> list[Sentence]:
    """What so few raters can tell of the level, each group once."""
    told: dict[str, list[str]] = {}
    for measure, c in zip(study.measures, compared, strict=True):
        if c.few and c.same_scale:
            told.setdefault(c.few, []).append(measure)
    return [("{where}: {few}.", {"where": listed(where), "few": few}) for few, where in told.items()]


def how_tested(compared: Sequence[Comparison]) -> Sentence:
    """What intervals and tests rest on."""
    return (
        "Intervals and test of level {scope}: {how}; {test}. Mann-Whitney and Wilcoxon hold for these raters only.",
        {
            "scope": scope_of(compared[:1]),
            "how": compared[0].interval_method,
            "test": compared[0].level_test,
        },
    )


def remarks(study: Study, compared: Sequence[Comparison]) -> list[Sentence]:
    """What was left out or is undefined, each reason once."""
    reasons: dict[str, list[str]] = {}
    for measure, c in zip(study.measures, compared, strict=True):
        if c.left_out_candidate or c.left_out_reference:
            told = (
                f"left out: {counted(c.left_out_candidate, 'item')} rated by {study.candidate} only and "
                f"{count(c.left_out_reference)} known to {study.reference_name} only"
            )
            reasons.setdefault(told, []).append(measure)
        for reason in c.reasons:
            reasons.setdefault(reason, []).append(measure)
    return [
        ("{where}: {reason}.", {"where": listed(where), "reason": reason})
        for reason, where in reasons.items()
    ]


def no_reference(study: Study) -> Sentence | None:
    """What to choose where there is nothing, or nothing else, to compare the candidate with."""
    if study.reference is None and study.reference_column is None:
        return (
            "There is nothing to compare {candidate} with. Choose another group or a numeric column as reference "
            "in the sidebar, or go on to <b>Repetitions</b>, which can hold ratings against their own other half.",
            {"candidate": study.candidate},
        )
    if study.reference == study.candidate:
        return (
            "Candidate and reference are both {group}. Choose another reference.",
            {"group": study.candidate},
        )
    return None


def _in_brackets(estimate: Estimate, before: str = " (", after: str = ")") -> str:
    return "" if estimate.low != estimate.low else f"{before}95 % interval {interval(estimate)}{after}"


EXPLANATION = r"""
**All groups** (where there are more than two sides): each group against the reference, figure by figure as the pair in
detail is. The closest and the farthest are named only where their intervals leave room between them; over several
measures the median correlation is told, which claims nothing of other measures. The matrix shows each two groups over
the items that both rated, without intervals: choose a cell for its pair.

**Generalize to.** *These raters*: other items by the same raters; intervals and the test of level are over items alone.
*Raters like these*: other items and other raters of either group, the default where each has six or more. Ceiling,
corrected r and spread are always for raters like these, systems for these raters.

An item's **MOS** in a group is the mean of all its ratings there; only items known on both sides enter.

* **Spearman's ρ, Pearson's r, Kendall's τ-b**: do both sides order (or space) the items alike? The correlation
  meant is that between MOS of this many ratings per item: more ratings would raise it. Words follow Schober et
  al. 2018: from .90 very strong, .70 strong, .40 moderate, .10 weak.
* **RMSE, mean difference** (candidate − reference): how far apart are they on the scale? The dotted lines of
  *Differences* are the limits between which 95 % of items lie (Bland and Altman).
* **p (raters)** and the **interval of the mean difference** come from one model, so that they cannot contradict each
  other: the variance of the difference from items, from raters of either group (each weighing what it weighs in the
  mean) and from the rest, and Student's t with Satterthwaite's degrees of freedom, never more than six times those of
  the group with fewer raters; with fewer than 6 raters in a group with those of the smaller group. A single rater's
  severity cannot be told from the difference: then there is neither interval nor test. **Holm** adjusts for having
  asked several measures. **p (labels exchanged)** exchanges whole raters between the groups and studentises each
  difference anew; it is there where every rater rated every item, since with unequal workloads an exchange of labels
  tests something else.
* **Equality** is not shown by finding no difference. The equivalence test (two one-sided t tests of the same model)
  asks whether the difference lies within ± a **margin** in scale points: by default 0.25 of the SD (n − 1) of all
  single ratings of the reference. Its picture is the 90 % interval: p is below .05 just where that lies within the
  margin. **Concordance** (Lin) is 1 where both sides give every item the same number: it falls with a low correlation,
  a shift and an unequal spread. The **limits of agreement** hold 95 % of the items' differences; their intervals, the
  bands of *Differences*, rest on items and raters.
* **Over systems**: where items belong to systems, the same ρ between both sides' means of systems, with Fisher's
  interval over systems. Intervals of the figures over items then draw what items hang on, systems, topics or both,
  with all their items, wherever there are 8 or more of them; the line below the table says which.
* **Reliability, ceiling, corrected r**: products of an item's ratings by different people, less products across
  items, give the variance of the items' *true scores*; its share of the variance of the means is the **reliability**
  of the means (ICC(C,k) where everybody rated everything, ICC(1,k) where each item has raters of its own). The root of
  the reference's reliability is the **ceiling**: the correlation with it of a candidate without any error.
  **Corrected r** is Pearson's r divided by the root of both reliabilities (Spearman 1904): what error-free means would
  show. It is an estimate, not a correlation of these data, may exceed 1, and is not cut. It takes the errors of both
  sides as independent: where its whole interval is above 1, they are not. It is undefined where a reliability is not
  positive. A rater's repeats of an item count once here; MOS keep every rating. Intervals leave out items, raters and
  single ratings in turn (jackknife; ratios by Fieller); that of a ceiling or a spread begins at 0 where the
  reliability below it may be less than nothing, and a spread has no upper end (∞) where the reference's may be
  nothing.
* **Spread** (proportional bias): SD of the candidate's true scores over that of the reference's, with its interval
  and the p of its being 1, a cautious test with the degrees of freedom of the smaller group at most: in simulated
  studies it rejected 0 to 4 of 100 true nulls, not 5, and hardly any with 3 raters in a group. With 3 to 6 raters
  in a group the interval held in 99 to 100 of 100 studies. The raw **slope**
  of the Bland-Altman plot is a description only: the side with fewer ratings has noisier means, which tilts it.
* **Mann-Whitney U** (the paper's test, U of the candidate) and the paired **Wilcoxon** treat items as the only
  chance there is: they hold for *these raters only* and call differences significant too easily.
* **Intervals** of the other figures resample items and, within each group, raters (pigeonhole bootstrap); the draws
  are moved to the estimate and given the width of the two-way variance, since copies of ratings make every draw
  noisier than the data. Above 5 000 shared items they are analytic, with the raters' part in them too. An interval
  over items alone would be far too narrow. In simulated studies the 95 % intervals hold the truth in 92 to 98 %; over
  few systems the analytic one of the RMSE is a little wide and held in 98 to 99 of 100.

Source: Iskender, Polzehl and Möller 2020, sections 4 and 4.1, Table 1. The p values printed there are one-sided.
"""
