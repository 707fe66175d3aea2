"""Which summaries suffice: agreement with gold and with one's own judgment of the full text, and the time saved."""

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from analysis.relevance import side_by_side
from analysis.relevance.agreements import Agreement
from analysis.relevance.side_by_side import SideBySide
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.parts.numbers import THIN_SPACE, count, decimal, interval, p_phrase, p_value, percent, share
from charts.relevance.judgments import TRADEOFF_HEIGHT, Series, Tradeoff, dots, tradeoff
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance.rows import LDC, PREDICTION, Rows, interval_controls, main_rows

FIGURES = {
    "Accuracy": "accuracy",
    "Precision": "precision",
    "Recall": "recall",
    "F": "f_score",
    "Kappa within the rater": "kappa",
}
_TENTH = partial(share, digits=1)
_EXACT = partial(decimal, digits=3)
_SECONDS = partial(decimal, digits=1)
WRITTEN = {
    **dict.fromkeys(("Accuracy", "Precision", "Recall", "F"), _TENTH),
    "Kappa": _EXACT,
    **dict.fromkeys(("TP", "TN", "FP", "FN", "Judgments", "Set aside"), count),
    **dict.fromkeys(("Seconds", "Seconds saved"), _SECONDS),
}
FEW_EVENTS = 5
"""Events below which an interval over events is said to rest on little."""


def show(study: Study) -> None:
    """Finding, both pictures, the table of both agreements, the paired test, events, and what is set aside."""
    rows = main_rows(study)
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure = st.selectbox(
            "Figure",
            list(FIGURES),
            key="relevance_figure",
            bind="query-params",
            width=240,
            help="Accuracy: the share of judgments that agree. Precision: of those judged relevant, how many are. "
            "Recall: of those that are relevant, how many were judged so. Kappa: agreement beyond each rater's "
            "own chance.",
        )
        spec = interval_controls()
    of_time, of_figure = (column.empty() for column in st.columns([3, 2], gap="medium"))
    closed = result(key(study, rows, "closed"), lambda: computed(rows, BootstrapSpec(draws=0)))
    _draw(rows, closed, figure, finding, of_figure, of_time, "closed")
    let_it_be_drawn(f"relevance {study.key} {figure} {rows.full_text}")
    found = long_result(
        key(study, rows, spec), "Intervals", lambda on_progress: computed(rows, spec, on_progress)
    )
    if found is not None:
        _draw(rows, found, figure, finding, of_figure, of_time, "with intervals")
    else:
        found = closed
    if found.resampled != "nothing" and _sides(found):
        note(
            "Intervals draw {what}: {there}.",
            what=found.resampled,
            there=", ".join(
                f"{count(n)} {what}{'' if n == 1 else 's'}"
                for n, what in (
                    (found.raters, "rater"),
                    (found.events, "event"),
                    (found.documents, "document"),
                )
            ),
        )
    if rows.apart:
        note(
            "{n} judgments with an order label are left to the panel Order of presentation.",
            n=count(rows.apart),
        )
    table = agreement_table(rows, found)
    show_table(table, WRITTEN, alt="Agreement of each surrogate with gold and with the raters' own judgments")
    for template, values in remarks(rows, found):
        warn(template, **values)
    downloads("relevance", lambda: table, lambda: _of_figure(rows, found, figure))
    _show_test(rows, found)
    _show_events(study, rows, spec)


def key(study: Study, rows: Rows, *parts: object) -> str:
    return key_of(study.dataset, "side by side", rows.full_text, *parts)


def computed(rows: Rows, spec: BootstrapSpec, on_progress: Any = None) -> SideBySide:
    return side_by_side.side_by_side(rows.judged, rows.full_text, spec, on_progress)


def _draw(
    rows: Rows, found: SideBySide, figure: str, finding: Any, of_figure: Any, of_time: Any, which: str
) -> None:
    with finding:
        template, values = finding_of(rows, found)
        say(template, **values)
    draw(
        of_figure,
        _of_figure(rows, found, figure),
        key=f"agreement {which}",
        alt=f"{figure} of each surrogate, held against gold and against the raters' own judgments",
    )
    series = tradeoffs(rows, found)
    if series:
        draw(
            of_time,
            tradeoff(series, rows.full_text_name, look()),
            key=f"speed {which}",
            alt="Seconds saved by each surrogate against the agreement that is lost",
        )
    else:
        with of_time:
            note("Speed against agreement: {why}.", why=_why_no_speed(rows))


