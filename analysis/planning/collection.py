"""Selection of further ratings of a study in progress, by item and rater, and their precision."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.items.rating_spread import FEWEST_RATINGS
from analysis.values.estimate import Codes, Flags, Floats, InputError

Strategy = Literal["as before", "evenly", "targeted"]
STRATEGIES: tuple[Strategy, ...] = ("as before", "evenly", "targeted")
RatersAsked = Literal["raters so far and new ones", "raters so far", "new raters"]
RATERS_ASKED: tuple[RatersAsked, ...] = ("raters so far and new ones", "raters so far", "new raters")


@dataclass(frozen=True, eq=False)
class Collected:
    """Further ratings in order of priority: `item`, `rater` (n,) codes; raters from code `known` on are new."""

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
        """Return the first n ratings."""
        return replace(self, item=self.item[:n], rater=self.rater[:n])


@dataclass(frozen=True, eq=False)
class ItemGoal:
    """Goal for the means of items: the `largest` of their variances, or their mean.

    `variance` (I,) is that of one rating of each; `pooled` replaces it while an item has fewer than 5 ratings.
    """

    variance: Floats
    largest: bool = True
    pooled: float | None = None

    def mean_variances(self, counts: Floats) -> Floats:
        """Return the variance of each item's mean (I,)."""
        variance = (
            self.variance
            if self.pooled is None
            else np.where(counts < FEWEST_RATINGS, self.pooled, self.variance)
        )
        return np.asarray(variance / counts)

    def priorities(self, counts: Floats) -> Floats:
        """Return the priority of each item for the next rating (I,)."""
        return (
            self.mean_variances(counts)
            if self.largest
            else np.asarray(self.variance / (counts * (counts + 1)))
        )

    def value(self, counts: Floats) -> float:
        """Return the goal's variance for these numbers of ratings (I,)."""
        variances = self.mean_variances(counts)
        return float(variances.max() if self.largest else variances.mean())


