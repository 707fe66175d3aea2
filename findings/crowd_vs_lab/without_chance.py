"""What is left of the agreement without the chance in both sides' means: systems, ceiling and spread, in sentences."""

from collections.abc import Callable, Sequence
from operator import itemgetter

from analysis.comparison.comparison import Comparison
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from analysis.values.p_values import holm
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import decimal, decimal_with_interval, p_phrase
from features.study import Study
from features.verdicts import clear, clear_if, excludes, uncertain
from features.words import Sentence, listed, throughout
from findings.crowd_vs_lab.agreement import SIGNIFICANT, on


def spread_p(compared: Sequence[Comparison]) -> list[float]:
    """Holm-adjusted p of equal true spreads."""
    return [float(p) for p in holm([c.true_scores.spread_p for c in compared])]


def systems_finding(study: Study, compared: Sequence[Comparison]) -> Finding | None:
    """How alike both sides order the systems that the items belong to; None where there are none."""
    known = _known(study, compared, lambda c: c.systems.spearman)
    if not known:
        return None
    values: dict[str, object] = {"systems": str(max(known, key=itemgetter(0))[2].n)}
    if len(known) == 1:
        _, measure, rho = known[0]
        return clear_if(
            excludes(rho),
            "Over the means of {systems} systems, ρ{on} is <b>{rho}</b>.",
            values | {"on": on(study, measure), "rho": decimal_with_interval(rho)},
            for_raters("these raters"),
        )
    told, ends = _between_ends(known, len(compared))
    is_clear = all(excludes(rho) for _, _, rho in known)
    return clear_if(
        is_clear,
        f"Over the means of {{systems}} systems, ρ is {told}.",
        values | ends,
        for_raters("these raters"),
    )


def ceiling_finding(study: Study, compared: Sequence[Comparison]) -> Finding | None:
    """How high any candidate could correlate with such a reference, and what remains without both sides' chance."""
    ceilings = _known(study, compared, lambda c: c.true_scores.ceiling)
    corrected = _known(study, compared, lambda c: c.true_scores.corrected)
    if not ceilings:
        return None
    is_clear = all(excludes(estimate) for _, _, estimate in (*ceilings, *corrected))
    above = _above([estimate for _, _, estimate in corrected])
    if len(study.measures) == 1:
        c = compared[0]
        values: dict[str, object] = {
            "candidate": study.candidate,
            "reference": study.reference_name,
            "ceiling": decimal_with_interval(c.true_scores.ceiling),
            "r": decimal(c.pearson.value),
            "above": above,
        }
        told = (
            "A candidate without error could correlate with {reference} up to <b>{ceiling}</b> (Pearson), as far as "
            "its ratings repeat; {candidate} reaches {r}"
        )
        if not corrected:
            return clear_if(is_clear, told + ".", values, _scope(study))
        return clear_if(
            is_clear,
            told + ", which corrected for both sides' unreliability is <b>{corrected}</b>{above}.",
            values | {"corrected": decimal_with_interval(c.true_scores.corrected)},
            _scope(study),
        )
    up_to, ends = _between_ends(ceilings, len(compared))
    told = (
        "As far as the ratings of {reference} repeat, a candidate without error could correlate with it up to "
        f"{up_to}"
    )
    values = {"reference": study.reference_name, "above": above} | ends
    if not corrected:
        return clear_if(is_clear, told + ".", values, _scope(study))
    without, ends = _between_ends(corrected, len(compared), "corrected_")
    told += f"; corrected for both sides' unreliability, r is {without}{{above}}."
    return clear_if(is_clear, told, values | ends, _scope(study))


def _above(corrected: Sequence[Estimate]) -> str:
    """How a correlation comes to be above 1: by chance, or by errors that both sides have in common."""
    if any(estimate.low > 1 for estimate in corrected):
        return (
            " (above 1 by more than chance: both sides' errors go together, as where the same people or the same order "
            "of items stand behind both, and then neither ceiling nor correction holds)"
        )
    if any(estimate.value > 1 for estimate in corrected):
        return " (above 1 by chance: reliabilities are estimates)"
    return ""


