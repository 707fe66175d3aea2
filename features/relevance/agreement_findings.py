"""Verdicts and tables of judgments: agreement of surrogates and raters, differences between surrogates, and order."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import isnan

import numpy as np

from analysis.relevance.agreements import Agreement
from analysis.relevance.rater_pairs import PAIRED, AgreementComparison
from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import Estimate
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
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
    NumberFormat,
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
    SECONDS,
    Accuracy,
    Differences,
    Figure,
    Kappas,
    Surrogates,
    known_sides,
)
from features.words import WHY, Column, counted, estimate_columns, listed, table_of, why_column

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


UNEVEN = 0.75
"""Huynh and Feldt's epsilon below which Tukey's test is warned of (Girden 1992)."""
FEW_SUBJECTS = 5
"""Subjects below which the test is said to find large differences only."""


def nothing_to_compare() -> Finding:
    return not_enough_data(
        "Not enough data to compare surrogates: neither gold, full-text judgments nor seconds are known.",
        next_step=MAP_GOLD,
    )


def differences_finding(found: Differences, name: str = MAIN) -> Finding:
    """Return how many pairs of surrogates differ, or that none clearly do."""
    test, pairs = found.test, found.pairs
    values: dict[str, object] = {"measure": found.measure}
    if not test.defined:
        headline = "Not enough data to compare surrogates in {measure}."
        return not_enough_data(headline, values, capitalized(test.reason), found.side, name=name)
    corrected = test.p_greenhouse_geisser
    p = test.p if isnan(corrected) else corrected
    statistic = f"F({decimal(test.df1, 0)}, {decimal(test.df2, 0)}) = {decimal(test.f)}, {p_phrase(p)}"
    differ = [
        _higher_first(found, i, j) for i, j in combinations(range(test.k), 2) if pairs.significant[i, j]
    ]
    number = test.k * (test.k - 1) // 2
    line = [statistic, counted(test.n, found.subjects.removesuffix("s")), found.side]
    if not differ:
        headline = "Surrogates do not clearly differ in {measure}."
        if p < 0.05:
            headline = "Surrogates differ in {measure}, but no single pair clearly does."
        return clear_if(p < 0.05, headline, values, *line, name=name)
    high, low = max(differ, key=lambda pair: abs(pairs.differences[pair]))
    ends = Estimate(pairs.differences[high, low], pairs.low[high, low], pairs.high[high, low])
    values |= {"high": found.conditions[high], "low": found.conditions[low], "n": len(differ), "of": number}
    unit = " s" if found.name == SECONDS else ""
    gap = points(ends) if found.is_share else f"{estimate_with_interval(ends)}{unit}"
    if number == 1:
        headline = "{measure} is higher with {high} than with {low}."
        values["measure"] = capitalized(found.measure)
    else:
        headline = "{n} of {of} pairs of surrogates differ in {measure}."
        gap = f"largest: {found.conditions[high]} above {found.conditions[low]} by {gap}"
    return clear_if(p < 0.05, headline, values, gap, *line, name=name)


def _higher_first(found: Differences, one: int, other: int) -> tuple[int, int]:
    return (one, other) if found.pairs.differences[one, other] >= 0 else (other, one)


def write_of(found: Differences) -> NumberFormat:
    if found.is_share:
        return PERCENT_ONE_DIGIT
    return partial(decimal, digits=2 if found.name == SECONDS else 3)


def means_table(found: Differences, name: str, more: Sequence[Column] = ()) -> Table:
    """Return the means with the letters of Tukey's test, the best on top (Table 1 of the paper)."""
    order = found.best_first
    means = [found.test.means[at] for at in order]
    return table_of(
        name,
        ("Mean {measure} of each surrogate, the best on top.", {"measure": found.name}),
        [
            Column("Surrogate", [found.conditions[at] for at in order]),
            *estimate_columns("Mean", means, write_of(found)),
            Column("Letters", [found.pairs.letters[at] for at in order]),
            Column(found.subjects.capitalize(), [e.n for e in means], count),
            *more,
        ],
    )


def test_table(found: Differences) -> Table:
    """Return F with its degrees of freedom, both corrections, and how much variance surrogates explain."""
    test = found.test
    degrees = partial(decimal, digits=1 if test.missing else 0)
    return table_of(
        "anova",
        "Analysis of variance over surrogates.",
        [
            Column("Method", [capitalized(test.method)]),
            Column("F", [test.f], decimal),
            Column("df 1", [test.df1], degrees),
            Column("df 2", [test.df2], degrees),
            Column("p", [test.p], p_value),
            Column("ε (Greenhouse-Geisser)", [test.greenhouse_geisser], THREE_DIGITS, False),
            Column("p (Greenhouse-Geisser)", [test.p_greenhouse_geisser], p_value),
            Column("ε (Huynh-Feldt)", [test.huynh_feldt], THREE_DIGITS, False),
            *estimate_columns("Partial η²", [test.partial_eta_squared], THREE_DIGITS),
            Column("Generalized η²", [test.generalised_eta_squared.value], THREE_DIGITS, False),
            Column("MS error", [test.ms_error], partial(decimal, digits=4), False),
            Column("HSD", [found.pairs.hsd], THREE_DIGITS, False),
        ],
    )


