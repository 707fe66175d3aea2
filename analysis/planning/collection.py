"""Further ratings of a study in progress: which items, by whom, and the precision that they bring."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isinf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.items.rating_spread import FEWEST_OWN, RatingSpread
from analysis.resampling.intervals import quantile_of_t
from analysis.values.estimate import Estimate, InputError
from analysis.values.ratings import Ratings
from analysis.values.types import Codes, Flags, Floats
from analysis.variance.jackknives import average_repeats

Strategy = Literal["as so far", "evenly", "targeted"]
STRATEGIES: tuple[Strategy, ...] = ("as so far", "evenly", "targeted")
RatersAsked = Literal["raters so far and new ones", "raters so far", "new raters"]
RATERS_ASKED: tuple[RatersAsked, ...] = ("raters so far and new ones", "raters so far", "new raters")
FEWEST_PRIOR = 10
"""Items with enough ratings of their own from which the spread of their variances is estimated by its logarithm."""
LEAST_DEGREES = 5.0
"""Degrees of freedom of the variances' distribution at least: below, it has no variance."""


@dataclass(frozen=True, eq=False)
class Collected:
    """Further ratings, the first to collect first: `item`, `rater` (n,) codes; raters from `known` on are new."""

    item: Codes
    rater: Codes
    known: int

    def __len__(self) -> int:
        return len(self.item)

    @property
    def new_raters(self) -> int:
        """Number of new raters."""
        return len(np.unique(self.rater[self.rater >= self.known]))

    def first(self, n: int) -> "Collected":
        """Return the first n of them."""
        return replace(self, item=self.item[:n], rater=self.rater[:n])


@dataclass(frozen=True, eq=False)
class ItemMeans:
    """Means of items with what is known of the variance of a rating of each.

    `counts` (I,) raters of each item, `squares` (I,) sums of squared deviations from its mean, `spread` the variances
    pooled over items; `prior` and `prior_degrees` those that an item's own variance is shrunk to.
    """

    counts: Floats
    squares: Floats
    spread: RatingSpread
    prior: float
    prior_degrees: float
    level: float = 0.95

    @property
    def variances(self) -> Floats:
        """Expected variance of a rating of each item (I,), its own shrunk to that of all (Smyth 2004, section 3)."""
        if isinf(self.prior_degrees):
            return np.full(len(self.counts), self.prior)
        whole = self.prior_degrees + np.maximum(self.counts - 1, 0)
        return np.asarray((self.prior_degrees * self.prior + self.squares) / np.maximum(whole - 2, 1.0))

    @property
    def goal(self) -> "ItemGoal":
        """Goal that the largest half-width of a mean falls, in squared half-widths of one rating."""
        variance, degrees = self.spread.of_means
        own = self.prior_degrees + np.maximum(self.counts, FEWEST_OWN) - 1
        wide = quantile_of_t(own, self.level)
        return ItemGoal(
            self.variances * wide**2, True, variance * float(quantile_of_t(degrees, self.level)) ** 2
        )

    def halves(self, counts: Floats, squares: Floats, pooled: Floats | float = 1.0) -> Floats:
        """Return the half-widths (…, I) of means of so many ratings with these sums of squares.

        As on the page Items: the item's own variance from 5 ratings on, else the pooled one, here times a factor.
        """
        variance, degrees = self.spread.of_means
        own = counts >= FEWEST_OWN
        free = np.maximum(counts - 1, 1.0)
        if isinf(self.prior_degrees):
            moderated, of_own = self.prior * pooled, np.full(np.shape(counts), inf)
        else:
            of_own = self.prior_degrees + free
            moderated = (self.prior_degrees * self.prior + squares) / of_own
        wide = quantile_of_t(np.where(own, of_own, degrees), self.level)
        return np.asarray(wide * np.sqrt(np.where(own, moderated, variance * pooled) / counts))

    @property
    def now(self) -> Floats:
        """Half-widths (I,) of the means of the ratings so far."""
        return self.halves(self.counts, self.squares)

    def drawn(self, more: Floats, draws: int, seed: int = 0) -> Floats:
        """Return the half-widths (draws, I) that may be found after `more` (I,) further ratings.

        Each draw takes variances that the ratings so far leave possible, draws the new ratings' squares with them, and
        estimates the half-widths again.
        """
        rng = np.random.default_rng(seed)
        items, (variance, degrees) = len(self.counts), self.spread.of_means
        if isinf(self.prior_degrees):
            factor = degrees / rng.chisquare(max(degrees, 1.0), (draws, 1))
            true = np.broadcast_to(self.prior * factor, (draws, items))
        else:
            whole = self.prior_degrees + np.maximum(self.counts - 1, 0)
            true = (self.prior_degrees * self.prior + self.squares) / rng.chisquare(whole, (draws, items))
        added = np.where(more > 0, true * rng.chisquare(np.maximum(more, 1e-9), (draws, items)), 0.0)
        total = float(more.sum())
        pooled = (degrees + added.sum(axis=1, keepdims=True) / variance) / (degrees + total)
        return self.halves(self.counts + more, self.squares + added, pooled)


