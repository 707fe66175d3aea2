"""Verdict on which summaries suffice, tables of both agreements, and what is set aside or undefined."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from analysis.relevance.agreements import Agreement
from analysis.relevance.rater_pairs import SideBySide
from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Table, Text, Warning
from features.plotting.numbers import count, decimal, decimal_with_interval, p_phrase, p_value, points, share
from features.relevance.agreement_results import (
    KAPPAS,
    WITH_GOLD,
    WITHIN,
    Accuracy,
    Figure,
    Kappas,
    known_sides,
)
from features.relevance.judgments_results import LDC, PREDICTION, Surrogates
from features.tables import Column, estimate_columns, table_of
from features.verdicts import (
    capitalized,
    clear_if,
    confidence_interval,
    excludes,
    not_applicable,
    not_enough_data,
)
from features.words import counted, listed, number_repeats

FIGURE_NAMES: Mapping[Figure, str] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F",
    "kappa": "Kappa within the rater",
}
COMPARED_WITH = {LDC: "gold (LDC)", PREDICTION: "own full text (RP)"}
MAP_GOLD = NextStep("Map a column to gold", "datasets.py")
FEW_EVENTS = 5
"""Events below which intervals over events are warned of."""
_TENTH, _EXACT, _SECONDS = (
    partial(share, digits=1),
    partial(decimal, digits=3),
    partial(decimal, digits=1),
)


def figure_of(agreement: Agreement, figure: Figure) -> Estimate:
    """Return one figure of an agreement."""
    estimate: Estimate = getattr(agreement, figure)
    return estimate


def readers_of(name: str) -> str:
    """Return the readers of a surrogate as a headline has them.

    >>> readers_of("Human"), readers_of("Lead summary")
    ('Readers of Human summaries', 'Readers of Lead summary')
    """
    return f"Readers of {name}" if "summar" in name.casefold() else f"Readers of {name} summaries"


def decisive_side(found: Accuracy) -> str:
    """Return the agreement that the verdict is on, "" where none is defined for any summary."""
    known = dict(found.sides)
    for side in (PREDICTION, LDC):
        if any(known[side][at].accuracy.defined for at in found.main.surrogates.summaries if side in known):
            return side
    return ""


def accuracies(found: Accuracy) -> dict[str, Estimate]:
    """Return the accuracy of each surrogate under the decisive agreement, by its name."""
    surrogates, known = found.main.surrogates, dict(found.sides)
    side = decisive_side(found)
    return {surrogates.names[at]: known[side][at].accuracy for at in surrogates.summaries} if side else {}


def accuracy_finding(found: Accuracy) -> Finding:
    """Return how often readers of the best summaries decide as with the full text, else as gold says."""
    surrogates, side = found.main.surrogates, decisive_side(found)
    if not surrogates.summaries:
        return not_applicable("There are no summaries to compare with the full text.")
    if not side:
        return not_enough_data(
            "Not enough data to judge summaries: neither gold nor the raters' full-text judgments are known.",
            next_step=MAP_GOLD,
        )
    ranked = sorted(
        ((name, e) for name, e in accuracies(found).items() if e.defined), key=lambda each: -each[1].value
    )
    (first, best), *others = ranked
    same = "as with the full text" if side == PREDICTION else "as gold says"
    return clear_if(
        excludes(best, 0.5),
        f"{{readers}} decide {same} {{share}} of the time.",
        {"readers": readers_of(first), "share": share(best.value)},
        confidence_interval(best, share),
        counted(found.both.raters, "rater"),
        counted(found.both.documents, "document"),
        _time_saved(found.both, surrogates, surrogates.names.index(first)),
        f"next: {others[0][0]} {share(others[0][1].value)}" if others else "",
    )


def _time_saved(both: SideBySide, surrogates: Surrogates, code: int) -> str:
    saved = both.seconds_saved[code]
    if not saved.defined:
        return ""
    whole = f"{_SECONDS(both.seconds[surrogates.full_text].value)} s"
    if saved.low > 0 or (isnan(saved.low) and saved.value > 0):
        return f"saves {_SECONDS(saved.value)} of {whole}"
    if saved.high < 0 or (isnan(saved.low) and saved.value < 0):
        return f"{_SECONDS(-saved.value)} s more than {whole}"
    return f"no clear time saved of {whole}"


def difference_finding(found: Accuracy) -> Finding | None:
    """Return whether agreement with gold is lower than with the full text, for the best summaries; None untested."""
    surrogates = found.main.surrogates
    tested = [at for at in surrogates.summaries if not isnan(found.both.difference[at].p)]
    if not tested:
        return None
    best = max(tested, key=lambda at: found.both.prediction[at].accuracy.value)
    test = found.both.difference[best]
    is_clear, values = test.p < 0.05, {"readers": readers_of(surrogates.names[best])}
    line = (
        points(test.difference),
        p_phrase(test.p),
        counted(test.difference.n, "rater"),
        counted(test.n, "judgment"),
    )
    if not is_clear:
        headline = "{readers} do not clearly agree more with the full text than with gold."
    elif test.difference.value > 0:
        headline = "{readers} agree more with their own full-text judgments than with gold."
    else:
        headline = "{readers} agree more with gold than with their own full-text judgments."
    return clear_if(is_clear, headline, values, *line, name="difference")


def accuracy_table(found: Accuracy) -> Table:
    """Return a row per surrogate and agreement."""
    columns = _columns([(found.both, "")], found.main.surrogates)
    caption = "Agreement of each surrogate with gold and with the raters' own judgments of the full text."
    return table_of("relevance-agreement", caption, columns)


def events_table(found: Accuracy) -> Table:
    """Return a row per event, surrogate and agreement."""
    events = [(both, found.main.events[event]) for event, both in (found.by_event or {}).items()]
    caption = "Agreement of each surrogate on each event."
    return table_of("relevance-events", caption, _columns(events, found.main.surrogates))


def _columns(parts: Sequence[tuple[SideBySide, str]], surrogates: Surrogates) -> list[Column]:
    rows = [
        (event, both, at, side, of[at])
        for both, event in parts
        for at in surrogates.present
        for side, of in known_sides(both)
        if of[at].n
    ]
    of = [agreement for *_, agreement in rows]
    columns = [
        Column("Surrogate", [surrogates.names[at] for _, _, at, _, _ in rows]),
        Column("Compared with", [COMPARED_WITH[side] for _, _, _, side, _ in rows]),
    ]
    if any(event for event, *_ in rows):
        columns.insert(0, Column("Event", [event for event, *_ in rows]))
    for figure, name in FIGURE_NAMES.items():
        is_kappa = figure == "kappa"
        heading, write = ("Kappa", _EXACT) if is_kappa else (name, _TENTH)
        estimates = [figure_of(one, figure) for one in of]
        columns += estimate_columns(heading, estimates, write, at_first_sight=figure in ("accuracy", "kappa"))
    if surrogates.has_seconds:
        seconds = [both.seconds[at] for _, both, at, _, _ in rows]
        columns += estimate_columns("Seconds", seconds, _SECONDS)
    counts = {name: [getattr(one, name.lower()) for one in of] for name in ("TP", "TN", "FP", "FN")}
    columns += [Column(name, numbers, count, False) for name, numbers in counts.items()]
    columns.append(Column("Judgments", [one.n for one in of], count))
    columns.append(Column("Set aside", [one.set_aside for one in of], count, False))
    return columns


def difference_table(found: Accuracy) -> Table:
    """Return the paired t test over raters' means, on judgments where both truths are known."""
    surrogates = found.main.surrogates
    tests = [found.both.difference[at] for at in surrogates.summaries]
    return table_of(
        "relevance-test",
        "Relevance Prediction minus LDC Agreement: paired t test over raters, by surrogate.",
        [
            Column("Surrogate", surrogates.names_of(surrogates.summaries)),
            *estimate_columns("RP minus LDC", [one.difference for one in tests], _TENTH),
            Column("t", [one.t for one in tests], decimal),
            Column("df", [one.degrees for one in tests], count, False),
            Column("p", [one.p for one in tests], p_value),
            Column("p (Holm)", [one.p_holm for one in tests], p_value),
            Column("Raters", [one.difference.n for one in tests], count, False),
            Column("Judgments", [one.n for one in tests], count, False),
        ],
    )


