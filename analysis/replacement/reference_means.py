"""Sums over items of the reference's means, of candidates' values and of both, and what they are with parts left out.

Everything that is said of reliability and of candidates' errors is a function of these sums, so that leaving out an
item, a rater or a rating is a subtraction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from analysis.replacement.answers import summed
from analysis.values.codes import coded, sums_of_pairs
from analysis.values.errors import InputError
from analysis.values.quotients import ratio
from analysis.values.ratings import Ratings
from analysis.values.types import Codes, Floats, OnProgress

FEWEST_ITEMS = 5
MOST_SCORES = 4
"""Scores for each rating of an item up to which some of its ratings are looked for that are equal."""


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over items, each (…,): `n` of them, `ratings`, their squares per item and the sum of 1 / ratings; `within`
    squares of ratings around their item's mean and its `degrees`; `means` and `weighted` (by ratings) means, and the
    squares of both; candidates (…, k): `values`, `crossed` with the means, and (…, k, k) with each other.
    """

    n: Floats
    ratings: Floats
    ratings_squared: Floats
    over_ratings: Floats
    within: Floats
    degrees: Floats
    means: Floats
    squares: Floats
    weighted: Floats
    weighted_squares: Floats
    values: Floats
    crossed: Floats
    together: Floats

    @property
    def noise(self) -> Floats:
        """(…,) the variance of one rating around its item."""
        return ratio(self.within, self.degrees)

    @property
    def reliability(self) -> Floats:
        """(…,) of one rating: ICC(C,1) of complete ratings, else ICC(1,1)."""
        of_means = (self.weighted_squares - self.weighted**2 / self.ratings) / (self.n - 1)
        typical = (self.ratings - self.ratings_squared / self.ratings) / (self.n - 1)
        between = (of_means - self.noise) / typical
        return between / (between + self.noise)

    @property
    def reliability_of_means(self) -> Floats:
        """(…,) of the mean of as many ratings as items have, by their harmonic mean."""
        k, one = self.n / self.over_ratings, self.reliability
        return k * one / (1 + (k - 1) * one)

    @property
    def noise_of_means(self) -> Floats:
        """(…,) the mean variance of an item's mean around what all raters would say."""
        return self.noise * self.over_ratings / self.n

    def covariance_with_means(self) -> Floats:
        """(…, k) of each candidate with the means."""
        return (self.crossed - self.values * (self.means / self.n)[..., None]) / (self.n - 1)[..., None]

    def variance_of_means(self) -> Floats:
        """(…,) of the items' means."""
        return (self.squares - self.means**2 / self.n) / (self.n - 1)

    def covariance_of_values(self) -> Floats:
        """(…, k, k) of the candidates."""
        outer = self.values[..., :, None] * self.values[..., None, :] / self.n[..., None, None]
        return (self.together - outer) / (self.n - 1)[..., None, None]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The sums of all (), and without each item (n,), each rater (w,) and each rating, once for all that are equal
    (c,) and `times` (c,) as many."""

    every: Sums
    items: Sums
    raters: Sums
    ratings: Sums
    times: Floats


def left_out(
    reference: Ratings,
    candidates: Sequence[Mapping[Any, float]],
    parts: bool = True,
    on_progress: OnProgress = None,
) -> LeftOut:
    """The sums over items that the reference and all candidates rated; several ratings of a rater count as their mean.

    Where every rater rated every item, raters' own means are taken off first. Without `parts` nothing is left out.
    """
    tell = on_progress or (lambda _: None)
    ids, of_item = coded(reference.item)
    told = np.array(
        [[each.get(one, np.nan) for each in candidates] for one in ids.tolist()], dtype=np.float64
    )
    told = told.reshape(len(ids), len(candidates))
    if np.isinf(told).any():
        raise InputError("a candidate's values must be finite; leave out what is missing")
    shared = np.asarray(np.isfinite(told).all(axis=1))
    of_rater = coded(reference.rater)[1]
    kept = shared[of_item]
    item, rater, total_given, times = sums_of_pairs(of_item[kept], of_rater[kept], reference.score[kept])
    score = total_given / times
    item, rater = coded(item)[1], coded(rater)[1]
    values = told[shared]
    n, w = len(values), int(rater.max(initial=-1)) + 1
    complete = len(item) == n * w
    given, one = _alike(item, np.arange(len(item)) if complete else coded(score)[1])
    score = score - (score.mean() if len(score) else 0.0)
    if complete and w:
        score = score - (np.bincount(rater, score, w) / n)[rater]
    values = values - values.mean(axis=0) if n else values
    tell(0.2)
    number = np.bincount(item, minlength=n).astype(np.float64)
    total, squares = summed(item, score, n), summed(item, score**2, n)
    own = _terms(number, total, squares, values)
    whole = own.sum(axis=0)
    lost, k = (float(w - 1) if complete else 0.0), values.shape[1]
    if not parts:
        every, none = _named(whole, k, lost), _named(np.zeros((0, len(whole))), k, lost)
        return LeftOut(every, none, _named(np.zeros((w, len(whole))), k, lost), none, np.zeros(0))
    tell(0.4)
    its, less = item[one], score[one]
    change = _terms(number[its] - 1, total[its] - less, squares[its] - less**2, values[its])
    tell(0.6)
    change -= own[its]
    tell(0.7)
    by_rater = sparse.csr_array((np.ones(len(given)), (rater, given)), shape=(w, len(one))) @ change
    change += whole
    tell(0.8)
    return LeftOut(
        _named(whole, k, lost),
        _named(whole - own, k, lost),
        _named(whole + by_rater, k, max(lost - 1, 0.0)),
        _named(change, k, lost),
        np.bincount(given, minlength=len(one)).astype(np.float64),
    )


def _alike(item: Codes, score: Codes) -> tuple[Codes, Codes]:
    """Each rating's place (N,) among the different ratings of items, and one of each of these (c,).

    Of so many scores that few ratings are equal each is different.
    """
    each, scores = np.arange(len(item)), int(score.max(initial=-1)) + 1
    if scores * (int(item.max(initial=-1)) + 1) > MOST_SCORES * len(item):
        return each, each
    ids, place = coded(item * scores + score)
    one = np.empty(len(ids), dtype=np.int64)
    one[place] = each
    return place, one


def of_all(number: Floats, total: Floats, squares: Floats, values: Floats) -> tuple[Sums, Sums]:
    """The sums, with nothing left out and without each item (n,), from the number of an item's ratings (n,), their
    total and squares about any one value, and one candidate's values (n,); only where not every rater rated every
    item."""
    at = total.sum() / max(number.sum(), 1.0)
    about, squared = total - number * at, squares - 2 * at * total + number * at**2
    around = (values - values.mean() if len(values) else values)[:, None]
    own = _terms(number.astype(np.float64), about, squared, around)
    whole = own.sum(axis=0)
    return _named(whole, 1, 0.0), _named(whole - own, 1, 0.0)


def _terms(number: Floats, total: Floats, squares: Floats, values: Floats) -> Floats:
    """(rows, terms) what an item adds to each sum; nothing without a rating."""
    there = number > 0
    safe = np.where(there, number, 1.0)
    mean = total / safe
    within = np.maximum(squares - total * mean, 0.0)
    columns = [there, number, number**2, 1 / safe, within, number - 1, mean, mean**2, total, total * mean]
    both = values[:, :, None] * values[:, None, :]
    rows = np.column_stack(
        [*columns, values, values * mean[:, None], both.reshape(len(values), values.shape[1] ** 2)]
    ).astype(np.float64, copy=False)
    rows[~there] = 0.0
    return rows


def _named(sums: Floats, k: int, lost: float) -> Sums:
    """The sums (…, terms) by name; `lost` degrees went to raters' means."""
    single = np.moveaxis(sums[..., :10], -1, 0)
    values, crossed, together = (
        sums[..., 10 : 10 + k],
        sums[..., 10 + k : 10 + 2 * k],
        sums[..., 10 + 2 * k :],
    )
    n, ratings, squared, over, within, degrees, means, squares, weighted, weighted_squares = single
    return Sums(
        n,
        ratings,
        squared,
        over,
        within,
        degrees - lost,
        means,
        squares,
        weighted,
        weighted_squares,
        values,
        crossed,
        together.reshape(*sums.shape[:-1], k, k),
    )
