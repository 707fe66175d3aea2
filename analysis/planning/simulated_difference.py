"""Power by simulation, and balanced assignments of items to raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.planning.difference import DifferencePlan, Numbers, satterthwaite_degrees
from analysis.planning.workloads import (
    check_at_least,
    effective_raters,
    interpolate_loads,
    item_shares,
    round_loads,
)
from analysis.resampling.intervals import blocks
from analysis.values.estimate import Codes, Floats, InputError, OnProgress

CELLS_PER_BLOCK = 2_000_000
"""Cells of the studies simulated at once."""
CONDITIONS = {
    "crossed": ((0, 0, 1),),
    "counterbalanced": ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)),
    "items within": ((0, 0, 1), (0, 1, -1)),
    "raters within": ((0, 0, 1), (1, 0, -1)),
    "both within": ((0, 0, 1), (1, 1, -1)),
}
"""Conditions (group of raters, set of items, sign of the system); of the crossed design, half of the difference."""


@dataclass(frozen=True)
class SimulatedPower:
    """Share of simulated studies that find the difference, with its standard error.

    `half_width`: mean half-width of their intervals of the difference; `effective_raters` of the loads.
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
    """Estimate the power of a plan by simulating studies.

    Parameters
    ----------
    plan : with whole numbers of raters and items; its `loads` (p,) if unequal
    studies, seed : number of studies, and seed of their random numbers
    on_progress : called between blocks with the share done

    Returns
    -------
    SimulatedPower
        NaN without degrees of freedom for raters or items

    Raises
    ------
    InputError
        where raters, items or ratings per item are not whole numbers that the design can divide.

    Notes
    -----
    Ratings are normal; scales with few steps have slightly less power.
    Source: Westfall, Kenny and Judd 2014 (the model); Henderson 1953, method 1 (sums of squares); Satterthwaite 1946.
    """
    check_at_least("studies", studies, 1)
    rng = np.random.default_rng(seed)
    cells = assign_raters(plan, rng)
    analysis = _Analysis(plan, cells)
    n_significant, width = 0, 0.0
    for block in blocks(studies, max(CELLS_PER_BLOCK // len(cells.rater), 1), on_progress):
        t, critical, half_width = analysis.analyze(
            _simulate_ratings(plan, cells, rng, block.stop - block.start)
        )
        n_significant += int((np.abs(t) > critical).sum())
        width += float(half_width.sum())
    effective = effective_raters(np.bincount(cells.rater))
    if np.isnan(width):
        return SimulatedPower(np.nan, np.nan, np.nan, effective, studies)
    share = n_significant / studies
    error = sqrt(max(share * (1 - share), 0.25 / studies) / studies)
    return SimulatedPower(share, error, width / studies, effective, studies)


def assign_raters(plan: DifferencePlan, rng: np.random.Generator) -> Cells:
    """Assign raters to items in turn, or by their loads; corresponding items of both sets have the same raters."""
    raters, items = (check_whole(name, getattr(plan, name)) for name in ("raters", "items"))
    layout, conditions = plan.layout, CONDITIONS[plan.design]
    groups = [np.arange(raters)[index :: layout.groups] for index in range(layout.groups)]
    sets = [np.arange(items)[index :: layout.sets] for index in range(layout.sets)]
    groups_of_item = len(conditions) // layout.sets
    per_group = check_whole("ratings_per_item", plan.per_item / groups_of_item)
    if per_group > min(map(len, groups)):
        raise InputError(f"`ratings_per_item` must be at most {groups_of_item * min(map(len, groups))}")
    largest_set = max(map(len, sets))
    if plan.loads is None:
        positions = np.arange(largest_set)[:, None] * per_group + np.arange(per_group)
        chosen = [positions % len(group) for group in groups]
    else:
        rater_loads = interpolate_loads(plan.loads, raters)
        chosen = [
            _sample_raters_by_load(
                round_loads(item_shares(rater_loads[group], per_group), largest_set), per_group, rng
            )
            for group in groups
        ]
    columns = []
    for index, (group, item_set, sign) in enumerate(conditions):
        rater = groups[group][chosen[group][: len(sets[item_set])]]
        item = np.broadcast_to(sets[item_set][:, None], rater.shape)
        columns.append([rater.ravel(), item.ravel(), np.full(rater.size, index), np.full(rater.size, sign)])
    return Cells(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _sample_raters_by_load(remaining: Floats, raters_per_item: int, rng: np.random.Generator) -> Codes:
    """Sample raters (items, raters_per_item) with probability proportional to their `remaining` items, including all
    raters with as many remaining items as there are items left."""
    items = round(float(remaining.sum())) // raters_per_item
    chosen = np.empty((items, raters_per_item), dtype=np.int64)
    for item in range(items):
        with np.errstate(divide="ignore"):
            arrival_time = np.where(
                remaining >= items - item, -1.0, rng.standard_exponential(len(remaining)) / remaining
            )
        chosen[item] = np.argsort(arrival_time, kind="stable")[:raters_per_item]
        remaining[chosen[item]] -= 1
    return chosen


def check_whole(name: str, value: float) -> int:
    """Return the value as an integer, or raise an error."""
    if value != round(value):
        raise InputError(
            f"`{name}` must be a whole number that the design's halves share alike, got {value:g}"
        )
    return int(value)


def _components(plan: DifferencePlan) -> tuple[float, ...]:
    """Return the variances of raters' and items' slopes, of raters and items, and of the residual. In the crossed
    design, where a cell is half of a difference, effects common to both systems cancel."""
    if plan.design == "crossed":
        return plan.rater_slope, plan.item_slope, 0.0, 0.0, plan.residual / 2
    rest = plan.residual + (plan.rater_item or 0)
    return plan.rater_slope, plan.item_slope, plan.rater or 0.0, plan.item or 0.0, rest


def _simulate_ratings(plan: DifferencePlan, cells: Cells, rng: np.random.Generator, studies: int) -> Floats:
    """Return simulated ratings (studies, N)."""
    rater_slope_sd, item_slope_sd, rater_sd, item_sd, residual_sd = (
        sqrt(variance) for variance in _components(plan)
    )
    p, q = int(plan.raters), int(plan.items)
    slope = plan.d / 2 + (rater_slope_sd * rng.standard_normal((studies, p)))[:, cells.rater]
    slope += (item_slope_sd * rng.standard_normal((studies, q)))[:, cells.item]
    rating = cells.sign * slope + residual_sd * rng.standard_normal((studies, len(cells.rater)))
    if rater_sd or item_sd:
        rating += (rater_sd * rng.standard_normal((studies, p)))[:, cells.rater]
        rating += (item_sd * rng.standard_normal((studies, q)))[:, cells.item]
    return rating


class _Analysis:
    """Estimator of the difference from a study's ratings (…, N)."""

    def __init__(self, plan: DifferencePlan, cells: Cells) -> None:
        self.layout, self.level = plan.layout, 1 - plan.alpha / plan.comparisons / 2
        self.numbers = Numbers(effective_raters(np.bincount(cells.rater)), plan.items, plan.per_item)
        self.block = _indicators(cells.block)
        raters, items, sign = _indicators(cells.rater), _indicators(cells.item), cells.sign[:, None]
        effects = [sign * raters, sign * items, raters, items]
        if plan.design == "crossed":
            effects = effects[:2]
        # Squared totals are divided by their counts: otherwise the busiest rater would dominate the variance.
        self.grouped = [indicator / np.sqrt((indicator**2).sum(axis=0)) for indicator in effects]
        self.in_block = self.block.sum(axis=0)
        self.weight = cells.sign / self.in_block[cells.block] / len(self.in_block)
        effects.append(np.eye(len(cells.rater)))
        centred = [
            indicator - self.block @ ((self.block.T @ indicator) / self.in_block[:, None])
            for indicator in effects
        ]
        projections = [*self.grouped, effects[-1]]
        expected = np.array(
            [[np.sum((projection.T @ effect) ** 2) for effect in centred] for projection in projections]
        )
        self.solve = np.linalg.pinv(expected, rcond=1e-9)
        self.parts = np.array([np.sum((self.weight @ effect) ** 2) for effect in effects])

    def analyze(self, rating: Floats) -> tuple[Floats, Floats, Floats]:
        """Return t, its critical value, and the half-width of the interval, (…,) each."""
        means = (rating @ self.block) / self.in_block
        residual = rating - means @ self.block.T
        squares = [((residual @ group) ** 2).sum(axis=-1) for group in self.grouped] + [
            (residual**2).sum(axis=-1)
        ]
        parts = np.maximum(np.stack(squares, axis=-1) @ self.solve.T, 0.0) * self.parts
        raters, items, residual_part = parts[..., :-1:2].sum(-1), parts[..., 1:-1:2].sum(-1), parts[..., -1]
        variance = raters + items + residual_part
        df = satterthwaite_degrees(self.layout, self.numbers, (raters, items, residual_part))
        critical = np.where(df > 0, special.stdtrit(np.maximum(df, 1e-9), self.level), np.nan)
        t = (rating @ self.weight) / np.sqrt(np.where(variance > 0, variance, np.nan))
        return np.where(np.isnan(t), np.inf, t), critical, 2 * critical * np.sqrt(variance)


def _indicators(code: Codes) -> Floats:
    """Return indicators (N, groups) of the groups that have cells."""
    return np.asarray(code[:, None] == np.unique(code), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Assignment:
    """Assignment with a row per rating, sorted by rater and then by order: `rater` (N,), `item` (N,) and `order`
    (N,) from 1."""

    rater: NDArray[Any]
    item: NDArray[Any]
    order: Codes


@dataclass(frozen=True, eq=False)
class StudyAssignment:
    """Assignment of raters to items and systems of a planned study, with a row per rating (N,).

    `rater` and `item` are numbers from 0, `system` 0 or 1, `order` the position within the rater from 1.
    """

    rater: Codes
    item: Codes
    system: Codes
    order: Codes


def assigned_study(plan: DifferencePlan, most_per_rater: int | None = None, seed: int = 0) -> StudyAssignment:
    """Assign raters to items and systems in a planned study.

    Parameters
    ----------
    plan : with whole numbers that its design can divide
    most_per_rater : maximum of ratings by one rater
    seed : of the assignment and the order

    Returns
    -------
    StudyAssignment
        (N,) every item has its raters, loads of a group of raters differ by one item at most, and systems and
        items come in random order

    Raises
    ------
    InputError
        where the design cannot divide the plan's numbers, or `most_per_rater` is too small.

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014 (the designs); Cochran and Cox 1957, chapter 9 (incomplete blocks).

    >>> study = assigned_study(DifferencePlan(4, 6, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2))
    >>> np.bincount(study.item).tolist(), np.bincount(study.system).tolist()
    ([4, 4, 4, 4, 4, 4], [12, 12])
    """
    layout, conditions = plan.layout, CONDITIONS[plan.design]
    raters, items = check_whole("raters", plan.raters), check_whole("items", plan.items)
    per_group = check_whole("ratings_per_item", plan.per_item * layout.sets / len(conditions))
    systems_per_cell = 2 if plan.design == "crossed" else 1
    smallest = systems_per_cell * -(-check_whole("ratings", plan.cells) // raters)
    if most_per_rater is not None and most_per_rater < smallest:
        raise InputError(
            f"`most_per_rater` must be at least {smallest}: {plan.ratings:.0f} ratings are shared by {raters} raters, "
            f"got {most_per_rater}"
        )
    columns = []
    for group in range(layout.groups):
        group_raters = np.arange(raters)[group :: layout.groups]
        sign = np.zeros(items, dtype=np.int64)
        for condition_group, item_set, condition_sign in conditions:
            if condition_group == group:
                sign[item_set :: layout.sets] = condition_sign
        group_items = np.flatnonzero(sign)
        most_items = None if most_per_rater is None else most_per_rater // systems_per_cell
        assignment = balanced_assignment(
            group_raters.tolist(),
            group_items.tolist(),
            per_group,
            most_items,
            sign[group_items],
            seed + group,
        )
        columns.append(np.stack([assignment.rater, assignment.item, (sign[assignment.item] + 1) // 2]))
    rater, item, system = np.concatenate(columns, axis=1)
    if systems_per_cell == 2:
        rater, item = np.tile(rater, 2), np.tile(item, 2)
        system = np.repeat([0, 1], len(system))
    rng = np.random.default_rng([seed, 1])
    row_order = np.lexsort((rng.random(len(rater)), rater))
    rater, item, system = rater[row_order], item[row_order], system[row_order]
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
    """Return a balanced incomplete block design of raters and items.

    Parameters
    ----------
    raters, items : unique names
    ratings_per_item : number of raters of each item
    most_per_rater : maximum of items of one rater
    systems : (n,) of each item; a rater then gets about equal numbers of items of each
    seed : of the assignment and the order

    Returns
    -------
    Assignment
        (N,) in which every item has its raters, loads differ by at most one item, and every rater has a separate order

    Raises
    ------
    InputError
        where names repeat, there are too few raters for an item, or `most_per_rater` is too small.

    Notes
    -----
    Items are assigned in random order to the raters with the fewest items so far, then with the fewest of the item's
    system, with ties broken at random.
    Source: Cochran and Cox 1957, chapter 9 (incomplete blocks); methods, section 8.

    >>> plan = balanced_assignment(["ann", "ben", "cam"], ["a", "b", "c"], 2)
    >>> np.unique(plan.rater, return_counts=True)[1].tolist(), np.unique(plan.item, return_counts=True)[1].tolist()
    ([2, 2, 2], [2, 2, 2])
    """
    rater_names, item_names = np.asarray(raters), np.asarray(items)
    for name, ids in (("raters", rater_names), ("items", item_names)):
        if ids.ndim != 1 or not len(ids) or len(np.unique(ids)) < len(ids):
            raise InputError(f"`{name}` must name each once, and at least one")
    check_at_least("ratings_per_item", ratings_per_item, 1)
    p, q, k = len(rater_names), len(item_names), int(ratings_per_item)
    if k > p:
        raise InputError(f"`ratings_per_item` must be at most the number of raters, {p}, got {k}")
    if most_per_rater is not None and most_per_rater * p < q * k:
        raise InputError(
            f"`most_per_rater` must be at least {-(-q * k // p)}: {q * k} ratings are shared by {p} raters, "
            f"got {most_per_rater}"
        )
    item_system = np.zeros(q, dtype=np.int64)
    if systems is not None:
        if len(np.asarray(systems)) != q:
            raise InputError(f"`systems` must have one entry per item, {q}, got {len(np.asarray(systems))}")
        item_system = np.unique(np.asarray(systems), return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    ratings_per_rater, ratings_by_system = np.zeros(p), np.zeros((p, int(item_system.max()) + 1))
    chosen = np.empty((q, k), dtype=np.int64)
    for item in rng.permutation(q):
        system = item_system[item]
        selected = np.lexsort((rng.random(p), ratings_by_system[:, system], ratings_per_rater))[:k]
        ratings_per_rater[selected] += 1
        ratings_by_system[selected, system] += 1
        chosen[item] = selected
    rater, item = chosen.ravel(), np.repeat(np.arange(q), k)
    order = np.lexsort((rng.random(q * k), rater))
    rater, item = rater[order], item[order]
    starts = np.append(0, np.cumsum(np.bincount(rater, minlength=p)))[rater]
    return Assignment(rater_names[rater], item_names[item], np.arange(q * k) - starts + 1)
