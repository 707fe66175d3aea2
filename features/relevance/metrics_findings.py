"""Verdicts on an automatic metric: its correlation with how well people judge, other metrics, means and outcomes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

import numpy as np

from analysis.correlation.rank_rows import CorrelationName
from analysis.relevance.judgments import OUTCOMES
from analysis.relevance.metric_correlations import (
    LEVELS,
    MEASURES,
    Level,
    Measure,
    MetricCorrelation,
    MetricCorrelations,
)
from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Table, Text, Warning
from features.plotting.numbers import count, decimal, decimal_with_interval, p_phrase, p_value
from features.relevance.accuracy_findings import MAP_GOLD
from features.relevance.differences_findings import corrected_p, missing_cells
from features.relevance.judgments_results import Surrogates
from features.relevance.metrics_results import ComparedMetric
from features.tables import Column, estimate_columns, table_of
from features.verdicts import (
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.words import counted, listed, number_repeats, of_many

LEVEL_NAMES: Mapping[Level, str] = {
    "system": "Surrogates",
    "system x event": "Surrogates × events",
    "event-adjusted": "Adjusted for events",
}
MEASURE_NAMES: Mapping[Measure, str] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F",
}
CORRELATIONS: Mapping[CorrelationName, str] = {"pearson": "Pearson", "spearman": "Spearman"}
OUTCOMES_NOTE = Note(
    (
        "TP: judged relevant and so it is. TN: judged not, and is not. FP: judged relevant but is not. FN: missed. "
        "Where few judgments are of one outcome, its interval is a little narrow: it held in 91 to 92 of 100 "
        "simulated studies.",
        {},
    )
)
_EXACT = partial(decimal, digits=3)


def missing_metric(surrogates: Surrogates, metrics: Sequence[str]) -> Finding | None:
    """Return what a study lacks to compare metrics with judgments; None where nothing lacks."""
    if not metrics:
        step = NextStep("Map a numeric column on Data", "datasets.py")
        headline = "Not enough data to study metrics: no numeric column of the surrogates is known."
        return not_enough_data(
            headline, {}, "such as ROUGE-1 for each document and surrogate", next_step=step
        )
    if not surrogates.summaries:
        return not_applicable("There are no summaries, only the full text, whose length sets its metric.")
    if not surrogates.sides:
        headline = "Not enough data to study metrics: neither gold nor full-text judgments are known."
        return not_enough_data(headline, next_step=MAP_GOLD)
    return None


def in_words(measure: Measure) -> str:
    """Return a measure as a sentence has it."""
    return "F" if measure == "f_score" else measure


def correlation_finding(found: ComparedMetric) -> Finding:
    """Return whether the metric correlates with how well people judge, adjusted for events where that is defined."""
    spec, cells = found.spec, {}
    for level, of in found.by_level.items():
        cells[level] = of.cell(spec.measure, "pearson")
    known = {level: cell for level, cell in cells.items() if cell.estimate.defined}
    values: dict[str, object] = {"metric": capitalized(spec.metric), "measure": in_words(spec.measure)}
    if not known:
        why = "; ".join(dict.fromkeys(cell.estimate.reason for cell in cells.values()))
        headline = "Not enough data to correlate {metric} with {measure}."
        return not_enough_data(headline, values | {"metric": spec.metric}, capitalized(why), spec.side)
    level = next(level for level in ("event-adjusted", "system x event", "system") if level in known)
    cell, values["r"] = known[level], decimal(known[level].estimate.value)
    line = [
        confidence_interval(cell.estimate),
        p_phrase(cell.p),
        _points(level, cell),
        spec.side,
        *(
            f"{_points(one, other)}: r = {decimal(other.estimate.value)}"
            for one, other in known.items()
            if one != level
        ),
    ]
    if cell.p >= 0.05 or isnan(cell.p):
        headline = "{metric} does not clearly correlate with {measure}."
        return uncertain(headline, values, f"r = {decimal(cell.estimate.value)}", *line)
    against = "negatively " if cell.estimate.value < 0 else ""
    return clear(f"{{metric}} correlates {against}with {{measure}}, r = {{r}}.", values, *line)


def _points(level: Level, cell: MetricCorrelation) -> str:
    points = count(cell.estimate.n)
    return {
        "system": f"{points} surrogates",
        "system x event": f"{points} surrogates × events",
        "event-adjusted": f"{points} surrogates × events, adjusted for events",
    }[level]


def correlation_label(shown: MetricCorrelations, measure: Measure) -> str:
    """Return both correlations of the points that are drawn."""
    pearson, spearman = shown.cell(measure, "pearson"), shown.cell(measure, "spearman")
    if not pearson.estimate.defined:
        return "no correlation"
    return (
        f"r = {decimal(pearson.estimate.value)} ({p_phrase(pearson.p)}), ρ = {decimal(spearman.estimate.value)}, "
        f"{count(pearson.estimate.n)} points"
    )


def correlation_table(found: ComparedMetric) -> Table:
    """Return Tables 4, 5 and 6 of the paper next to each other, with stars."""
    rows = [(measure, name) for measure in MEASURES for name in CORRELATIONS]
    columns = [
        Column("Measure", [MEASURE_NAMES[measure] for measure, _ in rows]),
        Column("Correlation", [CORRELATIONS[name] for _, name in rows]),
    ]
    hidden = list[Column]()
    for level in (level for level in LEVELS if level in found.by_level):
        cells, called = [found.by_level[level].cell(*row) for row in rows], LEVEL_NAMES[level]
        texts = [f"{decimal_with_interval(cell.estimate, 3)} {cell.stars}".rstrip() for cell in cells]
        columns += estimate_columns(called, [cell.estimate for cell in cells], _EXACT, texts)
        hidden += [
            Column(f"{called}, p", [cell.p for cell in cells], p_value, False),
            Column(f"{called}, p of points", [cell.p_of_points for cell in cells], p_value, False),
            Column(f"{called}, df of points", [cell.degrees for cell in cells], count, False),
            Column(f"{called}, points", [cell.estimate.n for cell in cells], count, False),
            Column(f"{called}, left out", [cell.left_out for cell in cells], count, False),
        ]
    caption = "Correlations of {metric} with how well people judge ({side})."
    return table_of(
        "metrics", (caption, {"metric": found.spec.metric, "side": found.spec.side}), [*columns, *hidden]
    )


def correlation_notes(found: ComparedMetric) -> Iterator[Note]:
    """Yield what the stars mean, and where p comes from."""
    tail = "two-sided" if found.spec.alternative == "two-sided" else "one-tailed"
    text = (
        "* p &lt; .05, ** p &lt; .01, *** p &lt; .001, {tail}. Surrogates: Student's t; surrogates × events and "
        "adjusted for events: {by}. Intervals are for other surrogates, and other events where points have them."
    )
    yield Note((text, {"tail": tail, "by": found.by_level["event-adjusted"].p_by}))


def correlation_warnings(found: ComparedMetric) -> Iterator[Warning]:
    """Yield what is set aside or undefined, and the least p that is possible."""
    texts, told = found.texts, list[Text]()
    aside = [
        (texts.without_truth, "judgments without the truth"),
        (texts.without_metric, "judgments of surrogates without the metric"),
        (texts.unjudged, "surrogates with the metric but without a judgment of known truth"),
    ]
    if any(n for n, _ in aside):
        what = listed([f"{count(n)} {what}" for n, what in aside if n])
        told.append(("Set aside: {what}.", {"what": what}))
    lacking: dict[tuple[str, str], list[str]] = {}
    for level, of in found.by_level.items():
        undefined = [cell for cell in of.cells if not cell.estimate.defined]
        if undefined:
            measures = listed(list(dict.fromkeys(MEASURE_NAMES[cell.measure] for cell in undefined)))
            lacking.setdefault((measures, undefined[0].estimate.reason), []).append(LEVEL_NAMES[level])
    for (measures, why), levels in lacking.items():
        values = {"levels": ", ".join(levels), "measures": measures, "why": why}
        told.append(("{levels}: correlations with {measures} are undefined: {why}.", values))
    adjusted = found.by_level["event-adjusted"].cells
    smallest = [cell.smallest_p for cell in adjusted if cell.estimate.defined]
    if smallest and max(smallest) > 0.05:
        text = "With so few surrogates, p cannot be below {least} when whole surrogates are permuted."
        told.append((text, {"least": p_value(max(smallest))}))
    yield from map(Warning, number_repeats(told))


def means_finding(found: ComparedMetric) -> Finding:
    """Return whether the metric differs between surrogates."""
    test, values = found.test, {"metric": capitalized(found.spec.metric)}
    if not test.defined:
        headline = "Not enough data to compare {metric} between surrogates."
        return not_enough_data(headline, values, capitalized(test.reason), name="means")
    p = corrected_p(test)
    does = "differs" if p < 0.05 else "does not clearly differ"
    statistic = f"F({decimal(test.df1, 0)}, {decimal(test.df2, 0)}) = {decimal(test.f)}, {p_phrase(p)}"
    subjects = counted(test.n, found.spec.subjects.removesuffix("s"))
    return clear_if(
        p < 0.05, f"{{metric}} {does} between surrogates.", values, statistic, subjects, name="means"
    )


def highest_first(found: ComparedMetric) -> list[int]:
    """Return the places of the surrogates by their mean."""
    return sorted(range(found.test.k), key=lambda at: -found.test.means[at].value)


def means_table(found: ComparedMetric) -> Table:
    """Return the metric of each surrogate, over its texts and over the subjects of the test."""
    test, order = found.test, highest_first(found)
    of_texts = {mean.surrogate: mean for mean in found.means}
    codes = [test.conditions.tolist()[at] for at in order]
    over = f"Mean over {found.spec.subjects}"
    return table_of(
        "metric-means",
        ("Mean {metric} of each surrogate, the highest on top.", {"metric": found.spec.metric}),
        [
            Column("Surrogate", found.main.surrogates.names_of(codes)),
            *estimate_columns(over, [test.means[at] for at in order], _EXACT),
            Column("Letters", [found.pairs.letters[at] for at in order]),
            Column("Mean over texts", [of_texts[code].mean for code in codes], _EXACT, False),
            Column("SD", [of_texts[code].sd for code in codes], _EXACT, False),
            Column("Texts", [of_texts[code].n for code in codes], count),
            Column("HSD", np.full(len(codes), found.pairs.hsd), _EXACT, False),
            Column("p of F", np.full(len(codes), test.p), p_value, False),
        ],
    )


def means_notes(found: ComparedMetric) -> Iterator[Note]:
    """Yield the method where cells are missing."""
    yield from map(Note, missing_cells(found.test))


def with_outcomes(found: ComparedMetric) -> list[int]:
    """Return the codes of the summaries of which there is a judgment."""
    means = found.outcomes or {}
    return [
        code
        for code in found.main.surrogates.summaries
        if any(means[code, each].mean.n for each in OUTCOMES if (code, each) in means)
    ]


def outcome_finding(found: ComparedMetric) -> Finding:
    """Return on how many surrogates the metric is lower where people judge wrong."""
    codes = with_outcomes(found)
    metric = {"metric": capitalized(found.spec.metric)}
    if not codes:
        headline = "Not enough data to compare {metric} where people judge right and wrong."
        return not_enough_data(headline, metric, "No judgment has both a truth and a metric", name="outcomes")
    lower = [code for code in codes if _mean(found, code, ("fp", "fn")) < _mean(found, code, ("tp", "tn"))]
    values = {**metric, "n": len(lower), "of": of_many(len(codes), "surrogates")}
    headline = "{metric} is lower where people judge wrong on {n} of {of}."
    return uncertain(headline, values, found.spec.side, "means over judgments, not tested", name="outcomes")


def _mean(found: ComparedMetric, code: int, outcomes: Sequence[str]) -> float:
    """Return the mean metric over judgments of several outcomes, NaN without any."""
    means = [(found.outcomes or {})[code, each].mean for each in outcomes]
    number = sum(e.n for e in means)
    return sum(e.value * e.n for e in means if e.n) / number if number else float("nan")


def outcome_estimates(found: ComparedMetric) -> list[tuple[int, str, Estimate, int]]:
    """Return code, outcome, mean metric and number of texts of each summary and outcome."""
    means = found.outcomes or {}
    every = [(code, each, means[code, each]) for code in with_outcomes(found) for each in OUTCOMES]
    return [(code, each, one.mean, one.texts) for code, each, one in every]


def outcomes_table(found: ComparedMetric) -> Table:
    """Return the mean metric where people judge right and wrong."""
    rows = outcome_estimates(found)
    return table_of(
        "metric-outcomes",
        ("Mean {metric} by surrogate and outcome of the judgments.", {"metric": found.spec.metric}),
        [
            Column("Surrogate", found.main.surrogates.names_of([code for code, *_ in rows])),
            Column("Outcome", [each.upper() for _, each, _, _ in rows]),
            *estimate_columns("Mean", [mean for *_, mean, _ in rows], _EXACT),
            Column("Judgments", [mean.n for *_, mean, _ in rows], count),
            Column("Texts", [texts for *_, texts in rows], count),
        ],
    )
