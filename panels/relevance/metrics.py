"""Automatic metrics: whether a metric such as ROUGE tells how well people judge, and where it is high or low."""

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.relevance import anova, metric_correlations, tukey
from analysis.relevance.judged_texts import OUTCOMES, MetricTable
from analysis.relevance.metric_correlations import (
    LEVELS,
    MEASURES,
    CorrelationSpec,
    MetricCorrelation,
    MetricCorrelations,
    OutcomeMean,
)
from analysis.values.estimate import BootstrapSpec
from charts.parts.numbers import count, decimal, interval, p_phrase, p_value
from charts.relevance.judgments import Series, dots
from charts.relevance.metrics import Point, scatter
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance.rows import (
    Rows,
    main_rows,
    metric_control,
    metric_table,
    nothing_to_correlate,
    side_control,
    texts,
)

LEVEL_NAMES = {
    "system": "Surrogates",
    "system x event": "Surrogates × events",
    "event-adjusted": "Adjusted for events",
}
LEVEL_OF = {name: level for level, name in LEVEL_NAMES.items()}
MEASURE_NAMES = {"accuracy": "Accuracy", "precision": "Precision", "recall": "Recall", "f_score": "F"}
MEASURE_OF = {name: measure for measure, name in MEASURE_NAMES.items()}
TAILS = {"two-sided": "two-sided", "one-tailed (as in the paper)": "greater"}
SUBJECTS = ("events", "documents")
_EXACT = partial(decimal, digits=3)
_NAMES = {"pearson": "Pearson", "spearman": "Spearman"}


def show(study: Study) -> None:
    """Finding, controls, scatter of one level, Tables 4 to 6 as one, the metric's means, and those per outcome."""
    rows = main_rows(study)
    closed = nothing_to_correlate(study, rows)
    if closed:
        say(closed)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = metric_control(study)
        side = side_control(rows)
        measure = MEASURE_OF[
            st.selectbox("Measure", list(MEASURE_OF), key="judging", bind="query-params", width=140)
        ]
        level = st.selectbox(
            "Points",
            list(LEVEL_OF),
            1 if len(rows.summaries) < metric_correlations.FEWEST else 0,
            key="level",
            bind="query-params",
            width=220,
            help="Surrogates: each is one point. Surrogates × events: each surrogate in each event. Adjusted for "
            "events: the same, less the event's mean, so that easy events do not make a correlation.",
        )
        with st.popover("More"):
            tail = st.selectbox("Test", list(TAILS), key="tail", bind="query-params")
            keep = st.toggle(
                "Full text, too",
                key="keep_full_text",
                bind="query-params",
                help="Its length alone gives it a high metric: it is left out, as in the paper.",
            )
    place = st.empty()

    def at(one: str) -> MetricCorrelations | None:
        spec = CorrelationSpec(one, TAILS[tail], rows.full_text, keep)  # type: ignore[arg-type]
        return long_result(
            key_of(study.dataset, "metric correlations", rows.full_text, metric, side, spec),
            "Permutations",
            lambda on_progress: metric_correlations.correlations(
                texts(study, rows, metric, side), spec, on_progress
            ),
        )

    shown = at(LEVEL_OF[level])
    if shown is None:
        return
    figure = _scatter(rows, shown, metric, measure)
    draw(place, figure, key="metric against", alt=f"{metric} against {MEASURE_NAMES[measure]}")
    let_it_be_drawn(f"relevance metrics {study.key} {metric} {side} {measure} {level} {tail} {keep}")
    found = {one: of for one in LEVELS if (of := at(one)) is not None}
    if len(found) < len(LEVELS):
        return
    with finding:
        template, values = finding_of(found, metric, side, measure)
        say(template, **values)
    table = correlation_table(found)
    show_table(
        table,
        {},
        alt="Correlations of the metric with accuracy, precision, recall and F at three levels",
    )
    note(
        "* p &lt; .05, ** p &lt; .01, *** p &lt; .001, {tail}. Surrogates and surrogates × events: Student's t, which "
        "takes points for independent; adjusted for events: {by}.",
        tail=tail,
        by=found["event-adjusted"].p_by,
    )
    for template, values in remarks(study, rows, found, metric, side):
        warn(template, **values)
    downloads("metric_correlations", lambda: table_in_full(found), lambda: figure)
    _show_means(study, rows, metric, keep)
    _show_outcomes(study, rows, metric, side)


