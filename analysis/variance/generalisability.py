"""Generalizability of a mean over raters and items, for any number of both.

Each source of variance belongs to the object of measurement, to the relative error (of comparisons), or to the absolute
error only (of levels), and is divided by the number of conditions averaged. The coefficient is the object's share of
the variance of such means.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, NamedTuple

import numpy as np

from analysis.resampling.intervals import UNIT_INTERVAL, percentile_interval
from analysis.values.estimate import Estimate, InputError
from analysis.variance.components import Components
from analysis.variance.jackknives import Figure
from analysis.variance.sources import ITEM, RATER, REST, SYSTEM, TOPIC

Object = Literal["item", "system"]
Along = Literal["raters", "items"]
FEWEST_SHOWN, MOST_POINTS = 20, 60
"""Smallest upper end of a curve in raters or items, and largest number of its points."""

NO_RATERS = (
    "raters are not separable from the residual here, so nothing says how other raters would change a mean"
)
NO_OBJECT = {
    ITEM: "items are not separable from the residual here: that needs items with ratings by several raters",
    SYSTEM: "systems are not separable from their items here: that needs several systems with several items each",
}
ONE_RATING = "items of a system are not separable from the residual here, so nothing says what a second rater would add"
NO_DIFFERENCE = "none of the sources varies"


@dataclass(frozen=True)
class Averaged:
    """Design of a mean: objects compared, and numbers of raters and items averaged.

    `of` items or systems; `raters` per item; `items` per system (1 where items are the object); `same_raters` is
    True where the same raters rate everything, False for separate raters of each item.

    Raises
    ------
    InputError
        where `raters` or `items` is below 1.
    """

    of: Object = "item"
    raters: int = 1
    items: int = 1
    same_raters: bool = True

    def __post_init__(self) -> None:
        for name in ("raters", "items"):
            if getattr(self, name) < 1:
                raise InputError(f"`{name}` must be 1 or more, got {getattr(self, name)}")


class Term(NamedTuple):
    """A source's part in the variance of a mean: the object's, relative error (comparisons and levels), or absolute
    error (levels only); `over` is its divisor."""

    source: str
    part: Literal["object", "relative", "absolute"]
    over: int


@dataclass(frozen=True, eq=False)
class Generalisability:
    """Both coefficients of one averaged design, and their terms (k + 1,).

    `coefficient` is the generalisability coefficient (relative error: comparisons), `dependability` the index of
    dependability (absolute error: levels); n is the number of items or systems used for the estimates.
    """

    averaged: Averaged
    coefficient: Estimate
    dependability: Estimate
    terms: tuple[Term, ...]


def generalisability(found: Components, averaged: Averaged) -> Generalisability:
    """Estimate the generalizability of means of items or systems over raters (and items).

    Parameters
    ----------
    found : variances of k sources and the residual, with draws (d, k + 1) for intervals
    averaged : the object, and the numbers of raters and items

    Returns
    -------
    Generalisability
        coefficients between 0 and 1; undefined with the reason where the design does not tell the object, or raters,
        from the rest.

    Notes
    -----
    Relative error serves comparisons (a constant severity of raters cancels where the same raters rate everything),
    absolute error serves levels (a score on the scale). Where each item has its own raters, their severity is in
    both. With items as object and no systems or topics they are ICC(C,k) and ICC(A,k). Not for another sample of items
    that differ more or less than these. Items: everything without raters is the object's, and what has raters is
    divided by their number. Systems: topics and items are averaged too, a topic's own variance is an error of the level
    only (all systems meet the same topics), and the rest is divided by raters x items. Intervals of items are
    jackknives over items (or topics) and raters, stepped up from one rating (Spearman-Brown); those of systems are
    generalized confidence intervals.
    Source: Brennan 2001, "Generalizability Theory", sections 2.2 (one facet) and 4.1 (two facets).
    """
    return d_study(found, [averaged])[0]


def d_study(found: Components, designs: Sequence[Averaged]) -> list[Generalisability]:
    """Return the coefficients of each design, all from the same draws.

    Parameters
    ----------
    found : variances of k sources and the residual, with draws (d, k + 1) for intervals
    designs : (m,) objects with their numbers of raters and items

    Returns
    -------
    list of Generalisability
        (m,) as `generalisability` gives for each design.

    Notes
    -----
    Source: Brennan 2001, section 1.2 (D studies).
    """
    return [_generalisability(found, averaged) for averaged in designs]


def curve_designs(averaged: Averaged, along: Along) -> list[Averaged]:
    """Return the design with 1, 2, 3 … raters per item or items per system, beyond the chosen number, thinned out if
    there are many."""
    chosen: int = getattr(averaged, along)
    largest = max(FEWEST_SHOWN, 2 * chosen)
    numbers = np.unique(
        [*np.linspace(1, largest, min(largest, MOST_POINTS)).round().astype(int).tolist(), chosen]
    )
    return [replace(averaged, **{along: number}) for number in numbers.tolist()]


def separable_objects(components: Components) -> tuple[Object, ...]:
    """Return the objects that these ratings separate."""
    return tuple(of for of in (ITEM, SYSTEM) if of in components.sources)  # type: ignore[misc]


def has_repeated_items(components: Components) -> bool:
    """Return True where items have ratings by several raters, so that other numbers of raters can be planned."""
    return ITEM in components.sources


def observed_design(components: Components, kind: Object) -> Averaged:
    """Return the design of these ratings: raters per item, items per system, and True where most raters rate all."""
    items, systems = max(components.counts.get(ITEM, 0), 1), max(components.counts.get(SYSTEM, 0), 1)
    # Without repeats of a rater.
    raters = min(components.ratings / items, components.counts.get(RATER, components.ratings))
    of_all = items if components.sample is None else components.sample.of
    return Averaged(
        kind,
        max(round(raters), 1),
        max(round(of_all / systems), 1) if kind == SYSTEM else 1,
        raters >= components.counts.get(RATER, 0) / 2,
    )


def _generalisability(components: Components, averaged: Averaged) -> Generalisability:
    terms = tuple(
        _term(name, facets, averaged)
        for name, facets in zip(components.sources, components.facets, strict=True)
    )
    n = components.counts.get(averaged.of, 0)
    reason = components.reason or _undefined_reason(components, averaged)
    if not reason and not components.counted.any():
        reason = NO_DIFFERENCE
    if reason:
        undefined = Estimate(nan, n=n, reason=reason)
        return Generalisability(averaged, undefined, undefined, terms)
    compared, on_scale = (
        _coefficient(components, averaged, terms, parts, n)
        for parts in (("object", "relative"), ("object", "relative", "absolute"))
    )
    return Generalisability(averaged, compared, on_scale, terms)


def _coefficient(
    components: Components, averaged: Averaged, terms: Sequence[Term], parts: tuple[str, ...], n: int
) -> Estimate:
    if averaged.of == ITEM and components.jackknife is not None:
        shares = dict.fromkeys(("object", "noise"), 0.0)
        for term, variance in zip(terms, components.counted.tolist(), strict=True):
            if term.part in parts:
                shares["object" if term.part == "object" else "noise"] += variance
        by_severity = "absolute" in parts or not averaged.same_raters
        figure: Figure = "agreement" if by_severity else "consistency"
        return replace(
            components.interval_of_icc(shares["object"], shares["noise"], figure, averaged.raters), n=n
        )
    weights = np.array([term.part in parts for term in terms]) / np.array([term.over for term in terms])
    is_object = np.array([term.part == "object" for term in terms]) / 1.0
    values = np.vstack([components.counted, np.maximum(components.drawn, 0.0)])
    total = values @ weights
    samples = np.divide(values @ is_object, total, out=np.full_like(total, nan), where=total > 0)
    ends = percentile_interval(samples[0], samples[1:], components.level, limits=UNIT_INTERVAL)
    return Estimate(float(samples[0]), float(ends.low), float(ends.high), n)


def _term(name: str, facets: frozenset[str], averaged: Averaged) -> Term:
    by_raters = bool(facets & {RATER, REST})
    by_items = bool(facets & {ITEM, TOPIC, REST})
    if averaged.of == ITEM:
        if not by_raters:
            return Term(name, "object", 1)
        shared = facets == {RATER} and averaged.same_raters
        return Term(name, "absolute" if shared else "relative", averaged.raters)
    if facets == {SYSTEM}:
        return Term(name, "object", 1)
    own_raters = by_raters and not averaged.same_raters
    n_averaged = (averaged.raters if by_raters else 1) * (averaged.items if by_items or own_raters else 1)
    compared = bool(facets & {SYSTEM, ITEM, REST}) or own_raters
    return Term(name, "relative" if compared else "absolute", n_averaged)


def _undefined_reason(components: Components, averaged: Averaged) -> str:
    if averaged.of not in components.sources:
        return NO_OBJECT[averaged.of]
    own_raters = any(u.name == RATER and u.within == REST for u in components.unseparated)
    if RATER not in components.sources and not (own_raters and not averaged.same_raters):
        return NO_RATERS
    if ITEM not in components.sources and averaged.raters > 1:
        return ONE_RATING
    return ""
