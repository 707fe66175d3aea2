"""Disagreement within units against that between all values, by the level of what is measured.

No level needs a table of values by values. Ordinal differences are those of mean ranks (half the values at a step and
all below it), and ratio differences, ((v - w) / (v + w))² = tanh²((log v - log w) / 2), are those of points in a
space of some 150 dimensions.
"""

from collections.abc import Iterator
from math import isfinite, nan, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.units import (
    ALL_EQUAL,
    BLOCK,
    EQUAL,
    UnitTable,
    interval_over_units,
)
from analysis.resampling.draws import OnProgress
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]


class Nominal:
    """Alpha where any two different values differ by 1; the base of the others."""

    def __init__(self, table: UnitTable) -> None:
        self.table = table
        self.weight = 1 / (table.counts - 1)
        self.within = self.weight * self.pairs(table.given)

    def pairs(self, counts: Any) -> Floats:
        """Sum of the squared differences of all ordered pairs of values in each row."""
        return np.asarray(counts.sum(axis=1) ** 2 - (counts * counts).sum(axis=1), dtype=np.float64)

    def weigh(self, weights: Floats) -> Floats:
        """Alpha (b,) with units as often as their weights (b, u) say."""
        marginal = weights @ self.table.given
        return _alpha(weights @ self.within, self.pairs(marginal), weights @ self.table.counts)

    def to_all(self, marginal: Floats) -> Floats:
        """Sum of the squared differences of each value from all values of the data."""
        squares_to_all: Floats = marginal.sum() - marginal
        return squares_to_all

    def changes(self, marginal: Floats) -> tuple[Floats, Floats]:
        """What one more of each value adds to the differences within units, and between all."""
        return np.zeros(len(marginal)), 2 * self.to_all(marginal)

    def influence(self) -> Floats:
        """What each unit does to alpha (u,)."""
        marginal = np.asarray(self.table.given.sum(axis=0), dtype=np.float64)
        within, n = float(self.within.sum()), float(marginal.sum())
        between = float(self.pairs(marginal[None, :])[0])
        of_within, of_between = self.changes(marginal)
        inside = self.within + self.table.given @ of_within
        among = self.table.given @ of_between
        influence: Floats = -(
            (n - 1) / between * inside
            + within / between * self.table.counts
            - (n - 1) * within / between**2 * among
        )
        return influence


class FleissKappa(Nominal):
    """Kappa: each unit's disagreement counts by its number of labels, less one for each unit."""

    def __init__(self, table: UnitTable) -> None:
        super().__init__(table)
        self.within = self.within * (table.counts - 1) / table.counts

    def weigh(self, weights: Floats) -> Floats:
        n, m = weights @ self.table.counts, weights.sum(axis=1)
        chance = self.pairs(weights @ self.table.given) / n**2
        return chance_corrected(1 - (weights @ self.within) / (n - m), 1 - chance)

    def influence(self) -> Floats:
        marginal = np.asarray(self.table.given.sum(axis=0), dtype=np.float64)
        counts, n, m = self.table.counts, float(marginal.sum()), len(self.table.counts)
        between = float(self.pairs(marginal[None, :])[0])
        ratio = float(self.within.sum()) * n**2 / ((n - m) * between)
        among = self.table.given @ (2 * self.to_all(marginal))
        log = self.within / self.within.sum() if self.within.any() else np.zeros(m)
        influence: Floats = -ratio * (log + 2 * counts / n - (counts - 1) / (n - m) - among / between)
        return influence


class Ordinal(Nominal):
    """Alpha where two values differ by how many values of the data lie between them."""

    def __init__(self, table: UnitTable) -> None:
        self.table = table
        self.weight = 1 / (table.counts - 1)
        self.rank = _mean_ranks(np.asarray(table.given.sum(axis=0), dtype=np.float64))
        self.within = self.weight * self.pairs(table.given)

    def pairs(self, counts: Any) -> Floats:
        return _squared_differences(counts, self.rank[:, None])

    def weigh(self, weights: Floats) -> Floats:
        given, counts = self.table.given, self.table.counts
        marginal = weights @ given
        rank = _mean_ranks(marginal) / marginal.sum(axis=1, keepdims=True)
        squares, totals = given @ (rank**2).T, given @ rank.T
        within = 2 * (counts[:, None] * squares - totals**2) * self.weight[:, None]
        n = weights @ counts
        between = 2 * (n * (marginal * rank**2).sum(axis=1) - (marginal * rank).sum(axis=1) ** 2)
        return _alpha((weights.T * within).sum(axis=0), between, n)

    def to_all(self, marginal: Floats) -> Floats:
        rank, n = self.rank, marginal.sum()
        squares_to_all: Floats = marginal @ rank**2 + n * rank**2 - 2 * (marginal @ rank) * rank
        return squares_to_all

    def changes(self, marginal: Floats) -> tuple[Floats, Floats]:
        given, rank, n = self.table.given, self.rank, marginal.sum()
        scaled = given.T @ (self.weight * self.table.counts)
        pulled = given.T @ (self.weight * (given @ rank))
        within = _later(4 * (scaled * rank - pulled))
        between = _later(4 * (n * marginal * rank - marginal * (marginal @ rank)))
        return within, 2 * self.to_all(marginal) + between