def _scatter(rows: Rows, shown: MetricCorrelations, metric: str, measure: str) -> dict[str, Any]:
    place = MEASURES.index(measure)  # type: ignore[arg-type]
    points = [
        Point(
            str(rows.surrogates[shown.surrogates[surrogate]]),
            "" if event < 0 else str(rows.events[shown.events[event]]),
            x,
            y,
        )
        for surrogate, event, x, y in zip(
            shown.surrogate.tolist(),
            shown.event.tolist(),
            shown.metric[place].tolist(),
            shown.value[place].tolist(),
            strict=True,
        )
        if not isnan(y)
    ]
    pearson, spearman = (shown.cell(measure, name) for name in ("pearson", "spearman"))  # type: ignore[arg-type]
    told = (
        f"r = {decimal(pearson.estimate.value)} ({p_phrase(pearson.p)}), ρ = {decimal(spearman.estimate.value)}, "
        f"{count(pearson.estimate.n)} points"
        if pearson.estimate.defined
        else "no correlation"
    )
    return scatter(
        points, metric, MEASURE_NAMES[measure], told, look(), adjusted=shown.spec.level == "event-adjusted"
    )


def finding_of(found: dict[str, MetricCorrelations], metric: str, side: str, measure: str) -> Sentence:
    """Whether the metric goes with how well people judge, at each level that is defined."""
    cells = {level: of.cell(measure, "pearson") for level, of in found.items()}  # type: ignore[arg-type]
    known = {level: cell for level, cell in cells.items() if cell.estimate.defined}
    values: dict[str, object] = {
        "metric": metric,
        "measure": MEASURE_NAMES[measure].lower() if measure != "f_score" else "F",
        "side": side,
    }
    if not known:
        return "Whether <b>{metric}</b> goes with {measure} ({side}) cannot be told: {why}.", values | {
            "why": "; ".join(dict.fromkeys(cell.estimate.reason for cell in cells.values()))
        }
    last = known.get("event-adjusted") or known.get("system x event") or next(iter(known.values()))
    if last.p < 0.05:
        goes = "goes with" if last.estimate.value > 0 else "goes <b>against</b>"
    else:
        goes = "cannot be shown to go with"
    told = [
        f"r = {decimal(cell.estimate.value)} ({p_phrase(cell.p)}) {_over(level, cell)}"
        for level, cell in known.items()
    ]
    return "<b>{metric}</b> " + goes + " {measure} ({side}): {told}.", values | {"told": "; ".join(told)}


def _over(level: str, cell: MetricCorrelation) -> str:
    points = count(cell.estimate.n)
    return {
        "system": f"over {points} surrogates",
        "system x event": f"over {points} surrogates × events",
        "event-adjusted": "adjusted for events",
    }[level]


def correlation_table(found: dict[str, MetricCorrelations]) -> pd.DataFrame:
    """Tables 4, 5 and 6 side by side, with stars."""
    told = []
    for measure in MEASURES:
        for name, shown in _NAMES.items():
            row: dict[str, Any] = {"Measure": MEASURE_NAMES[measure], "Correlation": shown}
            for level, of in found.items():
                cell = of.cell(measure, name)  # type: ignore[arg-type]
                row[LEVEL_NAMES[level]] = (
                    f"{_EXACT(cell.estimate.value)}{cell.stars}" if cell.estimate.defined else "undefined"
                )
                row[f"{LEVEL_NAMES[level]}, p"] = p_value(cell.p) if cell.estimate.defined else "–"
            told.append(row)
    return pd.DataFrame(told)


