"""Sources of variance: shares by source, and the generalizability of means over raters and items."""

from collections.abc import Mapping, Sequence
from functools import partial

from analysis.values.estimate import Estimate
from analysis.variance.components import Components, ItemSample
from analysis.variance.generalisability import (
    NO_OBJECT,
    Along,
    Averaged,
    Generalisability,
    Object,
    objects,
)
from analysis.variance.jackknives import FEWEST_ITEMS, FEWEST_OF_BOTH
from analysis.variance.sources import BY, ITEM, RATER, REST, SYSTEM, TOPIC
from features.blocks import Finding, Note, Status, Table, Warning
from features.plotting.numbers import (
    count,
    decimal,
    decimal_with_interval,
    share,
    share_with_interval,
)
from features.tables import Column, estimate_columns, table_of
from features.verdicts import capitalized, confidence_interval, evidence, excludes, for_raters
from features.words import Sentence, counted, listed, number_repeats, of_many

FEW_LEVELS = 6
"""Raters or systems below which an interval of their variance spans a factor of ten and more."""
MANY_RATERS = 12
"""Raters below which intervals may be too narrow where raters differ much in noise."""
WIDEST = 0.6
"""Width of an interval of a share or a coefficient from which nothing is concluded."""
CALLED = {"item": "items", "rater": "raters", "system": "systems", "topic": "topics", REST: "residual"}
PARTS = {
    "object": "object of measurement",
    "relative": "error of comparisons and levels",
    "absolute": "error of levels",
}
ALONG: dict[Along, str] = {"raters": "Raters per item", "items": "Items per system"}
COEFFICIENT, DEPENDABILITY = "Comparing (generalizability)", "Level on the scale (dependability)"
_EXACT, _PERCENT = partial(decimal, digits=3), partial(share, digits=1)


def called(source: str) -> str:
    """Return a source in words.

    >>> called("rater"), called("system × rater")
    ('raters', 'systems × raters')
    """
    return BY.join(CALLED.get(facet, facet) for facet in source.split(BY))


def components_finding(found: Components, measure: str) -> Finding:
    """Return which source holds most of the variance of single ratings."""
    values: dict[str, object] = {"measure": measure}
    sizes = _sizes(found)
    if found.reason:
        return Finding(
            ("Not enough data to say where the variance of {measure} comes from.", values),
            evidence(capitalized(found.reason)),
            Status.NOT_ENOUGH_DATA,
        )
    if not objects(found):
        return Finding(
            ("Not enough data to separate the variance of items from the residual on {measure}.", values),
            evidence(capitalized(NO_OBJECT[ITEM]), *sizes),
            Status.NOT_ENOUGH_DATA,
        )
    if found.jackknife is not None and found.jackknife.reason:
        return Finding(
            ("Not enough data to say which source of variance of {measure} is largest.", values),
            evidence(capitalized(found.jackknife.reason), *sizes),
            Status.NOT_ENOUGH_DATA,
        )
    shares = found.shares()
    first, second = sorted(shares, key=lambda name: -shares[name].value)[:2]
    largest = shares[first]
    line = evidence(
        confidence_interval(largest, share, found.level),
        f"then {called(second)} {share_with_interval(shares[second])}",
        *sizes,
        for_raters("raters like these"),
    )
    if largest.high - largest.low > WIDEST:
        return Finding(
            ("The largest source of variance of {measure} is unclear.", values), line, Status.UNCERTAIN
        )
    values |= {"first": capitalized(called(first)), "share": share(largest.value)}
    verb = "is" if first == REST else "are"
    return Finding(
        (f"{{first}} {verb} the largest source of variance of {{measure}}, <b>{{share}}</b>.", values),
        line,
        Status.CLEAR if largest_is_clear(shares) and not has_few_topics(found) else Status.UNCERTAIN,
    )


def has_few_topics(found: Components) -> bool:
    """Return True where items share topics, too few of them for intervals over topics."""
    return TOPIC in found.sources and found.counts[TOPIC] < _needed_topics(found)


def _needed_topics(found: Components) -> int:
    """Return the number of topics from which on intervals are over topics."""
    has_systems = SYSTEM in found.sources and found.counts[SYSTEM] >= FEWEST_OF_BOTH
    return FEWEST_OF_BOTH if has_systems else FEWEST_ITEMS


