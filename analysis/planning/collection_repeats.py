"""Repeated judgments of one rater: which items to judge again, and the interval of alpha that these bring."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan, nan

import numpy as np
from scipy.special import stdtrit

from analysis.agreement.alpha import interval_alpha
from analysis.planning.collection import Strategy
from analysis.planning.collection_items import promised
from analysis.values.estimate import Estimate, InputError
from analysis.values.types import Codes, Floats

Z = 1.96
"""Standard errors to each side of a 95% interval of many items."""


@dataclass(frozen=True, eq=False)
class OwnRepeats:
    """Scores of one rater by item (I,): `counts`, `totals` and `squares` of them, and the `topic` of each item.

    Scores may be less any number near their mean. `step` is the distance of the points of the scale, 0 for any number.
    """

    counts: Floats
    totals: Floats
    squares: Floats
    topic: Codes
    step: float = 0.0

    @property
    def repeated(self) -> int:
        """Number of items judged more than once."""
        return int((self.counts > 1).sum())

    @cached_property
    def alpha(self) -> Estimate:
        """Return alpha over the repeated items."""
        return interval_alpha(self.counts, self.totals, self.squares)

    @cached_property
    def _within(self) -> tuple[float, float]:
        """Variance of a rater's scores of one item, and the degrees of freedom that its estimate is worth."""
        several = self.counts > 1
        free = self.counts[several] - 1
        each = self.squares[several] - self.totals[several] ** 2 / self.counts[several]
        variance = float(each.sum() / free.sum())
        spread = float(((each - variance * free) ** 2).sum())
        degrees = 2 * (variance * free.sum()) ** 2 / spread if spread > 0 else inf
        return variance, min(degrees, float(free.sum()))

    @cached_property
    def _all(self) -> tuple[float, float]:
        """Mean and variance of all first scores of the rater, a repeated item's by its mean."""
        means = self.totals / self.counts
        within, _ = self._within
        return float(means.mean()), float(means.var(ddof=1) + (within * (1 - 1 / self.counts)).mean())

    def collect(self, n: int, strategy: Strategy = "targeted", seed: int = 0) -> Codes:
        """Choose items to judge again, topic after topic; an item that was judged twice is not judged again.

        Parameters
        ----------
        n : judgments
        strategy : "as so far" topics in any order, "evenly" those with the fewest repeats first, "targeted" those
            whose repeats narrow the interval of alpha most
        seed : decides between equals

        Returns
        -------
        (m,) codes of items, m at most n.

        Raises
        ------
        InputError
            where `n` is below 0, or targeted repeats have none before them.

        Notes
        -----
        An item's expected part in the variance of alpha is s⁴ (3 − 2 v + v²) / V², with s² the variance within items, V
        that of the repeated scores and v an item's expected share of it over V. Topics are chosen one by one, by the
        reduction per judgment. Source: methods, section 11; linearization of alpha.
        """
        if n < 0:
            raise InputError(f"`n` must be 0 or more, got {n}")
        if strategy == "targeted" and not self.repeated:
            raise InputError("targeted repeats need items that were judged twice")
        rng = np.random.default_rng(seed)
        once = np.flatnonzero(self.counts == 1)
        once = once[rng.permutation(len(once))]
        topics = self.topic[once]
        left = [once[topics == topic] for topic in dict.fromkeys(topics.tolist())]
        if strategy == "evenly":
            done = np.bincount(self.topic[self.counts > 1], minlength=int(self.topic.max(initial=0)) + 1)
            left.sort(key=lambda items: done[self.topic[items[0]]])
        if strategy == "targeted":
            left = self._by_reduction(left, n)
        return np.concatenate([*left, np.empty(0, dtype=np.int64)])[:n].astype(np.int64)

    def _by_reduction(self, left: list[Codes], n: int) -> list[Codes]:
        within, _ = self._within
        mean, total = self._all
        seen = (self.totals - self.counts * mean) / self.counts
        shrunk = max(1 - within / total, 0.0) if total > 0 else 0.0
        again = (shrunk * seen) ** 2 + total * (1 - shrunk**2)  # expected square of the second score
        each = (seen**2 + again) / 2
        several = self.counts > 1
        spread = (self.squares - 2 * mean * self.totals + self.counts * mean**2)[several] / self.counts[
            several
        ]
        kept, chosen = spread.tolist(), list[Codes]()
        while left and sum(map(len, chosen)) < n:
            now = _variance(np.array(kept))
            gains = [(now - _variance(np.append(kept, each[items]))) / len(items) for items in left]
            best = left.pop(int(np.argmax(gains)))
            chosen.append(best)
            kept += each[best].tolist()
        return chosen

    def promise(self, items: Codes, draws: int = 200, seed: int = 0) -> tuple[Estimate, Estimate]:
        """Return half the width of alpha's interval, and alpha, after these items (m,) are judged again.

        Parameters
        ----------
        items : (m,) codes of items judged once
        draws : simulated results
        seed : of the draws

        Returns
        -------
        both Estimates
            mean and an interval that holds 95% of results; NaN where the repeats so far do not differ.

        Notes
        -----
        The second score is normal around the first, shrunk to the rater's mean, on the rater's scale. The variance
        within items is drawn from an inverse chi-squared with the degrees of freedom that its spread leaves. The
        half-width is 1.96 linearized standard errors, times how much wider the interval so far is, which fades as items
        are added; its own interval is Student's with the same degrees, on the logarithm.
        """
        within, free = self._within if self.repeated else (nan, nan)
        mean, total = self._all if self.repeated else (nan, nan)
        half = (self.alpha.high - self.alpha.low) / 2
        if not within > 0 or not total > 0 or isnan(half):
            none = Estimate(nan, reason=self.alpha.reason or "the repeats so far do not differ")
            return none, none
        rng = np.random.default_rng(seed)
        means, first = self.totals / self.counts, self.totals[items]
        noise = np.minimum(within * free / rng.chisquare(free, draws), total)[:, None]
        shrunk = 1 - noise / total
        second = mean + shrunk * (first - mean)
        second = second + np.sqrt(total * (1 - shrunk**2)) * rng.standard_normal(second.shape)
        if self.step:
            second = first + self.step * np.round((second - first) / self.step)
            second = np.clip(second, means.min(), means.max())
        several = self.counts > 1
        so_far = self.counts[several], self.totals[several], self.squares[several]
        errors, _ = _error_of_alpha(*(each[None] for each in so_far))
        added = np.full(second.shape, 2.0), first + second, first**2 + second**2
        after, alphas = _error_of_alpha(
            *(np.hstack([np.tile(old, (draws, 1)), new]) for old, new in zip(so_far, added, strict=True))
        )
        wider = 1 + (half / (Z * errors[0]) - 1) * self.repeated / (self.repeated + len(items))
        halves = np.minimum(Z * wider * after, half)
        logs = np.log(halves)
        reach = float(stdtrit(free, 0.975)) * logs.std()
        low, high = np.exp(logs.mean() - reach), np.exp(logs.mean() + reach)
        found = Estimate(float(halves.mean()), float(low), float(high), draws)
        return found, promised(alphas.tolist())


def _error_of_alpha(counts: Floats, totals: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the linearized standard error of alpha, and alpha, from sums of items (draws, n), each by draw."""
    number = counts.sum(axis=1, keepdims=True)
    mean = totals.sum(axis=1, keepdims=True) / number
    within = (squares - totals**2 / counts) / (counts - 1) * counts
    spread = squares - 2 * mean * totals + counts * mean**2
    observed = within.sum(axis=1, keepdims=True) / number
    expected = spread.sum(axis=1, keepdims=True) / (number - 1)
    ratio = observed / expected
    part = (within - ratio * spread) / (expected * number)
    return np.sqrt((part**2).sum(axis=1)), (1 - ratio)[:, 0]


def _variance(spread: Floats) -> float:
    """Return the expected variance of alpha, but for a factor, by items' mean squares around the mean (I,)."""
    total = spread.mean()
    share = spread / total
    return float((3 - 2 * share + share**2).sum() / (len(spread) * total) ** 2)
