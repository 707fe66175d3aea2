"""Chance-corrected agreement coefficients, plain or weighted, with intervals and differences.

All are (p_a - p_e) / (1 - p_e): p_a is the weighted share of agreeing pairs of ratings of an item, averaged over items.
The coefficients differ in the definition of chance agreement p_e. The mean over pairs of raters is of Cohen's kappas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.agreement_summary import RatingTable, rating_table, sum_rows_by_code
from analysis.agreement.alpha import NO_DIFFERENCE, UNDEFINED_WITHOUT_ONE_UNIT, Weights, agreement_weights
from analysis.agreement.kappas import CongerSums, fleiss_sums, pairwise_kappas
from analysis.agreement.ratio_intervals import ItemSums, jackknife_interval, ratio_interval
from analysis.resampling.intervals import IDENTITY, UNBOUNDED, pseudo_value_interval
from analysis.values.estimate import Estimate, Floats, InputError

__all__ = ["Agreement", "CoefficientName", "Weights", "agreement_coefficients"]

CoefficientName = Literal[
    "percent agreement", "Brennan-Prediger", "Gwet AC", "Fleiss kappa", "Conger kappa", "mean pairwise kappa"
]
COEFFICIENT_NAMES: tuple[CoefficientName, ...] = get_args(CoefficientName)
FEWEST_RATERS = 3
"""Fewest raters for an interval over raters."""
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


class LeaveOneOut(NamedTuple):
    """Values of a coefficient without each item (n,), each rater (w,) and each rating (N,)."""

    items: Floats
    raters: Floats
    ratings: Floats


@dataclass(frozen=True, eq=False)
class Agreement:
    """Coefficients of one table of ratings.

    By name: `estimates` with intervals over items, for these raters; `over_raters` with intervals over items and
    raters; `errors` the published standard errors over items (NaN where there is none); `leave_one_out` the values
    without parts of the ratings. `table` holds the ratings.
    """

    estimates: Mapping[CoefficientName, Estimate]
    over_raters: Mapping[CoefficientName, Estimate]
    errors: Mapping[CoefficientName, float]
    leave_one_out: Mapping[CoefficientName, LeaveOneOut]
    table: RatingTable
    level: float

    def difference(
        self,
        other: "Agreement",
        name: CoefficientName,
        other_name: CoefficientName | None = None,
        over_raters: bool = False,
    ) -> Estimate:
        """Estimate the difference of two coefficients, paired over the items and raters that both share.

        Parameters
        ----------
        other : agreement of the same items by other raters, on another measure, with other weights, or of other items
        name, other_name : the coefficients of both; `other_name` defaults to `name`
        over_raters : True for an interval over raters too

        Returns
        -------
        Estimate
            n = items of either. Undefined where either coefficient is.

        Notes
        -----
        Two overlapping intervals do not imply that there is no difference. Items (and raters) with equal ids are the
        same.
        Source: Gwet 2016, "Testing the difference of correlated agreement coefficients for statistical significance",
        Educational and Psychological Measurement 76(4), with the jackknife in place of linear errors.
        """
        second_name: CoefficientName = other_name or name
        sides = (self, name), (other, second_name)
        items = np.union1d(
            *(agreement.table.items[agreement.table.counts.sum(axis=1) > 1] for agreement, _ in sides)
        )
        for agreement, coefficient in sides:
            if not agreement.estimates[coefficient].defined:
                return Estimate(nan, n=len(items), reason=agreement.estimates[coefficient].reason)
        first, second = self.estimates[name].value, other.estimates[second_name].value
        value = first - second
        item_differences = _leave_one_out_differences(
            (self.table.items, self.leave_one_out[name].items, first),
            (other.table.items, other.leave_one_out[second_name].items, second),
        )
        if not over_raters:
            return _jackknife_estimate(value, item_differences, None, self.level, len(items), None)
        for agreement, coefficient in sides:
            if np.isnan(agreement.over_raters[coefficient].low):
                return Estimate(value, n=len(items), reason=agreement.over_raters[coefficient].reason)
        rater_differences = _leave_one_out_differences(
            (self.table.raters, self.leave_one_out[name].raters, first),
            (other.table.raters, other.leave_one_out[second_name].raters, second),
        )
        rating_differences = _leave_one_out_differences(
            (_rating_ids(self.table), self.leave_one_out[name].ratings, first),
            (_rating_ids(other.table), other.leave_one_out[second_name].ratings, second),
        )
        return _jackknife_estimate(
            value, item_differences, (rater_differences, rating_differences), self.level, len(items), None
        )


def agreement_coefficients(
    item: ArrayLike,
    rater: ArrayLike,
    value: ArrayLike,
    weights: Weights = "identity",
    scale: ArrayLike | None = None,
    level: float = 0.95,
) -> Agreement:
    """Estimate percent agreement, Brennan-Prediger, Gwet's AC1 or AC2 and kappas of any number of raters.

    Parameters
    ----------
    item, rater : (N,) ids; a rater gives an item one value, and need not rate every item
    value : (N,) labels of any sortable kind; numbers for weights other than "identity"
    weights : agreement weights of different values: "identity" none; "linear" and "quadratic" by the distance of the
        values relative to the largest; "ordinal" by the number of values between
    scale : the possible values; by default those that occur. Brennan-Prediger and Gwet's AC depend on their number
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
    If most items have the same value, kappas are low however much raters agree (chance agreement is then near 1);
    Gwet's AC is not. Report which coefficient you use. For numbers on a fine scale use Krippendorff's alpha or ICC.
    Intervals of Fleiss' and Conger's kappa for these raters are those of `analysis.agreement.ratio_intervals`, that of
    Gwet's AC its jackknife alone; others are jackknives over items, and raters
    (`analysis.resampling.intervals.pseudo_value_interval`). Standard errors are those of the coefficient itself, not
    of the hypothesis that it is 0.
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
    weight_matrix = agreement_weights(table.values, weights)
    paired = int((table.counts.sum(axis=1) > 1).sum())
    if paired == 0 or len(table.values) < 2:
        return _undefined_agreement(table, paired, NO_PAIRS if paired == 0 else ONE_VALUE, level)
    values, leave_one_out = _leave_one_out(table, weight_matrix)
    reasons: dict[CoefficientName, str] = {}
    pairs = pairwise_kappas(table, weight_matrix)
    values["mean pairwise kappa"] = pairs.value
    leave_one_out["mean pairwise kappa"] = LeaveOneOut(pairs.items, pairs.raters, pairs.ratings)
    reasons["mean pairwise kappa"] = pairs.reason
    ratios, is_paired = _ratio_sums(table, weight_matrix), table.counts.sum(axis=1) > 1
    estimates: dict[CoefficientName, Estimate] = {}
    over_raters: dict[CoefficientName, Estimate] = {}
    for name in COEFFICIENT_NAMES:
        coefficient = values[name]
        if not np.isfinite(coefficient):
            reason = reasons.get(name) or ALL_EQUAL
            estimates[name] = over_raters[name] = Estimate(nan, n=paired, reason=reason)
            continue
        limits = (0.0, 1.0) if name == "percent agreement" else (-np.inf, 1.0)
        samples = leave_one_out[name]
        estimates[name] = (
            ratio_interval(ratios[name], level)
            if name in ratios
            else jackknife_interval(coefficient, samples.items[is_paired], paired, level)
            if name == "Gwet AC"
            else _jackknife_estimate(coefficient, samples.items, None, level, paired, limits)
        )
        over_raters[name] = (
            Estimate(coefficient, n=paired, reason=FEW_RATERS)
            if len(table.raters) < FEWEST_RATERS
            else _jackknife_estimate(
                coefficient, samples.items, (samples.raters, samples.ratings), level, paired, limits
            )
        )
    return Agreement(
        estimates, over_raters, _standard_errors(table, weight_matrix), leave_one_out, table, level
    )


