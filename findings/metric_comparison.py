"""Two automatic metrics on the same human scores: which one goes better with them, and what cannot be told."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

import pandas as pd

from analysis.correlation.metric_comparison import FEWEST_NAMED, MetricPair
from analysis.values.estimate import BootstrapSpec
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, decimal, interval, p_phrase, p_value
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, counted, listed

ByMeasure = Mapping[str, Sequence[MetricPair]]
"""All pairs of metrics by measure."""
ONE_METRIC = "A second metric would open the comparison of metrics on the same scores."
_EXACT = partial(decimal, digits=3)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Correlation", "Its correlation", "Difference"), _EXACT),
    **dict.fromkeys(("p", "p (Holm)", "PERM-BOTH, p"), p_value),
    "n": count,
}


def finding(pairs: ByMeasure, term: str, what: str, whom: str = "the raters") -> Finding:
    """The clearest pair, or that no metric can be called better, or that systems are too few to tell."""
    known = [
        (measure, pair) for measure, of in pairs.items() for pair in of if not isnan(pair.difference.value)
    ]
    if not known:
        reasons = list(dict.fromkeys(pair.difference.reason for of in pairs.values() for pair in of))
        return not_enough_data(
            "Which metric goes better with {whom} cannot be told: {why}.",
            {"why": "; ".join(reasons).replace("systems", what), "whom": whom},
        )
    if max(pair.difference.n for _, pair in known) < FEWEST_NAMED:
        return not_enough_data(
            "Which metric goes better with {whom} cannot be told over {n} {what}: {fewest} or more are needed.",
            {
                "n": count(max(pair.difference.n for _, pair in known)),
                "what": what,
                "whom": whom,
                "fewest": FEWEST_NAMED,
            },
        )
    apart = [(measure, pair) for measure, pair in known if pair.told_apart]
    if apart:
        measure, pair = min(apart, key=lambda one: one[1].p_holm)
        template = "On {measure} <b>{better}</b> goes better with {whom} than <b>{other}</b>"
        if len(apart) > 1:
            template = "{told} of {pairs} pairs of metrics are told apart. " + template
    else:
        measure, pair = max(known, key=lambda one: one[1].difference.value)
        template = (
            "<b>No metric</b> can be shown to go better with {whom} than another. The largest difference is that "
            "of {better} and {other} on {measure}"
        )
    template += ": {term} {high} against {low}, difference <b>{difference}</b> ({between}), {p}, over {n}."
    values = {
        "measure": measure,
        "whom": whom,
        "better": pair.better,
        "other": pair.other,
        "term": term,
        "high": decimal(pair.correlations[0]),
        "low": decimal(pair.correlations[1]),
        "difference": decimal(pair.difference.value),
        "between": interval(pair.difference),
        "p": p_phrase(pair.p_holm) if not isnan(pair.p_holm) else "p undefined",
        "n": f"{count(pair.difference.n)} {what}",
        "told": len(apart),
        "pairs": len(known),
    }
    return clear_if(bool(apart), template, values, for_raters("these raters"))


def table(pairs: ByMeasure) -> Shown:
    """One row per measure and pair, the metric with the higher correlation first."""
    rows = [
        {
            "Measure": measure,
            "Metric": pair.better,
            "Correlation": pair.correlations[0],
            "Other metric": pair.other,
            "Its correlation": pair.correlations[1],
            "Difference": pair.difference.value,
            "95 %": interval(pair.difference, 3),
            "p": pair.p,
            "p (Holm)": pair.p_holm,
            "n": pair.difference.n,
            "BOOT-BOTH, 95 %": interval(pair.resampled, 3),
            "PERM-BOTH, p": pair.p_permuted,
        }
        for measure, of in pairs.items()
        for pair in of
    ]
    return pd.DataFrame(rows), _WRITTEN


def notes(what: str, spec: BootstrapSpec, pairs: int) -> list[Sentence]:
    """What each column answers, and what it does not."""
    return [
        (
            "p: Williams' test; p (Holm): for {pairs} of a measure. Both, and the interval (Zou), are for other {what} "
            "like these. <b>PERM-BOTH</b> is for <b>these {what} only</b>: of metrics that are equally good over many "
            "{what} it tells 20 to 60 of 100 pairs apart. <b>BOOT-BOTH</b> draws {what} and topics: {draws} draws, "
            "seed {seed}; for Spearman's ρ it is wider than it says (it held in 98 to 100 of 100 simulated studies).",
            {
                "pairs": counted(pairs, "pair"),
                "what": what,
                "draws": count(spec.draws),
                "seed": spec.seed,
            },
        )
    ]


def remarks(pairs: ByMeasure, what: str) -> list[Sentence]:
    """Too few systems, metrics that were turned round, and what is undefined."""
    made: list[Sentence] = []
    n = [pair.difference.n for of in pairs.values() for pair in of if not isnan(pair.difference.value)]
    if n and min(n) < FEWEST_NAMED:
        made.append(
            (
                "Fewer than {fewest} {what} tell metrics apart only by accident: no metric is called better there.",
                {"fewest": FEWEST_NAMED, "what": what},
            )
        )
    turned = list(
        dict.fromkeys(
            f"{name} ({measure})"
            for measure, of in pairs.items()
            for pair in of
            for name, is_turned in zip((pair.better, pair.other), pair.turned, strict=True)
            if is_turned
        )
    )
    if turned:
        made.append(
            (
                "Falls where scores rise, and is turned round for the comparison: {names}.",
                {"names": listed(turned)},
            )
        )
    reasons: dict[str, list[str]] = {}
    for measure, of in pairs.items():
        for pair in of:
            if pair.difference.reason:
                reasons.setdefault(pair.difference.reason, []).append(measure)
    made += [
        (
            "{measures}: {why}.",
            {"measures": listed(list(dict.fromkeys(of))), "why": why.replace("systems", what)},
        )
        for why, of in reasons.items()
    ]
    return made
