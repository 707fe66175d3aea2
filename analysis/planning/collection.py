"""Further ratings of a study in progress: which items, by whom, and the precision that they bring."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.items.rating_spread import FEWEST_RATINGS
from analysis.values.estimate import Codes, Flags, Floats, InputError

Strategy = Literal["as so far", "evenly", "targeted"]
STRATEGIES: tuple[Strategy, ...] = ("as so far", "evenly", "targeted")
RatersAsked = Literal["raters so far and new ones", "raters so far", "new raters"]
RATERS_ASKED: tuple[RatersAsked, ...] = ("raters so far and new ones", "raters so far", "new raters")


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
            else np.where(counts < FEWEST_RATINGS, self.pooled, self.variance)
        )
        return np.asarray(own / counts)

    def gains(self, counts: Floats) -> Floats:
        """Return what decides which item is rated next (I,)."""
        return self.each(counts) if self.largest else np.asarray(self.variance / (counts * (counts + 1)))

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


def assign(
    done: Flags,
    items: Codes,
    cap: int,
    raters: RatersAsked = "raters so far and new ones",
    seed: int = 0,
    most_new: int | None = None,
    repeats: bool = False,
) -> Collected:
    """Give chosen items (n,), one after the other, to the raters with the fewest further ratings.

    Parameters
    ----------
    done : (I, R) who has rated what
    items : (n,) codes in the order of their worth
    cap, raters, seed, most_new : as in `collect`
    repeats : True where a rater may get an item several times, such as a pair of systems on other texts

    Returns
    -------
    Collected
        without those that nobody may rate.
    """
    goal = ItemGoal(np.ones(len(done)))
    state = _State(done, goal, "targeted", cap, raters, np.random.default_rng(seed))
    state.most_new = len(items) if most_new is None else most_new
    chosen: list[tuple[int, int]] = []
    for unit in items.tolist():
        by = state.choose_rater(unit, len(chosen))
        if by is not None:
            chosen.append((unit, by))
            state.add(unit, by)
            state.done[unit, by] &= not repeats
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
        self.known: int = done.shape[1]
        self.done, self.most_new = done.copy(), 0
        self.goal, self.strategy, self.cap, self.raters = goal, strategy, cap, raters
        self.first = done.sum(axis=1).astype(np.float64)
        self.loads = done.sum(axis=0).astype(np.float64)
        self.counts, self.more = self.first.copy(), np.zeros(self.known)
        self.ties_of_items, self.ties_of_raters = rng.random(len(done)), rng.random(self.known)
        self.closed = np.zeros(len(done), dtype=np.bool_)
        self.share = np.zeros((0, 0))
        if isinstance(goal, SystemGoal):
            self.closed |= np.diag(goal.contrast)[goal.system] == 0
            item, rater = np.nonzero(done)
            self.share = goal.shares(item, rater, self.known)
            self.factor, self.quadratic = goal.weight, goal.of_raters

    def next(self, chosen: int) -> tuple[int, int] | None:
        """Return the item and the rater of the next rating, None where there is none."""
        if self.strategy == "targeted" and isinstance(self.goal, SystemGoal):
            return self._best_pair()
        gain = self._order(chosen)
        while not self.closed.all():
            item = int(np.where(self.closed, -inf, gain).argmax())
            rater = self.choose_rater(item, chosen)
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

    def choose_rater(self, item: int, chosen: int) -> int | None:
        """Return the rater of an item's next rating, None where nobody may rate it."""
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
        first: int = self.done.shape[1]
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
        newcomers = np.arange(len(self.more)) >= self.known
        busy = self.more / self.cap + 2 * newcomers + newcomers * (self.more == 0)  # of equals, who is known
        busy = 1e-9 * (np.abs(pull).max() + 1e-30) * busy
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