def _why_no_speed(rows: Rows) -> str:
    if not rows.has_seconds:
        return "a column seconds would open this picture"
    if not rows.has_full_text:
        return "judgments of the full text would open this picture"
    return "there is nothing to hold the judgments of the summaries against"


def _sides(found: SideBySide) -> list[tuple[str, Sequence[Agreement]]]:
    """The agreements of which there is anything."""
    both = ((LDC, found.ldc), (PREDICTION, found.prediction))
    return [(name, of) for name, of in both if any(one.n for one in of)]


def _of_figure(rows: Rows, found: SideBySide, figure: str) -> dict[str, Any]:
    order = [*rows.summaries, rows.full_text] if rows.has_full_text else rows.summaries
    series = [Series(name, [getattr(of[at], FIGURES[figure]) for at in order]) for name, of in _sides(found)]
    is_kappa = figure.startswith("Kappa")
    return dots(
        [str(rows.surrogates[at]) for at in order],
        series,
        figure,
        look(),
        not is_kappa,
        height=TRADEOFF_HEIGHT,
    )


def tradeoffs(rows: Rows, found: SideBySide) -> list[tuple[str, list[Tradeoff]]]:
    """What each summary loses by either agreement for the seconds that it saves."""
    lost = {LDC: found.ldc_lost, PREDICTION: found.prediction_lost}
    series = [
        (
            name,
            [
                Tradeoff(str(rows.surrogates[at]), found.seconds_saved[at], lost[name][at])
                for at in rows.summaries
                if found.seconds_saved[at].defined and lost[name][at].defined
            ],
        )
        for name, _ in _sides(found)
    ]
    return [(name, points) for name, points in series if points]


def finding_of(rows: Rows, found: SideBySide) -> Sentence:
    """What the summaries keep of the judgments on the full text, or get right, and how much time they save."""
    sides = dict(_sides(found))
    usable = {
        name: sorted(
            (at for at in rows.summaries if sides[name][at].accuracy.defined),
            key=lambda at: -sides[name][at].accuracy.value,
        )
        for name in (PREDICTION, LDC)
        if name in sides
    }
    name = next((name for name in (PREDICTION, LDC) if usable.get(name)), None)
    if name is None:
        if not rows.summaries:
            return "There is only the full text, and no summary to hold against it.", {}
        return (
            "Nothing tells which summaries suffice: a column <b>gold</b>, or judgments of the <b>full text</b> by the "
            "same raters, would open this page.",
            {},
        )
    first, *others = usable[name]
    best = sides[name][first].accuracy
    template = (
        "<b>{first}</b> keeps <b>{share}</b> of the raters' judgments on the full text{between}"
        if name == PREDICTION
        else "With <b>{first}</b> raters judge <b>{share}</b> of the documents as gold does{between}"
    )
    values: dict[str, object] = {
        "first": str(rows.surrogates[first]),
        "share": share(best.value),
        "between": _between(best),
    }
    saved = found.seconds_saved[first]
    if saved.defined:
        template += (
            " and saves <b>{saved} s</b> of {of} s a judgment"
            if saved.value > 0
            else " but takes no less time ({own} s against {of} s)"
        )
        values |= {
            "saved": decimal(saved.value, 1),
            "own": decimal(found.seconds[first].value, 1),
            "of": decimal(found.seconds[rows.full_text].value, 1),
        }
    if others:
        shown = [f"{rows.surrogates[at]} {share(sides[name][at].accuracy.value)}" for at in others]
        template += "; {others}"
        values["others"] = listed(shown, 3)
    template += "."
    test = found.difference[first]
    if test.difference.defined and not isnan(test.p):
        template += " {relation} ({p})."
        difference = test.difference.value
        values |= {
            "relation": "Agreement with gold is "
            + ("not distinguishable from that" if test.p >= 0.05 else "lower" if difference > 0 else "higher")
            + f", {share(sides[LDC][first].accuracy.value)}",
            "p": p_phrase(test.p),
        }
    return template, values


def _between(e: Estimate) -> str:
    return "" if isnan(e.low) else f" ({percent(e)})"


