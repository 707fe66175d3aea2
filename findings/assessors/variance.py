"""Where the variance comes from: shares by source, and how far a mean over raters and items would come out again."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from analysis.values.estimate import Estimate
from analysis.variance.components import Components, ItemSample
from analysis.variance.generalisability import Along, Averaged, Generalisability, Object
from analysis.variance.sources import BY, REST
from features.blocks import Finding
from features.plotting.numbers import (
    count,
    decimal,
    decimal_with_interval,
    interval,
    percent,
    share,
    share_with_interval,
)
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence, counted, listed, of_many

FEW_LEVELS = 6
"""Raters or systems below which an interval of their variance spans a factor of ten and more."""
UNTOLD = 0.6
"""Width of the interval of the largest share from which nothing is told of it."""
CALLED = {"item": "items", "rater": "raters", "system": "systems", "topic": "topics", REST: "the rest"}
PARTS = {
    "object": "what is told apart",
    "relative": "error of comparisons and levels",
    "absolute": "error of levels",
}
ALONG: dict[Along, str] = {"raters": "Raters per item", "items": "Items per system"}
COEFFICIENT, DEPENDABILITY = "Comparing (generalisability)", "Level on the scale (dependability)"
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Levels", *ALONG.values()), count),
    "Divided by": count,
    "Variance": partial(decimal, digits=3),
    "Share": partial(share, digits=1),
    **dict.fromkeys((COEFFICIENT, DEPENDABILITY), partial(decimal, digits=3)),
}


def called(source: str) -> str:
    """A source in words.

    >>> called("rater"), called("system × rater")
    ('raters', 'systems × raters')
    """
    return BY.join(CALLED.get(facet, facet) for facet in source.split(BY))


def finding(found: Components, of_means: Generalisability | None, measure: str) -> Finding:
    """Which source holds most of the variance, and what the chosen means are worth."""
    values: dict[str, object] = {"measure": measure, "reason": found.reason}
    if found.reason or of_means is None:
        return not_enough_data("Where the variance of {measure} comes from cannot be told: {reason}.", values)
    shares = found.shares()
    ordered = sorted(shares, key=lambda name: -shares[name].value)
    first, second = ordered[0], ordered[1]
    values |= {
        "first": called(first),
        "share": share(shares[first].value),
        "between": percent(shares[first]),
        "second": called(second),
        "second_share": share_with_interval(shares[second]),
    }
    sentence = (
        "Of the variance of single ratings of {measure}, <b>{share}</b> ({between}) is {first} and {second_share} "
        "{second}."
    )
    is_clear = largest_is_clear(shares)
    if shares[first].low != shares[first].low:
        sentence = sentence.replace(" ({between})", "")
    elif shares[first].high - shares[first].low > UNTOLD:
        is_clear = False
        sentence = (
            "Where most of the variance of {measure} comes from cannot be told: the share of {first}, estimated as "
            "{share}, may be anything from {between}. More " + _what_is_few(found) + " would tell."
        )
    worth, more = _worth(of_means)
    return clear_if(is_clear, f"{sentence} {worth}", {**values, **more})


def largest_is_clear(shares: Mapping[str, Estimate]) -> bool:
    """Return True where the interval of the largest share lies above those of all others."""
    first, *others = sorted(shares.values(), key=lambda e: -e.value)
    return all(first.low > e.high for e in others)


def _what_is_few(found: Components) -> str:
    """Of raters, systems and items that are few, the fewest."""
    known = {name: levels for name, levels in found.counts.items() if levels > 1}
    return called(min(known, key=lambda name: known[name]) if known else "rater")


def _worth(of_means: Generalisability) -> Sentence:
    averaged, relative, absolute = of_means.averaged, of_means.coefficient, of_means.dependability
    values: dict[str, object] = {
        "means": means(averaged),
        "relative": decimal_with_interval(relative),
        "absolute": decimal_with_interval(absolute),
        "why": relative.reason,
        "objects": called(averaged.of),
    }
    if not relative.defined:
        return "What a mean is worth cannot be told: {why}.", values
    if relative.low == relative.low and relative.high - relative.low > UNTOLD:
        return (
            "What {means} is worth cannot be told: its generalisability coefficient is {relative}; more {objects} and "
            "raters would tell.",
            values,
        )
    return (
        "{means}: generalisability coefficient <b>{relative}</b> for comparing {objects}, index of dependability "
        "<b>{absolute}</b> for their level on the scale.",
        values | {"means": _capital(means(averaged))},
    )


def means(averaged: Averaged) -> str:
    """The mean that a coefficient speaks of.

    >>> means(Averaged("item", 5)), means(Averaged("system", 1, 20))
    ("an item's mean over 5 raters", "a system's mean over 20 items with 1 rater each")
    """
    raters = counted(averaged.raters, "rater")
    if averaged.of == "item":
        return f"an item's mean over {raters}"
    return f"a system's mean over {counted(averaged.items, 'item')} with {raters} each"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def components_table(found: Components, of_means: Generalisability) -> Shown:
    """One row per source: variance and share with intervals, and its part in the chosen means."""
    variances, shares = found.variances(), found.shares()
    rows = [
        {
            "Source": _capital(called(term.source)),
            "Levels": variances[term.source].n,
            "Share": shares[term.source].value,
            "Share, 95 %": percent(shares[term.source], 1),
            "Variance": variances[term.source].value,
            "Variance, 95 %": interval(variances[term.source], 3),
            "In the mean": PARTS[term.part],
            "Divided by": term.over,
        }
        for term in of_means.terms
    ]
    return pd.DataFrame(rows), _WRITTEN


def d_study_table(along: Along, curve: Sequence[Generalisability]) -> Shown:
    """Both coefficients by number of raters or items."""
    rows = [
        {
            ALONG[along]: getattr(each.averaged, along),
            COEFFICIENT: each.coefficient.value,
            f"{COEFFICIENT}, 95 %": interval(each.coefficient, 3),
            DEPENDABILITY: each.dependability.value,
            f"{DEPENDABILITY}, 95 %": interval(each.dependability, 3),
        }
        for each in curve
    ]
    return pd.DataFrame(rows), _WRITTEN


def curves(curve: Sequence[Generalisability]) -> dict[str, list[Estimate]]:
    """Both coefficients by name, for the picture."""
    return {
        COEFFICIENT: [each.coefficient for each in curve],
        DEPENDABILITY: [each.dependability for each in curve],
    }


def object_names(objects: Sequence[Object]) -> dict[str, Object]:
    """What can be told apart, by its word."""
    return {called(of): of for of in objects}


def notes(found: Components, of_means: Generalisability) -> list[Sentence]:
    """How it was estimated, what the design does not tell apart, and what was estimated below 0."""
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
    for within in dict.fromkeys(one.within for one in found.unseparated):
        names = [called(one.name) for one in found.unseparated if one.within == within]
        told.append(
            (
                "Not told apart in this design: {names} from {within}.",
                {"names": listed(names), "within": called(within)},
            )
        )
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
    return told


def of_items(sample: ItemSample) -> Sentence:
    """That not all ratings were taken."""
    return (
        "These are all ratings of <b>{items}</b>, drawn from {of} (seed {seed}); the intervals are those of so many.",
        {"items": of_many(sample.items, "items"), "of": count(sample.of), "seed": sample.seed},
    )


def _errors(of_means: Generalisability) -> str:
    """Which sources are errors of what."""
    part = {name: [called(term.source) for term in of_means.terms if term.part == name] for name in PARTS}
    words = f"Error of comparisons: {listed(part['relative'], 9)}"
    return words + (
        f"; of levels also {listed(part['absolute'], 9)}." if part["absolute"] else "; of levels the same."
    )


def remarks(found: Components) -> list[Sentence]:
    """What the reader should know first: few raters or systems, ratings left out, no peak."""
    told: list[Sentence] = [
        (
            "Only {n}: how much {names} differ is hardly known, and intervals of whatever they are part of are wide.",
            {"n": counted(levels, name), "names": called(name)},
        )
        for name, levels in found.counts.items()
        if name in found.sources and name in ("rater", "system") and levels < FEW_LEVELS
    ]
    if found.left_out:
        told.append(
            ("{n} without a system or a topic were left out.", {"n": counted(found.left_out, "rating")})
        )
    if not found.converged:
        told.append(
            (
                "The likelihood did not come to its peak; these figures are near it, their intervals may be off.",
                {},
            )
        )
    return told


EXPLANATION = r"""
**Components.** A rating is taken as the sum of a general mean and of chance effects: of the item, the rater, the system
and the topic, of their interactions as far as the design tells them apart, and the rest. Each source's variance is how
much its effects differ. Sources that always come together (each system-by-topic cell with one item) are one.

