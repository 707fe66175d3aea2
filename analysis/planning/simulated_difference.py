"""Power by simulation, and balanced assignments of items to raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.planning.difference import DifferencePlan, Numbers, degrees
from analysis.planning.workloads import at_least, effective_raters, loads_of, shares_of_items, whole_loads
from analysis.resampling.intervals import blocks
from analysis.values.estimate import Codes, Floats, InputError, OnProgress

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
    """Assignment of a study: codes (N,) of rater, item and block, and the condition's sign (N,)."""

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
    """Return how often studies like the planned one find the difference.

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
    """Assign raters to items in turn, or by their loads; items of both sets at one place have the same raters."""
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
    """Return the difference that a study's ratings (…, N) show."""

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


@dataclass(frozen=True, eq=False)
class Assignment:
    """A row per rating to collect, by rater and then by place: `rater` (N,), `item` (N,) and `order` (N,) from 1."""

    rater: NDArray[Any]
    item: NDArray[Any]
    order: Codes


@dataclass(frozen=True, eq=False)
class StudyAssignment:
    """A row per rating (N,) of a planned study of two systems: who rates which item under which, in which order.

    `rater` and `item` are numbers from 0, `system` 0 or 1, `order` the rater's own from 1.
    """

    rater: Codes
    item: Codes
    system: Codes
    order: Codes


def assigned_study(plan: DifferencePlan, most_per_rater: int | None = None, seed: int = 0) -> StudyAssignment:
    """Return who rates what under which system in a planned study.

    Parameters
    ----------
    plan : with whole numbers that its design can deal out
    most_per_rater : ratings that one rater may be asked for
    seed : of who meets what, and of the order

    Returns
    -------
    StudyAssignment
        (N,) every item has its raters, loads of a group of raters differ by one item at most, and systems and
        items come in random order

    Raises
    ------
    InputError
        where the design cannot deal out the plan's numbers, or `most_per_rater` leaves too little room.

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014 (the designs); Cochran and Cox 1957, chapter 9 (incomplete blocks).

    >>> study = assigned_study(DifferencePlan(4, 6, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2))
    >>> np.bincount(study.item).tolist(), np.bincount(study.system).tolist()
    ([4, 4, 4, 4, 4, 4], [12, 12])
    """
    layout, conditions = plan.layout, CONDITIONS[plan.design]
    raters, items = whole("raters", plan.raters), whole("items", plan.items)
    each = whole("ratings_per_item", plan.per_item * layout.sets / len(conditions))
    twice = 2 if plan.design == "crossed" else 1
    needed = twice * -(-whole("ratings", plan.cells) // raters)
    if most_per_rater is not None and most_per_rater < needed:
        raise InputError(
            f"`most_per_rater` must be at least {needed}: {plan.ratings:.0f} ratings are shared by {raters} raters, "
            f"got {most_per_rater}"
        )
    columns = []
    for group in range(layout.groups):
        people = np.arange(raters)[group :: layout.groups]
        sign = np.zeros(items, dtype=np.int64)
        for which, of, coded in conditions:
            if which == group:
                sign[of :: layout.sets] = coded
        things = np.flatnonzero(sign)
        room = None if most_per_rater is None else most_per_rater // twice
        dealt = balanced_assignment(people.tolist(), things.tolist(), each, room, sign[things], seed + group)
        columns.append(np.stack([dealt.rater, dealt.item, (sign[dealt.item] + 1) // 2]))
    rater, item, system = np.concatenate(columns, axis=1)
    if twice == 2:
        rater, item = np.tile(rater, 2), np.tile(item, 2)
        system = np.repeat([0, 1], len(system))
    rng = np.random.default_rng([seed, 1])
    by = np.lexsort((rng.random(len(rater)), rater))
    rater, item, system = rater[by], item[by], system[by]
    order = np.arange(len(rater)) - np.searchsorted(rater, rater) + 1
    return StudyAssignment(rater, item, system, order)


def balanced_assignment(
    raters: Sequence[Any],
    items: Sequence[Any],
    ratings_per_item: int,
    most_per_rater: int | None = None,
    systems: ArrayLike | None = None,
    seed: int = 0,
) -> Assignment:
    """An incomplete block design that can be handed to a platform.

    Parameters
    ----------
    raters, items : their names, each once
    ratings_per_item : how many raters see each item
    most_per_rater : items that one rater may be given
    systems : (n,) of each item; a rater then gets about as many items of each
    seed : of who meets what, and of the order

    Returns
    -------
    Assignment
        (N,) in which every item has its raters, loads differ by at most one item, and every rater has an order of
        their own

    Raises
    ------
    InputError
        where names repeat, there are too few raters for an item, or `most_per_rater` leaves too little room.

    Notes
    -----
    Items come one after another in random order; each goes to raters with the fewest items so far, among them to those
    with the fewest of its system, among them by lot.
    Source: Cochran and Cox 1957, chapter 9 (incomplete blocks); methods, section 8.

    >>> plan = balanced_assignment(["ann", "ben", "cam"], ["a", "b", "c"], 2)
    >>> np.unique(plan.rater, return_counts=True)[1].tolist(), np.unique(plan.item, return_counts=True)[1].tolist()
    ([2, 2, 2], [2, 2, 2])
    """
    people, things = np.asarray(raters), np.asarray(items)
    for name, given in (("raters", people), ("items", things)):
        if given.ndim != 1 or not len(given) or len(np.unique(given)) < len(given):
            raise InputError(f"`{name}` must name each once, and at least one")
    at_least("ratings_per_item", ratings_per_item, 1)
    p, q, k = len(people), len(things), int(ratings_per_item)
    if k > p:
        raise InputError(f"`ratings_per_item` must be at most the number of raters, {p}, got {k}")
    if most_per_rater is not None and most_per_rater * p < q * k:
        raise InputError(
            f"`most_per_rater` must be at least {-(-q * k // p)}: {q * k} ratings are shared by {p} raters, "
            f"got {most_per_rater}"
        )
    of_system = np.zeros(q, dtype=np.int64)
    if systems is not None:
        if len(np.asarray(systems)) != q:
            raise InputError(f"`systems` must have one entry per item, {q}, got {len(np.asarray(systems))}")
        of_system = np.unique(np.asarray(systems), return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    load, of_each = np.zeros(p), np.zeros((p, int(of_system.max()) + 1))
    chosen = np.empty((q, k), dtype=np.int64)
    for item in rng.permutation(q):
        system = of_system[item]
        first = np.lexsort((rng.random(p), of_each[:, system], load))[:k]
        load[first] += 1
        of_each[first, system] += 1
        chosen[item] = first
    rater, item = chosen.ravel(), np.repeat(np.arange(q), k)
    order = np.lexsort((rng.random(q * k), rater))
    rater, item = rater[order], item[order]
    starts = np.append(0, np.cumsum(np.bincount(rater, minlength=p)))[rater]
    return Assignment(people[rater], things[item], np.arange(q * k) - starts + 1)