def accuracy_notes(found: Accuracy) -> Iterator[Note]:
    """Yield what intervals resample, and the judgments that another question has."""
    both = found.both
    if both.resampled != "nothing" and found.sides:
        sizes = (both.raters, "rater"), (both.events, "event"), (both.documents, "document")
        yield Note(
            (
                "Intervals resample {what}: {there}. Those of shares near 100% and of agreement lost by LDC are wide: "
                "they held in 97 to 99 of 100 simulated studies; that of seconds saved in 92 to 94.",
                {"what": both.resampled, "there": ", ".join(counted(n, name) for n, name in sizes)},
            )
        )
    if found.main.with_label:
        text = "{n} judgments with an order label are left to the question Order of presentation."
        yield Note((text, {"n": count(found.main.with_label)}))
    for why in _no_speed(found):
        yield Note(("No figure of speed and agreement: {why}.", {"why": why}))


def _no_speed(found: Accuracy) -> Iterator[str]:
    if not found.main.surrogates.has_seconds:
        yield "it needs a column seconds"
    elif not found.main.surrogates.has_full_text:
        yield "it needs judgments of the full text"


def accuracy_warnings(found: Accuracy) -> Iterator[Warning]:
    """Yield what is missing, set aside or undefined, and intervals over few events."""
    surrogates, both = found.main.surrogates, found.both
    told: list[Text] = []
    if surrogates.has_full_text and surrogates.summaries and not surrogates.is_predicted:
        told.append(
            (
                "Relevance Prediction is undefined: no rater judged both a summary and the full text of a document.",
                {},
            )
        )
    if found.sides:
        if not surrogates.has_gold:
            told.append(("LDC Agreement needs a column gold.", {}))
        if not surrogates.has_full_text:
            told.append(("Relevance Prediction needs judgments of the full text, chosen in the sidebar.", {}))
        told += [*_set_aside(found), *_undefined(found)]
        if both.resampled.startswith("raters and events") and both.events < FEW_EVENTS:
            told.append(
                ("With only {n} events, intervals over them are wide and rough.", {"n": count(both.events)})
            )
        elif both.resampled == "nothing":
            told.append(("A single rater and a single document give no interval.", {}))
    yield from map(Warning, number_repeats(told))