class Ratio(Nominal):
    """Alpha where two values differ by their difference as a share of their sum; zero differs from all by 1."""

    def __init__(self, table: UnitTable) -> None:
        self.positive = table.values > 0
        self.log = np.log(table.values[self.positive].astype(np.float64))
        super().__init__(table)

    def weigh(self, weights: Floats) -> Floats:
        marginal = weights @ self.table.given
        several = (marginal > 0).sum(axis=1) > 1
        return np.where(several, super().weigh(weights), nan)

    def pairs(self, counts: Any) -> Floats:
        above = counts[:, self.positive]
        n, rest = counts.sum(axis=1), above.sum(axis=1)
        squared = np.asarray(2 * rest * (n - rest), dtype=np.float64)
        for points in _points(self.log):
            squared += _squared_differences(above, points)
        return squared

    def to_all(self, marginal: Floats) -> Floats:
        above = marginal[self.positive]
        squares_to_all: Floats = np.where(self.positive, marginal.sum() - above.sum(), above.sum())
        for points in _points(self.log):
            squares = (points**2).sum(axis=1)
            squares_to_all[self.positive] += (
                above @ squares + above.sum() * squares - 2 * (points @ (above @ points))
            )
        return squares_to_all


def _points(log: Floats) -> Iterator[Floats]:
    """Points (v, d) whose squared distances, added over all blocks, are tanh²((log v - log w) / 2).

    1 - tanh²(x / 2) is the integral over f of 2 f / sinh(pi f) cos(f x), and 1 - cos(f (x - y)) is half the squared
    distance of two points on a circle. Equal steps of f make an error of some exp(range - 2 pi / step).
    """
    if not len(log):
        return
    centred = log - log.mean()
    step = 2 * pi / (np.ptp(log) + 40)
    frequency = np.arange(step, 13, step)
    weight = np.sqrt(2 * step * frequency / np.sinh(pi * frequency))
    block = max(BLOCK // len(log), 1)
    for start in range(0, len(frequency), block):
        some = slice(start, start + block)
        half = centred[:, None] * frequency[some] / 2
        sine = 2 * weight[some] * np.sin(half)
        yield np.hstack([sine * np.sin(half), sine * np.cos(half)])


def _squared_differences(counts: Any, points: Floats) -> Floats:
    """Sum over all ordered pairs in each row of counts (k, v) of the squared distances of their points (v, d)."""
    squares = counts @ (points**2).sum(axis=1)
    squared = 2 * (counts.sum(axis=1) * squares - ((counts @ points) ** 2).sum(axis=1))
    return np.maximum(np.asarray(squared, dtype=np.float64), 0.0)


def _mean_ranks(marginal: Floats) -> Floats:
    """Half of what is at each value and all that is below it, less half of all; the last axis is the values."""
    whole = marginal.sum(axis=-1, keepdims=True)
    ranks: Floats = np.cumsum(marginal, axis=-1) - marginal / 2 - whole / 2
    return ranks


def _later(change: Floats) -> Floats:
    """What one more of each value does by raising the mean ranks of all values above it, and half its own."""
    return change[::-1].cumsum()[::-1] - change / 2


def _alpha(within: Floats, between: Floats, n: Floats) -> Floats:
    defined = between > 0
    return np.where(defined, 1 - (n - 1) * within / np.where(defined, between, 1), nan)


def chance_corrected(agreed: Floats, chance: Floats) -> Floats:
    """(agreed - chance) / (1 - chance) (…,), NaN where chance alone agrees."""
    defined = chance < 1 - EQUAL
    return np.where(defined, (agreed - chance) / np.where(defined, 1 - chance, 1), nan)


def with_interval(
    measured: Nominal, table: UnitTable, spec: BootstrapSpec, on_progress: OnProgress
) -> Estimate:
    """Alpha or kappa of the units (u,), undefined where everyone gave the same value."""
    n = len(table.counts)
    value = float(measured.weigh(np.ones((1, n)))[0])
    if not isfinite(value):
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    width = len(table.values)
    return interval_over_units(value, n, width, measured.weigh, measured.influence, spec, on_progress)