def agreement_table(rows: Rows, found: SideBySide) -> pd.DataFrame:
    """One row per surrogate and kind of agreement: both stand one below the other."""
    told = []
    for at in [*rows.summaries, *([rows.full_text] if rows.has_full_text else [])]:
        for name, of in _sides(found):
            one = of[at]
            if not one.n:
                continue
            told.append(
                {
                    "Surrogate": str(rows.surrogates[at]),
                    "Held against": "gold (LDC)" if name == LDC else "own full text (RP)",
                    "Accuracy": one.accuracy.value,
                    "95 %": percent(one.accuracy, 1),
                    "Precision": one.precision.value,
                    "Precision, 95 %": percent(one.precision, 1),
                    "Recall": one.recall.value,
                    "Recall, 95 %": percent(one.recall, 1),
                    "F": one.f_score.value,
                    "F, 95 %": percent(one.f_score, 1),
                    "TP": one.tp,
                    "TN": one.tn,
                    "FP": one.fp,
                    "FN": one.fn,
                    "Kappa": one.kappa.value,
                    "Kappa, 95 %": interval(one.kappa),
                    "Seconds": found.seconds[at].value,
                    "Seconds, 95 %": interval(found.seconds[at], 1),
                    "Judgments": one.n,
                    "Set aside": one.set_aside,
                }
            )
    table = pd.DataFrame(told)
    return table if rows.has_seconds or table.empty else table.drop(columns=["Seconds", "Seconds, 95 %"])


def remarks(rows: Rows, found: SideBySide) -> list[Sentence]:
    """What is missing and what would open it, what is set aside, undefined, or rests on little."""
    told: list[Sentence] = []
    if rows.has_full_text and rows.summaries and not any(one.n for one in found.prediction):
        told.append(
            (
                "Relevance Prediction is undefined: no rater judged both a summary and the full text of a document.",
                {},
            )
        )
    if not _sides(found):
        return told
    if not rows.has_gold:
        told.append(
            ("A column gold would open LDC Agreement; without it only Relevance Prediction is shown.", {})
        )
    if not rows.has_full_text:
        told.append(
            (
                "Judgments of the full text (chosen in the sidebar) would open Relevance Prediction; without them "
                "only LDC Agreement is shown.",
                {},
            )
        )
    for name, of in _sides(found):
        aside = [(str(rows.surrogates[at]), of[at].set_aside) for at in rows.summaries if of[at].set_aside]
        if name == LDC and rows.has_full_text and of[rows.full_text].set_aside:
            aside.append((rows.full_text_name, of[rows.full_text].set_aside))
        if aside:
            why = "have no gold" if name == LDC else "have no judgment of the full text by the same rater"
            told.append(
                (
                    "Set aside for {name}: {what} " + why + ".",
                    {
                        "name": name,
                        "what": listed([f"{count(n)} judgments of {surrogate}" for surrogate, n in aside]),
                    },
                )
            )
    told += _undefined(rows, found)
    if found.resampled.startswith("raters and events") and found.events < FEW_EVENTS:
        told.append(
            (
                "There are only {n} events: an interval over them is wide and rough.",
                {"n": count(found.events)},
            )
        )
    elif found.resampled == "nothing":
        told.append(("A single rater and a single document give no interval.", {}))
    return told


def _undefined(rows: Rows, found: SideBySide) -> list[Sentence]:
    """Figures without a value, one sentence per reason; and raters who have no kappa."""
    lacking: dict[tuple[str, str, str], list[str]] = {}
    told: list[Sentence] = []
    for side, of in _sides(found):
        for at in rows.summaries:
            name, one = str(rows.surrogates[at]), of[at]
            for figure, attribute in FIGURES.items():
                estimate: Estimate = getattr(one, attribute)
                if not estimate.defined and one.n:
                    lacking.setdefault((figure, side, estimate.reason), []).append(name)
            if one.reason:
                lacking.setdefault(("agreement", side, one.reason), []).append(name)
            if one.raters_without_kappa and one.kappa.defined:
                told.append(
                    (
                        "{n} of the raters have no kappa on {name} ({side}): their answers, or the truth, are all the "
                        "same.",
                        {"n": count(one.raters_without_kappa), "name": name, "side": side},
                    )
                )
    return [
        (
            "{figure} ({side}) is undefined for {names}: {why}.",
            {"figure": figure.capitalize(), "side": side, "names": listed(names), "why": why},
        )
        for (figure, side, why), names in lacking.items()
    ] + told