@dataclass(frozen=True, eq=False)
class SystemGoal:
    """Goal for differences of systems' means: the mean of their variances over selected pairs.

    `system` (I,) codes, `residual` (I,) variances of a rating; `pairs` (S, S) symmetric, 1 for selected pairs;
    `item` variance of items within a system, `rater` of raters, `system_rater` of raters by systems, the last two 0
    for these raters.
    """

    system: Codes
    residual: Floats
    pairs: Floats
    item: float = 0.0
    rater: float = 0.0
    system_rater: float = 0.0

    @property
    def contrast(self) -> Floats:
        """Mean over the pairs of the outer products of their contrasts (S, S)."""
        laplacian = np.diag(self.pairs.sum(axis=1)) - self.pairs
        return np.asarray(laplacian / (self.pairs.sum() / 2))

    @property
    def weight(self) -> Floats:
        """Weight of each item in its system's mean (I,)."""
        return np.asarray(1 / np.bincount(self.system, minlength=len(self.pairs))[self.system])

    @property
    def rater_covariance(self) -> Floats:
        """Variances that raters add to systems (S, S)."""
        contrast = self.contrast
        return self.rater * contrast + self.system_rater * np.diag(np.diag(contrast))

    @property
    def floor(self) -> float:
        """Variance due to items, which no further rating of them reduces."""
        return float((np.diag(self.contrast)[self.system] * self.weight**2 * self.item).sum())

    def shares(self, item: Codes, rater: Codes, raters: int) -> Floats:
        """Return each rater's share of each system's mean (S, raters)."""
        counts = np.bincount(item, minlength=len(self.system))
        cell = self.system[item] * raters + rater
        totals = np.bincount(cell, self.weight[item] / counts[item], len(self.pairs) * raters)
        return np.asarray(totals.reshape(len(self.pairs), raters))

    def value(self, item: Codes, rater: Codes) -> float:
        """Return the goal's variance for these ratings (n,)."""
        counts = np.bincount(item, minlength=len(self.system))
        share = self.shares(item, rater, int(rater.max()) + 1)
        residual_variance = np.diag(self.contrast)[self.system] * self.weight**2 * self.residual / counts
        return float((share * (self.rater_covariance @ share)).sum() + residual_variance.sum() + self.floor)


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
    """Choose the next n ratings one by one; no rater rates an item twice.

    Parameters
    ----------
    done : (I, R) True where a rater has rated an item; every item has a rating
    n : further ratings
    goal : the variance to reduce
    strategy : "as before" in proportion to the ratings of items and raters so far, "evenly" the item and the rater with
        the fewest first, "targeted" the item and kind of rater that reduce the goal's variance most
    cap : maximum of further ratings by one rater
    raters : raters who may be asked
    seed : for breaking ties
    most_new : maximum of new raters

    Returns
    -------
    Collected
        fewer than n where no rater is available.

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
    state = _Selection(done, goal, strategy, n if cap is None else cap, raters, np.random.default_rng(seed))
    state.most_new_raters = n if most_new is None else most_new
    chosen: list[tuple[int, int]] = []
    while len(chosen) < n and (pair := state.next(len(chosen))) is not None:
        chosen.append(pair)
        state.add(*pair)
    item, rater = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    return Collected(item, rater, done.shape[1])


def assign(
    done: Flags,
    items: Codes,
    cap: int,
    raters: RatersAsked = "raters so far and new ones",
    seed: int = 0,
    most_new: int | None = None,
    repeats: bool = False,
) -> Collected:
    """Assign chosen items (n,) one by one to the raters with the fewest further ratings.

    Parameters
    ----------
    done : (I, R) True where a rater has rated an item
    items : (n,) codes in order of priority
    cap, raters, seed, most_new : as in `collect`
    repeats : True where a rater may get an item several times, such as a pair of systems on other texts

    Returns
    -------
    Collected
        without items for which no rater is available.
    """
    goal = ItemGoal(np.ones(len(done)))
    state = _Selection(done, goal, "targeted", cap, raters, np.random.default_rng(seed))
    state.most_new_raters = len(items) if most_new is None else most_new
    chosen: list[tuple[int, int]] = []
    for unit in items.tolist():
        rater_code = state.choose_rater(unit, len(chosen))
        if rater_code is not None:
            chosen.append((unit, rater_code))
            state.add(unit, rater_code)
            state.done[unit, rater_code] &= not repeats
    item, rater = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    return Collected(item, rater, done.shape[1])


class _Selection:
    """State of the selection; columns of `done` from `known` on are new raters."""

    def __init__(
        self,
        done: Flags,
        goal: Goal,
        strategy: Strategy,
        cap: int,
        raters: RatersAsked,
        rng: np.random.Generator,
    ) -> None:
        self.known: int = done.shape[1]
        self.done, self.most_new_raters = done.copy(), 0
        self.goal, self.strategy, self.cap, self.raters = goal, strategy, cap, raters
        self.first = done.sum(axis=1).astype(np.float64)
        self.loads = done.sum(axis=0).astype(np.float64)
        self.counts, self.added_by_rater = self.first.copy(), np.zeros(self.known)
        self.item_tie_breaks, self.rater_tie_breaks = rng.random(len(done)), rng.random(self.known)
        self.is_exhausted = np.zeros(len(done), dtype=np.bool_)
        self.share = np.zeros((0, 0))
        if isinstance(goal, SystemGoal):
            self.is_exhausted |= np.diag(goal.contrast)[goal.system] == 0
            item, rater = np.nonzero(done)
            self.share = goal.shares(item, rater, self.known)
            self.factor, self.quadratic = goal.weight, goal.rater_covariance

    def next(self, chosen: int) -> tuple[int, int] | None:
        """Return the item and the rater of the next rating, None if there is none."""
        if self.strategy == "targeted" and isinstance(self.goal, SystemGoal):
            return self._best_pair()
        gain = self._item_priorities(chosen)
        while not self.is_exhausted.all():
            item = int(np.where(self.is_exhausted, -inf, gain).argmax())
            rater = self.choose_rater(item, chosen)
            if rater is not None:
                return item, rater
            self.is_exhausted[item] = True
        return None

    def add(self, item: int, rater: int) -> None:
        """Record a rating as collected."""
        if isinstance(self.goal, SystemGoal) and self.strategy == "targeted":
            system, weight, n = self.goal.system[item], self.factor[item], self.counts[item]
            self.share[system, self.done[item]] -= weight / (n * (n + 1))
            self.share[system, rater] += weight / (n + 1)
        self.done[item, rater] = True
        self.counts[item] += 1
        self.added_by_rater[rater] += 1

    def _item_priorities(self, chosen: int) -> Floats:
        """Return the priority of each item (I,)."""
        if self.strategy == "evenly":
            return np.asarray(-self.counts - 0.5 * self.item_tie_breaks)
        if self.strategy == "as before":
            deficit = self.first * (chosen + 1) / self.first.sum() - (self.counts - self.first)
            return np.asarray(deficit + 1e-9 * self.item_tie_breaks)
        assert isinstance(self.goal, ItemGoal)
        return self.goal.priorities(self.counts) * (1 + 1e-9 * self.item_tie_breaks)

    def _available_raters(self) -> Flags:
        """Return a mask of raters who may be asked (raters,)."""
        is_available = self.added_by_rater < self.cap
        if (self.added_by_rater[self.known :] > 0).sum() >= self.most_new_raters:
            is_available[self.known :] &= self.added_by_rater[self.known :] > 0
        if self.raters == "new raters":
            is_available[: self.known] = False
        return np.asarray(is_available)

    def choose_rater(self, item: int, chosen: int) -> int | None:
        """Return the rater of an item's next rating, None if no rater is available."""
        is_available = self._available_raters() & ~self.done[item]
        known_available = is_available[: self.known]
        if known_available.any():
            deficit = -self.added_by_rater[: self.known]
            if self.strategy == "evenly":
                deficit = deficit - self.loads
            elif self.strategy == "as before":
                deficit = deficit + self.loads * (chosen + 1) / self.loads.sum()
            return int(np.where(known_available, deficit + 1e-6 * self.rater_tie_breaks, -inf).argmax())
        if self.raters == "raters so far":
            return None
        new = np.flatnonzero(is_available[self.known :])
        if len(new):
            return self.known + int(new[0])
        return (
            self._new_rater()
            if (self.added_by_rater[self.known :] > 0).sum() < self.most_new_raters
            else None
        )

    def _new_rater(self) -> int:
        """Return a new rater with an empty column."""
        unused = np.flatnonzero(self.added_by_rater[self.known :] == 0)
        if len(unused):
            return self.known + int(unused[0])
        new_rater: int = self.done.shape[1]
        added_columns = max(4, new_rater - self.known)
        self.done = np.pad(self.done, ((0, 0), (0, added_columns)))
        self.added_by_rater = np.pad(self.added_by_rater, (0, added_columns))
        if self.share.size:
            self.share = np.pad(self.share, ((0, 0), (0, added_columns)))
        return new_rater

    def _best_pair(self) -> tuple[int, int] | None:
        """Return the item and the rater that reduce the variance of systems' differences most."""
        goal = self.goal
        assert isinstance(goal, SystemGoal)
        unused = self.known + np.zeros(0, dtype=np.int64)
        if self.raters != "raters so far":
            self._new_rater()  # ensures one unused new rater
            unused = self.known + np.flatnonzero(self.added_by_rater[self.known :] == 0)
        is_available = self._available_raters()
        is_available[unused[1:]] = False
        system, n, weight = goal.system, self.counts, self.factor
        gradient = self.quadratic @ self.share  # (S, raters)
        is_new = np.arange(len(self.added_by_rater)) >= self.known
        load_penalty = (
            self.added_by_rater / self.cap + 2 * is_new + is_new * (self.added_by_rater == 0)
        )  # ties favor known raters
        load_penalty = 1e-9 * (np.abs(gradient).max() + 1e-30) * load_penalty
        cost = np.where(is_available & ~self.done, (gradient + load_penalty)[system], inf)
        rater = cost.argmin(axis=1)
        lowest_cost = cost[np.arange(len(n)), rater]
        current = (self.done * gradient[system]).sum(axis=1) / n
        curvature = np.diag(self.quadratic) - np.diag(goal.contrast) * goal.residual[:, None]
        curvature = curvature[np.arange(len(n)), system]
        change = weight**2 * curvature / (n * (n + 1)) + 2 * weight / (n + 1) * (lowest_cost - current)
        change = (
            np.where(self.is_exhausted | ~np.isfinite(lowest_cost), inf, change)
            + 1e-15 * self.item_tie_breaks
        )
        item = int(change.argmin())
        return (item, int(rater[item])) if np.isfinite(change[item]) else None
