"""Verdict on which summaries suffice, tables of both agreements, and what is set aside or undefined."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan

from analysis.relevance.agreements import Agreement
from analysis.relevance.rater_pairs import PAIRED, AgreementComparison
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    capitalized,
    clear_if,
    confidence_interval,
    not_applicable,
    not_enough_data,
    points_with_interval,
    uncertain,
)
from features.plotting.theme import (
    ONE_DIGIT,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    estimate_with_interval,
    p_phrase,
    p_value,
    points,
    share,
)
from features.relevance.agreement_results import (
    BETWEEN,
    KAPPAS,
    LDC,
    PREDICTION,
    Accuracy,
    Figure,
    Kappas,
    Surrogates,
    known_sides,
)
from features.words import WHY, Column, counted, estimate_columns, table_of, why_column

FIGURE_NAMES: Mapping[Figure, str] = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F",
    "kappa": "Kappa within the rater",
}
COMPARED_WITH = {LDC: "gold (LDC)", PREDICTION: "own full text (RP)"}
WAY = "way"
"""Name of the finding on the way from a baseline to the full text."""
MAP_GOLD = NextStep("Map a column to gold", "datasets.py")
FEW_EVENTS = 5
"""Events below which intervals over events are warned of."""


def figure_of(agreement: Agreement, figure: Figure) -> Estimate:
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
    surrogates, of = found.main.surrogates, dict(found.sides).get(decisive_side(found))
    return {surrogates.names[at]: of[at].accuracy for at in surrogates.summaries} if of else {}


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
        best.excludes(0.5),
        f"{{readers}} decide {same} {{share}} of the time.",
        {"readers": readers_of(first), "share": share(best.value)},
        confidence_interval(best, share),
        counted(found.both.raters, "rater"),
        counted(found.both.documents, "document"),
        _time_saved(found.both, surrogates, surrogates.names.index(first)),
        f"next: {others[0][0]} {share(others[0][1].value)}" if others else "",
    )


def _time_saved(both: AgreementComparison, surrogates: Surrogates, code: int) -> str:
    saved = both.seconds_saved[code]
    if not saved.defined:
        return ""
    whole = f"{ONE_DIGIT(both.seconds[surrogates.full_text].value)} s"
    if not (isnan(saved.low) or saved.excludes()):
        return f"no clear time saved of {whole}"
    if saved.value > 0:
        return f"saves {ONE_DIGIT(saved.value)} of {whole}"
    return f"{ONE_DIGIT(-saved.value)} s more than {whole}"


def difference_finding(found: Accuracy) -> Finding | None:
    """Return whether agreement with gold is lower than with the full text, for the best summaries; None untested."""
    surrogates = found.main.surrogates
    tested = [at for at in surrogates.summaries if not isnan(found.both.difference[at].p)]
    if not tested:
        return None
    best = max(tested, key=lambda at: found.both.prediction[at].accuracy.value)
    test = found.both.difference[best]
    headline = "{readers} do not clearly agree more with the full text than with gold."
    if test.p < 0.05 and test.difference.value > 0:
        headline = "{readers} agree more with their own full-text judgments than with gold."
    elif test.p < 0.05:
        headline = "{readers} agree more with gold than with their own full-text judgments."
    return clear_if(
        test.p < 0.05,
        headline,
        {"readers": readers_of(surrogates.names[best])},
        *points_with_interval(test.difference),
        p_phrase(test.p),
        counted(test.difference.n, "rater"),
        counted(test.n, "judgment"),
        name="difference",
    )


def accuracy_table(found: Accuracy) -> Table:
    columns = _columns([(found.both, "")], found.main.surrogates)
    caption = "Agreement of each surrogate with gold and with the raters' own judgments of the full text."
    return table_of("relevance-agreement", caption, columns)


def events_table(found: Accuracy) -> Table:
    """Return a row per event, surrogate and agreement."""
    events = [(both, found.main.events[event]) for event, both in (found.by_event or {}).items()]
    caption = "Agreement of each surrogate on each event."
    return table_of("relevance-events", caption, _columns(events, found.main.surrogates))


def _columns(parts: Sequence[tuple[AgreementComparison, str]], surrogates: Surrogates) -> list[Column]:
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
        heading, write = ("Kappa", THREE_DIGITS) if is_kappa else (name, PERCENT_ONE_DIGIT)
        estimates = [figure_of(one, figure) for one in of]
        columns += estimate_columns(heading, estimates, write, at_first_sight=figure in ("accuracy", "kappa"))
    if surrogates.has_seconds:
        seconds = [both.seconds[at] for _, both, at, _, _ in rows]
        columns += estimate_columns("Seconds", seconds, ONE_DIGIT)
    counts = {name: [getattr(one, name.lower()) for one in of] for name in ("TP", "TN", "FP", "FN")}
    columns += [Column(name, numbers, count, False) for name, numbers in counts.items()]
    columns.append(Column("Judgments", [one.n for one in of], count))
    columns.append(Column("Set aside", [one.set_aside for one in of], count, False))
    columns.append(Column("Raters without kappa", [one.raters_without_kappa for one in of], count, False))
    columns.append(why_column([figure_of(one, figure) for figure in FIGURE_NAMES] for one in of))
    return columns


def difference_table(found: Accuracy) -> Table:
    """Return the paired t tests over raters' rates, on judgments where both truths are known."""
    surrogates = found.main.surrogates
    rows = [(at, rate) for rate in PAIRED for at in surrogates.summaries]
    tests = [found.both.differences[rate][at] for at, rate in rows]
    differences = [one.difference for one in tests]
    texts = [points(each) for each in differences]
    return table_of(
        "relevance-test",
        "Relevance Prediction minus LDC Agreement: paired t tests over raters, by rate and surrogate.",
        [
            Column("Figure", [FIGURE_NAMES[rate] for _, rate in rows]),
            Column("Surrogate", surrogates.names_of([at for at, _ in rows])),
            *estimate_columns("RP minus LDC", differences, PERCENT_ONE_DIGIT, texts),
            Column("t", [one.t for one in tests], decimal),
            Column("df", [one.degrees for one in tests], count, False),
            Column("p", [one.p for one in tests], p_value),
            Column("p (Holm)", [one.p_holm for one in tests], p_value),
            Column("Raters", [one.difference.n for one in tests], count, False),
            Column("Judgments", [one.n for one in tests], count, False),
            Column(WHY, [one.reason for one in tests], None, False),
        ],
    )