def _needed_systems(found: Components) -> int:
    """Return the number of systems from which on intervals of coefficients of items are over systems."""
    return FEWEST_OF_BOTH if TOPIC in found.sources else FEWEST_ITEMS


def _sizes(found: Components) -> list[str]:
    return [counted(found.counts[name], name) for name in ("item", "rater") if name in found.counts]


def largest_is_clear(shares: Mapping[str, Estimate]) -> bool:
    """Return True where the interval of the largest share lies above those of all others."""
    first, *others = sorted(shares.values(), key=lambda e: -e.value)
    return all(first.low > e.high for e in others)


def coefficient_finding(found: Components, of_means: Generalisability) -> Finding:
    """Return the generalizability of the chosen means, with their dependability."""
    averaged, relative = of_means.averaged, of_means.coefficient
    values: dict[str, object] = {"means": means(averaged), "relative": decimal(relative.value)}
    if not relative.defined or relative.reason:
        known = f"coefficient {decimal(relative.value)}" if relative.defined else ""
        return Finding(
            (
                "Not enough data to say how well {means} generalize.",
                values | {"means": means(averaged).lower()},
            ),
            evidence(capitalized(relative.reason), known, *_sizes(found)),
            Status.NOT_ENOUGH_DATA,
            name="coefficient",
        )
    line = evidence(
        confidence_interval(relative, decimal, found.level),
        f"dependability {decimal_with_interval(of_means.dependability)}",
        *_sizes(found),
        for_raters("raters like these"),
    )
    answers = excludes(relative) and relative.high - relative.low <= WIDEST and not has_few_topics(found)
    return Finding(
        ("{means} have a generalizability coefficient of <b>{relative}</b>.", values),
        line,
        Status.CLEAR if answers else Status.UNCERTAIN,
        name="coefficient",
    )


def means(averaged: Averaged) -> str:
    """Return the means that a coefficient is about.

    >>> means(Averaged("item", 5)), means(Averaged("system", 1, 20))
    ('Item means over 5 raters', 'System means over 20 items with 1 rater each')
    """
    raters = counted(averaged.raters, "rater")
    if averaged.of == "item":
        return f"Item means over {raters}"
    return f"System means over {counted(averaged.items, 'item')} with {raters} each"


def components_table(found: Components, of_means: Generalisability) -> Table:
    """Return one row per source: share and variance with intervals, and its part in the chosen means."""
    variances, shares = found.variances(), found.shares()
    sources = [term.source for term in of_means.terms]
    share_column, *share_ends = estimate_columns("Share", [shares[name] for name in sources], _PERCENT)
    variance, *variance_ends = estimate_columns("Variance", [variances[name] for name in sources], _EXACT)
    columns = [
        Column("Source", [capitalized(called(name)) for name in sources]),
        Column("Levels", [variances[name].n for name in sources], count),
        share_column,
        variance,
        Column("In the mean", [PARTS[term.part] for term in of_means.terms]),
        Column("Divided by", [term.over for term in of_means.terms], count),
        *share_ends,
        *variance_ends,
    ]
    return table_of(
        "variance", "Variance of a single rating by source, and its part in the chosen mean.", columns
    )


def d_study_table(along: Along, curve: Sequence[Generalisability]) -> Table:
    """Return both coefficients by number of raters or items."""
    relative, *ends = estimate_columns(COEFFICIENT, [each.coefficient for each in curve], _EXACT)
    absolute, *more = estimate_columns(DEPENDABILITY, [each.dependability for each in curve], _EXACT)
    number = Column(ALONG[along], [getattr(each.averaged, along) for each in curve], count)
    caption = "Coefficients of means over other numbers of raters or items."
    return table_of("d-study", caption, [number, relative, absolute, *ends, *more])


def curves(curve: Sequence[Generalisability]) -> dict[str, list[Estimate]]:
    """Return both coefficients by name, for the figure."""
    return {
        COEFFICIENT: [each.coefficient for each in curve],
        DEPENDABILITY: [each.dependability for each in curve],
    }


