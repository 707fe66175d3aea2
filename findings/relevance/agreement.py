"""Which summaries suffice: agreement with gold and with one's own judgment of the full text, and the time saved."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

import pandas as pd

from analysis.relevance.agreements import Agreement
from analysis.relevance.side_by_side import SideBySide
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval, p_phrase, p_value, percent, share
from features.tables import Shown
from features.verdicts import clear_if, not_applicable, not_enough_data
from features.words import Sentence, counted, listed
from findings.relevance.surrogates import LDC, PREDICTION, Surrogates

FIGURES = {
    "Accuracy": "accuracy",
    "Precision": "precision",
    "Recall": "recall",
    "F": "f_score",
    "Kappa within the rater": "kappa",
}
FEW_EVENTS = 5
"""Events below which an interval over events is said to rest on little."""
_TENTH, _EXACT = partial(share, digits=1), partial(decimal, digits=3)
_SECONDS = partial(decimal, digits=1)
_WRITTEN: Mapping[str, Callable[[float], str]] = {
    **dict.fromkeys(("Accuracy", "Precision", "Recall", "F"), _TENTH),
    "Kappa": _EXACT,
    **dict.fromkeys(("TP", "TN", "FP", "FN", "Judgments", "Set aside"), count),
    **dict.fromkeys(("Seconds", "Seconds saved"), _SECONDS),
}


def figure_of(agreement: Agreement, figure: str) -> Estimate:
    """One of `FIGURES`."""
    estimate: Estimate = getattr(agreement, FIGURES[figure])
    return estimate


def sides(both: SideBySide) -> list[tuple[str, Sequence[Agreement]]]:
    """The agreements of which there is anything."""
    named = ((LDC, both.ldc), (PREDICTION, both.prediction))
    return [(name, side) for name, side in named if any(agreement.n for agreement in side)]


def finding_of(surrogates: Surrogates, both: SideBySide) -> Finding:
    """What the summaries keep of the judgments on the full text, or get right, and how much time they save."""
    known = dict(sides(both))
    for name in (PREDICTION, LDC):
        defined = [at for at in surrogates.summaries if name in known and known[name][at].accuracy.defined]
        if defined:
            return _best_of(
                surrogates, both, name, sorted(defined, key=lambda at: -known[name][at].accuracy.value)
            )
    if not surrogates.summaries:
        return not_applicable("There is only the full text, and no summary to hold against it.")
    return not_enough_data(
        "Nothing tells which summaries suffice: a column <b>gold</b>, or judgments of the <b>full text</b> by the "
        "same raters, would open this page."
    )


def _best_of(surrogates: Surrogates, both: SideBySide, side: str, best_first: list[int]) -> Finding:
    agreements = both.prediction if side == PREDICTION else both.ldc
    first, *others = best_first
    best = agreements[first].accuracy
    is_clear = bool(others) and all(best.low > agreements[at].accuracy.high for at in others)
    template = (
        "<b>{first}</b> keeps <b>{share}</b> of the raters' judgments on the full text{between}"
        if side == PREDICTION
        else "With <b>{first}</b> raters judge <b>{share}</b> of the documents as gold does{between}"
    )
    values: dict[str, object] = {
        "first": surrogates.names[first],
        "share": share(best.value),
        "between": "" if isnan(best.low) else f" ({percent(best)})",
    }
    saved = both.seconds_saved[first]
    if saved.defined:
        if isnan(saved.low):
            template += ", at {own} s against {of} s a judgment"
        elif saved.low > 0:
            template += " and saves <b>{saved} s</b> ({sure}) of {of} s a judgment"
        elif saved.high < 0:
            template += " but takes more time ({own} s against {of} s a judgment; {sure} s saved)"
        else:
            template += (
                "; whether it saves time cannot be told ({own} s against {of} s a judgment; {sure} s saved)"
            )
        values |= {
            "saved": decimal(saved.value, 1),
            "sure": interval(saved, 1),
            "own": decimal(both.seconds[first].value, 1),
            "of": decimal(both.seconds[surrogates.full_text].value, 1),
        }
    if others:
        template += "; {others}"
        values["others"] = listed(
            [f"{surrogates.names[at]} {share(agreements[at].accuracy.value)}" for at in others], 3
        )
    test = both.difference[first]
    if not test.difference.defined or isnan(test.p):
        return clear_if(is_clear, f"{template}.", values)
    other_way = "lower" if test.difference.value > 0 else "higher"
    relation = "not distinguishable from that" if test.p >= 0.05 else other_way
    return clear_if(
        is_clear,
        f"{template}. Agreement with gold is {relation}, {{gold}} ({{p}}).",
        values | {"gold": share(both.ldc[first].accuracy.value), "p": p_phrase(test.p)},
    )


def no_speed(surrogates: Surrogates) -> Sentence:
    """What would open the picture of speed against agreement."""
    if not surrogates.has_seconds:
        why = "a column seconds would open this picture"
    elif not surrogates.has_full_text:
        why = "judgments of the full text would open this picture"
    else:
        why = "there is nothing to hold the judgments of the summaries against"
    return "Speed against agreement: {why}.", {"why": why}


def notes(both: SideBySide, apart: int) -> list[Sentence]:
    """What intervals draw, and the judgments that another panel has."""
    made: list[Sentence] = []
    if both.resampled != "nothing" and sides(both):
        drawn = (both.raters, "rater"), (both.events, "event"), (both.documents, "document")
        made.append(
            (
                "Intervals draw {what}: {there}. Those of shares near 100 % and of agreement lost by LDC are wider "
                "than they say: they held in 97 to 99 of 100 simulated studies; that of seconds saved in 92 to 94.",
                {"what": both.resampled, "there": ", ".join(counted(n, name) for n, name in drawn)},
            )
        )
    if apart:
        made.append(
            (
                "{n} judgments with an order label are left to the panel Order of presentation.",
                {"n": count(apart)},
            )
        )
    return made


def remarks(surrogates: Surrogates, both: SideBySide) -> list[Sentence]:
    """What is missing and what would open it, what is set aside, undefined, or rests on little."""
    made: list[Sentence] = []
    if surrogates.has_full_text and surrogates.summaries and not any(one.n for one in both.prediction):
        made.append(
            (
                "Relevance Prediction is undefined: no rater judged both a summary and the full text of a document.",
                {},
            )
        )
    if not sides(both):
        return made
    if not surrogates.has_gold:
        made.append(
            ("A column gold would open LDC Agreement; without it only Relevance Prediction is shown.", {})
        )
    if not surrogates.has_full_text:
        made.append(
            (
                "Judgments of the full text (chosen in the sidebar) would open Relevance Prediction; without them "
                "only LDC Agreement is shown.",
                {},
            )
        )
    made += _set_aside(surrogates, both) + _undefined(surrogates, both) + _without_kappa(surrogates, both)
    if both.resampled.startswith("raters and events") and both.events < FEW_EVENTS:
        made.append(
            (
                "There are only {n} events: an interval over them is wide and rough.",
                {"n": count(both.events)},
            )
        )
    elif both.resampled == "nothing":
        made.append(("A single rater and a single document give no interval.", {}))
    return made


def _set_aside(surrogates: Surrogates, both: SideBySide) -> list[Sentence]:
    made: list[Sentence] = []
    for name, side in sides(both):
        aside = [
            (surrogates.names[at], side[at].set_aside) for at in surrogates.summaries if side[at].set_aside
        ]
        if name == LDC and surrogates.has_full_text and side[surrogates.full_text].set_aside:
            aside.append((surrogates.full_text_name, side[surrogates.full_text].set_aside))
        if aside:
            why = "have no gold" if name == LDC else "have no judgment of the full text by the same rater"
            what = listed([f"{count(n)} judgments of {surrogate}" for surrogate, n in aside])
            made.append((f"Set aside for {{name}}: {{what}} {why}.", {"name": name, "what": what}))
    return made


def _undefined(surrogates: Surrogates, both: SideBySide) -> list[Sentence]:
    """Figures without a value, one sentence per reason."""
    lacking: dict[tuple[str, str, str], list[str]] = {}
    for name, side in sides(both):
        for at in surrogates.summaries:
            agreement = side[at]
            for figure in FIGURES:
                estimate = figure_of(agreement, figure)
                if not estimate.defined and agreement.n:
                    lacking.setdefault((figure, name, estimate.reason), []).append(surrogates.names[at])
            if agreement.reason:
                lacking.setdefault(("agreement", name, agreement.reason), []).append(surrogates.names[at])
    return [
        (
            "{figure} ({side}) is undefined for {names}: {why}.",
            {"figure": figure.capitalize(), "side": side, "names": listed(names), "why": why},
        )
        for (figure, side, why), names in lacking.items()
    ]


def _without_kappa(surrogates: Surrogates, both: SideBySide) -> list[Sentence]:
    return [
        (
            "{n} of the raters have no kappa on {name} ({side}): their answers, or the truth, are all the same.",
            {"n": count(side[at].raters_without_kappa), "name": surrogates.names[at], "side": name},
        )
        for name, side in sides(both)
        for at in surrogates.summaries
        if side[at].raters_without_kappa and side[at].kappa.defined
    ]


def agreement_table(surrogates: Surrogates, both: SideBySide) -> Shown:
    """One row per surrogate and kind of agreement: both stand one below the other."""
    rows = [
        {
            "Surrogate": surrogates.names[at],
            "Held against": "gold (LDC)" if name == LDC else "own full text (RP)",
            "Accuracy": side[at].accuracy.value,
            "95 %": percent(side[at].accuracy, 1),
            "Precision": side[at].precision.value,
            "Precision, 95 %": percent(side[at].precision, 1),
            "Recall": side[at].recall.value,
            "Recall, 95 %": percent(side[at].recall, 1),
            "F": side[at].f_score.value,
            "F, 95 %": percent(side[at].f_score, 1),
            "TP": side[at].tp,
            "TN": side[at].tn,
            "FP": side[at].fp,
            "FN": side[at].fn,
            "Kappa": side[at].kappa.value,
            "Kappa, 95 %": interval(side[at].kappa),
            "Seconds": both.seconds[at].value,
            "Seconds, 95 %": interval(both.seconds[at], 1),
            "Judgments": side[at].n,
            "Set aside": side[at].set_aside,
        }
        for at in surrogates.there
        for name, side in sides(both)
        if side[at].n
    ]
    table = pd.DataFrame(rows)
    if not surrogates.has_seconds and rows:
        table = table.drop(columns=["Seconds", "Seconds, 95 %"])
    return table, _WRITTEN


def events_table(surrogates: Surrogates, events: Sequence[str], by_event: Mapping[int, SideBySide]) -> Shown:
    """The same of every event of which there is anything."""
    tables = [
        agreement_table(surrogates, both)[0].assign(Event=events[event])
        for event, both in by_event.items()
        if sides(both)
    ]
    table = pd.concat(tables or [pd.DataFrame()], ignore_index=True)
    if tables:
        table.insert(0, "Event", table.pop("Event"))
    return table, _WRITTEN


def difference_table(surrogates: Surrogates, both: SideBySide) -> Shown:
    """The paired t test over raters' means, on judgments where both truths are known."""
    tests = [(surrogates.names[at], both.difference[at]) for at in surrogates.summaries]
    rows = [
        {
            "Surrogate": name,
            "RP less LDC": test.difference.value,
            "95 %": percent(test.difference, 1),
            "t": test.t,
            "df": test.degrees,
            "p": test.p,
            "p (Holm)": test.p_holm,
            "Raters": test.difference.n,
            "Judgments": test.n,
        }
        for name, test in tests
    ]
    return pd.DataFrame(rows), {
        "RP less LDC": _TENTH,
        "t": decimal,
        "p": p_value,
        "p (Holm)": p_value,
        **dict.fromkeys(("df", "Raters", "Judgments"), count),
    }


def without_test(surrogates: Surrogates, both: SideBySide) -> list[Sentence]:
    """Why a surrogate has no paired test."""
    return [
        ("No test for {name}: {why}.", {"name": surrogates.names[at], "why": both.difference[at].reason})
        for at in surrogates.summaries
        if both.difference[at].reason
    ]