def spread_finding(study: Study, compared: Sequence[Comparison]) -> Finding | None:
    """Whether one side spreads the items wider than the other, by the test of error-corrected spreads."""
    names = {"candidate": study.candidate, "reference": study.reference_name}
    tested = [
        (measure, c.true_scores, p)
        for measure, c, p in zip(study.measures, compared, spread_p(compared), strict=True)
        if p == p and c.same_scale
    ]
    if not tested:
        return None
    if len(tested) == 1:
        measure, found, p = tested[0]
        values = names | {
            "on": on(study, measure),
            "ratio": decimal_with_interval(found.spread),
            "p": p_phrase(p),
        }
        if p < SIGNIFICANT:
            return clear(
                "Without chance, {candidate} spreads the items{on} <b>{ratio}</b> times as wide as {reference} ({p}).",
                values,
                _scope(study),
            )
        return uncertain(
            "Without chance, {candidate} spreads the items{on} {ratio} times as wide as {reference}: that one spreads "
            "them wider is <b>not shown</b> ({p}).",
            values,
            _scope(study),
        )
    apart = [
        f"{measure} {decimal_with_interval(found.spread)}" for measure, found, p in tested if p < SIGNIFICANT
    ]
    if not apart:
        return uncertain(
            "That one side spreads the items wider than the other, chance taken out, is shown on <b>none of {n}</b> "
            "measures (Holm-adjusted).",
            {"n": str(len(tested))},
            _scope(study),
        )
    return clear(
        "Without chance, {candidate} spreads the items wider or narrower than {reference} on <b>{k} of {n}</b> "
        "measures (ratio of SDs, Holm-adjusted): {where}.",
        names | {"k": str(len(apart)), "n": str(len(tested)), "where": listed(apart)},
        _scope(study),
    )


def _scope(study: Study) -> str:
    """Return the raters that figures of true scores hold for: other raters, where ids are those of persons."""
    return for_raters("raters like these" if study.raters_are_persons else "these raters")


def slopes(study: Study, compared: Sequence[Comparison]) -> Sentence | None:
    """The raw slopes of the differences on the means, under their picture: a description, no test."""
    known = [
        f"{shorten(measure)} {decimal(c.slope)}"
        for measure, c in zip(study.measures, compared, strict=True)
        if c.slope == c.slope and c.same_scale
    ]
    if not known:
        return None
    return (
        "Raw slope of the differences on the means: {slopes}. It is a description only: unequal numbers of ratings "
        "alone tilt it. Whether one side spreads the items wider is tested without that chance.",
        {"slopes": ", ".join(known)},
    )


Known = list[tuple[float, str, Estimate]]


def _known(study: Study, compared: Sequence[Comparison], figure: Callable[[Comparison], Estimate]) -> Known:
    """Value, measure and estimate of a figure where it is defined."""
    of_each = ((measure, figure(c)) for measure, c in zip(study.measures, compared, strict=True))
    return [(estimate.value, measure, estimate) for measure, estimate in of_each if estimate.defined]


def _between_ends(known: Known, measures: int, named: str = "") -> tuple[str, dict[str, object]]:
    """The lowest and the highest with their measures, or what all are: a template and its values, so named."""
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    values = {
        "low": decimal_with_interval(low[2]),
        "lowest": low[1],
        "high": decimal_with_interval(high[2]),
        "highest": high[1],
        "everywhere": throughout(len(known), measures, "measures"),
    }
    if len(known) > 1 and decimal(low[0]) == decimal(high[0]):
        told = "about <b>{high}</b> on {everywhere}"
    else:
        told = "<b>{low}</b> on {lowest} … <b>{high}</b> on {highest}"
    filled = {name: f"{{{named}{name}}}" for name in values}
    return told.format(**filled), {f"{named}{name}": value for name, value in values.items()}