def _ratio_sums(table: RatingTable, weight_matrix: Floats) -> dict[CoefficientName, ItemSums]:
    """Return the sums of the coefficients that are 1 - O / E."""
    conger = CongerSums.from_table(table, weight_matrix)
    number = table.counts.sum(axis=1)
    agreed = np.where(conger.compared > 0, 1 - conger.within, 0.0)
    return {
        "Fleiss kappa": fleiss_sums(number, agreed, conger.totals, weight_matrix),
        "Conger kappa": conger,
    }


def _jackknife_estimate(
    value: float,
    items: Floats,
    raters: tuple[Floats, Floats] | None,
    level: float,
    n: int,
    limits: tuple[float, float] | None,
) -> Estimate:
    """Return a coefficient, or a difference (`limits` None), with its jackknife interval or the reason for none."""
    if len(items) < 2:
        return Estimate(value, n=n, reason=ONE_ITEM)
    if np.isnan(items).any():
        return Estimate(value, n=n, reason=UNDEFINED_WITHOUT_ONE_UNIT)
    if raters is not None and (np.isnan(raters[0]).any() or np.isnan(raters[1]).any()):
        return Estimate(value, n=n, reason=ONE_RATER_HOLDS_ALL)
    raters_values, ratings = raters or (None, None)
    low, high = (
        pseudo_value_interval(value, items, level, raters_values, ratings, IDENTITY, UNBOUNDED)
        if limits is None
        else pseudo_value_interval(value, items, level, raters_values, ratings, limits=limits)
    )
    if limits is not None and low < LOWEST:
        return Estimate(value, n=n, reason=TOO_OPEN)
    return Estimate(value, float(low), float(high), n, NO_DIFFERENCE if np.isnan(low) else "")


