"""Variance of a difference between two groups' mean ratings, with items and raters both at random.

Everything comes from sums, one row per item and one per rater: by the store's query "comparison" or `summarize_pairs`.

The variance of the items' differences includes items and errors of single ratings. It lacks the raters' severity on
other items, which is estimated from the sums of raters' deviations from the *other* raters of the same items, whose
variance exceeds that of independent deviations. Only products of different items enter, so that errors of single
ratings cancel.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.clusters import clustered_variance
from analysis.correlation.rank_rows import pearson_rows
from analysis.values.estimate import Floats, InputError
from analysis.values.ratings import Ratings, coded, ratio, sum_by_code

FEW_RATERS = 6
"""Below so many raters in a group, what raters add is often estimated as nothing (a true null was then rejected in 8 to
16% at .05 with 4 to 2 raters); t then has the degrees of freedom of the smaller group, and rejects in at most 2%."""
DEGREES_OF_RATERS = 6.0
"""Satterthwaite takes estimated parts for the true ones: where that of the raters came out small by chance, the
variance is too small and the degrees of freedom too many at once, which adjusted p show first (four true nulls, Holm:
7.0 to 7.7% at .05). So 1 / degrees gains 1 / (6 · the fewer raters' own), unless nobody rated two items."""
MOST_SAMPLED_ITEMS = 20_000
"""Largest number of shared items for the raters' covariance between items; of more than twice as many every second,
third … in the order of ids is used, of a stored data set a random sample."""


@dataclass(frozen=True, eq=False)
class ItemPairs:
    """Sums per item rated by either group, n rows, from the query "item_pairs".

    Parameters
    ----------
    item : (n,) ids, ascending
    n_candidate, sum_candidate, squares_candidate : (n,) number, sum and sum of squares of its scores
    n_reference, sum_reference, squares_reference : (n,) the same of the reference; 0 where it has none

    Raises
    ------
    InputError
        where the columns differ in length.

    Notes
    -----
    Source: methods, section 1 (an item's MOS is the mean of all its ratings in a group).
    """

    item: NDArray[Any]
    n_candidate: Floats
    sum_candidate: Floats
    squares_candidate: Floats
    n_reference: Floats
    sum_reference: Floats
    squares_reference: Floats

    def __post_init__(self) -> None:
        _check_lengths(self)
        for field in fields(self)[1:]:
            object.__setattr__(self, field.name, _fill_missing(getattr(self, field.name)))

    @property
    def mos_candidate(self) -> Floats:
        """(n,) the candidate's mean rating of each item; NaN where it has none."""
        return ratio(self.sum_candidate, self.n_candidate)

    @property
    def mos_reference(self) -> Floats:
        """(n,) the reference's mean rating of each item; NaN where it has none."""
        return ratio(self.sum_reference, self.n_reference)

    def shared(self) -> "ItemPairs":
        """Return the rows (n,) of the items that both groups rated."""
        is_shared = (self.n_candidate > 0) & (self.n_reference > 0)
        if is_shared.all():
            return self
        return ItemPairs(**{field.name: getattr(self, field.name)[is_shared] for field in fields(self)})

    def taken(self, influence: "RaterInfluence") -> "ItemPairs":
        """Return the rows (n,) of the shared items that the raters' sums include."""
        shared = self.shared()
        if influence.taken is None or len(influence.taken) == len(shared.item):
            return shared
        is_included = np.isin(shared.item, influence.taken)
        return ItemPairs(**{field.name: getattr(shared, field.name)[is_included] for field in fields(self)})

    def side(self, candidate: bool) -> tuple[Floats, Floats, Floats]:
        """Return number, sum and sum of squares of one group's scores, (n,) each."""
        if candidate:
            return self.n_candidate, self.sum_candidate, self.squares_candidate
        return self.n_reference, self.sum_reference, self.squares_reference


@dataclass(frozen=True, eq=False)
class RaterInfluence:
    """Sums per group and rater over the *shared* items, from the query "comparison".

    Of very many shared items only a sample is included, `taken`.
    One row for each group (candidate 1, reference 0) and each of its raters with a rating on such an item.
    With x a rating, i its item, n_i the number of this group's ratings of i, m_i its mean, and o_i the other
    group's mean of i:

    Parameters
    ----------
    candidate : (r,) 1 or 0
    rater : (r,) ids; equal ids in both groups are one person
    n : (r,) the rater's ratings on shared items
    pull : (r,) sum of (x - m_i) / (n_i - 1) over the rater's ratings with n_i >= 2
    reach : (r,) sum of 1 / n_i over all the rater's ratings on shared items
    singles : (r,) number of the rater's ratings with n_i = 1
    single_pull : (r,) sum of x - o_i over those with n_i = 1; 0 if none
    pull_candidate, pull_reference : (r,) as `pull`, each term times the candidate's or reference's mean
    taken : (m,) ids of the shared items that are included; None: all

    Raises
    ------
    InputError
        where the columns differ in length.

    Notes
    -----
    Divided by the number of items, `pull` is the rater's influence on the difference of means, and `reach` that of one
    point of severity. Source: Owen 2007, "The pigeonhole bootstrap", section 3 (unbalanced crossed random effects);
    methods: section 0.
    """

    candidate: Floats
    rater: NDArray[Any]
    n: Floats
    pull: Floats
    reach: Floats
    singles: Floats
    single_pull: Floats
    pull_candidate: Floats
    pull_reference: Floats
    taken: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        _check_lengths(self)
        for field in fields(self):
            if field.name not in ("rater", "taken"):
                object.__setattr__(self, field.name, _fill_missing(getattr(self, field.name)))

    def of(self, candidate: bool) -> "RaterInfluence":
        """Return the rows (r,) of one group."""
        return self._rows((self.candidate == 1) == candidate)

    def without_rows(self) -> "RaterInfluence":
        """Return the table without rows (0,), for rater ids that are only slots."""
        return self._rows(np.zeros(len(self.rater), dtype=np.bool_))

    def _rows(self, chosen: NDArray[np.bool_]) -> "RaterInfluence":
        columns = {
            each.name: getattr(self, each.name)[chosen] for each in fields(self) if each.name != "taken"
        }
        return RaterInfluence(**columns, taken=self.taken)


@dataclass(frozen=True)
class TwoWayVariance:
    """Variance of the mean difference over (n,) shared items, by where it comes from.

    `effective_raters`: effective numbers of raters of candidate and reference, NaN without raters.
    Source: Owen 2007, section 3; Satterthwaite 1946.
    """

    items: float
    raters: float
    degrees: float
    reason: str = ""
    few: str = ""
    effective_raters: tuple[float, float] = (nan, nan)

    @property
    def error(self) -> float:
        """Standard error of the mean difference, one number for (n,) items."""
        return sqrt(self.items + self.raters)


def sampling_stride(shared: int) -> int:
    """Return the stride of the systematic sample of shared items.

    >>> sampling_stride(50), sampling_stride(39_999), sampling_stride(200_000)
    (1, 1, 10)
    """
    return max(shared // MOST_SAMPLED_ITEMS, 1)


def summarize_pairs(
    candidate: Ratings, reference: Ratings | Mapping[Any, float]
) -> tuple[ItemPairs, RaterInfluence]:
    """Sum raw ratings (N,) and (M,) by item and by rater."""
    other = reference if isinstance(reference, Ratings) else _as_ratings(reference)
    if (
        len(candidate)
        and len(other)
        and (candidate.item.dtype.kind in "US") != (other.item.dtype.kind in "US")
    ):
        raise InputError(
            "item ids of `candidate` and `reference` must be of one kind, text or numbers; "
            f"got {candidate.item.dtype} and {other.item.dtype}"
        )
    parts = [side.item for side in (candidate, other) if len(side)] or [np.empty(0)]
    items, code = coded(np.concatenate(parts))
    candidate_code, reference_code = code[: len(candidate)], code[len(candidate) :]
    n, n_other = (
        sum_by_code(candidate_code, None, len(items)),
        sum_by_code(reference_code, None, len(items)),
    )
    total, total_other = (
        sum_by_code(candidate_code, candidate.score, len(items)),
        sum_by_code(reference_code, other.score, len(items)),
    )
    squares, squares_other = (
        sum_by_code(candidate_code, candidate.score**2, len(items)),
        sum_by_code(reference_code, other.score**2, len(items)),
    )
    pairs = ItemPairs(items, n, total, squares, n_other, total_other, squares_other)
    shared = np.flatnonzero((n > 0) & (n_other > 0))
    is_sampled = np.zeros(len(items), dtype=np.bool_)
    is_sampled[shared[:: sampling_stride(len(shared))]] = True
    tables = [_sum_by_rater(candidate, candidate_code, is_sampled, n, total, n_other, total_other, 1.0)]
    if isinstance(reference, Ratings):
        tables.append(_sum_by_rater(other, reference_code, is_sampled, n_other, total_other, n, total, 0.0))
    kinds = {table["rater"].dtype.kind for table in tables if len(table["rater"])}
    if len(kinds) == 2 and kinds & set("US"):
        for table in tables:
            table["rater"] = table["rater"].astype(str)
    columns = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    return pairs, RaterInfluence(**columns, taken=items[is_sampled])


def estimate_two_way_variance(
    pairs: ItemPairs, influence: RaterInfluence, clusters: Sequence[NDArray[np.int64]] = ()
) -> TwoWayVariance:
    """Estimate the variance of the mean over shared items of candidate MOS minus reference MOS.

    `influence` has no rows for a group whose raters are not persons. Not for a single rater, whose severity is then
    part of the difference; `reason` says so.
    With I items, d_i their differences, w = 1 / (n_i I) and u a rating's deviation from the other raters of
    its item in its group (from the other group's mean where it is alone):
    `items` = var(d) / I, or that over what the shared items hang on (`clusters`), and, for a group of R raters,
    `raters` = (R - 1) / R · I / (I - 1) · sum over raters of [(sum w u)² - sum (w u)²], never below 0.
    The factor (R - 1) / R undoes that deviations from others vary more than severities do; it is exact
    where all rate all and where raters meet items at random, and errs to the wide side for fixed teams.
    Departure: raters who rate in both groups lower the variance by 2 · sum of their two pulls' product.
    Source: Owen 2007, "The pigeonhole bootstrap", section 3; Cameron, Gelbach & Miller 2011, "Robust
    inference with multiway clustering", section 2.2; degrees of freedom: Satterthwaite 1946.
    """
    pairs = pairs.shared()
    items = len(pairs.item)
    if items < 2:
        raise InputError(f"a variance needs at least 2 shared items, got {items}")
    between_items, degrees_of_items = clustered_variance(pairs.mos_candidate - pairs.mos_reference, clusters)
    sampled = pairs.taken(influence)
    sampled_items = len(sampled.item)
    difference = sampled.mos_candidate - sampled.mos_reference
    parts, degrees, repeated_degrees, influences, reasons, effective_raters = [], [], [], [], [], []
    fewest_raters, caution = FEW_RATERS, ""
    for candidate, name in ((True, "candidate"), (False, "reference")):
        group = influence.of(candidate)
        sign = 1.0 if candidate else -1.0
        n, total, squares = sampled.side(candidate)
        raters = len(group.rater)
        influences.append(_RaterSums(group.rater, np.zeros(raters)))
        share = group.reach**2
        effective_raters.append(float(group.reach.sum() ** 2 / share.sum()) if raters else nan)
        if raters == 0:
            continue
        if raters == 1:
            reasons.append(
                f"the {name} has a single rater, whose severity cannot be separated from the difference"
            )
            continue
        if raters < fewest_raters:
            fewest_raters = raters
            caution = (
                f"the {name} has only {raters} raters: Student's t has {raters - 1} degrees of freedom, and an "
                "interval this wide is all that so few can tell"
            )
        is_single = n == 1
        shift = sign * float(difference.mean())
        rater_effect = (group.pull + group.single_pull - shift * group.singles) / sampled_items
        within = np.maximum(squares - total**2 / n, 0.0)[~is_single] / (n[~is_single] - 1) ** 2
        rating_variance = (
            float(within.sum() + ((sign * difference[is_single] - shift) ** 2).sum()) / sampled_items**2
        )
        factor = (raters - 1) / raters * sampled_items / (sampled_items - 1)
        parts.append(factor * float((rater_effect**2).sum() - rating_variance))
        influences[-1] = _RaterSums(group.rater, rater_effect)
        degrees.append(max(float(share.sum() ** 2 / (share**2).sum()) - 1, 1.0))
        repeated_degrees += degrees[-1:] if group.n.max() > 1 else []
    rater_variance = sum(max(part, 0.0) for part in parts)
    overlap = _product_of_shared_raters(*influences)
    if overlap:
        rater_variance = max(sum(parts) - 2 * overlap, 0.0)
    denominator = between_items**2 / degrees_of_items
    denominator += sum(max(part, 0.0) ** 2 / df for part, df in zip(parts, degrees, strict=True))
    total_variance = between_items + rater_variance
    total_degrees = total_variance**2 / denominator if denominator > 0 else degrees_of_items
    if repeated_degrees:
        total_degrees = 1 / (1 / total_degrees + 1 / (DEGREES_OF_RATERS * min(repeated_degrees)))
    if caution:
        total_degrees = min(total_degrees, fewest_raters - 1)
    return TwoWayVariance(
        between_items,
        rater_variance,
        total_degrees,
        "; ".join(reasons),
        caution,
        (effective_raters[0], effective_raters[1]),
    )


def correlation_variance(pairs: ItemPairs, influence: RaterInfluence) -> float:
    """Estimate the variance due to raters of Fisher's z of Pearson's r between both groups' MOS.

    It is 0 where r is undefined or perfect. A rater's influence on z is the sum of the rater's deviations, each times
    the derivative of z by the item's mean: for the candidate's mean a of an item, with standardized a' and b',
    (b' - r a') / (SD_a (1 - r²)), and likewise for the reference's.
    Source: the delta method on Fisher 1921's z; Owen 2007, section 3.
    """
    pairs = pairs.shared()
    mos = pairs.mos_candidate, pairs.mos_reference
    if len(pairs.item) < 3:
        return 0.0
    r = float(pearson_rows(mos[0][None], mos[1][None])[0])
    if isnan(r) or 1 - r * r < 1e-9:
        return 0.0
    mean, sd = [float(mos_of.mean()) for mos_of in mos], [float(mos_of.std()) for mos_of in mos]
    slopes = []
    for side in (0, 1):
        unit = sd[side] * (1 - r * r)
        by_own, by_other = -r / sd[side] / unit, 1 / sd[1 - side] / unit
        by_candidate, by_reference = (by_own, by_other) if side == 0 else (by_other, by_own)
        slopes.append((by_candidate, by_reference, -by_candidate * mean[0] - by_reference * mean[1]))
    return _variance_over_raters(pairs, influence, slopes)


def concordance_variance(pairs: ItemPairs, influence: RaterInfluence) -> float:
    """Return what raters add to the variance of Fisher's z of Lin's concordance c between both groups' MOS.

    As for Pearson's r, where z gains 2 (b - mean b - c (a - mean a + shift)) / (D (1 - c²)) from a higher mean a of an
    item, D being the sum of both variances and of the squared shift between the groups.
    Source: the delta method on Lin 1989's z; Owen 2007, section 3.
    """
    pairs = pairs.shared()
    x, y = pairs.mos_candidate, pairs.mos_reference
    if len(x) < 3:
        return 0.0
    mean, shift = (float(x.mean()), float(y.mean())), float(x.mean() - y.mean())
    denominator = float(x.var() + y.var()) + shift**2
    c = 2 * float(((x - mean[0]) * (y - mean[1])).mean()) / denominator if denominator else nan
    if isnan(c) or 1 - c * c < 1e-9:
        return 0.0
    unit = denominator * (1 - c * c) / 2
    candidate_slopes = -c / unit, 1 / unit, (c * mean[0] - mean[1] - c * shift) / unit
    reference_slopes = 1 / unit, -c / unit, (c * mean[1] - mean[0] + c * shift) / unit
    return _variance_over_raters(pairs, influence, [candidate_slopes, reference_slopes])


def _variance_over_raters(
    pairs: ItemPairs, influence: RaterInfluence, slopes: Sequence[tuple[float, float, float]]
) -> float:
    """Estimate the variance over raters of a figure from its derivatives by the items' means.

    The derivative by the mean of an item with MOS a and b is (by_candidate a + by_reference b + constant) / items;
    `slopes` holds these for the candidate's and the reference's means.
    """
    sampled = pairs.taken(influence)
    items = len(sampled.item)
    parts = []
    for candidate, (by_candidate, by_reference, constant) in zip((True, False), slopes, strict=True):
        group = influence.of(candidate)
        raters = len(group.rater)
        if raters < 2:
            continue
        rater_effect = constant * group.pull
        rater_effect += by_candidate * group.pull_candidate + by_reference * group.pull_reference
        slope = constant + by_candidate * sampled.mos_candidate + by_reference * sampled.mos_reference
        n, total, squares = sampled.side(candidate)
        is_paired = n > 1
        within = np.maximum(squares - total**2 / n, 0.0)[is_paired] / (n[is_paired] - 1) ** 2
        own_products = float((slope[is_paired] ** 2 * within).sum())
        parts.append((raters - 1) / raters * (float((rater_effect**2).sum()) - own_products) / items**2)
    return sum(max(part, 0.0) for part in parts)


@dataclass(frozen=True, eq=False)
class _RaterSums:
    rater: NDArray[Any]
    pull: Floats


def _product_of_shared_raters(candidate: _RaterSums, reference: _RaterSums) -> float:
    _, at_candidate, at_reference = np.intersect1d(candidate.rater, reference.rater, return_indices=True)
    return float((candidate.pull[at_candidate] * reference.pull[at_reference]).sum())


def _sum_by_rater(
    ratings: Ratings,
    item: NDArray[Any],
    is_sampled: NDArray[np.bool_],
    n: Floats,
    total: Floats,
    n_other: Floats,
    total_other: Floats,
    candidate: float,
) -> dict[str, NDArray[Any]]:
    is_counted = is_sampled[item]
    item, score = item[is_counted], ratings.score[is_counted]
    raters, rater = coded(ratings.rater[is_counted])
    mean, other_mean = total / np.maximum(n, 1), total_other / np.maximum(n_other, 1)
    is_single = n[item] == 1
    deviation = np.where(is_single, 0.0, (score - mean[item]) / np.maximum(n[item] - 1, 1))
    against_other = np.where(is_single, score - other_mean[item], 0.0)
    return {
        "candidate": np.full(len(raters), candidate),
        "rater": raters,
        "n": sum_by_code(rater, None, len(raters)),
        "pull": sum_by_code(rater, deviation, len(raters)),
        "reach": sum_by_code(rater, 1 / n[item], len(raters)),
        "singles": sum_by_code(rater, is_single.astype(np.float64), len(raters)),
        "single_pull": sum_by_code(rater, against_other, len(raters)),
        "pull_candidate": sum_by_code(
            rater, deviation * (mean if candidate else other_mean)[item], len(raters)
        ),
        "pull_reference": sum_by_code(
            rater, deviation * (other_mean if candidate else mean)[item], len(raters)
        ),
    }


def _as_ratings(values: Mapping[Any, float]) -> Ratings:
    defined = {item: value for item, value in values.items() if not np.isnan(value)}
    items: NDArray[Any] = np.array(list(defined)) if defined else np.empty(0)
    return Ratings(items, np.zeros(len(defined)), np.array(list(defined.values()), dtype=np.float64))


def _fill_missing(column: NDArray[Any]) -> Floats:
    """Replace NaN, the sum of no rows, by 0."""
    numbers = np.asarray(column, dtype=np.float64)
    nothing = np.isnan(numbers)
    return np.where(nothing, 0.0, numbers) if nothing.any() else numbers


def _check_lengths(table: "ItemPairs | RaterInfluence") -> None:
    lengths = {each.name: len(getattr(table, each.name)) for each in fields(table) if each.name != "taken"}
    if len(set(lengths.values())) > 1:
        described = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
        raise InputError(f"all columns must be equally long; {described}")