def difference_warnings(found: Accuracy) -> Iterator[Warning]:
    """Yield the reason for each surrogate without a paired test."""
    surrogates = found.main.surrogates
    tests = [(surrogates.names[at], found.both.difference[at].reason) for at in surrogates.summaries]
    told: list[Text] = [
        ("No test for {name}: {why}.", {"name": name, "why": why}) for name, why in tests if why
    ]
    yield from map(Warning, number_repeats(told))


def _set_aside(found: Accuracy) -> Iterator[Text]:
    surrogates = found.main.surrogates
    for side, of in found.sides:
        counted_codes = surrogates.present if side == LDC else surrogates.summaries
        aside = [(surrogates.names[at], of[at].set_aside) for at in counted_codes if of[at].set_aside]
        if aside:
            why = "have no gold" if side == LDC else "have no judgment of the full text by the same rater"
            what = listed([f"{count(n)} judgments of {surrogate}" for surrogate, n in aside])
            yield f"Set aside for {{side}}: {{what}} {why}.", {"side": side, "what": what}


def _undefined(found: Accuracy) -> Iterator[Text]:
    """Yield figures without a value, one sentence per reason, and how many raters have no kappa."""
    surrogates = found.main.surrogates
    lacking: dict[tuple[str, str, str], list[str]] = {}
    for side, of in found.sides:
        for at in surrogates.summaries:
            for figure, name in FIGURE_NAMES.items():
                estimate = figure_of(of[at], figure)
                if not estimate.defined and of[at].n:
                    lacking.setdefault((name, side, estimate.reason), []).append(surrogates.names[at])
            if of[at].reason:
                lacking.setdefault(("Agreement", side, of[at].reason), []).append(surrogates.names[at])
    for (name, side, why), names in lacking.items():
        values = {"figure": name, "side": side, "names": listed(names), "why": why}
        yield "{figure} ({side}) is undefined for {names}: {why}.", values
    for side, of in found.sides:
        for at in surrogates.summaries:
            if of[at].raters_without_kappa and of[at].kappa.defined:
                raters = counted(of[at].raters_without_kappa, "rater")
                yield (
                    "No kappa of {raters} on {name} ({side}): their answers, or the truth, are all the same.",
                    {"raters": raters, "name": surrogates.names[at], "side": side},
                )