**Estimates.** Restricted maximum likelihood (REML) for incomplete data; with complete ratings it is the analysis of
variance. Beyond 600 levels (not counting the largest source) moments take its place: Henderson's first method, which
may give negative variances; they are said and count as 0. Their covariance, which intervals need, comes from simulated
studies of this design. Of more than 1,000,000 ratings of a measure by a group those of some items are taken, drawn by
a seed: as many items as have about 1,000,000, and 20,000 at least; intervals are those of the ratings taken. Where
systems or topics would then hardly meet a rater twice, all are taken.

**Intervals.** The mean square of each source gets the degrees of freedom that its variance gives it (Satterthwaite) and
is divided by draws of chi-squared over them; variances, shares and coefficients are computed from each draw
(generalised confidence intervals). They speak of new items, raters, systems and topics alike.

**Generalisability coefficient** (relative error) and **index of dependability** (absolute error):

$$E\rho^2 = \frac{\sigma^2_\tau}{\sigma^2_\tau + \sigma^2_\delta}, \qquad
\Phi = \frac{\sigma^2_\tau}{\sigma^2_\tau + \sigma^2_\Delta}$$

$\sigma^2_\tau$ is what is told apart: of items, everything but raters and their interactions; of systems, the systems.
$\sigma^2_\delta$ holds what changes the order of the means, each source divided by how often it is averaged (raters,
items, or both); $\sigma^2_\Delta$ also what moves all means alike: raters' severity and, for systems, topics. Where
each item has raters of its own, their severity is in both. With items alone these are ICC(C,k) and ICC(A,k).

**When not.** The coefficients hold for means like these: from as many raters and items as chosen, drawn like those
here. With few raters or systems their variance is hardly known. Another sample of items that differ less has lower
coefficients with the same errors.

Source: Brennan 2001, *Generalizability Theory*; Searle, Casella and McCulloch 1992, *Variance Components*; Weerahandi
1993 (intervals).
"""