def _show_test(rows: Rows, found: SideBySide) -> None:
    if len(_sides(found)) < 2:
        return
    st.subheader("Relevance Prediction against LDC Agreement")
    table = difference_table(rows, found)
    written = {
        "RP less LDC": _TENTH,
        "t": partial(decimal, digits=2),
        "p": p_value,
        "p (Holm)": p_value,
        **dict.fromkeys(("df", "Raters", "Judgments"), count),
    }
    show_table(table, written, alt="Paired t test of the two agreements over raters, by surrogate")
    for at in rows.summaries:
        if found.difference[at].reason:
            note(
                "No test for {name}: {why}.",
                name=str(rows.surrogates[at]),
                why=found.difference[at].reason,
            )
    downloads("relevance_test", lambda: table)


def difference_table(rows: Rows, found: SideBySide) -> pd.DataFrame:
    """The paired t test over raters' means, on judgments where both truths are known."""
    return pd.DataFrame(
        [
            {
                "Surrogate": str(rows.surrogates[at]),
                "RP less LDC": found.difference[at].difference.value,
                "95 %": percent(found.difference[at].difference, 1),
                "t": found.difference[at].t,
                "df": found.difference[at].degrees,
                "p": found.difference[at].p,
                "p (Holm)": found.difference[at].p_holm,
                "Raters": found.difference[at].difference.n,
                "Judgments": found.difference[at].n,
            }
            for at in rows.summaries
        ]
    )


def _show_events(study: Study, rows: Rows, spec: BootstrapSpec) -> None:
    st.subheader("Event by event")
    if len(set(rows.judged.event.tolist())) < 2:
        note("There is only one event.")
        return
    found = long_result(
        key(study, rows, "events", spec),
        "Intervals of all events",
        lambda on_progress: side_by_side.each_event(rows.judged, rows.full_text, spec, on_progress),
    )
    if found is None:
        return
    table = pd.concat(
        [
            agreement_table(rows, one).assign(Event=str(rows.events[event]))
            for event, one in found.items()
            if _sides(one)
        ]
        or [pd.DataFrame()],
        ignore_index=True,
    )
    if table.empty:
        note("There is nothing to hold the judgments against.")
        return
    table.insert(0, "Event", table.pop("Event"))
    show_table(table, WRITTEN, alt="Agreement of each surrogate on each event")
    note("Intervals of a single event draw raters and documents.")
    downloads("relevance_events", lambda: table)


EXPLANATION = rf"""
**LDC Agreement** holds a judgment against gold: *did the rater decide as the assessors of the collection did?*
**Relevance Prediction** holds it against what the same rater said of the full text of the same document (of the same
session where there is one, else the first such judgment): *would I have decided alike had I read it all?*

With TP judged relevant and so it is, FP judged relevant but is not, TN and FN likewise:

$$\text{{accuracy}} = \frac{{TP + TN}}{{TP + TN + FP + FN}}, \quad \text{{precision}} = \frac{{TP}}{{TP + FP}}, \quad
\text{{recall}} = \frac{{TP}}{{TP + FN}}, \quad F = \frac{{2\,TP}}{{2\,TP + FP + FN}}.$$

A rater who always answers *no* has a Relevance Prediction of 100{THIN_SPACE}%. **Kappa within the rater** takes out
the agreement that the rater's own share of *yes* gives by chance; it is averaged over the raters where it is defined.

**Paired test.** Each rater's mean accuracy by Relevance Prediction less that by LDC Agreement, on judgments where both
truths are known: Student's t over raters, with Holm's adjustment over surrogates.

**Seconds saved** are the mean seconds of a judgment on the full text less those of the surrogate. **Agreement lost**
is, by Relevance Prediction, the share of judgments that differ from those on the full text; by LDC Agreement, how much
lower agreement with gold is than with the full text.

**Intervals** draw raters and events with replacement, documents staying in their events (within one event: raters and
documents), and are widened as few raters or events need it.

Judgments without the truth are set aside and counted. Not for: which summary is well written, or whether gold is right.

Sources: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 5.3, Tables 1, 7 and 8; Owen 2007 (draws of two ways).
"""