def item_means(ratings: Ratings, spread: RatingSpread, level: float = 0.95) -> ItemMeans:
    """Return what is known of the means of items, and of the variance of a rating of each.

    Parameters
    ----------
    ratings : N ratings; a rater's repeats on an item count once
    spread : of these ratings, as `rating_spread` gives it

    Returns
    -------
    ItemMeans
        (I,) items in ascending order of their ids.

    Notes
    -----
    Items' variances are inverse chi-squared. With 10 items of 5 ratings or more, their degrees come from the logarithms
    of the variances; otherwise from their mean and their mean square, which have a value where all raters agree.
    Source: Smyth 2004, section 6.2; moments of the inverse chi-squared distribution.
    """
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    counts = cells.ratings_per_item.astype(np.float64)
    means = np.bincount(cells.item, cells.score) / counts
    squares = np.bincount(cells.item, (cells.score - means[cells.item]) ** 2).astype(np.float64, copy=False)
    prior, degrees = spread.prior, spread.prior_degrees
    if (counts >= FEWEST_OWN).sum() < FEWEST_PRIOR:
        prior, degrees = _prior_of_moments(counts, squares, spread.of_means[0])
    return ItemMeans(counts, squares, spread, prior, degrees, level)


def _prior_of_moments(counts: Floats, squares: Floats, pooled: float) -> tuple[float, float]:
    free = counts - 1
    there = free > 0
    variance = squares[there] / free[there]
    mean_square = float((variance**2 * free[there] / (free[there] + 2)).mean()) if there.any() else 0.0
    mean = float(variance.mean()) if there.any() else 0.0
    beyond = mean_square / mean**2 - 1 if mean > 0 else 0.0
    if not beyond > 1e-6:
        return pooled, inf
    degrees = 4 + 2 / beyond
    return pooled * (degrees - 2) / degrees, degrees


@dataclass(frozen=True, eq=False)
class ItemGoal:
    """Goal on the means of items: the `largest` of their variances, or their mean.

    `variance` (I,) is that of one rating of each; `pooled` counts instead while an item has fewer than 5 ratings.
    """

    variance: Floats
    largest: bool = True
    pooled: float | None = None

    def each(self, counts: Floats) -> Floats:
        """Return the variance of each item's mean (I,)."""
        own = (
            self.variance
            if self.pooled is None
            else np.where(counts < FEWEST_OWN, self.pooled, self.variance)
        )
        return np.asarray(own / counts)

    def gains(self, counts: Floats) -> Floats:
        """Return what decides which item is rated next (I,): of equal means the item whose ratings vary more."""
        if not self.largest:
            return np.asarray(self.variance / (counts * (counts + 1)))
        return np.asarray(self.each(counts) + 1e-9 * self.variance)

    def value(self, counts: Floats) -> float:
        """Return the goal's variance with so many ratings (I,)."""
        each = self.each(counts)
        return float(each.max() if self.largest else each.mean())