def raters_finding(found: Kappas) -> Finding:
    """Return the surrogate on which two raters decide alike most often, and the one with the least agreement."""
    alike = {name: e for name, e in found.alike.items() if e.defined}
    of = found.main.surrogates
    pairs = {of.names[code]: found.pairs.surrogates[code] for code in of.present}
    if not alike:
        why = sorted({e.reason for e in found.alike.values()} - {""})
        return not_enough_data(
            "Not enough data to say whether raters agree.", {}, capitalized("; ".join(why) or "nobody judged")
        )
    first, last = (
        max(alike, key=lambda name: alike[name].value),
        min(alike, key=lambda name: alike[name].value),
    )
    kappa = pairs[first].kappa
    least = pairs[last].kappa
    lowest = f"lowest: {last} {share(alike[last].value)}" if len(alike) > 1 else ""
    if lowest and least.defined:
        lowest += f", kappa {decimal(least.value)}"
    return clear_if(
        all(excludes(pairs[name].kappa) for name in alike),
        "Two raters decide alike on {share} of the documents with {first}.",
        {"share": share(alike[first].value), "first": first},
        confidence_interval(alike[first], share),
        f"kappa {decimal_with_interval(kappa)}" if kappa.defined else "",
        lowest,
        counted(pairs[first].pairs, "pair of raters", "pairs of raters"),
    )


def kappa_table(found: Kappas) -> Table:
    """Return the paper's Table 2, with Cohen's kappa in two forms next to the paper's."""
    surrogates = found.main.surrogates
    pairs = [found.pairs.surrogates[at] for at in surrogates.present]
    columns = [Column("Surrogate", surrogates.names_of(surrogates.present))]
    alike = [one.agreement for one in pairs]
    columns += estimate_columns("Pairs of judgments alike", alike, partial(share, digits=1))
    for name in KAPPAS:
        estimates = [found.of(name, at) for at in surrogates.present]
        if name not in (WITH_GOLD, WITHIN) or any(e.defined for e in estimates):
            columns += estimate_columns(name, estimates, partial(decimal, digits=3))
    columns.append(Column("Pairs of raters", [one.pairs for one in pairs], count, False))
    columns.append(Column("Pairs of judgments", [e.n for e in alike], count, False))
    if any(one.repeated for one in pairs):
        columns.append(Column("Repeated", [one.repeated for one in pairs], count, False))
    return table_of("kappa", "Kappa in each form and agreement between raters, by surrogate.", columns)


def raters_notes(found: Kappas) -> Iterator[Note]:
    """Yield what intervals resample."""
    if found.pairs.resampled not in ("", "nothing"):
        yield Note(("Intervals resample {what}.", {"what": found.pairs.resampled}))


def raters_warnings(found: Kappas) -> Iterator[Warning]:
    """Yield what is undefined and why, and what was set aside."""
    surrogates = found.main.surrogates
    told: list[Text] = []
    if not surrogates.has_gold:
        told.append(("Kappa with gold needs a column gold.", {}))
    if not surrogates.has_full_text:
        told.append(("Kappa with the rater's own full text needs judgments of the full text.", {}))
    undefined: dict[str, list[str]] = {}
    for at in surrogates.present:
        name, pairs = surrogates.names[at], found.pairs.surrogates[at]
        if not pairs.kappa.defined:
            undefined.setdefault(pairs.kappa.reason, []).append(name)
        elif pairs.undefined_pairs:
            values = {"n": count(pairs.undefined_pairs), "of": count(pairs.pairs), "name": name}
            text = "{n} of {of} pairs of raters have no kappa on {name}: both gave one answer throughout."
            told.append((text, values))
        within = found.of(WITHIN, at)
        if at != surrogates.full_text and surrogates.has_full_text and not within.defined:
            text = "Kappa with the own full text is undefined for {name}: {why}."
            told.append((text, {"name": name, "why": within.reason}))
        if pairs.repeated:
            text = "{n} repeated judgments of a rater on {name} were set aside; the first counts."
            told.append((text, {"n": count(pairs.repeated), "name": name}))
    for why, names in undefined.items():
        text = "Kappa between raters is undefined for {names}: {why}."
        told.append((text, {"names": listed(names), "why": why}))
    yield from map(Warning, number_repeats(told))
