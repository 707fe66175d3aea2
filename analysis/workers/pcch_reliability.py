"""r_w of PCC-H: how far each rater chooses what the others choose, in the study and in draws of it."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.errors import InputError
from analysis.values.quotients import ratio
from analysis.values.votes import Codes, Votes
from analysis.workers.pcch_relevance import NOTHING, Chosen, summed

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def reliabilities(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """r_w of every rater in every draw, 0 where it is not defined (Habibi and Popescu-Belis 2012, section
    5.1, Eq. 1; see `correlations`)."""
    r = correlations(votes, rater_weight, item_weight, poll)
    known = ~np.isnan(r) if rater_weight is None else ~np.isnan(r) & (rater_weight > 0)
    return np.where(known, r, 0.0)


def undefined(votes: Votes, poll: Codes | None = None) -> Flags:
    """Which raters' r_w is 0 only because no option varies."""
    is_undefined: Flags = np.isnan(correlations(votes, poll=poll)[0])
    return is_undefined


def correlations(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """r_w of every rater in every draw, NaN where it is not defined (Habibi and Popescu-Belis 2012, section
    5.1, Eq. 1)."""
    # Does this rater choose what the others choose? For each option, Pearson's correlation over
    # the rater's votes of X, 1 where it was chosen, with Y, the mean of the other raters' X on the item;
    # the mean over the options where both vary. Votes on items that nobody else judged are left out. Copies
    # of a rater are not others to each other; other raters count as often as drawn, and so do items.
    # Several votes of a rater on an item count one by one, and none of them is among the others. Options of
    # different polls are different options: r_w is then the mean of the polls' r_w where they are
    # defined, weighted by the number of the rater's votes compared there. Departs from Eq. 1 as printed,
    # which sums over options: divided by their number it stays in -1 … 1.
    groups, group = 1, votes.rater
    if poll is not None:
        if len(poll) != votes.items:
            raise InputError(f"`poll` needs one code per item, {votes.items}, got {len(poll)}")
        groups = int(np.max(poll, initial=0)) + 1
        group = np.asarray(poll)[votes.item] * votes.raters + votes.rater
    raters = np.ones((votes.raters, 1)) if rater_weight is None else np.ascontiguousarray(rater_weight.T)
    items = np.ones((votes.items, 1)) if item_weight is None else np.ascontiguousarray(item_weight.T)
    if poll is None and is_crossed(votes):
        return _settled(of_complete_tables(votes, raters, items))

    n, r = _by_group(votes, group, groups * votes.raters, raters, items)
    draws = n.shape[1]
    n, r = n.reshape(groups, votes.raters, draws), r.reshape(groups, votes.raters, draws)
    n = np.where(np.isnan(r), 0.0, n)
    mean_r = ratio((n * np.nan_to_num(r)).sum(axis=0), n.sum(axis=0))
    return _settled(mean_r.T)


def _settled(r: Floats) -> Floats:
    return np.clip(np.where(np.abs(r) < NOTHING, 0.0, r), -1.0, 1.0)


def _by_group(
    votes: Votes, group: Codes, groups: int, raters: Floats, items: Floats
) -> tuple[Floats, Floats]:
    """Votes compared and r_w of each group of votes, one rater's in one poll (g, b)."""
    # Y is taken less its value at one of the group's votes: equal quotients are equal numbers, so that a
    # constant Y has no variance at all.
    chosen = Chosen(votes).by(raters)
    by_whom = raters[votes.rater]
    several, pair = _several_votes(votes)
    others = chosen.sum(axis=0)[votes.item] - by_whom * _own(np.ones(len(votes)), several, pair)[:, None]
    weight = items[votes.item] * (others > 0)
    others[others <= 0] = 1.0
    sums = _Sums(group, groups)
    n = sums.of(weight)
    place, draw = np.nonzero(weight)
    compared_to = np.zeros(n.shape, dtype=np.int64)
    compared_to[group[place], draw] = place
    draw = np.arange(n.shape[1]) % raters.shape[1]

    total, varying = np.zeros(n.shape), np.zeros(n.shape)
    for option in range(votes.options) if len(votes) else ():
        x = votes.choice == option
        y = np.take(chosen[option], votes.item, axis=0)
        y -= by_whom * _own(x.astype(np.float64), several, pair)[:, None]
        y /= others
        y = y - np.take(y[compared_to, draw], group, axis=0)
        weighted = weight * y
        sum_y = sums.of(weighted)
        chosen_by = np.flatnonzero(x)
        of_choice = _Sums(group[chosen_by], groups)
        sum_x, sum_xy = (of_choice.of(np.take(each, chosen_by, axis=0)) for each in (weight, weighted))
        weighted *= y
        sum_yy = sums.of(weighted)
        spread = sum_x * (n - sum_x) * (n * sum_yy - sum_y**2)
        varies = (sum_x > 0) & (sum_x < n) & (sum_yy > 0) & (spread > 0)
        total += np.where(varies, (n * sum_xy - sum_x * sum_y) / np.sqrt(np.where(varies, spread, 1.0)), 0.0)
        varying += varies
    return n, ratio(total, varying)


class _Sums:
    """Sums of rows (n, b) by their groups' codes (n,)."""

    def __init__(self, group: Codes, groups: int) -> None:
        self._group, self._groups = group, groups

    def of(self, rows: Floats) -> Floats:
        """(g, b)"""
        if rows.shape[1] == 1:
            return summed(self._group, rows[:, 0], self._groups)[:, None]
        return np.asarray(self._matrix @ rows)

    @cached_property
    def _matrix(self) -> Any:
        n = len(self._group)
        return sparse.csr_array((np.ones(n), (self._group, np.arange(n))), shape=(self._groups, n))


def _several_votes(votes: Votes) -> tuple[Codes, Codes]:
    """The votes (m,) whose rater has several on the item, and a code of rater and item for each of them (m,)."""
    pair = votes.item * votes.raters + votes.rater
    order = np.argsort(pair)
    pair = pair[order]
    first = np.ones(len(pair), dtype=np.bool_)
    first[1:] = pair[1:] != pair[:-1]
    alone = first & np.append(first[1:], True)
    return order[~alone], np.cumsum(first & ~alone)[~alone] - 1


def _own(x: Floats, several: Codes, pair: Codes) -> Floats:
    """The sum of x (N,) over all votes of the same rater on the same item (N,)."""
    own = x.copy()
    if len(several):
        own[several] = summed(pair, x[several], 0)[pair]
    return own


def is_crossed(votes: Votes) -> bool:
    """Whether every rater judged every item exactly once (the complete table of methods, section 4, as in
    Habibi and Popescu-Belis 2012, section 4. Arrays (n,))."""
    if not len(votes) or len(votes) != votes.items * votes.raters:
        return False
    return bool((np.bincount(votes.item * votes.raters + votes.rater, minlength=len(votes)) == 1).all())


def of_complete_tables(votes: Votes, raters: Floats, items: Floats) -> Floats:
    """r_w of every rater in every draw, NaN where no option varies (Habibi and Popescu-Belis 2012, section
    5.1, Eq. 1, as `correlations`)."""
    # The others of a rater are equally many on all items, so that their mean is their sum up to a factor that
    # no correlation sees.
    # With T the votes for an option on an item, m how often the rater was drawn and x the rater's own
    # choice, the others' votes are T - m x: what they vary by, and with x, follows from how T and x do.
    n = items.sum(axis=0)
    own = np.zeros((votes.options, votes.raters, votes.items))
    own[votes.choice, votes.rater, votes.item] = 1.0
    shape = np.broadcast_shapes(raters.shape, n.shape)
    total, varying = np.zeros(shape), np.zeros(shape)
    for x in own:
        t = x.T @ raters
        weighted = items * t
        sum_t, sum_x = weighted.sum(axis=0), x @ items
        of_t = n * np.einsum("qb,qb->b", weighted, t) - sum_t**2
        of_x = sum_x * (n - sum_x)
        with_t = n * (x @ weighted) - sum_x * sum_t
        with_others = with_t - raters * of_x
        spread = of_x * (of_t - raters * (with_t + with_others))
        varies = spread > 0
        total += with_others / np.sqrt(np.where(varies, spread, np.inf))
        varying += varies
    return np.clip(ratio(total, varying * (raters.sum(axis=0) > raters)), -1.0, 1.0).T