@dataclass(frozen=True, eq=False)
class SystemGoal:
    """Goal on differences of systems' means, the mean of their variances over the pairs that count.

    `system` (I,) codes, `residual` (I,) variances of a rating; `pairs` (S, S) symmetric, 1 where a pair counts;
    `item` variance of items within a system, `rater` of raters, `system_rater` of raters by systems, the last two 0 for
    these raters.
    """

    system: Codes
    residual: Floats
    pairs: Floats
    item: float = 0.0
    rater: float = 0.0
    system_rater: float = 0.0

    @property
    def contrast(self) -> Floats:
        """Mean over the pairs of the products of their contrasts (S, S)."""
        laplacian = np.diag(self.pairs.sum(axis=1)) - self.pairs
        return np.asarray(laplacian / (self.pairs.sum() / 2))

    @property
    def weight(self) -> Floats:
        """Weight of each item in its system's mean (I,)."""
        return np.asarray(1 / np.bincount(self.system, minlength=len(self.pairs))[self.system])

    @property
    def of_raters(self) -> Floats:
        """Variances that raters add to systems (S, S)."""
        contrast = self.contrast
        return self.rater * contrast + self.system_rater * np.diag(np.diag(contrast))

    @property
    def floor(self) -> float:
        """Part of the variance that items cause, which no further rating of them reduces."""
        return float((np.diag(self.contrast)[self.system] * self.weight**2 * self.item).sum())

    def shares(self, item: Codes, rater: Codes, raters: int) -> Floats:
        """Return each rater's share of each system's mean (S, raters) from who rated what."""
        counts = np.bincount(item, minlength=len(self.system))
        cell = self.system[item] * raters + rater
        made = np.bincount(cell, self.weight[item] / counts[item], len(self.pairs) * raters)
        return np.asarray(made.reshape(len(self.pairs), raters))

    def value(self, item: Codes, rater: Codes) -> float:
        """Return the goal's variance from who rated what (n,)."""
        counts = np.bincount(item, minlength=len(self.system))
        share = self.shares(item, rater, int(rater.max()) + 1)
        of_rest = np.diag(self.contrast)[self.system] * self.weight**2 * self.residual / counts
        return float((share * (self.of_raters @ share)).sum() + of_rest.sum() + self.floor)


Goal = ItemGoal | SystemGoal


def collect(
    done: NDArray[np.bool_],
    n: int,
    goal: Goal,
    strategy: Strategy = "targeted",
    cap: int | None = None,
    raters: RatersAsked = "raters so far and new ones",
    seed: int = 0,
    most_new: int | None = None,
) -> Collected:
    """Choose the next n ratings, one after the other; no rater rates an item twice.

    Parameters
    ----------
    done : (I, R) who has rated what; every item has a rating
    n : further ratings
    goal : whose variance is to fall
    strategy : "as so far" in proportion to the ratings of items and raters so far, "evenly" the item and the rater with
        the fewest first, "targeted" the item and kind of rater that reduce the goal's variance most
    cap : further ratings of one rater at most
    raters : who may be asked
    seed : decides between equals
    most_new : new raters at most

    Returns
    -------
    Collected
        fewer than n where nobody may rate any more.

    Raises
    ------
    InputError
        where an item has no rating, `n` is below 0 or `cap` below 1.

    Notes
    -----
    Greedy, which is exact for the means of items. Source: optimal design; methods, section 11.
    """
    if n < 0 or (cap is not None and cap < 1):
        raise InputError(f"`n` must be 0 or more and `cap` 1 or more, got {n} and {cap}")
    if not done.any(axis=1).all():
        raise InputError("`done` has an item without a rating")
    state = _State(done, goal, strategy, n if cap is None else cap, raters, np.random.default_rng(seed))
    state.most_new = n if most_new is None else most_new
    chosen: list[tuple[int, int]] = []
    while len(chosen) < n and (pair := state.next(len(chosen))) is not None:
        chosen.append(pair)
        state.add(*pair)
    item, rater = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    return Collected(item, rater, done.shape[1])


