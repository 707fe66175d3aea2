"""Automatic metrics compared with each other on the same human scores: finding, table, notes and warnings."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from analysis.correlation.metric_comparison import FEWEST_SYSTEMS, MetricPair
from analysis.values.estimate import shorten
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Note,
    Table,
    Warning,
    clear,
    confidence_interval,
    for_raters,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.theme import THREE_DIGITS, count, decimal, p_phrase, p_value
from features.words import Column, by_reason, counted, estimate_columns, listed, table_of

ByMeasure = Mapping[str, Sequence[MetricPair]]
"""All pairs of metrics by measure."""
PAIRS = "metric pairs"
"""Name of the table."""


def _by_pair(pairs: ByMeasure) -> list[tuple[str, MetricPair]]:
    return [(measure, pair) for measure, of in pairs.items() for pair in of]


def pair_finding(pairs: ByMeasure, term: str, what: str, name: str = MAIN) -> Finding:
    """Return how many pairs of metrics clearly differ; `term` is the correlation, `what` it is over, in the plural."""
    every = _by_pair(pairs)
    known = [(measure, pair) for measure, pair in every if not isnan(pair.difference.value)]
    if not known:
        reasons = list(dict.fromkeys(pair.difference.reason for _, pair in every))
        why = "; ".join(reasons).replace("systems", what)
        return not_enough_data("Not enough data to compare metrics.", {}, why, name=name)
    most = max(pair.difference.n for _, pair in known)
    if most < FEWEST_SYSTEMS:
        step = NextStep("Add data", "datasets.py")
        there = f"{count(most)} {what}"
        return too_few("compare metrics", {}, there, FEWEST_SYSTEMS, next_step=step, name=name)
    apart = [(measure, pair) for measure, pair in known if pair.differs]
    if not apart:
        measure, pair = max(known, key=lambda one: one[1].difference.value)
        line = _evidence(measure, pair, term, what, "Largest difference")
        return uncertain("No two metrics clearly differ.", {}, *line, name=name)
    measure, pair = min(apart, key=lambda one: one[1].p_holm)
    if len(known) == 1:
        values = {"better": f"Metric {pair.better}", "other": pair.other, "measure": measure}
        headline = "{better} correlates better with {measure} than {other} does."
        return clear(headline, values, *_evidence(measure, pair, term, what), name=name)
    verb = "differs" if len(apart) == 1 else "differ"
    values = {"apart": count(len(apart)), "pairs": count(len(known))}
    line = _evidence(measure, pair, term, what, "Most clearly")
    return clear(f"{{apart}} of {{pairs}} pairs of metrics clearly {verb}.", values, *line, name=name)


def _evidence(measure: str, pair: MetricPair, term: str, what: str, lead: str = "") -> list[str]:
    named = f"{lead}: {shorten(pair.better)} and {shorten(pair.other)} on {shorten(measure)}"
    return [
        *([named] if lead else []),
        f"{term} {decimal(pair.correlations[0])} and {decimal(pair.correlations[1])}",
        f"difference {decimal(pair.difference.value)}",
        confidence_interval(pair.difference),
        f"adjusted {p_phrase(pair.p_holm)}" if not isnan(pair.p_holm) else "p undefined",
        f"{count(pair.difference.n)} {what}",
        for_raters("these raters"),
    ]


def pairs_table(pairs: ByMeasure) -> Table:
    every = _by_pair(pairs)
    of = [pair for _, pair in every]
    return table_of(
        PAIRS,
        "Pairs of metrics: difference of their correlations with the human scores.",
        [
            Column("Measure", [measure for measure, _ in every], None, len(pairs) > 1),
            Column("Metric", [pair.better for pair in of]),
            Column("Correlation", [pair.correlations[0] for pair in of], THREE_DIGITS),
            Column("Other metric", [pair.other for pair in of]),
            Column("Its correlation", [pair.correlations[1] for pair in of], THREE_DIGITS),
            *estimate_columns("Difference", [pair.difference for pair in of], THREE_DIGITS),
            Column("p", [pair.p for pair in of], p_value, False),
            Column("p (Holm)", [pair.p_holm for pair in of], p_value),
            Column("n", [pair.difference.n for pair in of], count, False),
            *estimate_columns(
                "BOOT-BOTH", [pair.resampled for pair in of], THREE_DIGITS, at_first_sight=False
            ),
            Column("PERM-BOTH, p", [pair.p_permuted for pair in of], p_value, False),
        ],
    )


def pair_note(what: str, pairs: int) -> Note:
    """Return what the intervals and p values hold for."""
    text = "Intervals and p (Holm), adjusted for {pairs} of a measure, hold for other {what} like these."
    return Note((text, {"pairs": counted(pairs, "pair"), "what": what}))


def pair_warnings(pairs: ByMeasure, what: str) -> Iterator[Warning]:
    """Yield that systems are too few, which metrics were reversed, and what is undefined."""
    every = _by_pair(pairs)
    n = [pair.difference.n for _, pair in every if not isnan(pair.difference.value)]
    if n and min(n) < FEWEST_SYSTEMS:
        text = (
            "With fewer than {fewest} {what}, metrics differ by accident: no metric is called better there."
        )
        yield Warning((text, {"fewest": FEWEST_SYSTEMS, "what": what}))
    reversed_ = dict.fromkeys(
        name
        for _, pair in every
        for name, is_turned in zip((pair.better, pair.other), pair.sign_reversed, strict=True)
        if is_turned
    )
    if reversed_:
        text = "Reversed where lower values mean higher scores: {names}."
        yield Warning((text, {"names": listed(list(reversed_))}))
    yield from by_reason(
        (measure, pair.difference.reason.replace("systems", what)) for measure, pair in every
    )