def _leave_one_out_differences(*sides: tuple[NDArray[Any], Floats, float]) -> Floats:
    """Return leave-one-out values of a difference; each side holds ids, leave-one-out values and the value of all."""
    (first_ids, first_left_out, first_value), (second_ids, second_left_out, second_value) = sides
    ids = np.union1d(first_ids, second_ids)
    first, second = np.full(len(ids), first_value), np.full(len(ids), second_value)
    first[np.searchsorted(ids, first_ids)] = first_left_out
    second[np.searchsorted(ids, second_ids)] = second_left_out
    return np.asarray(first - second)


def _rating_ids(table: RatingTable) -> NDArray[Any]:
    """Return an id for each rating (N,): the text of its item and rater."""
    named = zip(table.items[table.item].tolist(), table.raters[table.rater].tolist(), strict=True)
    return np.array([repr(cell) for cell in named])


def _leave_one_out(
    table: RatingTable, weight_matrix: Floats
) -> tuple[dict[CoefficientName, float], dict[CoefficientName, LeaveOneOut]]:
    """Return all coefficients of the table, and their values without each item, rater and rating."""
    n, w = len(table.items), len(table.raters)
    rows = _item_rows(table.counts, weight_matrix)
    total = rows.sum(axis=0)
    rating_changes = _item_rows(table.counts_without_rating, weight_matrix) - rows[table.item]
    conger = _CongerChance(table, weight_matrix)
    parts: list[tuple[Floats, Floats]] = [
        (total, conger.value),
        (total - rows, conger.without_items),
        (total + sum_rows_by_code(table.rater, rating_changes, w), conger.without_raters),
        (total + rating_changes, conger.without_ratings),
    ][: 1 if n == 1 else 4]
    coefficients = [_coefficients(sums, weight_matrix, chance) for sums, chance in parts]
    values = {name: float(of_part) for name, of_part in coefficients[0].items()}
    undefined = LeaveOneOut(np.full(n, nan), np.full(w, nan), np.full(len(table.item), nan))
    leave_one_out = {
        name: LeaveOneOut(*(of_part[name] for of_part in coefficients[1:])) if n > 1 else undefined
        for name in values
    }
    return values, leave_one_out


def _item_rows(counts: Floats, weight_matrix: Floats) -> Floats:
    """Return for each item (…, 3 + q): has two ratings, share of agreeing pairs, has ratings, share of each value."""
    number = counts.sum(axis=1)
    is_paired, has_ratings = number > 1, number > 0
    pairs = np.where(is_paired, number * (number - 1), 1.0)
    agreed = np.where(is_paired, (counts * (counts @ weight_matrix - 1)).sum(axis=1) / pairs, 0.0)
    share = counts / np.where(has_ratings, number, 1.0)[:, None]
    return np.column_stack([is_paired, agreed, has_ratings, share])


def _observed_and_chance(
    sums: Floats, weight_matrix: Floats, conger: Floats
) -> tuple[Floats, dict[CoefficientName, Floats]]:
    """Return observed agreement, and chance agreement by coefficient, from sums (…, 3 + q) of `_item_rows`."""
    q, total = len(weight_matrix), weight_matrix.sum()
    paired = sums[..., 0] > 0.5
    p_a = np.where(paired, sums[..., 1] / np.where(paired, sums[..., 0], 1.0), nan)
    prevalence = sums[..., 3:] / np.maximum(sums[..., 2:3], 1.0)
    return p_a, {
        "percent agreement": np.zeros_like(p_a),
        "Brennan-Prediger": np.full_like(p_a, total / q**2),
        "Gwet AC": total / (q * (q - 1)) * (prevalence * (1 - prevalence)).sum(axis=-1),
        "Fleiss kappa": ((prevalence @ weight_matrix) * prevalence).sum(axis=-1),
        "Conger kappa": conger,
    }


def _coefficients(sums: Floats, weight_matrix: Floats, conger: Floats) -> dict[CoefficientName, Floats]:
    """Return the coefficients (…,) by name, NaN where chance agreement is 1 or nothing is paired."""
    p_a, chance = _observed_and_chance(sums, weight_matrix, conger)
    return {name: (p_a - p_e) / np.where(1 - p_e > 1e-12, 1 - p_e, nan) for name, p_e in chance.items()}