class _State:
    """Ratings while they are chosen; columns of `done` beyond `known` are new raters."""

    def __init__(
        self,
        done: Flags,
        goal: Goal,
        strategy: Strategy,
        cap: int,
        raters: RatersAsked,
        rng: np.random.Generator,
    ) -> None:
        self.known, self.done, self.most_new = done.shape[1], done.copy(), 0
        self.goal, self.strategy, self.cap, self.raters = goal, strategy, cap, raters
        self.first = done.sum(axis=1).astype(np.float64)
        self.loads = done.sum(axis=0).astype(np.float64)
        self.counts, self.more = self.first.copy(), np.zeros(self.known)
        self.ties_of_items, self.ties_of_raters = rng.random(len(done)), rng.random(self.known)
        self.closed = np.zeros(len(done), dtype=np.bool_)
        self.share = np.zeros((0, 0))
        if isinstance(goal, SystemGoal):
            self.closed |= np.diag(goal.contrast)[goal.system] == 0
            self.share = goal.shares(*np.nonzero(done), self.known)
            self.factor, self.quadratic = goal.weight, goal.of_raters

    def next(self, chosen: int) -> tuple[int, int] | None:
        """Return the item and the rater of the next rating, None where there is none."""
        if self.strategy == "targeted" and isinstance(self.goal, SystemGoal):
            return self._best_pair()
        gain = self._order(chosen)
        while not self.closed.all():
            item = int(np.where(self.closed, -inf, gain).argmax())
            rater = self._rater(item, chosen)
            if rater is not None:
                return item, rater
            self.closed[item] = True
        return None

    def add(self, item: int, rater: int) -> None:
        """Take a rating as collected."""
        if isinstance(self.goal, SystemGoal) and self.strategy == "targeted":
            system, weight, n = self.goal.system[item], self.factor[item], self.counts[item]
            self.share[system, self.done[item]] -= weight / (n * (n + 1))
            self.share[system, rater] += weight / (n + 1)
        self.done[item, rater] = True
        self.counts[item] += 1
        self.more[rater] += 1

    def _order(self, chosen: int) -> Floats:
        """Return what decides between items (I,), the highest first."""
        if self.strategy == "evenly":
            return np.asarray(-self.counts - 0.5 * self.ties_of_items)
        if self.strategy == "as so far":
            due = self.first * (chosen + 1) / self.first.sum() - (self.counts - self.first)
            return np.asarray(due + 1e-9 * self.ties_of_items)
        assert isinstance(self.goal, ItemGoal)
        return self.goal.gains(self.counts) * (1 + 1e-9 * self.ties_of_items)

    def _open(self) -> Flags:
        """Return which raters may be asked (raters,)."""
        may = self.more < self.cap
        if (self.more[self.known :] > 0).sum() >= self.most_new:
            may[self.known :] &= self.more[self.known :] > 0
        if self.raters == "new raters":
            may[: self.known] = False
        return np.asarray(may)

    def _rater(self, item: int, chosen: int) -> int | None:
        may = self._open() & ~self.done[item]
        known = may[: self.known]
        if known.any():
            due = -self.more[: self.known]
            if self.strategy == "evenly":
                due = due - self.loads
            elif self.strategy == "as so far":
                due = due + self.loads * (chosen + 1) / self.loads.sum()
            return int(np.where(known, due + 1e-6 * self.ties_of_raters, -inf).argmax())
        if self.raters == "raters so far":
            return None
        new = np.flatnonzero(may[self.known :])
        if len(new):
            return self.known + int(new[0])
        return self._new_rater() if (self.more[self.known :] > 0).sum() < self.most_new else None

    def _new_rater(self) -> int:
        """Return a new rater with an empty column."""
        unused = np.flatnonzero(self.more[self.known :] == 0)
        if len(unused):
            return self.known + int(unused[0])
        first = self.done.shape[1]
        wider = max(4, first - self.known)
        self.done = np.pad(self.done, ((0, 0), (0, wider)))
        self.more = np.pad(self.more, (0, wider))
        if self.share.size:
            self.share = np.pad(self.share, ((0, 0), (0, wider)))
        return first

    def _best_pair(self) -> tuple[int, int] | None:
        """Return the item and the rater that reduce the variance of systems' differences most."""
        goal = self.goal
        assert isinstance(goal, SystemGoal)
        unused = self.known + np.zeros(0, dtype=np.int64)
        if self.raters != "raters so far":
            self._new_rater()  # one unused new rater is always on offer
            unused = self.known + np.flatnonzero(self.more[self.known :] == 0)
        may = self._open()
        may[unused[1:]] = False
        system, n, weight = goal.system, self.counts, self.factor
        pull = self.quadratic @ self.share  # (S, raters)
        busy = 1e-9 * (np.abs(pull).max() + 1e-30) * (1 + self.more / self.cap)
        of_items = np.where(may & ~self.done, (pull + busy)[system], inf)
        rater = of_items.argmin(axis=1)
        least = of_items[np.arange(len(n)), rater]
        so_far = (self.done * pull[system]).sum(axis=1) / n
        own = np.diag(self.quadratic) - np.diag(goal.contrast) * goal.residual[:, None]
        own = own[np.arange(len(n)), system]
        change = weight**2 * own / (n * (n + 1)) + 2 * weight / (n + 1) * (least - so_far)
        change = np.where(self.closed | ~np.isfinite(least), inf, change) + 1e-15 * self.ties_of_items
        item = int(change.argmin())
        return (item, int(rater[item])) if np.isfinite(change[item]) else None


def promised(values: Sequence[float], level: float = 0.95) -> Estimate:
    """Return the mean of simulated results with the interval that holds so many of them."""
    drawn = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(drawn.mean()), float(low), float(high), len(drawn))