def object_names(every: Sequence[Object]) -> dict[str, Object]:
    """Return objects of measurement by their word."""
    return {called(of): of for of in every}


def variance_notes(found: Components, of_means: Generalisability) -> list[Note]:
    """Return how variances were estimated, what the design does not separate, and what was estimated below 0."""
    told: list[Sentence] = [
        (
            "Estimated by {method} from {ratings} ratings. {errors}",
            {
                "method": "restricted maximum likelihood (REML)"
                if found.method == "REML"
                else "moments (sums of squares), as there are too many levels for a likelihood",
                "ratings": count(found.ratings),
                "errors": _errors(of_means),
            },
        )
    ]
    if found.sample is not None:
        told.append(of_items(found.sample))
    separated: list[Sentence] = []
    for within in dict.fromkeys(one.within for one in found.unseparated):
        names = [called(one.name) for one in found.unseparated if one.within == within]
        text = "Not separated in this design: {names} from {within}."
        separated.append((text, {"names": listed(names), "within": called(within)}))
    told += separated
    if found.below_zero:
        told.append(
            (
                "Estimated below 0, counted as 0: {names}.",
                {
                    "names": listed(
                        [
                            f"{called(name)} ({decimal(v, 3)})"
                            for name, v in zip(found.sources, found.variance.tolist(), strict=True)
                            if v < 0
                        ]
                    )
                },
            )
        )
    return [Note(text) for text in number_repeats(told)]


def of_items(sample: ItemSample) -> Sentence:
    """Return of which items the ratings are."""
    return (
        "These are all ratings of <b>{items}</b>, drawn from {of} (seed {seed}); the intervals are those of so many.",
        {"items": of_many(sample.items, "items"), "of": count(sample.of), "seed": sample.seed},
    )


def _errors(of_means: Generalisability) -> str:
    """Return the sources that are errors of comparisons and of levels."""
    part = {name: [called(term.source) for term in of_means.terms if term.part == name] for name in PARTS}
    words = f"Error of comparisons: {listed(part['relative'], 9)}"
    return words + (
        f"; of levels also {listed(part['absolute'], 9)}." if part["absolute"] else "; of levels the same."
    )


def variance_warnings(found: Components) -> list[Warning]:
    """Return cautions: few raters or systems, ratings without a system, no peak of the likelihood."""
    few: list[Sentence] = [
        (
            "With only {n}, the variance of {names} is hardly known, and intervals that include it are wide.",
            {"n": counted(levels, name), "names": called(name)},
        )
        for name, levels in found.counts.items()
        if name in found.sources and name in ("rater", "system") and levels < FEW_LEVELS
    ]
    told = few
    if has_few_topics(found):
        told.append(
            (
                "With {n}, intervals take items as independent and may be too narrow; {needed} topics are needed.",
                {"n": counted(found.counts[TOPIC], "topic"), "needed": count(_needed_topics(found))},
            )
        )
    if (
        found.jackknife is not None
        and SYSTEM in found.sources
        and found.counts[SYSTEM] < _needed_systems(found)
    ):
        told.append(
            (
                "With {n}, intervals of both coefficients of items are for these systems and may be too narrow for "
                "others; {needed} systems are needed.",
                {"n": counted(found.counts[SYSTEM], "system"), "needed": count(_needed_systems(found))},
            )
        )
    if found.left_out:
        told.append(
            ("{n} without a system or a topic are not used.", {"n": counted(found.left_out, "rating")})
        )
    if not found.converged:
        told.append(
            (
                "The likelihood did not reach its peak. These figures are near it, their intervals may be wrong.",
                {},
            )
        )
    # Not where the noise of these raters differs: few raters who happen to be alike miss the noisiest of all.
    raters = found.counts.get(RATER, 0)
    if found.jackknife is not None and not found.jackknife.reason and raters < MANY_RATERS:
        told.append(
            (
                "With {n}, intervals may be too narrow if raters differ much in noise. Where the SD of its logarithm "
                "was .45, that of the residual held in 84 to 92 of 100 simulated studies, that of the generalizability "
                "coefficient in 88 to 92; where raters were equally noisy, in 97 to 100.",
                {"n": counted(raters, "rater")},
            )
        )
    return [Warning(text) for text in number_repeats(told)]
