"""RV, W_q and PRV of PCC-H: what items say when raters and items weigh differently."""

from functools import cached_property
from math import nan
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.ratings import ratio
from analysis.values.votes import Lists, Votes

NOTHING = 1e-12
"""What rounding leaves of a correlation or a share that is 0, or of 1 less the entropy of equal shares."""
TINY = np.finfo(np.float64).tiny
"""Number that stands for 0 in a logarithm that is multiplied by it."""


class Chosen:
    """Choices by rater and item, asked for in many draws; each counts as its `weight` (N,) says, 1 without."""

    def __init__(self, votes: Votes, weight: Floats | None = None) -> None:
        self.votes, self._weight = votes, weight
        self._cell = votes.choice * votes.items + votes.item
        self._cells = votes.items * votes.options

    def by(self, rater_weight: Floats) -> Floats:
        """Weights (w, b) of those who chose each option of each item (k, q, b)."""
        draws = rater_weight.shape[1]
        if draws == 1:
            each = rater_weight[self.votes.rater, 0]
            chosen = summed(self._cell, each if self._weight is None else each * self._weight, self._cells)
        else:
            chosen = self._matrix @ rater_weight
        return np.asarray(chosen).reshape(self.votes.options, self.votes.items, draws)

    def relevance(self, weight: Floats, rater_weight: Floats) -> tuple[Floats, Flags]:
        """RV of trusted raters' weights (b, w), and where all count as in the draw, as all of them are 0."""
        # Departs from Eq. 2 where it divides 0 by 0: votes weigh alike there.
        trusted = self.by(weight.T)
        total = trusted.sum(axis=0)
        equal = np.zeros(total.shape, dtype=np.bool_)
        if not (total > 0).all():
            everyone = self.by(rater_weight.T)
            equal = (total <= 0) & (everyone.sum(axis=0) > 0)
            trusted = np.where(equal, everyone, trusted)
            total = trusted.sum(axis=0)
        return shared(trusted, total), equal.T

    @cached_property
    def _matrix(self) -> Any:
        of = self._weight if self._weight is not None else np.ones(len(self.votes))
        return sparse.csr_array((of, (self._cell, self.votes.rater)), shape=(self._cells, self.votes.raters))


def summed(code: Codes, weight: Floats, many: int) -> Floats:
    """Weights summed by code."""
    return np.asarray(np.bincount(code, weight, many), dtype=np.float64)


def relevance(votes: Votes, weight: Floats, rater_weight: Floats | None = None) -> tuple[Floats, Flags]:
    """RV: what share of an item's weight went to each option (Habibi and Popescu-Belis 2012, Eq. 2)."""
    return Chosen(votes).relevance(
        weight, np.ones((1, votes.raters)) if rater_weight is None else rater_weight
    )


def shared(chosen: Floats, total: Floats) -> Floats:
    """Return what share (b, q, k) of an item's whole weight (q, b) went to each option (k, q, b), in the same place."""
    chosen /= np.where(total > 0, total, nan)
    return chosen.T