def table_in_full(found: dict[str, MetricCorrelations]) -> pd.DataFrame:
    """All cells at full precision, one row each."""
    return pd.DataFrame(
        [
            {
                "Level": LEVEL_NAMES[level],
                "Measure": MEASURE_NAMES[cell.measure],
                "Correlation": _NAMES[cell.correlation],
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
            for level, of in found.items()
            for cell in of.cells
        ]
    )


def remarks(
    study: Study, rows: Rows, found: dict[str, MetricCorrelations], metric: str, side: str
) -> list[Sentence]:
    """What is set aside, undefined, or rests on little."""
    told: list[Sentence] = []
    of = texts(study, rows, metric, side)
    aside = [
        (of.without_truth, "judgments without the truth"),
        (of.without_metric, "judgments of surrogates without the metric"),
        (of.unjudged, "surrogates with the metric but without a judgment of known truth"),
    ]
    if any(n for n, _ in aside):
        told.append(
            ("Set aside: {what}.", {"what": listed([f"{count(n)} {what}" for n, what in aside if n])})
        )
    reasons: dict[tuple[str, str], list[str]] = {}
    for level, one in found.items():
        undefined = [cell for cell in one.cells if not cell.estimate.defined]
        if undefined:
            measures = listed(list(dict.fromkeys(MEASURE_NAMES[cell.measure] for cell in undefined)))
            reasons.setdefault((measures, undefined[0].estimate.reason), []).append(LEVEL_NAMES[level])
    told += [
        (
            "{levels}: correlations with {measures} are undefined: {why}.",
            {"levels": ", ".join(levels), "measures": measures, "why": why},
        )
        for (measures, why), levels in reasons.items()
    ]
    adjusted = [cell.smallest_p for cell in found["event-adjusted"].cells if cell.estimate.defined]
    if adjusted and not isnan(max(adjusted)) and max(adjusted) > 0.05:
        told.append(
            (
                "With so few surrogates no p below {least} can come out when whole surrogates are permuted.",
                {"least": p_value(max(adjusted))},
            )
        )
    return told


def _show_means(study: Study, rows: Rows, metric: str, keep_full_text: bool) -> None:
    st.subheader("The metric by surrogate")
    subjects = st.segmented_control(
        "Subjects of the test",
        SUBJECTS,
        default="events",
        required=True,
        key="metric_subjects",
        bind="query-params",
        help="Events: for other events. Documents: for other documents of these events.",
    )
    of = metric_table(study, metric)
    if not keep_full_text:
        known = np.asarray(of.surrogate) != rows.full_text
        of = MetricTable(**{name: column[known] for name, column in vars(of).items()})
    means = {one.surrogate: one for one in metric_correlations.metric_means(of)}
    found = anova.repeated_measures(of.event if subjects == "events" else of.document, of.surrogate, of.value)
    pairs = tukey.after(found)
    places = sorted(range(found.k), key=lambda at: -found.means[at].value)
    names = [str(rows.surrogates[code]) for code in found.conditions.tolist()]
    if found.defined:
        p = found.p if isnan(found.p_greenhouse_geisser) else found.p_greenhouse_geisser
        say(
            "{metric} {differs} between surrogates: F({df1}, {df2}) = {f}, {p}.",
            metric=metric,
            differs="differs" if p < 0.05 else "does not differ significantly",
            df1=decimal(found.df1, 0),
            df2=decimal(found.df2, 0),
            f=decimal(found.f),
            p=p_phrase(p),
        )
    else:
        note("No test: {why}.", why=found.reason)
    draw(
        st,
        dots(
            [names[at] for at in places],
            [Series(metric, [found.means[at] for at in places])],
            f"Mean metric, by {subjects}",
            look(),
            shares=False,
            letters=[pairs.letters[at] for at in places],
        ),
        key="metric means",
        alt="Mean of the metric for each surrogate, with letters",
    )
    table = pd.DataFrame(
        [
            {
                "Surrogate": names[at],
                "Mean over texts": means[code].mean,
                "SD": means[code].sd,
                "Texts": means[code].n,
                f"Mean over {subjects}": found.means[at].value,
                "95 %": interval(found.means[at], 3),
                "Letters": pairs.letters[at],
                "HSD": pairs.hsd,
                "p of F": found.p,
            }
            for at in places
            for code in [found.conditions.tolist()[at]]
        ]
    )
    show_table(
        table,
        dict.fromkeys(("Mean over texts", "SD", f"Mean over {subjects}", "HSD"), _EXACT)
        | {"Texts": count, "p of F": p_value},
        alt="Means of the metric with letters",
    )
    if found.missing:
        note(
            "{n} of {of} cells are missing: {method}.",
            n=count(found.missing),
            of=count(found.n * found.k),
            method=found.method,
        )
    downloads("metric_means", lambda: table)


def _show_outcomes(study: Study, rows: Rows, metric: str, side: str) -> None:
    st.subheader("The metric where people judge right and wrong")
    spec = BootstrapSpec()
    found: Sequence[OutcomeMean] | None = long_result(
        key_of(study.dataset, "outcome means", rows.full_text, metric, side, spec),
        "Intervals by outcome",
        lambda on_progress: metric_correlations.outcome_means(
            texts(study, rows, metric, side), spec, on_progress
        ),
    )
    if found is None:
        return
    of = {(one.surrogate, one.outcome): one for one in found}
    order = [
        code
        for code in rows.summaries
        if any(of[code, each].mean.n for each in OUTCOMES if (code, each) in of)
    ]
    if not order:
        note("No judgment has both a known truth and a metric value.")
        return
    draw(
        st,
        dots(
            [str(rows.surrogates[code]) for code in order],
            [Series(each.upper(), [of[code, each].mean for code in order]) for each in OUTCOMES],
            f"Mean metric over judgments ({side})",
            look(),
            shares=False,
        ),
        key="metric by outcome",
        alt="Mean of the metric over true and false positives and negatives",
    )
    table = pd.DataFrame(
        [
            {
                "Surrogate": str(rows.surrogates[code]),
                "Outcome": each.upper(),
                "Mean": of[code, each].mean.value,
                "95 %": interval(of[code, each].mean, 3),
                "Judgments": of[code, each].mean.n,
                "Texts": of[code, each].texts,
            }
            for code in order
            for each in OUTCOMES
        ]
    )
    show_table(
        table,
        {"Mean": _EXACT, "Judgments": count, "Texts": count},
        alt="Mean of the metric by outcome and surrogate",
    )
    note(
        "TP: judged relevant and so it is. TN: judged not, and is not. FP: judged relevant but is not. FN: missed."
    )
    downloads("metric_outcomes", lambda: table)


EXPLANATION = r"""
**Three levels.** *Surrogates*: the mean metric of each against its accuracy (precision, recall, F) over all its
judgments; with ten surrogates, ten points. *Surrogates × events*: a point for each surrogate in each event. *Adjusted
for events*: the same with each event's mean removed from both sides, so that an easy event with a high metric does not
make a correlation.

**The full text is left out** before means are removed: its length alone gives it a high metric.

**p.** Student's t with n − 2 degrees of freedom at the first two levels; it takes points for independent, which those
of a surrogate are not. Adjusted for events, p comes from permuting whole surrogates. Two-sided, or one-tailed for a
positive correlation as in the paper.

**Means.** The metric of each surrogate with a repeated-measures analysis of variance, events (or documents) as
subjects, and Tukey's HSD: surrogates that share a letter do not differ significantly.

**By outcome.** The mean metric of the texts behind true and false positives and negatives, a text counting once per
judgment. A metric that knows what misleads is lower where people judge wrong. Intervals draw raters and documents.

Sources: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.3, Tables 3 to 6 and 9, section 5.4.
"""
