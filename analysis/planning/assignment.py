"""Who rates what: each item by as many raters as planned, all raters about as much, in an order of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.planning.difference import DifferencePlan
from analysis.planning.simulated_difference import CONDITIONS, whole
from analysis.planning.t_tests import at_least
from analysis.values.errors import InputError
from analysis.values.types import Codes


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
    """Who rates what under which system in a planned study.

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
