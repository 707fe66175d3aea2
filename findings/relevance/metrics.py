"""Automatic metrics: whether a metric such as ROUGE tells how well people judge, and where it is high or low."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from analysis.correlation.rows import CorrelationName
from analysis.relevance.anova import RepeatedMeasures
from analysis.relevance.judged_texts import OUTCOMES, JudgedTexts
from analysis.relevance.metric_correlations import (
    MEASURES,
    Level,
    Measure,
    MetricCorrelation,
    MetricCorrelations,
)
from analysis.relevance.metric_means import MetricMean, OutcomeMean
from analysis.relevance.tukey import Tukey
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, p_phrase, p_value
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, listed
from findings.relevance.anova import corrected_p
from findings.relevance.surrogates import Surrogates

LEVEL_NAMES: dict[Level, str] = {
    "system": "Surrogates",
    "system x event": "Surrogates × events",
    "event-adjusted": "Adjusted for events",
}
MEASURE_NAMES: dict[Measure, str] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F",
}
NO_METRIC: Sentence = (
    "There is no metric. A numeric column of the surrogates, such as <b>ROUGE-1</b>, one value per document "
    "and surrogate, would open this panel.",
    {},
)
NO_SUMMARY: Sentence = (
    "There is only the full text, whose length alone gives it a high metric, and no summary beside it.",
    {},
)
NO_TRUTH: Sentence = (
    "There is nothing to hold judgments against: a column <b>gold</b>, or judgments of the <b>full text</b> "
    "by the same raters, would open this panel.",
    {},
)
NO_OUTCOME: Sentence = ("No judgment has both a known truth and a metric value.", {})
OUTCOMES_NOTE: Sentence = (
    "TP: judged relevant and so it is. TN: judged not, and is not. FP: judged relevant but is not. FN: missed. "
    "Where few judgments are of one outcome, its interval is a little narrow: "
    "it held in 91 to 92 of 100 simulated studies.",
    {},
)
_CORRELATIONS: dict[CorrelationName, str] = {"pearson": "Pearson", "spearman": "Spearman"}
_EXACT = partial(decimal, digits=3)
ByLevel = Mapping[Level, MetricCorrelations]


def nothing_to_correlate(surrogates: Surrogates, metrics: Sequence[str]) -> Sentence | None:
    """What would open the panels on metrics; None where they are open."""
    if not metrics:
        return NO_METRIC
    if not surrogates.summaries:
        return NO_SUMMARY
    return None if surrogates.sides else NO_TRUTH


def finding_of(by_level: ByLevel, metric: str, side: str, measure: Measure) -> Finding:
    """Whether the metric goes with how well people judge, at each level that is defined."""
    cells = {level: of.cell(measure, "pearson") for level, of in by_level.items()}
    known = {level: cell for level, cell in cells.items() if cell.estimate.defined}
    values: dict[str, object] = {
        "metric": metric,
        "measure": MEASURE_NAMES[measure].lower() if measure != "f_score" else "F",
        "side": side,
    }
    if not known:
        why = dict.fromkeys(cell.estimate.reason for cell in cells.values())
        return not_enough_data(
            "Whether <b>{metric}</b> goes with {measure} ({side}) cannot be told: {why}.",
            {**values, "why": "; ".join(why)},
        )
    last = known.get("event-adjusted") or known.get("system x event") or next(iter(known.values()))
    if last.p < 0.05:
        goes = "goes with" if last.estimate.value > 0 else "goes <b>against</b>"
    else:
        goes = "cannot be shown to go with"
    correlations = [
        f"r = {decimal_with_interval(cell.estimate)}, {p_phrase(cell.p)}, {_over(level, cell)}"
        for level, cell in known.items()
    ]
    return clear_if(
        last.p < 0.05,
        f"<b>{{metric}}</b> {goes} {{measure}} ({{side}}): {{correlations}}.",
        {**values, "correlations": "; ".join(correlations)},
    )


def _over(level: Level, cell: MetricCorrelation) -> str:
    points = count(cell.estimate.n)
    return {
        "system": f"over {points} surrogates",
        "system x event": f"over {points} surrogates × events",
        "event-adjusted": "adjusted for events",
    }[level]


def in_the_picture(shown: MetricCorrelations, measure: Measure) -> str:
    """Both correlations of the points drawn."""
    pearson, spearman = shown.cell(measure, "pearson"), shown.cell(measure, "spearman")
    if not pearson.estimate.defined:
        return "no correlation"
    return (
        f"r = {decimal(pearson.estimate.value)} ({p_phrase(pearson.p)}), ρ = {decimal(spearman.estimate.value)}, "
        f"{count(pearson.estimate.n)} points"
    )


def stars_note(by_level: ByLevel, tail: str) -> Sentence:
    """What the stars mean, and where p comes from."""
    return (
        "* p &lt; .05, ** p &lt; .01, *** p &lt; .001, {tail}. Surrogates: Student's t; surrogates × events and "
        "adjusted for events: {by}. Intervals are for other surrogates, and other events where points have them.",
        {"tail": tail, "by": by_level["event-adjusted"].p_by},
    )


def remarks(by_level: ByLevel, texts: JudgedTexts) -> list[Sentence]:
    """What is set aside, undefined, or rests on little."""
    made: list[Sentence] = []
    aside = [
        (texts.without_truth, "judgments without the truth"),
        (texts.without_metric, "judgments of surrogates without the metric"),
        (texts.unjudged, "surrogates with the metric but without a judgment of known truth"),
    ]
    if any(n for n, _ in aside):
        made.append(
            ("Set aside: {what}.", {"what": listed([f"{count(n)} {what}" for n, what in aside if n])})
        )
    reasons: dict[tuple[str, str], list[str]] = {}
    for level, of in by_level.items():
        undefined = [cell for cell in of.cells if not cell.estimate.defined]
        if undefined:
            measures = listed(list(dict.fromkeys(MEASURE_NAMES[cell.measure] for cell in undefined)))
            reasons.setdefault((measures, undefined[0].estimate.reason), []).append(LEVEL_NAMES[level])
    made += [
        (
            "{levels}: correlations with {measures} are undefined: {why}.",
            {"levels": ", ".join(levels), "measures": measures, "why": why},
        )
        for (measures, why), levels in reasons.items()
    ]
    smallest = [cell.smallest_p for cell in by_level["event-adjusted"].cells if cell.estimate.defined]
    if smallest and max(smallest) > 0.05:
        made.append(
            (
                "With so few surrogates no p below {least} can come out when whole surrogates are permuted.",
                {"least": p_value(max(smallest))},
            )
        )
    return made


def correlation_table(by_level: ByLevel) -> Shown:
    """Tables 4, 5 and 6 side by side, with stars."""
    rows = []
    for measure in MEASURES:
        for name, correlation in _CORRELATIONS.items():
            row: dict[str, object] = {"Measure": MEASURE_NAMES[measure], "Correlation": correlation}
            for level, of in by_level.items():
                cell = of.cell(measure, name)
                defined = cell.estimate.defined
                row[LEVEL_NAMES[level]] = f"{_EXACT(cell.estimate.value)}{cell.stars}" if defined else "–"
                row[f"{LEVEL_NAMES[level]}, 95 %"] = interval(cell.estimate, 3)
                row[f"{LEVEL_NAMES[level]}, p"] = p_value(cell.p) if defined else "–"
            rows.append(row)
    return pd.DataFrame(rows), {}


def table_in_full(by_level: ByLevel) -> pd.DataFrame:
    """All cells at full precision, one row each."""
    return pd.DataFrame(
        [
            {
                "Level": LEVEL_NAMES[level],
                "Measure": MEASURE_NAMES[cell.measure],
                "Correlation": _CORRELATIONS[cell.correlation],
                "Value": cell.estimate.value,
                "Low": cell.estimate.low,
                "High": cell.estimate.high,
                "p": cell.p,
                "Stars": cell.stars,
                "Degrees of freedom": cell.degrees,
                "p, points taken for independent": cell.p_of_points,
                "Points": cell.estimate.n,
                "Points left out": cell.left_out,
                "Undefined since": cell.estimate.reason if not cell.estimate.defined else "",
            }
            for level, of in by_level.items()
            for cell in of.cells
        ]
    )


def means_finding(metric: str, test: RepeatedMeasures) -> Sentence:
    """Whether the metric differs between surrogates."""
    if not test.defined:
        return "No test: {why}.", {"why": test.reason}
    p = corrected_p(test)
    return (
        "{metric} {differs} between surrogates: F({df1}, {df2}) = {f}, {p}.",
        {
            "metric": metric,
            "differs": "differs" if p < 0.05 else "does not differ significantly",
            "df1": decimal(test.df1, 0),
            "df2": decimal(test.df2, 0),
            "f": decimal(test.f),
            "p": p_phrase(p),
        },
    )


def highest_first(test: RepeatedMeasures) -> list[int]:
    """Places of the surrogates by their mean."""
    return sorted(range(test.k), key=lambda at: -test.means[at].value)


def means_table(
    surrogates: Surrogates,
    means: Sequence[MetricMean],
    test: RepeatedMeasures,
    pairs: Tukey,
    subjects: str,
) -> Shown:
    """The metric of each surrogate, over its texts and over the subjects of the test."""
    of_texts = {mean.surrogate: mean for mean in means}
    codes = test.conditions.tolist()
    rows = [
        {
            "Surrogate": surrogates.names[codes[at]],
            "Mean over texts": of_texts[codes[at]].mean,
            "SD": of_texts[codes[at]].sd,
            "Texts": of_texts[codes[at]].n,
            f"Mean over {subjects}": test.means[at].value,
            "95 %": interval(test.means[at], 3),
            "Letters": pairs.letters[at],
            "HSD": pairs.hsd,
            "p of F": test.p,
        }
        for at in highest_first(test)
    ]
    exact = dict.fromkeys(("Mean over texts", "SD", f"Mean over {subjects}", "HSD"), _EXACT)
    return pd.DataFrame(rows), {**exact, "Texts": count, "p of F": p_value}


Outcomes = Mapping[tuple[int, str], OutcomeMean]
"""The metric's mean by surrogate and outcome."""


def with_outcomes(surrogates: Surrogates, outcomes: Outcomes) -> list[int]:
    """Codes of the summaries of which there is a judgment."""
    return [
        code
        for code in surrogates.summaries
        if any(outcomes[code, each].mean.n for each in OUTCOMES if (code, each) in outcomes)
    ]


def outcomes_table(surrogates: Surrogates, outcomes: Outcomes) -> Shown:
    """The mean metric where people judge right and wrong."""
    rows = [
        {
            "Surrogate": surrogates.names[code],
            "Outcome": each.upper(),
            "Mean": outcomes[code, each].mean.value,
            "95 %": interval(outcomes[code, each].mean, 3),
            "Judgments": outcomes[code, each].mean.n,
            "Texts": outcomes[code, each].texts,
        }
        for code in with_outcomes(surrogates, outcomes)
        for each in OUTCOMES
    ]
    return pd.DataFrame(rows), {"Mean": _EXACT, "Judgments": count, "Texts": count}
