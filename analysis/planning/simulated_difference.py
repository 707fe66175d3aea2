"""The planned study of two systems, simulated and analysed again and again: a check of the formulas.

A study is analysed as any real one would be. The difference is that of the means; its variance comes from five sums of
squares (of raters and of items, each with and without the condition's sign, and of all cells), of which each variance
component's part is known from who meets what. That is right for missing cells and unequal loads as well.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special

from analysis.planning.difference import DifferencePlan, Numbers, degrees
from analysis.planning.t_tests import at_least
from analysis.planning.workloads import effective_raters, loads_of, shares_of_items, whole_loads
from analysis.resampling.draws import blocks
from analysis.values.errors import InputError
from analysis.values.types import Codes, Floats, OnProgress

CELLS = 2_000_000
"""Cells of a block of studies."""
CONDITIONS = {
    "crossed": ((0, 0, 1),),
    "counterbalanced": ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)),
    "items within": ((0, 0, 1), (0, 1, -1)),
    "raters within": ((0, 0, 1), (1, 0, -1)),
    "both within": ((0, 0, 1), (1, 1, -1)),
}
"""Which group of raters meets which set of items under which system; of the crossed design, half of the difference."""


@dataclass(frozen=True)
class SimulatedPower:
    """The share of simulated studies that find the difference, with its standard error.

    `half_width`: the mean half of the width of their intervals of the difference; `effective_raters` of the loads.
    """

    power: float
    error: float
    half_width: float
    effective_raters: float
    studies: int


@dataclass(frozen=True, eq=False)
class Cells:
    """Who meets what in a study: codes (N,) of rater, item and block, and the condition's sign (N,)."""

    rater: Codes
    item: Codes
    block: Codes
    sign: Codes


