"""Verdict on whether surrogates differ in a measure, with tables of their means, the test and all pairs."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import isnan

import numpy as np

from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import Estimate
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    not_enough_data,
    uncertain,
)
from features.plotting.theme import (
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
from features.relevance.accuracy_findings import MAP_GOLD
from features.relevance.agreement_results import SECONDS, Differences
from features.words import Column, counted, estimate_columns, listed, table_of, why_column

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
