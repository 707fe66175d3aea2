"""Agreement beyond chance, where chance is defined in four ways, plain or weighted, with intervals and differences.

All are (p_a - p_e) / (1 - p_e): p_a is the weighted share of agreeing pairs of ratings of an item, averaged over items,
and the coefficients differ in what they call chance (p_e). The mean over pairs of raters is that of Cohen's kappas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.agreement_summary import RatingTable, rating_table, summed_by
from analysis.agreement.alpha import NO_DIFFERENCE, ONE_HOLDS_ALL, Weights, credit
from analysis.agreement.kappas import CongerSums, fleiss_sums, pairwise_kappas
from analysis.agreement.ratio_intervals import ItemSums, jackknife_interval, ratio_interval
from analysis.resampling.intervals import EVERYWHERE, IDENTITY, jackknifed
from analysis.values.estimate import Estimate, Floats, InputError

__all__ = ["Agreement", "Name", "Weights", "agreement_coefficients"]

Name = Literal[
    "percent agreement", "Brennan-Prediger", "Gwet AC", "Fleiss kappa", "Conger kappa", "mean pairwise kappa"
]
NAMES: tuple[Name, ...] = get_args(Name)
FEWEST_RATERS = 3
"""Raters from which on an interval can be one over raters."""
NO_PAIRS = "no item has two ratings"
ALL_EQUAL = "everyone gave the same value, so chance agreement is certain"
ONE_VALUE = "a scale of one value leaves nothing to agree on"
ONE_ITEM = "a single item does not show how items differ, so there is no interval"
FEW_RATERS = f"with fewer than {FEWEST_RATERS} raters nothing is known of others"
LOWEST = -1.0
TOO_OPEN = "so few items leave it open: its interval would reach below −1"
ONE_RATER_HOLDS_ALL = (
    "without one of the raters there is nothing to compare, so there is no interval over raters"
)
NOTHING_SHARED = "the two share neither items nor raters"


class Left(NamedTuple):
    """Values of a coefficient without each item (n,), each rater (w,) and each rating (N,)."""

    items: Floats
    raters: Floats
    ratings: Floats


@dataclass(frozen=True, eq=False)
class Agreement:
    """Coefficients of one table of ratings.

    By name: `estimates` with intervals over items, for these raters; `over_raters` with intervals over items and
    raters; `errors` the published standard errors over items (NaN where there is none); `left` what each coefficient
    is without parts of the ratings. `table` are the ratings.
    """

    estimates: Mapping[Name, Estimate]
    over_raters: Mapping[Name, Estimate]
    errors: Mapping[Name, float]
    left: Mapping[Name, Left]
    table: RatingTable
    level: float

    def difference(
        self,
        other: "Agreement",
        name: Name,
        other_name: Name | None = None,
        over_raters: bool = False,
    ) -> Estimate:
        """This coefficient less another one's: paired over what both share, independent in the rest.

        Parameters
        ----------
        other : of the same items by other raters, on another measure, with other weights, or of other items
        name, other_name : which coefficient of either; the same one where only one is named
        over_raters : whether the interval is one over raters too

        Returns
        -------
        Estimate
            n = items of either. Undefined where either coefficient is.

        Notes
        -----
        Two overlapping intervals do not say that they do not. Items (and raters) with the same id are taken to be the
        same.
        Source: Gwet 2016, "Testing the difference of correlated agreement coefficients for statistical significance",
        Educational and Psychological Measurement 76(4), with the jackknife in place of linear errors.
        """
        theirs: Name = other_name or name
        sides = (self, name), (other, theirs)
        items = np.union1d(*(one.table.items[one.table.counts.sum(axis=1) > 1] for one, _ in sides))
        for one, called in sides:
            if not one.estimates[called].defined:
                return Estimate(nan, n=len(items), reason=one.estimates[called].reason)
        mine, yours = self.estimates[name].value, other.estimates[theirs].value
        value = mine - yours
        left = _apart(
            (self.table.items, self.left[name].items, mine),
            (other.table.items, other.left[theirs].items, yours),
        )
        if not over_raters:
            return _between(value, left, None, self.level, len(items), None)
        for one, called in sides:
            if np.isnan(one.over_raters[called].low):
                return Estimate(value, n=len(items), reason=one.over_raters[called].reason)
        raters = _apart(
            (self.table.raters, self.left[name].raters, mine),
            (other.table.raters, other.left[theirs].raters, yours),
        )
        ratings = _apart(
            (_cells(self.table), self.left[name].ratings, mine),
            (_cells(other.table), other.left[theirs].ratings, yours),
        )
        return _between(value, left, (raters, ratings), self.level, len(items), None)


def agreement_coefficients(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    weights: Weights = "identity",
    scale: ArrayLike | None = None,
    level: float = 0.95,
) -> Agreement:
    """Percent agreement, Brennan-Prediger, Gwet's AC1 or AC2 and kappas of any number of raters.

    Parameters
    ----------
    item, rater : (N,) ids; a rater gives an item one value, and need not rate every item
    value : (N,) labels of any sortable kind; numbers for weights other than "identity"
    weights : credit for near misses: "identity" none; "linear" and "quadratic" by the distance of the values, as share
        of the longest; "ordinal" by how many values lie between
    scale : the values that could be given; those that occur where not given. Brennan-Prediger and Gwet's AC depend on
        how many there are
    level : of the intervals

    Returns
    -------
    Agreement
        n = items with two values or more. Undefined without such an item, on a scale of one value, and, for the
        kappas, where everyone gave the same value. Conger's kappa of two raters is Cohen's; the mean pairwise kappa
        (Light's) is the mean of Cohen's over all pairs of raters with ten items or more in common.

    Raises
    ------
    InputError
        where lengths differ, a value is missing or not on the scale, a rater rated an item twice, or weights need
        numbers and got labels.

    Notes
    -----
    With most items of one kind kappas fall however much raters agree (chance is then almost certain); Gwet's AC does
    not. They differ in what chance is, so report which. Not for numbers on a fine scale: Krippendorff's alpha, ICC.
    Intervals of Fleiss' and Conger's kappa for these raters are those of `analysis.agreement.ratio_intervals`, that of
    Gwet's AC its jackknife alone; others leave out items, and raters, in turn
    (`analysis.resampling.intervals.jackknifed`). Standard errors are those of the coefficient itself, not of the
    hypothesis that it is 0.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition, chapters 2 to 5; Fleiss, Cohen, Everitt 1969;
    Light 1971, "Measures of response agreement for qualitative data" (mean over pairs).

    >>> items, raters = [1, 1, 2, 2, 3, 3, 4, 4], ["a", "b"] * 4
    >>> agreed = agreement_coefficients(items, raters, [1, 1, 1, 2, 2, 2, 1, 1])
    >>> agreed.estimates["Conger kappa"].value.__round__(2), agreed.estimates["percent agreement"].value
    (0.5, 0.75)
    """
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    table = rating_table(item, rater, value, scale)
    worth = credit(table.values, weights)
    paired = int((table.counts.sum(axis=1) > 1).sum())
    if paired == 0 or len(table.values) < 2:
        return _undefined(table, paired, NO_PAIRS if paired == 0 else ONE_VALUE, level)
    whole, left = _left_out(table, worth)
    why_not: dict[Name, str] = {}
    pairs = pairwise_kappas(table, worth)
    whole["mean pairwise kappa"] = pairs.value
    left["mean pairwise kappa"] = Left(pairs.items, pairs.raters, pairs.ratings)
    why_not["mean pairwise kappa"] = pairs.reason
    ratios, several = _ratios(table, worth), table.counts.sum(axis=1) > 1
    estimates: dict[Name, Estimate] = {}
    over_raters: dict[Name, Estimate] = {}
    for name in NAMES:
        found = whole[name]
        if not np.isfinite(found):
            reason = why_not.get(name) or ALL_EQUAL
            estimates[name] = over_raters[name] = Estimate(nan, n=paired, reason=reason)
            continue
        within = (0.0, 1.0) if name == "percent agreement" else (-np.inf, 1.0)
        of = left[name]
        estimates[name] = (
            ratio_interval(ratios[name], level)
            if name in ratios
            else jackknife_interval(found, of.items[several], paired, level)
            if name == "Gwet AC"
            else _between(found, of.items, None, level, paired, within)
        )
        over_raters[name] = (
            Estimate(found, n=paired, reason=FEW_RATERS)
            if len(table.raters) < FEWEST_RATERS
            else _between(found, of.items, (of.raters, of.ratings), level, paired, within)
        )
    return Agreement(estimates, over_raters, _errors(table, worth), left, table, level)


def _ratios(table: RatingTable, worth: Floats) -> dict[Name, ItemSums]:
    """Return the figures that are 1 - O / E of sums over items."""
    conger = CongerSums.of_table(table, worth)
    number = table.counts.sum(axis=1)
    agreed = np.where(conger.compared > 0, 1 - conger.within, 0.0)
    return {
        "Fleiss kappa": fleiss_sums(number, agreed, conger.totals, worth),
        "Conger kappa": conger,
    }


def _between(
    value: float,
    items: Floats,
    raters: tuple[Floats, Floats] | None,
    level: float,
    n: int,
    within: tuple[float, float] | None,
) -> Estimate:
    """A coefficient, or a difference (`within` None), with its interval, or why there is none."""
    if len(items) < 2:
        return Estimate(value, n=n, reason=ONE_ITEM)
    if np.isnan(items).any():
        return Estimate(value, n=n, reason=ONE_HOLDS_ALL)
    if raters is not None and (np.isnan(raters[0]).any() or np.isnan(raters[1]).any()):
        return Estimate(value, n=n, reason=ONE_RATER_HOLDS_ALL)
    of_raters, ratings = raters or (None, None)
    low, high = (
        jackknifed(value, items, level, of_raters, ratings, IDENTITY, EVERYWHERE)
        if within is None
        else jackknifed(value, items, level, of_raters, ratings, within=within)
    )
    if within is not None and low < LOWEST:
        return Estimate(value, n=n, reason=TOO_OPEN)
    return Estimate(value, float(low), float(high), n, NO_DIFFERENCE if np.isnan(low) else "")


def _apart(*sides: tuple[NDArray[Any], Floats, float]) -> Floats:
    """A difference of two figures without each part of either: ids, the figure without each, the figure."""
    (mine, left, value), (theirs, other_left, other_value) = sides
    ids = np.union1d(mine, theirs)
    first, second = np.full(len(ids), value), np.full(len(ids), other_value)
    first[np.searchsorted(ids, mine)] = left
    second[np.searchsorted(ids, theirs)] = other_left
    return np.asarray(first - second)


def _cells(table: RatingTable) -> NDArray[Any]:
    """An id of each rating: its item and rater, in words."""
    named = zip(table.items[table.item].tolist(), table.raters[table.rater].tolist(), strict=True)
    return np.array([repr(cell) for cell in named])


def _left_out(table: RatingTable, worth: Floats) -> tuple[dict[Name, float], dict[Name, Left]]:
    """Every coefficient of the whole table, and without each item, rater and rating."""
    n, w = len(table.items), len(table.raters)
    rows = _rows(table.counts, worth)
    whole = rows.sum(axis=0)
    single = _rows(table.without_own, worth) - rows[table.item]
    conger = _Conger(table, worth)
    parts: list[tuple[Floats, Floats]] = [
        (whole, conger.whole),
        (whole - rows, conger.without_items),
        (whole + summed_by(table.rater, single, w), conger.without_raters),
        (whole + single, conger.without_ratings),
    ][: 1 if n == 1 else 4]
    of_parts = [_coefficients(sums, worth, chance) for sums, chance in parts]
    found = {name: float(figures) for name, figures in of_parts[0].items()}
    nothing = Left(np.full(n, nan), np.full(w, nan), np.full(len(table.item), nan))
    left = {name: Left(*(figures[name] for figures in of_parts[1:])) if n > 1 else nothing for name in found}
    return found, left


def _rows(counts: Floats, worth: Floats) -> Floats:
    """(…, 3 + q) of items: have they two ratings, share of agreeing pairs, have they any, share of each value."""
    number = counts.sum(axis=1)
    several, there = number > 1, number > 0
    pairs = np.where(several, number * (number - 1), 1.0)
    agreed = np.where(several, (counts * (counts @ worth - 1)).sum(axis=1) / pairs, 0.0)
    share = counts / np.where(there, number, 1.0)[:, None]
    return np.column_stack([several, agreed, there, share])


def _agreed_and_chance(sums: Floats, worth: Floats, conger: Floats) -> tuple[Floats, dict[Name, Floats]]:
    """Share of agreeing pairs, and of those that agree by chance, from sums (…, 3 + q) of `_rows`."""
    q, total = len(worth), worth.sum()
    paired = sums[..., 0] > 0.5
    p_a = np.where(paired, sums[..., 1] / np.where(paired, sums[..., 0], 1.0), nan)
    popular = sums[..., 3:] / np.maximum(sums[..., 2:3], 1.0)
    return p_a, {
        "percent agreement": np.zeros_like(p_a),
        "Brennan-Prediger": np.full_like(p_a, total / q**2),
        "Gwet AC": total / (q * (q - 1)) * (popular * (1 - popular)).sum(axis=-1),
        "Fleiss kappa": ((popular @ worth) * popular).sum(axis=-1),
        "Conger kappa": conger,
    }


def _coefficients(sums: Floats, worth: Floats, conger: Floats) -> dict[Name, Floats]:
    """By name (…,), NaN where chance agrees for certain or nothing is paired."""
    p_a, chance = _agreed_and_chance(sums, worth, conger)
    return {name: (p_a - p_e) / np.where(1 - p_e > 1e-12, 1 - p_e, nan) for name, p_e in chance.items()}


class _Conger:
    """Chance where each rater keeps to the shares of the own ratings: of any two raters, how often they would agree."""

    def __init__(self, table: RatingTable, worth: Floats) -> None:
        self._table, self._worth = table, worth
        self._given = table.by_rater.sum(axis=1)
        self._share = table.by_rater / self._given[:, None]
        self._total, self._own = self._share.sum(axis=0), self._of_pairs(self._share)
        left = self._given[table.rater] - 1
        moved = table.by_rater[table.rater]
        moved[np.arange(len(moved)), table.value] -= 1
        moved = moved / np.where(left > 0, left, 1.0)[:, None]
        self._step = moved - self._share[table.rater]
        self._own_step = self._of_pairs(moved) - self._own[table.rater]
        self._gone = (left == 0).astype(np.float64)

    def _of_pairs(self, share: Floats) -> Floats:
        return np.asarray(((share @ self._worth) * share).sum(axis=-1))

    def _chance(self, total: Floats, own: Any, raters: Any) -> Floats:
        pairs = np.asarray(raters * (raters - 1.0))
        return np.asarray((self._of_pairs(total) - own) / np.where(pairs > 0, pairs, nan))

    @property
    def whole(self) -> Floats:
        return self._chance(self._total, self._own.sum(), len(self._share))

    @property
    def without_ratings(self) -> Floats:
        return self._without(self._step, self._own_step, self._gone)

    @property
    def without_items(self) -> Floats:
        item, n = self._table.item, len(self._table.items)
        return self._without(*(summed_by(item, one, n) for one in (self._step, self._own_step, self._gone)))

    @property
    def without_raters(self) -> Floats:
        return self._without(-self._share, -self._own, np.ones(len(self._share)))

    def _without(self, step: Floats, own: Floats, gone: Floats) -> Floats:
        return self._chance(self._total + step, self._own.sum() + own, len(self._share) - gone)


def _errors(table: RatingTable, worth: Floats) -> dict[Name, float]:
    """Standard errors over items from what each item pulls linearly (Gwet 2014, chapter 5)."""
    n, q, total = len(table.items), len(worth), worth.sum()
    rows = _rows(table.counts, worth)
    several, agreed, share = rows[:, 0], rows[:, 1], rows[:, 3:]
    p_a, chance = _agreed_and_chance(rows.sum(axis=0), worth, _Conger(table, worth).whole)
    popular, paired = share.mean(axis=0), several.sum()
    pulls: dict[Name, Any] = {
        "percent agreement": 0.0,
        "Brennan-Prediger": total / q**2,
        "Gwet AC": total / (q * (q - 1)) * (share * (1 - popular)).sum(axis=1),
        "Fleiss kappa": share @ (worth @ popular),
        "Conger kappa": _conger_pulls(table, worth),
    }
    errors = dict.fromkeys(NAMES, nan)
    for name, pull in pulls.items():
        p_e = chance[name]
        if n > 1 and 1 - p_e > 1e-12:
            coefficient = (p_a - p_e) / (1 - p_e)
            own = several * n / paired * (agreed - p_e) / (1 - p_e)
            linear = own - 2 * (1 - coefficient) * (pull - p_e) / (1 - p_e)
            errors[name] = float(np.sqrt(((linear - coefficient) ** 2).sum() / (n - 1) / n))
    return errors


def _conger_pulls(table: RatingTable, worth: Floats) -> Floats:
    """(n,) the shares of those who rated an item move towards its values, those of others stay."""
    n, w = len(table.items), len(table.raters)
    given = table.by_rater.sum(axis=1)
    share = table.by_rater / given[:, None]
    lean = -share[table.rater]
    lean[np.arange(len(lean)), table.value] += 1
    lean *= (n / given)[table.rater][:, None]
    every = share.sum(axis=0)
    together = every + summed_by(table.item, lean, n)
    of_same = (share @ worth * share).sum() + summed_by(
        table.item, (lean * (share @ worth)[table.rater]).sum(axis=1), n
    )
    pulls: Floats = (together @ worth @ every - of_same) / (w * max(w - 1, 1))
    return pulls


def _undefined(table: RatingTable, n: int, reason: str, level: float) -> Agreement:
    nothing = dict.fromkeys(NAMES, Estimate(nan, n=n, reason=reason))
    none = Left(*(np.full(size, nan) for size in (len(table.items), len(table.raters), len(table.item))))
    return Agreement(nothing, nothing, dict.fromkeys(NAMES, nan), dict.fromkeys(NAMES, none), table, level)
