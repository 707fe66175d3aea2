"""Verdict on whether surrogates differ in a measure, with tables of their means, the test and all pairs."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np

from analysis.relevance.anova import RepeatedMeasures
from analysis.values.estimate import Estimate
from features.blocks import Finding, Note, Table, Text, Warning
from features.evidence import capitalized
from features.plotting.numbers import count, decimal, decimal_with_interval, p_phrase, p_value, points, share
from features.relevance.accuracy_findings import MAP_GOLD
from features.relevance.agreement_results import SECONDS, SHORT, Differences
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear_if, not_enough_data
from features.words import counted, listed, number_repeats

UNEVEN = 0.75
"""Huynh and Feldt's epsilon below which Tukey's test is warned of (Girden 1992)."""
FEW_SUBJECTS = 5
"""Subjects below which the test is said to find large differences only."""


def nothing_to_compare() -> Finding:
    """Return the finding of a study without any measure."""
    return not_enough_data(
        "Not enough data to compare surrogates: neither gold, full-text judgments nor seconds are known.",
        next_step=MAP_GOLD,
    )


def measure_name(measure: str) -> tuple[str, str]:
    """Return a measure as a sentence has it, and the agreement that it is of.

    >>> measure_name("Accuracy (RP)"), measure_name("F (LDC)"), measure_name("Seconds")
    (('accuracy', 'Relevance Prediction'), ('F', 'LDC Agreement'), ('judgment time', ''))
    """
    if measure == SECONDS:
        return "judgment time", ""
    rate, short = measure.removesuffix(")").split(" (")
    return rate if rate == "F" else rate.lower(), SHORT[short]


def differences_finding(found: Differences) -> Finding:
    """Return how many pairs of surrogates differ, or that none clearly do."""
    test, pairs = found.test, found.pairs
    measure, side = measure_name(found.spec.measure)
    values: dict[str, object] = {"measure": measure}
    if not test.defined:
        headline = "Not enough data to compare surrogates in {measure}."
        return not_enough_data(headline, values, capitalized(test.reason), side)
    p = corrected_p(test)
    differ = [
        _higher_first(found, i, j) for i, j in combinations(range(test.k), 2) if pairs.significant[i, j]
    ]
    number = test.k * (test.k - 1) // 2
    statistic = f"F({decimal(test.df1, 0)}, {decimal(test.df2, 0)}) = {decimal(test.f)}, {p_phrase(p)}"
    line = [statistic, counted(test.n, found.spec.subjects.removesuffix("s")), side]
    if not differ:
        headline = "Surrogates do not clearly differ in {measure}."
        if p < 0.05:
            headline = "Surrogates differ in {measure}, but no single pair clearly does."
        return clear_if(p < 0.05, headline, values, *line)
    high, low = max(differ, key=lambda pair: abs(pairs.differences[pair]))
    ends = Estimate(pairs.differences[high, low], pairs.low[high, low], pairs.high[high, low])
    values |= {"high": found.conditions[high], "low": found.conditions[low], "n": len(differ), "of": number}
    gap = points(ends) if found.is_share else f"{decimal_with_interval(ends)} s"
    if number == 1:
        headline = "{measure} is higher with {high} than with {low}."
        values["measure"] = capitalized(measure)
    else:
        headline = "{n} of {of} pairs of surrogates differ in {measure}."
        gap = f"largest: {found.conditions[high]} above {found.conditions[low]} by {gap}"
    return clear_if(p < 0.05, headline, values, gap, *line)


def _higher_first(found: Differences, one: int, other: int) -> tuple[int, int]:
    return (one, other) if found.pairs.differences[one, other] >= 0 else (other, one)


def corrected_p(test: RepeatedMeasures) -> float:
    """Return Greenhouse and Geisser's p where there is one."""
    corrected = test.p_greenhouse_geisser
    return corrected if corrected == corrected else test.p


def write_of(found: Differences) -> Callable[[float], str]:
    """Return the format of the measure."""
    return partial(share, digits=1) if found.is_share else decimal


def means_table(found: Differences) -> Table:
    """Return the means with the letters of Tukey's test, the best on top (Table 1 of the paper)."""
    order = found.best_first
    means = [found.test.means[at] for at in order]
    caption = ("Mean {measure} of each surrogate, the best on top.", {"measure": found.spec.measure})
    return table_of(
        "differences",
        caption,
        [
            Column("Surrogate", [found.conditions[at] for at in order]),
            *estimate_columns("Mean", means, write_of(found)),
            Column("Letters", [found.pairs.letters[at] for at in order]),
            Column(found.spec.subjects.capitalize(), [e.n for e in means], count),
        ],
    )


def test_table(found: Differences) -> Table:
    """Return F with its degrees of freedom, both corrections, and how much variance surrogates explain."""
    test, exact = found.test, partial(decimal, digits=3)
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
            Column("ε (Greenhouse-Geisser)", [test.greenhouse_geisser], exact, False),
            Column("p (Greenhouse-Geisser)", [test.p_greenhouse_geisser], p_value),
            Column("ε (Huynh-Feldt)", [test.huynh_feldt], exact, False),
            *estimate_columns("Partial η²", [test.partial_eta_squared], exact),
            Column("Generalized η²", [test.generalised_eta_squared.value], exact, False),
            Column("MS error", [test.ms_error], partial(decimal, digits=4), False),
            Column("HSD", [found.pairs.hsd], exact, False),
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


def differences_notes(found: Differences) -> Iterator[Note]:
    """Yield how to read letters and whiskers, and why the full text is missing."""
    if found.test.defined:
        text = (
            "Surrogates that share a letter do not clearly differ (Tukey's HSD, 95%). Whiskers are within-subject "
            "intervals, without what {subjects} differ by as a whole."
        )
        yield Note((text, {"subjects": found.spec.subjects}))
    if found.spec.measure.endswith("(RP)"):
        text = "The others are compared with {name}, which is not part of the test."
        yield Note((text, {"name": found.surrogates.full_text_name}))


def differences_warnings(found: Differences) -> Iterator[Warning]:
    """Yield the method where cells are missing, what is left out, and when the test is unreliable."""
    test = found.test
    told = missing_cells(test)
    names = found.surrogates.names_of(test.empty.tolist())
    if found.spec.measure.endswith("(RP)"):
        names = [name for name in names if name != found.surrogates.full_text_name]
    present = found.surrogates.names_of(found.surrogates.present)
    names = [name for name in names if name in present]
    if names:
        told.append(("Left out, without any value: {names}.", {"names": listed(names)}))
    if test.defined and test.n < FEW_SUBJECTS:
        values = {"n": count(test.n), "subjects": found.spec.subjects}
        told.append(("With only {n} {subjects}, the test finds large differences only.", values))
    if test.defined and test.huynh_feldt < UNEVEN and test.k > 2:
        text = (
            "Differences between some surrogates vary much more than between others (epsilon {epsilon}): Tukey's "
            "test then finds too many differences; the p of Greenhouse and Geisser does not."
        )
        told.append((text, {"epsilon": decimal(test.huynh_feldt)}))
    yield from map(Warning, number_repeats(told))


def missing_cells(test: RepeatedMeasures) -> list[Text]:
    """Return how many cells are missing, and the method that is used then."""
    if not test.missing:
        return []
    values = {"n": count(test.missing), "of": count(test.n * test.k), "method": test.method}
    return [("{n} of {of} cells are missing: {method}.", values)]
