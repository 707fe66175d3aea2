"""The alternative annotator test: agreement of a candidate, and of each reference rater, with the other raters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.replacement.reference_means import (
    Answers,
    contrast_variance,
    most_common,
    pair_with_candidate,
    two_way_covariances,
)
from analysis.resampling.intervals import ANGLE, UNIT_INTERVAL, interval_from_error
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings, ratio, sum_by_code

FEWEST_SHARED_ITEMS = 10
"""Fewest items for a regression line."""


def group_values(item: ArrayLike, value: ArrayLike, score: str = "negative rmse") -> dict[Any, Any]:
    """Aggregate a group's answers to one value per item, as a candidate of `alternative_annotator_test`.

    Parameters
    ----------
    item, value : (N,) the group's answers, numbers or labels
    score : "negative rmse": an item's mean; "accuracy": its most common answer, the first in order among ties

    Returns
    -------
    dict
        item -> value, by ascending item

    Raises
    ------
    InputError
        where lengths differ, or values are not numbers for a mean.

    Notes
    -----
    The number of answers is ignored: a mean of two counts as much as one of twenty.
    Source: Calderon, Reichart and Dror 2025, section 3; methods, section 7 ("a group is aggregated first").

    >>> group_values(["a", "a", "b"], [1, 2, 5]), group_values(["a", "a", "a"], ["x", "y", "y"], "accuracy")
    ({'a': 1.5, 'b': 5.0}, {'a': 'y'})
    """
    items, values = np.asarray(item), np.asarray(value)
    if items.shape != values.shape or items.ndim != 1:
        raise InputError(
            f"`item` and `value` must be 1-d and equally long, got shapes {items.shape} and {values.shape}"
        )
    ids, code = np.unique(items, return_inverse=True)
    if score == "accuracy":
        labels, label_code = np.unique(values, return_inverse=True)
        found = labels[most_common(label_code.astype(np.float64), code, len(ids)).astype(np.int64)]
        return dict(zip(ids.tolist(), found.tolist(), strict=True))
    if not np.issubdtype(values.dtype, np.number):
        raise InputError('`value` must hold numbers for a mean; labels have a commonest one ("accuracy")')
    means = sum_by_code(code, values, len(ids)) / np.bincount(code, minlength=len(ids))
    return dict(zip(ids.tolist(), means.tolist(), strict=True))


def on_the_scale_of(reference: Ratings, candidate: Mapping[Any, float]) -> dict[Any, float]:
    """Map a candidate's values to the scale of the reference by linear regression.

    Parameters
    ----------
    reference : N ratings (N,)
    candidate : item -> its value on any scale

    Returns
    -------
    dict
        item -> value; empty where fewer than 10 items have both, or all values of the candidate are equal

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    Least squares of the reference's means on the candidate's values; items rated by the reference are predicted without
    that item.
    For metrics on another scale, such as 0 to 1 instead of 1 to 5. The level of the candidate is not assessed, as it is
    fitted. A useless metric is mapped to the mean of all items, which is close to most raters: also compute its
    effective number of raters.
    Source: Cook and Weisberg 1982, section 2.2 (residuals without the item itself).
    """
    values = {item: float(value) for item, value in candidate.items() if value is not None and value == value}
    if np.isinf(list(values.values())).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    mos = reference.mos()
    means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
    shared_items = [item for item in values if item in means]
    x, y = np.array([values[item] for item in shared_items]), np.array([means[item] for item in shared_items])
    if len(shared_items) < FEWEST_SHARED_ITEMS or np.ptp(x) == 0:
        return {}
    deviation = x - x.mean()
    squares = float(deviation @ deviation)
    slope = float(deviation @ y) / squares
    line = {item: float(y.mean() + slope * (value - x.mean())) for item, value in values.items()}
    leverage = 1 / len(x) + deviation**2 / squares
    residual = y - (y.mean() + slope * deviation)
    leave_one_out_fit = np.where(
        leverage < 1, y - residual / np.where(leverage < 1, 1 - leverage, 1.0), np.nan
    )
    return line | {
        item: float(value)
        for item, value in zip(shared_items, leave_one_out_fit, strict=True)
        if value == value
    }


Score = Literal["accuracy", "negative rmse"]
SCORES: tuple[Score, ...] = ("accuracy", "negative rmse")
PASSING_RATE = 0.5
"""Smallest winning rate at which a candidate can replace a rater."""
TIE_TOLERANCE = 1e-9
"""Smallest difference of alignments that is no tie, as a share of the range of the scores (1 for labels)."""
MOST_PAIRS = 20_000_000
"""Largest number of pairs of answers to the same item for an interval (a few seconds)."""
TOO_MANY = "there are too many answers to an item for an interval over items and raters"
PAIRS_PER_BLOCK = 500_000
"""Pairs in a block."""


@dataclass(frozen=True, eq=False)
class AlternativeAnnotator:
    """Test whether a candidate can replace a reference rater.

    `winning_rate` is the share of the tested raters whom it replaces, `passes` is True for half or more; `advantage`
    is the probability that it agrees with the others at least as well as a rater does, over `n` items, with its
    interval. For the m tested `raters` (m,): `items` (m,), `advantages` (m,), `p` (m,), `replaced` (m,) by
    Benjamini-Yekutieli. `skipped`: numbers of items of raters that were not tested; `without_candidate` and `alone`
    count items without the candidate, or with a single rater. `reason` says why nothing could be tested.
    """

    winning_rate: float
    passes: bool
    advantage: Estimate
    raters: NDArray[Any]
    items: Codes
    advantages: Floats
    p: Floats
    replaced: NDArray[np.bool_]
    skipped: Mapping[Any, int]
    without_candidate: int
    alone: int
    reason: str = ""


def alternative_annotator_test(
    rater: ArrayLike,
    item: ArrayLike,
    value: ArrayLike,
    candidate: Mapping[Any, Any],
    score: Score = "accuracy",
    epsilon: float = 0.2,
    q: float = 0.05,
    fewest: int = 30,
    level: float | None = 0.95,
    on_progress: OnProgress = None,
    scope: Scope = "raters like these",
) -> AlternativeAnnotator:
    """Test whether a candidate (a group's mean, a worker, a model) can replace members of the reference group.

    Parameters
    ----------
    rater, item, value : (N,) the reference's ratings, numbers or labels
    candidate : item -> its value; items without one (None, NaN) are excluded
    score : "accuracy", the share of equal answers, or "negative rmse", for numbers
    epsilon : tolerated disadvantage of the candidate, as it costs less: .1 for crowd workers as reference, .15 for
        skilled raters, .2 for experts
    q : false discovery rate of replacements (Benjamini and Yekutieli)
    fewest : fewest items of a tested rater shared with another rater and the candidate; skipped raters still count
        among the others
    level : of the interval of the advantage; None for no interval, which is faster
    on_progress : called between blocks of the interval's work with the share done; its exceptions stop the work
    scope : of that interval: over items for these raters, else over items and raters; tests are for these raters

    Returns
    -------
    AlternativeAnnotator
        NaN with its reason where no rater has enough items

    Raises
    ------
    InputError
        where lengths differ, values are not numbers for a score that needs them, or an argument is out of range.

    Notes
    -----
    For a rater j and each of j's items, the candidate and j are compared with the *other* raters of the item. W_f is 1
    where the candidate agrees with them at least as well as j, W_h where j does at least as well (both in a tie). The
    candidate replaces j where a one-sided t test rejects that the mean of W_h - W_f is epsilon or more. Constant
    differences reject it if they lie below epsilon.
    The test tells whether the candidate may be used instead of a further rater, not whether it is right: it may share
    the raters' errors. The interval of the advantage, which the paper does not have, is a jackknife over items and, for
    raters like these, raters (minus single ratings), for a fixed set of tested raters.
    Source: Calderon, Reichart and Dror 2025, "The alternative annotator test", arXiv 2501.10970, section 3.
    """
    if score not in SCORES:
        raise InputError(f"`score` must be one of {', '.join(SCORES)}, got {score!r}")
    if not -1 <= epsilon <= 1:
        raise InputError(f"`epsilon` must be between -1 and 1, got {epsilon}")
    for name, share in (("q", q), ("level", level)):
        if share is not None and not 0 < share < 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {share}")
    if fewest < 2:
        raise InputError(f"`fewest` must be 2 or more, got {fewest}")
    answers = pair_with_candidate(rater, item, value, candidate, score == "negative rmse")
    comparison = _Comparison(answers, score)
    rater_count = len(answers.raters)
    sums = ComparisonSums(
        answers.raters,
        np.bincount(answers.rater, minlength=rater_count),
        sum_by_code(answers.rater, comparison.wins, rater_count).astype(np.int64),
        sum_by_code(answers.rater, comparison.loses, rater_count).astype(np.int64),
        answers.items,
        answers.without_candidate,
        answers.single_rater,
        int((comparison.others + 1).sum()),
    )
    result = alternative_annotator_from_sums(sums, epsilon, q, fewest, None)
    if level is None or result.reason:
        return result
    tested = sums.number >= fewest
    return replace(
        result, advantage=_advantage(answers, comparison, tested, level, sums.pairs, on_progress, scope)
    )


@dataclass(frozen=True, eq=False)
class ComparisonSums:
    """Counts of how often the candidate and each of `raters` (w,) agreed with the others at least as well as the
    other.

    `number` (w,) the rater's items, `wins` (w,) and `loses` (w,) the counts of the candidate and of the rater; over
    `items`, without those that lack the candidate or have a single rater; `pairs` is the sum over items of the
    squared number of their raters.
    """

    raters: NDArray[Any]
    number: Codes
    wins: Codes
    loses: Codes
    items: int
    without_candidate: int
    alone: int
    pairs: int


def alternative_annotator_from_sums(
    sums: ComparisonSums, epsilon: float = 0.2, q: float = 0.05, fewest: int = 30, level: float | None = 0.95
) -> AlternativeAnnotator:
    """Return `alternative_annotator_test` from sums per rater, without an interval of the advantage.

    With a `level`, the advantage has the reason of too many answers to an item.
    """
    number, wins, loses = (each.astype(np.int64) for each in (sums.number, sums.wins, sums.loses))
    tested = number >= fewest
    advantages = ratio(wins, number)[tested]
    differ = 2 * number - wins - loses
    p = _one_sided_p(
        (loses - wins).astype(np.float64),
        differ.astype(np.float64),
        number,
        epsilon,
    )
    replaced = benjamini_yekutieli(p[tested], q)
    reason = (
        "" if tested.any() else f"no rater has {fewest} items that another rater and the candidate have, too"
    )
    rate, share = (float(replaced.mean()), float(advantages.mean())) if tested.any() else (nan, nan)
    return AlternativeAnnotator(
        rate,
        bool(rate >= PASSING_RATE),
        Estimate(share, n=sums.items, reason=reason or ("" if level is None else TOO_MANY)),
        sums.raters[tested],
        number[tested],
        advantages,
        p[tested],
        replaced,
        dict(zip(sums.raters[~tested].tolist(), number[~tested].tolist(), strict=True)),
        sums.without_candidate,
        sums.alone,
        reason,
    )


def _one_sided_p(total: Floats, squares: Floats, number: Codes, epsilon: float) -> Floats:
    """Return one-sided p (w,) of the hypothesis that the mean difference is epsilon or more; NaN for fewer than two."""
    n = number.astype(np.float64)
    mean = ratio(total, n)
    variance = ratio(squares - n * mean**2, n - 1)
    t = (mean - epsilon) / np.sqrt(np.where(variance > 1e-12, variance, 1.0) / np.maximum(n, 1))
    p = special.stdtr(np.maximum(n - 1, 1), np.where(np.isnan(t), 0.0, t))
    alike = np.where(mean < epsilon - 1e-12, 0.0, 1.0)
    return np.where(n > 1, np.where(variance > 1e-12, p, alike), nan)


def benjamini_yekutieli(p: ArrayLike, q: float) -> NDArray[np.bool_]:
    """Return a mask of rejected hypotheses (m,) with false discovery rate q, under any dependence.

    Source: Benjamini and Yekutieli 2001, "The control of the false discovery rate under dependency".

    >>> benjamini_yekutieli([0.001, 0.02, 0.9], 0.05).tolist()
    [True, False, False]
    """
    values = np.asarray(p, dtype=np.float64)
    m = len(values)
    if not m:
        return np.zeros(0, dtype=bool)
    order = np.argsort(values, kind="stable")
    rank = np.arange(1, m + 1)
    is_below = values[order] <= q * rank / (m * (1 / rank).sum())
    is_rejected = np.zeros(m, dtype=bool)
    is_rejected[order[: int(rank[is_below].max(initial=0))]] = True
    return is_rejected


class _Comparison:
    """Distances of each answer (N,), and of the candidate's, to the other raters of its item."""

    def __init__(self, answers: Answers, score: Score) -> None:
        self.answers, self.score = answers, score
        numeric = score == "negative rmse" and len(answers.value) > 0
        centre = answers.value.mean() if numeric else 0.0  # centering limits cancellation in squares
        self.own, candidate = answers.value - centre, answers.candidate - centre
        self.others = answers.size[answers.item] - 1
        self.scale = float(np.ptp(np.append(self.own, candidate))) ** 2 or 1.0 if numeric else 1.0
        self.candidate_distance = self._distance(candidate, self.own)
        self.candidate_to_others = (
            self._sum_by_item(self.candidate_distance)[answers.item] - self.candidate_distance
        )
        self.rater_to_others = self._distance_to_others(self.own)
        self.wins, self.loses = self.compare_distances(
            self.candidate_to_others, self.rater_to_others, self.others
        )

    def compare_distances(
        self, candidate: Floats, rater: Floats, other_count: Codes
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return masks of where the candidate is at least as close to the others as a rater, and the rater as the
        candidate."""
        candidate_mean, rater_mean = (
            self._mean_distance(distance, other_count) for distance in (candidate, rater)
        )
        tied = TIE_TOLERANCE * np.sqrt(self.scale)
        return candidate_mean <= rater_mean + tied, rater_mean <= candidate_mean + tied

    def pair_distance(self, first: Codes, second: Codes) -> Floats:
        """Return the distance of two answers: 0 or 1, or their squared difference."""
        return self._distance(self.own[first], self.own[second])

    def _distance(self, first: Floats, second: Floats) -> Floats:
        return (first != second).astype(np.float64) if self.score == "accuracy" else (first - second) ** 2

    def _mean_distance(self, distance: Floats, other_count: Codes) -> Floats:
        mean = distance / np.maximum(other_count, 1)
        return mean if self.score == "accuracy" else np.sqrt(np.round(mean / self.scale, 12) * self.scale)

    def _sum_by_item(self, of_answers: Floats) -> Floats:
        return sum_by_code(self.answers.item, of_answers, self.answers.items)

    def _distance_to_others(self, x: Floats) -> Floats:
        item, size = self.answers.item, self.others + 1
        if self.score == "accuracy":
            label = x.astype(np.int64)
            key = item * (int(label.max(initial=0)) + 1) + label
            _, same, label_counts = np.unique(key, return_inverse=True, return_counts=True)
            return np.asarray(size - label_counts[same], dtype=np.float64)
        return np.maximum(
            size * x**2 - 2 * x * self._sum_by_item(x)[item] + self._sum_by_item(x**2)[item], 0.0
        )

    def pairs(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield every answer with every other answer to the same item, in blocks."""
        size = self.others + 1
        first = np.append(0, np.cumsum(self.answers.size))[self.answers.item]
        bounds = np.cumsum(size)
        start = 0
        while start < len(size):
            stop = max(
                int(np.searchsorted(bounds, (bounds[start - 1] if start else 0) + PAIRS_PER_BLOCK, "right")),
                start + 1,
            )
            row = np.repeat(np.arange(start, stop), size[start:stop])
            offset = np.arange(len(row)) - np.repeat(
                bounds[start:stop] - size[start:stop] - (bounds[start - 1] if start else 0), size[start:stop]
            )
            partner = first[row] + offset
            yield row[row != partner], partner[row != partner]
            start = stop


def _advantage(
    answers: Answers,
    comparison: _Comparison,
    tested: NDArray[np.bool_],
    level: float,
    pairs: int,
    on_progress: OnProgress,
    scope: Scope,
) -> Estimate:
    """Return the mean over tested raters of the share of their items on which the candidate does at least as well."""
    jackknife = _LeaveOneOutAdvantage(answers, comparison, tested)
    if pairs > MOST_PAIRS:
        return Estimate(jackknife.value, n=answers.items, reason=TOO_MANY)
    without = jackknife.leave_one_out_values(on_progress)
    if scope == "raters like these" and np.isnan(without[1]).any():
        reason = (
            "without one of the raters nothing is left to compare, so that there is no interval over raters"
        )
        return Estimate(jackknife.value, n=answers.items, reason=reason)
    items, raters, ratings = (ANGLE.forward(figures)[:, None] for figures in without)
    parts = two_way_covariances(items, raters, ratings, scope=scope)
    variance = contrast_variance(np.ones(1), parts, len(without[0]), len(without[1]))
    if not variance.variance > 0:
        reason = "leaving out any item or rater changes nothing, so that there is no interval"
        return Estimate(jackknife.value, n=answers.items, reason=reason)
    low, high = interval_from_error(
        jackknife.value, np.sqrt(variance.variance), level, variance.degrees, UNIT_INTERVAL, ANGLE
    )
    return Estimate(jackknife.value, float(low), float(high), answers.items)


class _LeaveOneOutAdvantage:
    """Advantage without each item, each rater and each rating: the mean over tested raters of won / number."""

    def __init__(self, answers: Answers, comparison: _Comparison, tested: NDArray[np.bool_]) -> None:
        self.answers, self.comparison, self.tested = answers, comparison, tested
        w = len(answers.raters)
        self.wins = comparison.wins.astype(np.float64)
        self.won = sum_by_code(answers.rater, self.wins, w)
        self.number = np.bincount(answers.rater, minlength=w).astype(np.float64)
        self.share = np.where(tested, ratio(self.won, self.number), 0.0)
        self.m = int(tested.sum())
        self.value = float(self.share.sum() / self.m)

    def leave_one_out_values(self, on_progress: OnProgress = None) -> tuple[Floats, Floats, Floats]:
        """Return the values without each item (n,), without each rater with answers (w,), and without each answer
        (N,)."""
        rater, item, w = self.answers.rater, self.answers.item, len(self.answers.raters)
        own_change = self._share_change(rater, -self.wins, -1.0)
        ratings = own_change.copy()
        pair = np.zeros(0, dtype=np.int64)
        sums = np.zeros((2, 0))
        for rows, removed in self.comparison.pairs():
            won, number_change = self._changes_without(rows, removed)
            ratings += sum_by_code(removed, self._share_change(rater[rows], won, number_change), len(rater))
            codes, code = np.unique(np.append(pair, rater[removed] * w + rater[rows]), return_inverse=True)
            all_sums = np.hstack([sums, np.vstack([won, number_change])])
            pair, sums = codes, np.vstack([sum_by_code(code, row, len(codes)) for row in all_sums])
            if on_progress is not None:
                on_progress(int(rows[-1]) / len(rater) if len(rows) else 0.0)
        removed_rater, remaining_rater = np.divmod(pair, w)
        change_of_others = sum_by_code(removed_rater, self._share_change(remaining_rater, *sums), w)
        remaining_count = self.m - self.tested
        raters = ratio(self.share.sum() - self.share + change_of_others, remaining_count)[np.unique(rater)]
        items = sum_by_code(item, own_change, self.answers.items)
        return self.value + items / self.m, raters, self.value + ratings / self.m

    def _changes_without(self, row: Codes, removed: Codes) -> tuple[Floats, Floats]:
        """Return the changes of an answer's won and number without another answer to its item."""
        comparison = self.comparison
        other_count = comparison.others[row] - 1
        wins, _ = comparison.compare_distances(
            comparison.candidate_to_others[row] - comparison.candidate_distance[removed],
            comparison.rater_to_others[row] - comparison.pair_distance(row, removed),
            other_count,
        )
        is_alone = other_count == 0
        return np.where(is_alone, 0.0, wins) - self.wins[row], np.where(is_alone, -1.0, 0.0)

    def _share_change(self, rater: Codes, won: Floats, number: Floats | float) -> Floats:
        """Return the change of a tested rater's share; NaN where no items remain."""
        after = ratio(self.won[rater] + won, self.number[rater] + number)
        return np.where(self.tested[rater], after - self.share[rater], 0.0)
