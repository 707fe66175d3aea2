"""Verdicts on an automatic metric: its correlation with how well people judge, other metrics, means and outcomes."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

import numpy as np

from analysis.correlation.rank_rows import CorrelationName
from analysis.relevance.judgments import OUTCOMES
from analysis.relevance.metric_correlations import LEVELS, MEASURES, Level, Measure, MetricCorrelations
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    NextStep,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    confidence_interval,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    estimate_in_table,
    p_phrase,
    p_value,
)
from features.relevance.agreement_findings import MAP_GOLD, means_table
from features.relevance.agreement_results import Surrogates
from features.relevance.metrics_results import ComparedMetric, Partitions
from features.words import (
    WHY,
    Column,
    estimate_columns,
    listed,
    number_repeats,
    table_of,
    why_column,
)

LEVEL_NAMES: Mapping[Level, str] = {
    "system": "Surrogates",
    "system x event": "Surrogates × events",
    "event-adjusted": "Adjusted for events",
}
_POINTS: Mapping[Level, str] = {
    "system": "surrogates",
    "system x event": "surrogates × events",
    "event-adjusted": "points adjusted for events",
}
MEASURE_NAMES: Mapping[Measure, str] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F",
}
CORRELATIONS: Mapping[CorrelationName, str] = {"pearson": "Pearson", "spearman": "Spearman"}


def missing_metric(surrogates: Surrogates, metrics: Sequence[str]) -> Finding | None:
    """Return the finding on what is missing to compare metrics with judgments, or None."""
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
    return "F" if measure == "f_score" else measure


def correlation_finding(found: ComparedMetric) -> Finding:
    """Return whether the metric correlates with how well people judge, adjusted for events where that is defined."""
    spec, of = found.spec, found.by_level
    cells = [(level, of[level].cell(spec.measure, "pearson")) for level in reversed(LEVELS) if level in of]
    known = [(level, cell) for level, cell in cells if cell.estimate.defined]
    values = {"metric": capitalized(spec.metric), "measure": in_words(spec.measure)}
    if not known:
        why = "; ".join(dict.fromkeys(cell.estimate.reason for _, cell in cells))
        headline = "Not enough data to correlate {metric} with {measure}."
        return not_enough_data(headline, values | {"metric": spec.metric}, capitalized(why), spec.side)
    level, cell = known[0]
    r = decimal(cell.estimate.value)
    points = f"{count(cell.estimate.n)} {_POINTS[level]}"
    line = confidence_interval(cell.estimate), p_phrase(cell.p), points, spec.side
    if cell.p < 0.05:
        against = "negatively " if cell.estimate.value < 0 else ""
        headline = f"{{metric}} correlates {against}with {{measure}}, r = {{r}}."
        return clear(headline, {**values, "r": r}, *line)
    return uncertain("{metric} does not clearly correlate with {measure}.", values, f"r = {r}", *line)


def correlation_label(shown: MetricCorrelations, measure: Measure, level: Level) -> str:
    """Return both correlations of the points that are drawn, which need not be those of the headline."""
    pearson, spearman = shown.cell(measure, "pearson"), shown.cell(measure, "spearman")
    if not pearson.estimate.defined:
        return "no correlation"
    return (
        f"r = {decimal(pearson.estimate.value)} ({p_phrase(pearson.p)}), ρ = {decimal(spearman.estimate.value)}, "
        f"{count(pearson.estimate.n)} {_POINTS[level]}"
    )


def correlation_table(found: ComparedMetric) -> Table:
    """Return Tables 4, 5 and 6 of the paper next to each other, with stars."""
    rows = [(measure, name) for measure in MEASURES for name in CORRELATIONS]
    columns = [
        Column("Measure", [MEASURE_NAMES[measure] for measure, _ in rows]),
        Column("Correlation", [CORRELATIONS[name] for _, name in rows]),
    ]
    hidden, estimates = list[Column](), list[list[Estimate]]()
    for level in (level for level in LEVELS if level in found.by_level):
        cells, called = [found.by_level[level].cell(*row) for row in rows], LEVEL_NAMES[level]
        estimates.append([cell.estimate for cell in cells])
        texts = [f"{estimate_in_table(cell.estimate, THREE_DIGITS)} {cell.stars}".rstrip() for cell in cells]
        columns += estimate_columns(called, estimates[-1], THREE_DIGITS, texts)
        hidden += [
            Column(f"{called}, p", [cell.p for cell in cells], p_value, False),
            Column(f"{called}, p of points", [cell.p_of_points for cell in cells], p_value, False),
            Column(f"{called}, df of points", [cell.degrees for cell in cells], count, False),
            Column(f"{called}, points", [cell.estimate.n for cell in cells], count, False),
            Column(f"{called}, left out", [cell.left_out for cell in cells], count, False),
        ]
    caption = (
        "Correlations of {metric} with how well people judge ({side}). * p &lt; .05, ** p &lt; .01, *** p &lt; .001, "
        "{tail}, with events by {by}."
    )
    values = {
        "metric": found.spec.metric,
        "side": found.spec.side,
        "tail": "two-sided" if found.spec.alternative == "two-sided" else "one-tailed",
        "by": found.by_level["event-adjusted"].p_by,
    }
    reasons = zip(rows, why_column(zip(*estimates, strict=True)).values, strict=True)
    why = [reason.replace(f" with {in_words(measure)}", "") for (measure, _), reason in reasons]
    return table_of("metrics", (caption, values), [*columns, *hidden, Column(WHY, why, None, False)])


def correlation_warnings(found: ComparedMetric) -> Iterator[Warning]:
    """Yield what is set aside, and the least p that is possible."""
    texts = found.texts
    aside = {
        "judgments without the truth": texts.without_truth,
        "judgments of surrogates without the metric": texts.without_metric,
        "surrogates with the metric but without a judgment of known truth": texts.unjudged,
    }
    if any(aside.values()):
        what = listed([f"{count(n)} {what}" for what, n in aside.items() if n])
        yield Warning(("Set aside: {what}.", {"what": what}))
    adjusted = found.by_level["event-adjusted"].cells
    smallest = [cell.smallest_p for cell in adjusted if cell.estimate.defined]
    if smallest and max(smallest) > 0.05:
        text = "With so few surrogates, p cannot be below {least} when whole surrogates are permuted."
        yield Warning((text, {"least": p_value(max(smallest))}))


def metric_means_table(found: ComparedMetric) -> Table:
    """Return the metric of each surrogate, over its texts and over the subjects of the test."""
    differences, of_texts = found.differences, {mean.surrogate: mean for mean in found.means}
    means = [of_texts[differences.test.conditions.tolist()[at]] for at in differences.best_first]
    more = [
        Column("Mean over texts", [one.mean for one in means], THREE_DIGITS, False),
        Column("SD", [one.sd for one in means], THREE_DIGITS, False),
        Column("Texts", [one.n for one in means], count),
        Column("HSD", np.full(len(means), differences.pairs.hsd), THREE_DIGITS, False),
        Column("p of F", np.full(len(means), differences.test.p), p_value, False),
    ]
    return means_table(differences, "metric-means", more)


def with_outcomes(found: ComparedMetric) -> list[int]:
    """Return the codes of the summaries of which there is a judgment."""
    means = found.outcomes or {}
    return [
        code
        for code in found.main.surrogates.summaries
        if any(means[code, each].mean.n for each in OUTCOMES if (code, each) in means)
    ]


def outcomes_table(found: ComparedMetric) -> Table:
    means, rows = found.outcomes or {}, [(code, each) for code in with_outcomes(found) for each in OUTCOMES]
    caption = (
        "Mean {metric} by surrogate and outcome. TP: judged relevant and so it is. TN: judged not, and is not. FP: "
        "judged relevant but is not. FN: missed."
    )
    return table_of(
        "metric-outcomes",
        (caption, {"metric": found.spec.metric}),
        [
            Column("Surrogate", found.main.surrogates.names_of([code for code, _ in rows])),
            Column("Outcome", [each.upper() for _, each in rows]),
            *estimate_columns("Mean", [means[row].mean for row in rows], THREE_DIGITS),
            Column("Judgments", [means[row].mean.n for row in rows], count),
            Column("Texts", [means[row].texts for row in rows], count),
        ],
    )


def partitions_finding(found: Partitions) -> Finding:
    """Return the surrogate on which groups' agreement correlates most with the metric, or that none clearly does."""
    spec, names = found.spec, found.main.surrogates.names
    known = [each for each in found.chosen if not isnan(each[0].mean)]
    values: dict[str, object] = {"metric": capitalized(spec.metric)}
    if not known:
        why = "; ".join(dict.fromkeys(one.reason for one, _ in found.chosen)) or "there are no summaries"
        headline = "Not enough data to correlate {metric} with agreement over groups of {size}."
        values = {"metric": spec.metric, "size": count(spec.size)}
        return not_enough_data(headline, values, capitalized(why), spec.side)
    differ = [each for each in known if each[1].excludes()]
    one, mean = max(differ or known, key=lambda each: abs(each[0].mean))
    values |= {"name": names[one.surrogate], "r": decimal(one.mean)}
    line = (
        confidence_interval(mean),
        f"groups of {spec.size} documents" if spec.size > 1 else "document by document",
        spec.side,
    )
    if not differ:
        headline = "{metric} does not clearly correlate with agreement on any surrogate."
        return uncertain(headline, values, f"highest: {names[one.surrogate]} {decimal(one.mean)}", *line)
    against = "negatively " if one.mean < 0 else ""
    return clear(f"{{metric}} correlates {against}with agreement on {{name}}, r = {{r}}.", values, *line)


