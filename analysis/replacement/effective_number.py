"""How many reference raters a candidate's value is worth."""

from collections.abc import Mapping
from math import inf, nan
from typing import Any

import numpy as np

from analysis.replacement.left_out import chance_along, covariances
from analysis.replacement.reference_means import FEWEST_ITEMS, LeftOut, Sums, left_out, of_all
from analysis.resampling.intervals import fieller
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.scope import Scope
from analysis.values.types import Floats, OnProgress


def effective_number_of_raters(
    reference: Ratings,
    candidate: Mapping[Any, float],
    level: float | None = 0.95,
    on_progress: OnProgress = None,
    scope: Scope = "raters like these",
) -> Estimate:
    """How many of the reference's raters one value of the candidate tells as much as.

    Parameters
    ----------
    reference : N ratings (N,), of which several raters rated most items
    candidate : item -> its value
    level : of the interval; None: without one, which is quicker
    on_progress : called between steps with the share done; what it raises stops the work
    scope : of the interval: over items for these raters, else over items and raters

    Returns
    -------
    Estimate
        over `n` items; 0 where the candidate does not go with the reference, infinite where it goes with it as an
        unlimited number of raters would; NaN with its reason where the reference has too few items or raters, or its
        items do not differ

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    k = rho² / (1 - rho²) · (1 - rel) / rel, with rho the correlation of candidate and reference means (Pearson)
    over the root of the means' reliability, and rel that of one reference rating: ICC(C) where every rater rated every
    item, ICC(1) else. Level does not count: a candidate that is always one point high may be worth many raters.
    The interval is Fieller's, over items and, for raters like these, over raters (each left out, less each rating left
    out); it may have no upper end.
    Source: Spearman 1910; Brown 1910 (how reliability grows with raters); Fieller 1954; methods, section 7.
    """
    sums = left_out(reference, [candidate], level is not None, on_progress)
    w = len(sums.raters.n)
    found = _without_interval(sums.every, w)
    if level is None or not found.defined:
        return found
    return _with_interval(found, sums.every, sums.items, sums, w, level, scope)


def _with_interval(
    found: Estimate, every: Sums, without_items: Sums, by: LeftOut, w: int, level: float, scope: Scope
) -> Estimate:
    """The interval of one value by w raters, from the sums without each item, and without raters and ratings `by` what
    these leave out."""
    value, n = found.value, found.n
    above, below = _parts(every)
    with np.errstate(invalid="ignore", divide="ignore"):
        items, raters, ratings = (
            np.column_stack(_parts(one)) for one in (without_items, by.raters, by.ratings)
        )
    parts = covariances(items, raters, ratings, by.times, scope)
    if np.isnan(parts[0]).any() or np.isnan(parts[1]).any():
        return Estimate(value, n=n, reason="too few raters for an interval over raters")
    chance = chance_along(np.array([1.0, -min(value, 1e6)]), parts, n, w)
    low, high = (float(end) for end in fieller(above, below, parts[0] + parts[1], level, chance.degrees))
    if np.isnan(low):
        low, high = 0.0, inf
    return Estimate(value, max(min(low, value), 0.0), max(high, value), n)


def effective_number_of_sums(
    number: Floats,
    total: Floats,
    squares: Floats,
    candidate: Floats,
    raters: int,
    some: tuple[Ratings, Mapping[Any, float]] | None = None,
    level: float = 0.95,
    scope: Scope = "raters like these",
) -> Estimate:
    """As `effective_number_of_raters`, from sums per item (n,) that both sides have: the number of its ratings, their
    total and squares about any one value, and the candidate's value.

    Of a reference of so many raters, nobody of whom rated an item twice, and who did not all rate every item. There is
    an interval where ratings and values of `some` of the items are given, by which it is looked what raters carry from
    item to item.
    """
    every, items = of_all(number, total, squares, candidate)
    found = _without_interval(every, raters)
    if some is None or not found.defined:
        return found
    reference, values = some
    return _with_interval(found, every, items, left_out(reference, [values]), raters, level, scope)


def _without_interval(every: Sums, raters: int) -> Estimate:
    n = int(every.n)
    why = _why_undefined(every, raters)
    if why:
        return Estimate(nan, n=n, reason=why)
    above, below = _parts(every)
    return Estimate(0.0 if above <= 0 else inf if below <= 0 else float(above / below), n=n)


def _parts(sums: Sums) -> tuple[Floats, Floats]:
    """Above and below the line, (…,) each, both times the means' reliability, so that neither is a quotient of small
    differences; a negative correlation counts against the candidate."""
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = sums.variance_of_means() * sums.covariance_of_values()[..., 0, 0]
        r = sums.covariance_with_means()[..., 0] / np.sqrt(np.where(variances > 0, variances, nan))
    one, of_means = sums.reliability, sums.reliability_of_means
    return r * np.abs(r) * (1 - one), (of_means - r**2) * one


def _why_undefined(sums: Sums, raters: int) -> str:
    if sums.n < FEWEST_ITEMS:
        return f"fewer than {FEWEST_ITEMS} items have a value of the candidate and ratings of the reference"
    if raters < 2 or sums.degrees <= 0:
        return "no item was rated by two reference raters, so that nobody knows how far one rating repeats"
    if not sums.noise > 0:
        return "the reference's raters agree perfectly, so that one of them is worth as much as all"
    if not sums.reliability > 0:
        return "the reference's items differ no more than chance within a rating makes them"
    if not sums.covariance_of_values()[0, 0] > 0:
        return "all values of the candidate are equal"
    return ""