class _CongerChance:
    """Chance agreement of Conger's kappa: of any two raters, each with their own distribution of values."""

    def __init__(self, table: RatingTable, weight_matrix: Floats) -> None:
        self._table, self._weights = table, weight_matrix
        self._number = table.counts_by_rater.sum(axis=1)
        self._share = table.counts_by_rater / self._number[:, None]
        self._total, self._same_rater = self._share.sum(axis=0), self._agreement_of_pairs(self._share)
        remaining = self._number[table.rater] - 1
        reduced = table.counts_by_rater[table.rater]
        reduced[np.arange(len(reduced)), table.value] -= 1
        reduced = reduced / np.where(remaining > 0, remaining, 1.0)[:, None]
        self._share_change = reduced - self._share[table.rater]
        self._same_rater_change = self._agreement_of_pairs(reduced) - self._same_rater[table.rater]
        self._is_removed = (remaining == 0).astype(np.float64)

    def _agreement_of_pairs(self, share: Floats) -> Floats:
        return np.asarray(((share @ self._weights) * share).sum(axis=-1))

    def _chance(self, total: Floats, same_rater: Any, raters: Any) -> Floats:
        pairs = np.asarray(raters * (raters - 1.0))
        return np.asarray((self._agreement_of_pairs(total) - same_rater) / np.where(pairs > 0, pairs, nan))

    @property
    def value(self) -> Floats:
        return self._chance(self._total, self._same_rater.sum(), len(self._share))

    @property
    def without_ratings(self) -> Floats:
        return self._without(self._share_change, self._same_rater_change, self._is_removed)

    @property
    def without_items(self) -> Floats:
        item, n = self._table.item, len(self._table.items)
        return self._without(
            *(
                sum_rows_by_code(item, one, n)
                for one in (self._share_change, self._same_rater_change, self._is_removed)
            )
        )

    @property
    def without_raters(self) -> Floats:
        return self._without(-self._share, -self._same_rater, np.ones(len(self._share)))

    def _without(self, share_change: Floats, same_rater_change: Floats, removed_raters: Floats) -> Floats:
        return self._chance(
            self._total + share_change,
            self._same_rater.sum() + same_rater_change,
            len(self._share) - removed_raters,
        )


def _standard_errors(table: RatingTable, weight_matrix: Floats) -> dict[CoefficientName, float]:
    """Return standard errors over items from the linearized influence of each item (Gwet 2014, chapter 5)."""
    n, q, total = len(table.items), len(weight_matrix), weight_matrix.sum()
    rows = _item_rows(table.counts, weight_matrix)
    is_paired, agreed, share = rows[:, 0], rows[:, 1], rows[:, 3:]
    p_a, chance = _observed_and_chance(
        rows.sum(axis=0), weight_matrix, _CongerChance(table, weight_matrix).value
    )
    prevalence, paired = share.mean(axis=0), is_paired.sum()
    influences: dict[CoefficientName, Any] = {
        "percent agreement": 0.0,
        "Brennan-Prediger": total / q**2,
        "Gwet AC": total / (q * (q - 1)) * (share * (1 - prevalence)).sum(axis=1),
        "Fleiss kappa": share @ (weight_matrix @ prevalence),
        "Conger kappa": _conger_influence(table, weight_matrix),
    }
    errors = dict.fromkeys(COEFFICIENT_NAMES, nan)
    for name, influence in influences.items():
        p_e = chance[name]
        if n > 1 and 1 - p_e > 1e-12:
            coefficient = (p_a - p_e) / (1 - p_e)
            contribution = is_paired * n / paired * (agreed - p_e) / (1 - p_e)
            linear = contribution - 2 * (1 - coefficient) * (influence - p_e) / (1 - p_e)
            errors[name] = float(np.sqrt(((linear - coefficient) ** 2).sum() / (n - 1) / n))
    return errors


def _conger_influence(table: RatingTable, weight_matrix: Floats) -> Floats:
    """Return the influence of each item (n,) on the chance agreement of Conger's kappa."""
    n, w = len(table.items), len(table.raters)
    number = table.counts_by_rater.sum(axis=1)
    share = table.counts_by_rater / number[:, None]
    changes = -share[table.rater]
    changes[np.arange(len(changes)), table.value] += 1
    changes *= (n / number)[table.rater][:, None]
    total = share.sum(axis=0)
    changed_total = total + sum_rows_by_code(table.item, changes, n)
    same_rater = (share @ weight_matrix * share).sum() + sum_rows_by_code(
        table.item, (changes * (share @ weight_matrix)[table.rater]).sum(axis=1), n
    )
    influence: Floats = (changed_total @ weight_matrix @ total - same_rater) / (w * max(w - 1, 1))
    return influence


def _undefined_agreement(table: RatingTable, n: int, reason: str, level: float) -> Agreement:
    estimates = dict.fromkeys(COEFFICIENT_NAMES, Estimate(nan, n=n, reason=reason))
    leave_one_out = LeaveOneOut(
        *(np.full(size, nan) for size in (len(table.items), len(table.raters), len(table.item)))
    )
    return Agreement(
        estimates,
        estimates,
        dict.fromkeys(COEFFICIENT_NAMES, nan),
        dict.fromkeys(COEFFICIENT_NAMES, leave_one_out),
        table,
        level,
    )