def way_finding(found: Accuracy) -> Finding | None:
    """Return how far the best summary is on the way from the baseline to the full text; None without a baseline."""
    side, names = decisive_side(found), found.main.surrogates.names
    if side not in found.ways:
        return None
    shares, way = found.ways[side]
    values = {"baseline": names[found.baseline], "text": found.main.surrogates.full_text_name}
    known = [at for at in found.main.surrogates.summaries if shares[at].defined]
    counts = counted(found.both.raters, "rater"), counted(found.both.documents, "document")
    if not known:
        headline = "{text} is not clearly better than {baseline}."
        if way.low > 0:
            headline = "No other surrogate is judged besides {baseline} and {text}."
        line = points_with_interval(way) if way.defined else (way.reason,)
        return uncertain(headline, values, *line, *counts, side, name=WAY)
    best = max(known, key=lambda at: shares[at].value)
    headline = "{readers} reach {share} of the way from {baseline} to {text}."
    values |= {"readers": readers_of(names[best]), "share": share(shares[best].value)}
    interval = confidence_interval(shares[best], share)
    return clear_if(shares[best].excludes(), headline, values, interval, *counts, side, name=WAY)


def way_table(found: Accuracy) -> Table:
    """Return each surrogate's share of the way from the baseline to the full text, by agreement."""
    surrogates = found.main.surrogates
    others = [at for at in surrogates.summaries if at != found.baseline]
    rows = [(side, at, shares[at], way) for side, (shares, way) in found.ways.items() for at in others]
    accuracy = {side: [one.accuracy for one in of] for side, of in found.sides}
    caption = "Accuracy of each surrogate as a share of the way from {baseline} (0%) to {text} (100%)."
    values = {"baseline": surrogates.names[found.baseline], "text": surrogates.full_text_name}
    return table_of(
        "relevance-way",
        (caption, values),
        [
            Column("Surrogate", surrogates.names_of([at for _, at, _, _ in rows])),
            Column("Compared with", [COMPARED_WITH[side] for side, *_ in rows]),
            *estimate_columns("Share of the way", [one for _, _, one, _ in rows], share),
            Column("Accuracy", [accuracy[side][at].value for side, at, _, _ in rows], PERCENT_ONE_DIGIT),
            *estimate_columns(
                "Length of the way", [way for *_, way in rows], PERCENT_ONE_DIGIT, at_first_sight=False
            ),
            why_column([one] for _, _, one, _ in rows),
        ],
    )


