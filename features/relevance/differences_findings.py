"""Verdict on whether surrogates differ in a measure, with tables of their means, the test and all pairs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import isnan

import numpy as np

from analysis.relevance.anova import RepeatedMeasures
from analysis.relevance.partitions import Partition
from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Table, Text, Warning
from features.plotting.numbers import (
    count,
    decimal,
    decimal_with_interval,
    p_phrase,
    p_value,
    points,
    share,
    share_with_interval,
)
from features.relevance.accuracy_findings import MAP_GOLD
from features.relevance.agreement_results import SECONDS, SHORT, Differences
from features.relevance.metrics_results import Partitions
from features.tables import Column, estimate_columns, table_of
from features.verdicts import (
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    not_enough_data,
    uncertain,
)
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
    ends = f"{share_with_interval(low.share)} and {share_with_interval(high.share)} stay the same"
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
        f"{ends}, {pair_title(least)}, and {pair_title(most)}",
        raters,
    )


def order_notes(order: OrderStudy) -> Iterator[Note]:
    """Yield how intervals were made."""
    ways = dict.fromkeys(same.interval for same in order.pairs.values() if same.interval)
    if ways:
        yield Note(("Intervals: {how}.", {"how": "; ".join(ways)}))


def order_warnings(order: OrderStudy) -> Iterator[Warning]:
    """Yield what is undefined or set aside, and how few raters there are."""
    told: list[Text] = [
        ("{pair}: undefined, since {why}.", {"pair": pair_title(pair), "why": same.share.reason})
        for pair, same in order.pairs.items()
        if not same.share.defined
    ]
    if order.repeated:
        text = "{n} repeated judgments were set aside; the first counts."
        told.append((text, {"n": count(order.repeated)}))
    raters = max((same.raters for same in order.pairs.values()), default=0)
    if 0 < raters < FEW_RATERS:
        text = "Only {raters} took part; others may differ."
        told.append((text, {"raters": counted(raters, "rater")}))
    yield from map(Warning, number_repeats(told))


def order_table(order: OrderStudy) -> Table:
    """Return Table 11 of the paper."""
    same = list(order.pairs.values())
    return table_of(
        "order",
        "Share of equal judgments by order label and pair of presentations.",
        [
            Column("Order", [str(label) for label, _, _ in order.pairs]),
            Column("Presentations", [f"{one} and {other}" for _, one, other in order.pairs]),
            *estimate_columns("Equal", [one.share for one in same], partial(share, digits=1)),
            Column("Same", [one.same for one in same], count),
            Column("Changed", [one.changed for one in same], count),
            Column("Judged twice", [one.share.n for one in same], count, False),
            Column("Judged once", [one.lacking for one in same], count, False),
            Column("Raters", [one.raters for one in same], count),
        ],
    )


MOST_NAMED = 3
"""Further surrogates whose correlation the evidence names."""
_EXACT, _TENTH = partial(decimal, digits=3), partial(share, digits=1)


def _defined(found: Partitions) -> list[tuple[Partition, Estimate]]:
    """Return the surrogates with a correlation, and its interval as far as it is known, the highest first."""
    means = found.chosen.means if found.chosen is not None else []
    known = [(one, Estimate(one.mean, mean.low, mean.high)) for one, mean in means if not isnan(one.mean)]
    return sorted(known, key=lambda each: -each[1].value)


def partitions_finding(found: Partitions) -> Finding:
    """Return the surrogate on which groups' agreement correlates most with the metric, or that none clearly does."""
    spec, known = found.spec, _defined(found)
    metric = {"metric": capitalized(spec.metric)}
    groups = f"groups of {spec.size} documents" if spec.size > 1 else "document by document"
    if not known:
        partitions = found.chosen.study.partitions if found.chosen is not None else ()
        why = "; ".join(dict.fromkeys(one.reason for one in partitions)) or "there are no summaries"
        headline = "Not enough data to correlate {metric} with agreement over groups of {size}."
        values = {"metric": spec.metric, "size": count(spec.size)}
        return not_enough_data(headline, values, capitalized(why), spec.side)

    def told(one: Partition, mean: Estimate) -> str:
        return f"{found.main.surrogates.names[one.surrogate]} {decimal_with_interval(mean)}"

    differ = [each for each in known if excludes(each[1])]
    if not differ:
        names = [told(*each) for each in known[: MOST_NAMED + 1]]
        headline = "{metric} does not clearly correlate with agreement on any surrogate."
        return uncertain(headline, metric, f"r: {', '.join(names)}", groups, spec.side)
    first, mean = max(differ, key=lambda each: abs(each[1].value))
    others = [told(*each) for each in known if each[0] is not first][:MOST_NAMED]
    against = "negatively " if mean.value < 0 else ""
    return clear(
        f"{{metric}} correlates {against}with agreement on {{name}}, r = {{r}}.",
        {**metric, "name": found.main.surrogates.names[first.surrogate], "r": decimal(mean.value)},
        confidence_interval(mean),
        groups,
        spec.side,
        f"others: {', '.join(others)}" if others else "",
    )


def partitions_notes(found: Partitions) -> Iterator[Note]:
    """Yield what the outline is, and what it is not."""
    if _defined(found):
        text = (
            "The outline shows {n} random partitions; its width, the SD over partitions, is no standard error: raters "
            "and documents are the same in all of them. The whiskers are the 95% CI over raters and documents."
        )
        yield Note((text, {"n": count(found.spec.draws)}))


def partitions_warnings(found: Partitions) -> Iterator[Warning]:
    """Yield what fills no group, and what is undefined."""
    partitions = found.chosen.study.partitions if found.chosen is not None else ()
    told = list[Text]()
    for one in partitions:
        values = {"name": found.main.surrogates.names[one.surrogate], "why": one.reason}
        if isnan(one.mean):
            if _defined(found):
                told.append(("{name}: undefined, since {why}.", values))
            continue
        if one.undefined:
            text = "{name}: {share} of the partitions have no correlation, since {why}."
            told.append((text, {**values, "share": _TENTH(one.undefined)}))
        if one.left_over:
            text = "{name}: {n} of {of} documents fill no group, other ones in each partition."
            told.append((text, {**values, "n": count(one.left_over), "of": count(one.documents)}))
    yield from map(Warning, number_repeats(told))


def partitions_table(found: Partitions) -> Table:
    """Return Table 10 of the paper, with the interval that its SD is not."""
    rows = sorted(
        (each for sized in found.sizes for each in sized.means),
        key=lambda each: (each[0].surrogate, each[0].group_size),
    )
    of = [one for one, _ in rows]
    means = [Estimate(one.mean, mean.low, mean.high) for one, mean in rows]
    between = ["–" if isnan(one.low) else f"{_EXACT(one.low)} to {_EXACT(one.high)}" for one in of]
    return table_of(
        "partitions",
        "Correlation over random partitions by surrogate and group size.",
        [
            Column("Surrogate", found.main.surrogates.names_of([one.surrogate for one in of])),
            Column("Group size", [one.group_size for one in of], count),
            Column("Groups", [one.groups for one in of], count),
            *estimate_columns("Mean r", means, _EXACT),
            Column("SD over partitions", [one.sd for one in of], _EXACT),
            Column("5th to 95th percentile", between, None, False),
            Column("Largest group rate", [one.largest_rate for one in of], _TENTH, False),
            Column("Smallest group rate", [one.smallest_rate for one in of], _TENTH, False),
            Column("Left over", [one.left_over for one in of], count, False),
        ],
    )