def simulated_power(
    plan: DifferencePlan,
    studies: int = 1000,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> SimulatedPower:
    """How often studies like the planned one find the difference.

    Parameters
    ----------
    plan : with whole numbers of raters and items; its `loads` (p,) where they differ
    studies, seed : how many, and of which random numbers
    on_progress : called between blocks with the share done

    Returns
    -------
    SimulatedPower
        NaN where raters or items leave no degrees of freedom

    Raises
    ------
    InputError
        where raters, items or ratings per item are no whole numbers that the design can deal out.

    Notes
    -----
    Normal ratings; scales with few steps tell a little less.
    Source: Westfall, Kenny and Judd 2014 (the model); Henderson 1953, method 1 (sums of squares); Satterthwaite 1946.
    """
    at_least("studies", studies, 1)
    rng = np.random.default_rng(seed)
    cells = deal(plan, rng)
    analysis = _Analysis(plan, cells)
    found, width = 0, 0.0
    for block in blocks(studies, max(CELLS // len(cells.rater), 1), on_progress):
        t, critical, half = analysis.of(_simulated(plan, cells, rng, block.stop - block.start))
        found += int((np.abs(t) > critical).sum())
        width += float(half.sum())
    worth = effective_raters(np.bincount(cells.rater))
    if np.isnan(width):
        return SimulatedPower(np.nan, np.nan, np.nan, worth, studies)
    share = found / studies
    error = sqrt(max(share * (1 - share), 0.25 / studies) / studies)
    return SimulatedPower(share, error, width / studies, worth, studies)


def deal(plan: DifferencePlan, rng: np.random.Generator) -> Cells:
    """Who meets what: in turn, or as often as loads say; items of both sets at one place have the same raters."""
    raters, items = (whole(name, getattr(plan, name)) for name in ("raters", "items"))
    layout, conditions = plan.layout, CONDITIONS[plan.design]
    groups = [np.arange(raters)[at :: layout.groups] for at in range(layout.groups)]
    sets = [np.arange(items)[at :: layout.sets] for at in range(layout.sets)]
    groups_of_item = len(conditions) // layout.sets
    each = whole("ratings_per_item", plan.per_item / groups_of_item)
    if each > min(map(len, groups)):
        raise InputError(f"`ratings_per_item` must be at most {groups_of_item * min(map(len, groups))}")
    most = max(map(len, sets))
    if plan.loads is None:
        turns = np.arange(most)[:, None] * each + np.arange(each)
        chosen = [turns % len(group) for group in groups]
    else:
        loads = loads_of(plan.loads, raters)
        chosen = [
            _by_load(whole_loads(shares_of_items(loads[group], each), most), each, rng) for group in groups
        ]
    columns = []
    for at, (group, which, sign) in enumerate(conditions):
        rater = groups[group][chosen[group][: len(sets[which])]]
        item = np.broadcast_to(sets[which][:, None], rater.shape)
        columns.append([rater.ravel(), item.ravel(), np.full(rater.size, at), np.full(rater.size, sign)])
    return Cells(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _by_load(left: Floats, each: int, rng: np.random.Generator) -> Codes:
    """(items, each) raters of whom each rates so many items as it has `left`, by chance in proportion to what that is;
    those always who have as many left as there are items."""
    items = round(float(left.sum())) // each
    chosen = np.empty((items, each), dtype=np.int64)
    for item in range(items):
        with np.errstate(divide="ignore"):
            turn = np.where(left >= items - item, -1.0, rng.standard_exponential(len(left)) / left)
        chosen[item] = np.argsort(turn, kind="stable")[:each]
        left[chosen[item]] -= 1
    return chosen


def whole(name: str, value: float) -> int:
    """A number that raters or items can be dealt out by."""
    if value != round(value):
        raise InputError(
            f"`{name}` must be a whole number that the design's halves share alike, got {value:g}"
        )
    return int(value)


def _components(plan: DifferencePlan) -> tuple[float, ...]:
    """Variances of raters' and items' slopes, of raters and items, and of the rest; in the crossed design, where half
    of a difference is one cell, what both systems share is gone."""
    if plan.design == "crossed":
        return plan.rater_slope, plan.item_slope, 0.0, 0.0, plan.residual / 2
    rest = plan.residual + (plan.rater_item or 0)
    return plan.rater_slope, plan.item_slope, plan.rater or 0.0, plan.item or 0.0, rest


def _simulated(plan: DifferencePlan, cells: Cells, rng: np.random.Generator, studies: int) -> Floats:
    """(studies, N) ratings."""
    of_raters, of_items, raters, items, rest = (sqrt(variance) for variance in _components(plan))
    p, q = int(plan.raters), int(plan.items)
    slope = plan.d / 2 + (of_raters * rng.standard_normal((studies, p)))[:, cells.rater]
    slope += (of_items * rng.standard_normal((studies, q)))[:, cells.item]
    rating = cells.sign * slope + rest * rng.standard_normal((studies, len(cells.rater)))
    if raters or items:
        rating += (raters * rng.standard_normal((studies, p)))[:, cells.rater]
        rating += (items * rng.standard_normal((studies, q)))[:, cells.item]
    return rating


class _Analysis:
    """What a study's ratings (…, N) say of the difference."""

    def __init__(self, plan: DifferencePlan, cells: Cells) -> None:
        self.layout, self.level = plan.layout, 1 - plan.alpha / plan.comparisons / 2
        self.numbers = Numbers(effective_raters(np.bincount(cells.rater)), plan.items, plan.per_item)
        self.block = _indicators(cells.block)
        raters, items, sign = _indicators(cells.rater), _indicators(cells.item), cells.sign[:, None]
        every = [sign * raters, sign * items, raters, items]
        if plan.design == "crossed":
            every = every[:2]
        # squares of totals over their numbers: as totals alone, the busiest rater would make up the variance
        self.grouped = [one / np.sqrt((one**2).sum(axis=0)) for one in every]
        self.in_block = self.block.sum(axis=0)
        self.weight = cells.sign / self.in_block[cells.block] / len(self.in_block)
        every.append(np.eye(len(cells.rater)))
        centred = [one - self.block @ ((self.block.T @ one) / self.in_block[:, None]) for one in every]
        summed = [*self.grouped, every[-1]]
        expected = np.array([[np.sum((of.T @ effect) ** 2) for effect in centred] for of in summed])
        self.solve = np.linalg.pinv(expected, rcond=1e-9)
        self.parts = np.array([np.sum((self.weight @ effect) ** 2) for effect in every])

    def of(self, rating: Floats) -> tuple[Floats, Floats, Floats]:
        """t, what it is held against, and half of the width of the interval, (…,) each."""
        means = (rating @ self.block) / self.in_block
        left = rating - means @ self.block.T
        squares = [((left @ group) ** 2).sum(axis=-1) for group in self.grouped] + [(left**2).sum(axis=-1)]
        parts = np.maximum(np.stack(squares, axis=-1) @ self.solve.T, 0.0) * self.parts
        raters, items, rest = parts[..., :-1:2].sum(-1), parts[..., 1:-1:2].sum(-1), parts[..., -1]
        variance = raters + items + rest
        df = degrees(self.layout, self.numbers, (raters, items, rest))
        critical = np.where(df > 0, special.stdtrit(np.maximum(df, 1e-9), self.level), np.nan)
        t = (rating @ self.weight) / np.sqrt(np.where(variance > 0, variance, np.nan))
        return np.where(np.isnan(t), np.inf, t), critical, 2 * critical * np.sqrt(variance)


def _indicators(code: Codes) -> Floats:
    """(N, groups) 1 where a cell belongs to a group, of those that have cells: a rater may have got none."""
    return np.asarray(code[:, None] == np.unique(code), dtype=np.float64)