def accuracy_warnings(found: Accuracy) -> Iterator[Warning | Note]:
    """Yield what is missing or set aside, and that intervals over few events are rough."""
    surrogates, both = found.main.surrogates, found.both
    texts = list[Text]()
    if not surrogates.has_gold:
        texts.append(("LDC Agreement needs a column gold.", {}))
    if not surrogates.has_full_text:
        texts.append(("Relevance Prediction needs judgments of the full text, chosen in the sidebar.", {}))
    elif surrogates.summaries and not surrogates.is_predicted:
        text = "Relevance Prediction is undefined: no rater judged both a summary and the full text of a document."
        texts.append((text, {}))
    for side, of in found.sides:
        aside = sum(of[at].set_aside for at in (surrogates.present if side == LDC else surrogates.summaries))
        if aside:
            text = f"Set aside for {side}: {{n}} judgments without a known truth."
            texts.append((text, {"n": count(aside)}))
    if found.sides and both.resampled.startswith("raters and events") and both.events < FEW_EVENTS:
        texts.append(
            ("With only {n} events, intervals over them are wide and rough.", {"n": count(both.events)})
        )
    yield from map(Warning, texts)
    if found.main.with_label:
        text = "{n} judgments with an order label count only under <b>Order of presentation</b>."
        yield Note((text, {"n": count(found.main.with_label)}))


def raters_finding(found: Kappas) -> Finding:
    """Return the surrogate on which two raters decide alike most often, and the one with the least agreement."""
    of = found.main.surrogates
    alike = {code: e for code in of.present if (e := found.pairs.surrogates[code].agreement).defined}
    if not alike:
        why = sorted({e.reason for e in found.alike.values()} - {""})
        return not_enough_data(
            "Not enough data to say whether raters agree.", {}, capitalized("; ".join(why) or "nobody judged")
        )
    first, last = (pick(alike, key=lambda code: alike[code].value) for pick in (max, min))
    kappa, least = (found.of(BETWEEN, code) for code in (first, last))
    lowest = f"lowest: {of.names[last]} {share(alike[last].value)}" if len(alike) > 1 else ""
    if lowest and least.defined:
        lowest += f", kappa {decimal(least.value)}"
    return clear_if(
        all(found.of(BETWEEN, code).excludes() for code in alike),
        "Two raters decide alike on {share} of the documents with {first}.",
        {"share": share(alike[first].value), "first": of.names[first]},
        confidence_interval(alike[first], share),
        f"kappa {estimate_with_interval(kappa)}" if kappa.defined else "",
        lowest,
        counted(found.pairs.surrogates[first].pairs, "pair of raters", "pairs of raters"),
    )


def kappa_table(found: Kappas) -> Table:
    """Return the paper's Table 2, with Cohen's kappa in two forms next to the paper's."""
    surrogates = found.main.surrogates
    pairs = [found.pairs.surrogates[at] for at in surrogates.present]
    columns = [Column("Surrogate", surrogates.names_of(surrogates.present))]
    alike = [one.agreement for one in pairs]
    columns += estimate_columns("Pairs of judgments alike", alike, PERCENT_ONE_DIGIT)
    kappas = {name: [found.of(name, at) for at in surrogates.present] for name in KAPPAS}
    shown = {name: of for name, of in kappas.items() if name == BETWEEN or any(each.defined for each in of)}
    for name, estimates in shown.items():
        columns += estimate_columns(name, estimates, THREE_DIGITS)
    columns.append(Column("Pairs of raters", [one.pairs for one in pairs], count, False))
    columns.append(Column("Pairs without kappa", [one.undefined_pairs for one in pairs], count, False))
    columns.append(Column("Pairs of judgments", [e.n for e in alike], count, False))
    if any(one.repeated for one in pairs):
        columns.append(Column("Repeated", [one.repeated for one in pairs], count, False))
    columns.append(why_column(zip(*shown.values(), strict=True)))
    return table_of("kappa", "Kappa in each form and agreement between raters, by surrogate.", columns)


def raters_warnings(found: Kappas) -> Iterator[Warning]:
    """Yield what is missing for two of the kappas, and repeated judgments, of which the first counts."""
    surrogates = found.main.surrogates
    if not surrogates.has_gold:
        yield Warning(("Kappa with gold needs a column gold.", {}))
    if not surrogates.has_full_text:
        yield Warning(("Kappa with the rater's own full text needs judgments of the full text.", {}))
    repeated = sum(found.pairs.surrogates[at].repeated for at in surrogates.present)
    if repeated:
        text = "{n} repeated judgments of a rater were set aside; the first counts."
        yield Warning((text, {"n": count(repeated)}))