def pairs_table(found: Differences) -> Table:
    """Return a row per pair of surrogates, the higher one first."""
    pairs, names = found.pairs, found.conditions
    rows = [_higher_first(found, i, j) for i, j in combinations(range(found.test.k), 2)]
    ends = [Estimate(pairs.differences[at], pairs.low[at], pairs.high[at], found.test.n) for at in rows]
    return table_of(
        "pairs",
        "Differences of all pairs of surrogates, with intervals that hold for all pairs at once.",
        [
            Column("Higher", [names[high] for high, _ in rows]),
            Column("Lower", [names[low] for _, low in rows]),
            *estimate_columns("Difference", ends, write_of(found)),
            Column("p", [pairs.p[at] for at in rows], p_value),
            Column("Differ", np.where([pairs.significant[at] for at in rows], "yes", "no")),
        ],
    )


def differences_warnings(found: Differences) -> Iterator[Warning]:
    """Yield the method where cells are missing, what is left out, and when the test is unreliable."""
    test, surrogates = found.test, found.surrogates
    texts = list[Text]()
    if test.missing:
        cells = {"n": count(test.missing), "of": count(test.n * test.k), "method": test.method}
        texts.append(("{n} of {of} cells are missing: {method}.", cells))
    is_compared = found.name.endswith("(RP)")
    absent = [
        surrogates.names[code]
        for code in test.empty.tolist()
        if code in surrogates.present and not (is_compared and code == surrogates.full_text)
    ]
    if absent:
        texts.append(("Left out, without any value: {names}.", {"names": listed(absent)}))
    if test.defined and test.n < FEW_SUBJECTS:
        values = {"n": count(test.n), "subjects": found.subjects}
        texts.append(("With only {n} {subjects}, the test finds large differences only.", values))
    if test.defined and test.huynh_feldt < UNEVEN and test.k > 2:
        text = (
            "Some differences vary much more than others (epsilon {epsilon}), so Tukey's test finds too many; trust "
            "the p of Greenhouse and Geisser."
        )
        texts.append((text, {"epsilon": decimal(test.huynh_feldt)}))
    yield from map(Warning, texts)


FEW_RATERS = 5
"""Raters below which it is said that others may differ."""


def no_order(lacking: Sequence[str]) -> Finding:
    """Return the finding of a study that does not know the order of presentation."""
    columns = listed(lacking) if lacking else "rows with both order_label and presentation"
    return not_enough_data(
        "Not enough data to study the order of presentation: it needs {columns}.",
        {"columns": columns},
        "for example the order D1S2D2 and its presentation S2",
        next_step=NextStep("Map columns on Data", "datasets.py"),
    )


def pair_title(pair: tuple[object, object, object]) -> str:
    """Return an order label and two of its presentations.

    >>> pair_title(("D1S2D2", "S2", "D2"))
    'D1S2D2: S2 and D2'
    """
    label, one, other = pair
    return f"{label}: {one} and {other}"


def order_finding(order: OrderStudy) -> Finding:
    """Return whether judgments stay the same less often between some presentations than between others."""
    known = [(pair, same) for pair, same in order.pairs.items() if same.share.defined]
    if not known:
        why = dict.fromkeys(same.share.reason for same in order.pairs.values())
        lacking = "; ".join(why) or "no document was judged in two presentations by the same rater"
        return not_enough_data("Not enough data to say whether the order matters.", {}, capitalized(lacking))
    (least, low), (most, high) = (pick(known, key=lambda each: each[1].share.value) for pick in (min, max))
    raters = counted(max(same.raters for _, same in known), "rater")
    if len(known) == 1:
        return uncertain(
            "{share} of the documents got the same judgment twice.",
            {"share": share(low.share.value)},
            confidence_interval(low.share, share),
            pair_title(least),
            counted(low.share.n, "document"),
            raters,
        )
    ends = f"{estimate_with_interval(low.share, share)} and {estimate_with_interval(high.share, share)} stay the same"
    if low.share.high < high.share.low:
        return clear(
            "Judgments change more between {least} than between {most}.",
            {"least": f"{least[1]} and {least[2]}", "most": f"{most[1]} and {most[2]}"},
            ends,
            raters,
            f"orders {least[0]} and {most[0]}" if least[0] != most[0] else f"order {least[0]}",
        )
    return uncertain(
        "The order of presentation has no clear effect on judgments.",
        {},
        f"Equal judgments: {estimate_with_interval(low.share, share)} in {pair_title(least)}",
        f"{estimate_with_interval(high.share, share)} in {pair_title(most)}",
        raters,
    )


def order_warnings(order: OrderStudy) -> Iterator[Warning]:
    """Yield what is set aside, and how few raters there are."""
    if order.repeated:
        text = "{n} repeated judgments were set aside; the first counts."
        yield Warning((text, {"n": count(order.repeated)}))
    raters = max((same.raters for same in order.pairs.values()), default=0)
    if 0 < raters < FEW_RATERS:
        text = "Only {raters} took part; others may differ."
        yield Warning((text, {"raters": counted(raters, "rater")}))


def order_table(order: OrderStudy) -> Table:
    """Return Table 11 of the paper."""
    same = list(order.pairs.values())
    return table_of(
        "order",
        "Share of equal judgments by order label and pair of presentations.",
        [
            Column("Order", [str(label) for label, _, _ in order.pairs]),
            Column("Presentations", [f"{one} and {other}" for _, one, other in order.pairs]),
            *estimate_columns("Equal", [one.share for one in same], PERCENT_ONE_DIGIT),
            Column("Same", [one.same for one in same], count),
            Column("Changed", [one.changed for one in same], count),
            Column("Judged twice", [one.share.n for one in same], count, False),
            Column("Judged once", [one.lacking for one in same], count, False),
            Column("Raters", [one.raters for one in same], count),
            why_column([one.share] for one in same),
        ],
    )