def item_weights(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """W_q: how much each item counts, from 0 where all options are as likely to 1 where all chose one (Habibi
    and Popescu-Belis 2012, section 5.2, Eqs. 4 and 5)."""
    # W_q = 1 - H_q, with H_q = - sum over a of RV_qa log RV_qa. Departs from Eq. 4 in that the logarithm is
    # to base A, the number of options: a logarithm of another base can make W_q negative.
    weight = certainty(relevance, counted, min_votes)
    known = _known(relevance)
    enough = known & (counted >= min_votes)
    instead = np.where(enough.any(axis=-1, keepdims=True), enough, known)
    return np.where((weight > 0).any(axis=-1, keepdims=True), weight, instead)


def weighted_share(relevance: Floats, item_weight: Floats) -> Floats:
    """PRV: the mean of the items' RV, weighted (Habibi and Popescu-Belis 2012, section 5.2, Eq. 6)."""
    known = _known(relevance)
    if not known.all():
        item_weight, relevance = item_weight * known, np.where(known[:, :, None], relevance, 0.0)
    told = np.einsum("kqb,qb->kb", relevance.T, item_weight.T)
    return ratio(told, item_weight.sum(axis=1)).T


def _known(relevance: Floats) -> Flags:
    """Return which items anybody judged (b, q)."""
    return np.asarray(~np.isnan(relevance[..., :1]).any(axis=-1))


def shares_of_lists(prv: Floats, lists: Lists) -> Floats:
    """The first list's share once those who said "both" and "neither" are told to the two lists (Habibi and
    Popescu-Belis 2012, section 5.1, Eq. 3)."""
    # Each list gains half of "both" and loses half of "neither". Eq. 3 does this for each item; as Eq. 6 is
    # a sum over items, doing it once after it gives the same. Departs from the paper's formulas, not from
    # its tables: the two are divided by their sum, so that they add to 1.
    moved = np.zeros(len(prv))
    if lists.both is not None:
        moved = moved + prv[:, lists.both] / 2
    if lists.neither is not None:
        moved = moved - prv[:, lists.neither] / 2
    first, second = prv[:, lists.first] + moved, prv[:, lists.second] + moved
    told = (np.minimum(first, second) >= -NOTHING) & (first + second > NOTHING)
    first, second = np.maximum(first, 0.0), np.maximum(second, 0.0)
    return ratio(np.where(told, first, nan), np.where(told, first + second, nan))


def certainty(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """1 less the entropy to base A, 0 for items with few votes (b, q)."""
    entropy = np.zeros(relevance.shape[::-1][1:])
    for share in relevance.T:
        entropy -= share * np.log(np.maximum(share, TINY))
    weight = 1 - entropy.T / np.log(max(relevance.shape[-1], 2))
    return np.where((counted >= min_votes) & (weight > NOTHING), weight, 0.0)


CELLS = 200_000
"""Votes times draws looked at at once."""


def reliabilities(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """r_w of every rater in every draw, 0 where it is not defined (Habibi and Popescu-Belis 2012, section
    5.1, Eq. 1; see `correlations`)."""
    return Compared(votes, poll).reliabilities(rater_weight, item_weight)


def undefined(votes: Votes, poll: Codes | None = None) -> Flags:
    """Return which raters' r_w is 0 only because no option varies."""
    is_undefined: Flags = np.isnan(correlations(votes, poll=poll)[0])
    return is_undefined


def correlations(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """r_w of every rater in every draw, NaN where it is not defined (Habibi and Popescu-Belis 2012, Eq. 1)."""
    # Does this rater choose what the others choose? For each option, Pearson's correlation over
    # the rater's votes of X, 1 where it was chosen, with Y, the mean of the other raters' X on the item;
    # the mean over the options where both vary. Votes on items that nobody else judged are left out. Copies
    # of a rater are not others to each other; other raters count as often as drawn, and so do items.
    # Several votes of a rater on an item count one by one, and none of them is among the others. Options of
    # different polls are different options: r_w is then the mean of the polls' r_w where they are
    # defined, weighted by the number of the rater's votes compared there. Departs from Eq. 1 as printed,
    # which sums over options: divided by their number it stays in -1 … 1.
    return Compared(votes, poll).correlations(rater_weight, item_weight)


class Compared:
    """Raters held against each other, asked for in many draws: what does not change with them is worked out once."""

    def __init__(self, votes: Votes, poll: Codes | None = None) -> None:
        self._votes = votes
        self._polls, self._group = 1, votes.rater
        if poll is not None:
            if len(poll) != votes.items:
                raise InputError(f"`poll` needs one code per item, {votes.items}, got {len(poll)}")
            self._polls = int(np.max(poll, initial=0)) + 1
            self._group = np.asarray(poll)[votes.item] * votes.raters + votes.rater
        self._crossed = poll is None and is_crossed(votes)

    def reliabilities(self, rater_weight: Floats | None = None, item_weight: Floats | None = None) -> Floats:
        """r_w (b, raters), 0 where it is not defined and of raters that a draw leaves out."""
        r = self.correlations(rater_weight, item_weight)
        known = ~np.isnan(r) if rater_weight is None else ~np.isnan(r) & (rater_weight > 0)
        return np.where(known, r, 0.0)

    def correlations(self, rater_weight: Floats | None = None, item_weight: Floats | None = None) -> Floats:
        """r_w (b, raters), NaN where it is not defined."""
        votes = self._votes
        raters = np.ones((votes.raters, 1)) if rater_weight is None else np.ascontiguousarray(rater_weight.T)
        items = np.ones((votes.items, 1)) if item_weight is None else np.ascontiguousarray(item_weight.T)
        if self._crossed:
            return _settled(of_complete_tables(votes, raters, items))
        draws = max(raters.shape[1], items.shape[1])
        if not len(votes):
            return np.full((draws, votes.raters), np.nan)
        step = max(CELLS // len(votes), 1)
        room = np.empty((3, len(votes) * min(step, draws)))  # taken once: new pages cost more than the sums
        parts = [
            self._by_group(_columns(raters, start, step), _columns(items, start, step), room)
            for start in range(0, draws, step)
        ]
        n, r = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        n, r = (part.reshape(self._polls, votes.raters, draws) for part in (n, r))
        n = np.where(np.isnan(r), 0.0, n)
        return _settled(ratio((n * np.nan_to_num(r)).sum(axis=0), n.sum(axis=0)).T)

    def _by_group(self, raters: Floats, items: Floats, room: Floats) -> tuple[Floats, Floats]:
        """Votes compared and r_w of each group of votes, one rater's in one poll (g, b)."""
        # Y is taken less its value at one of the group's votes: equal quotients are equal numbers, so that a
        # constant Y has no variance at all.
        votes, sums = self._votes, self._sums
        chosen = self._chosen.by(raters)
        by_whom = np.take(raters, votes.rater, axis=0)
        others = np.take(chosen.sum(axis=0), votes.item, axis=0)
        others -= by_whom * self._own[:, None]
        shape = len(votes), max(raters.shape[1], items.shape[1])
        weight, away, weighted = room[:, : shape[0] * shape[1]].reshape(-1, *shape)
        np.multiply(np.take(items, votes.item, axis=0), others > 0, out=weight)
        others[others <= 0] = 1.0
        n = sums.of(weight)
        compared_to, draw = sums.last(weight), np.arange(n.shape[1]) % raters.shape[1]
        total, varying = np.zeros((2, *n.shape))
        for of_option, choice in zip(chosen, self._choices, strict=True):
            y = np.take(of_option, votes.item, axis=0)
            y[choice.with_own] -= by_whom[choice.with_own] * choice.own[:, None]
            y /= others
            np.take(y[compared_to, draw], self._group, axis=0, out=away, mode="clip")
            np.subtract(y, away, out=away)
            np.multiply(weight, away, out=weighted)
            sum_y = sums.of(weighted)
            sum_x, sum_xy = (
                choice.sums.of(np.take(each, choice.votes, axis=0)) for each in (weight, weighted)
            )
            weighted *= away
            sum_yy = sums.of(weighted)
            spread = sum_x * (n - sum_x) * (n * sum_yy - sum_y**2)
            varies = (sum_x > 0) & (sum_x < n) & (sum_yy > 0) & (spread > 0)
            above = n * sum_xy - sum_x * sum_y
            total += np.where(varies, above / np.sqrt(np.where(varies, spread, 1.0)), 0.0)
            varying += varies
        return n, ratio(total, varying)

    @cached_property
    def _chosen(self) -> Chosen:
        return Chosen(self._votes)

    @cached_property
    def _sums(self) -> "_Sums":
        return _Sums(self._group, self._polls * self._votes.raters)

    @cached_property
    def _several(self) -> tuple[Codes, Codes]:
        return _several_votes(self._votes)

    @cached_property
    def _own(self) -> Floats:
        """Return how many votes the vote's rater has on its item (N,)."""
        return _own(np.ones(len(self._votes)), *self._several)

    @cached_property
    def _choices(self) -> "list[_Choice]":
        choices = []
        for option in range(self._votes.options):
            x = self._votes.choice == option
            own, votes = _own(x.astype(np.float64), *self._several), np.flatnonzero(x)
            with_own = np.flatnonzero(own)
            of_votes = _Sums(self._group[votes], self._polls * self._votes.raters)
            choices.append(_Choice(votes, of_votes, with_own, own[with_own]))
        return choices


class _Choice(NamedTuple):
    """The votes (m,) for an option and their sums, and those (l,) whose rater chose it on the item, so many times."""

    votes: Codes
    sums: "_Sums"
    with_own: Codes
    own: Floats


def _columns(weights: Floats, start: int, step: int) -> Floats:
    """Some of the draws, or the one column that stands for them all."""
    return weights if weights.shape[1] == 1 else weights[:, start : start + step]


def _settled(r: Floats) -> Floats:
    return np.clip(np.where(np.abs(r) < NOTHING, 0.0, r), -1.0, 1.0)


class _Sums:
    """Sums of rows (n, b) by their groups' codes (n,)."""

    def __init__(self, group: Codes, groups: int) -> None:
        self._group, self._groups = group, groups

    def of(self, rows: Floats) -> Floats:
        """(g, b)"""
        if rows.shape[1] == 1:
            return summed(self._group, rows[:, 0], self._groups)[:, None]
        return np.asarray(self._matrix @ rows)

    def last(self, weight: Floats) -> Codes:
        """The last row of each group that weighs anything in a draw (g, b), or any row where none does."""
        order, first = self._matrix.indices, self._matrix.indptr
        some = np.flatnonzero(np.diff(first))
        place = (np.take(weight, order, axis=0) > 0) * np.arange(len(order))[:, None]
        last = np.zeros((self._groups, weight.shape[1]), dtype=np.int64)
        last[some] = order[np.maximum.reduceat(place, first[some], axis=0)]
        return last

    @cached_property
    def _matrix(self) -> Any:
        """1 where a row is of a group; so its places are the rows by group."""
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
    """Return True where every rater judged every item exactly once (the complete table of methods, section 4, as in
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