def partitions_warnings(found: Partitions) -> Iterator[Warning]:
    """Yield the surrogates of which some partitions have no correlation."""
    texts: list[Text] = [
        (
            "{name}: {share} of the partitions have no correlation, since {why}.",
            {
                "name": found.main.surrogates.names[one.surrogate],
                "share": PERCENT_ONE_DIGIT(one.undefined),
                "why": one.reason,
            },
        )
        for one, _ in found.chosen
        if one.undefined and not isnan(one.mean)
    ]
    yield from map(Warning, number_repeats(texts))


def partitions_table(found: Partitions) -> Table:
    """Return Table 10 of the paper, with the interval that its SD is not."""
    rows = [each for sized in found.sizes for each in sized.means]
    rows.sort(key=lambda each: (each[0].surrogate, each[0].group_size))
    of = [one for one, _ in rows]
    between = [
        "–" if isnan(one.low) else f"{THREE_DIGITS(one.low)} to {THREE_DIGITS(one.high)}" for one in of
    ]
    return table_of(
        "partitions",
        "Correlation over random partitions by surrogate and group size.",
        [
            Column("Surrogate", found.main.surrogates.names_of([one.surrogate for one in of])),
            Column("Group size", [one.group_size for one in of], count),
            Column("Groups", [one.groups for one in of], count),
            *estimate_columns("Mean r", [mean for _, mean in rows], THREE_DIGITS),
            Column("SD over partitions", [one.sd for one in of], THREE_DIGITS),
            Column("5th to 95th percentile", between, None, False),
            Column("Largest group rate", [one.largest_rate for one in of], PERCENT_ONE_DIGIT, False),
            Column("Smallest group rate", [one.smallest_rate for one in of], PERCENT_ONE_DIGIT, False),
            Column("Left over", [one.left_over for one in of], count, False),
            Column("Documents", [one.documents for one in of], count, False),
            why_column([mean] for _, mean in rows),
        ],
    )
