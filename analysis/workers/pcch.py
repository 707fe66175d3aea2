"""PCC-H: how far each worker's choices can be trusted, how hard each item is, and what all say together.

Everything is worked out for many draws at once: how often a draw holds a rater or an item is its multiplicity.
Arrays inside have the draws last, so that a vote's figures of all draws lie side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from analysis.values.errors import InputError
from analysis.values.votes import Codes, Lists, Votes, coded
from analysis.workers import pcch_crossed

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST_SAY_NEITHER = "most judgments say neither"
NO_VOTES = "there are no votes"
_NOTHING = 1e-12
"""What rounding leaves of a correlation or a share that is 0, or of 1 less the entropy of equal shares."""


@dataclass(frozen=True, eq=False)
class VotesFit:
    """PCC-H of w raters' votes on q items with k options, by codes.

    `r` (w,) of Eq. 1, 0 where `undefined` (w,): no option varies. `relevance` (q, k) is RV of Eq. 2, NaN without
    votes; `equal` (q,): all weights there are 0, so all votes weigh alike. `item_weight` (q,) is W of Eq. 5;
    `below` (q,): fewer votes than the minimum; `all_equal`: all W are 0, so items weigh alike. `prv` (k,) of
    Eq. 6, NaN where there are no votes.
    """

    r: Floats
    undefined: Flags
    relevance: Floats
    equal: Flags
    item_weight: Floats
    below: Flags
    all_equal: bool
    prv: Floats


@dataclass(frozen=True, eq=False)
class PccH:
    """PCC-H of w raters' choices on q items with k options, by their ids.

    `raters` (w,), `items` (q,) ids ascending; `options` as given; `arrays` the same figures by their places.
    """

    raters: NDArray[Any]
    items: NDArray[Any]
    options: tuple[Any, ...]
    arrays: VotesFit

    @cached_property
    def r(self) -> dict[Any, float]:
        """r_w of Eq. 1 by rater, from -1 to 1; 0 for the raters of `undefined`."""
        return dict(zip(self.raters.tolist(), self.arrays.r.tolist(), strict=True))

    @cached_property
    def weight(self) -> dict[Any, float]:
        """What each rater's votes weigh: r_w, or 0 where it is negative."""
        return {rater: max(r, 0.0) for rater, r in self.r.items()}

    @cached_property
    def relevance(self) -> dict[Any, dict[Any, float]]:
        """RV of Eq. 2 by item and option."""
        return {
            item: dict(zip(self.options, shares, strict=True))
            for item, shares in zip(self.items.tolist(), self.arrays.relevance.tolist(), strict=True)
        }

    @cached_property
    def item_weight(self) -> dict[Any, float]:
        """W_q of Eq. 5 by item, from 0 (as hard as can be, or too few votes) to 1."""
        return dict(zip(self.items.tolist(), self.arrays.item_weight.tolist(), strict=True))

    @cached_property
    def prv(self) -> dict[Any, float]:
        """PRV of Eq. 6 by option; they sum to 1."""
        return dict(zip(self.options, self.arrays.prv.tolist(), strict=True))

    @cached_property
    def undefined(self) -> tuple[Any, ...]:
        """Raters whose r_w is 0 only because no option varies."""
        return tuple(self.raters[self.arrays.undefined].tolist())

    @cached_property
    def equally_weighted(self) -> tuple[Any, ...]:
        """Items all of whose votes have weight 0, so that they weigh alike."""
        return tuple(self.items[self.arrays.equal].tolist())

    @cached_property
    def below_min_votes(self) -> int:
        """How many items have too few votes to carry the result."""
        return int(self.arrays.below.sum())

    @property
    def items_weigh_alike(self) -> bool:
        """Whether all W_q are 0, so that all items weigh alike in `prv`."""
        return self.arrays.all_equal

    def prv_of_lists(
        self, first: Any, second: Any, both: Any | None = None, neither: Any | None = None
    ) -> dict[Any, float]:
        """The two lists' shares of the relevance, which sum to 1 (Habibi and Popescu-Belis 2012, section 5,
        Eqs. 3 and 6; see `shares_of_lists`. Arrays (k,) inside)."""
        share = float(shares_of_lists(self.arrays.prv[None], self._lists(first, second, both, neither))[0])
        return {first: share, second: 1 - share}

    def why_undefined(
        self, first: Any, second: Any, both: Any | None = None, neither: Any | None = None
    ) -> str:
        """Why `prv_of_lists` has no share for the same lists; empty where it has."""
        lists = self._lists(first, second, both, neither)
        if not np.isnan(shares_of_lists(self.arrays.prv[None], lists)[0]):
            return ""
        return NO_VOTES if np.isnan(self.arrays.prv).all() else MOST_SAY_NEITHER

    def _lists(self, first: Any, second: Any, both: Any | None, neither: Any | None) -> Lists:
        named = [first, second] + [option for option in (both, neither) if option is not None]
        for option in named:
            if option not in self.options:
                raise InputError(f"a list must be one of the options {list(self.options)!r}, got {option!r}")
        if len(set(named)) < len(named):
            raise InputError(
                f"`first`, `second`, `both` and `neither` must be different options, got {named!r}"
            )
        place = self.options.index
        return Lists(
            place(first),
            place(second),
            None if both is None else place(both),
            None if neither is None else place(neither),
        )


def fit(
    rater: ArrayLike, item: ArrayLike, choice: ArrayLike, options: Sequence[Any], min_votes: int = 3
) -> PccH:
    """PCC-H of choices.

    Parameters
    ----------
    rater, item, choice : (N,) any ids
    options : all that could be chosen, also those that nobody chose
    min_votes : fewest votes with which an item counts in `prv`

    Returns
    -------
    PccH
        of all raters and items that occur.

    Raises
    ------
    InputError
        where lengths differ, a choice is not among the options, an option is named twice, or `min_votes` is
        below 1.

    Notes
    -----
    Answers: which workers agree with the others, which items are hard, and what do those who agree say about
    those that are not? Not "who is right": a lone expert disagrees with everyone. Choices by position are to be
    recoded to systems before.
    Departs from the paper: the sum over options of Eq. 1 is divided by the number of options that vary, so that
    r lies in -1 … 1; entropies have logarithms to base A, so that W lies in 0 … 1; a negative r weighs 0; items
    with few votes, which agree by accident, have W = 0; the two lists' PRVs are divided by their sum.
    Source: Habibi and Popescu-Belis 2012, section 5, Eqs. 1 to 6; methods, section 4.

    >>> found = fit([1, 1, 2, 2, 3, 3], ["p", "q"] * 3, ["a", "b"] * 3, ["a", "b"])
    >>> found.r
    {1: 1.0, 2: 1.0, 3: 1.0}
    >>> found.prv_of_lists("a", "b")
    {'a': 0.5, 'b': 0.5}
    """
    of = coded(rater, item, choice, options)
    return PccH(of.rater_ids, of.item_ids, of.options, fit_votes(of.votes, min_votes))


def fit_votes(votes: Votes, min_votes: int = 3) -> VotesFit:
    """PCC-H of votes by codes."""
    if min_votes < 1:
        raise InputError(f"`min_votes` must be 1 or more, got {min_votes}")
    found = correlations(votes)
    r = np.where(np.isnan(found), 0.0, found)
    shares, equal = relevance(votes, np.maximum(r, 0.0))
    counted = np.bincount(votes.item, minlength=votes.items)[None].astype(np.float64)
    weight = item_weights(shares, counted, min_votes)
    return VotesFit(
        r[0],
        np.isnan(found[0]),
        shares[0],
        equal[0],
        weight[0],
        counted[0] < min_votes,
        bool(len(votes)) and not (_certainty(shares, counted, min_votes) > 0).any(),
        weighted_share(shares, weight)[0],
    )


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
    found: Flags = np.isnan(correlations(votes, poll=poll)[0])
    return found


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
    if poll is None and pcch_crossed.is_crossed(votes):
        return _settled(pcch_crossed.correlations(votes, raters, items))

    n, r = _by_group(votes, group, groups * votes.raters, raters, items)
    draws = n.shape[1]
    n, r = n.reshape(groups, votes.raters, draws), r.reshape(groups, votes.raters, draws)
    n = np.where(np.isnan(r), 0.0, n)
    found = _ratio((n * np.nan_to_num(r)).sum(axis=0), n.sum(axis=0))
    return _settled(found.T)


def _settled(r: Floats) -> Floats:
    return np.clip(np.where(np.abs(r) < _NOTHING, 0.0, r), -1.0, 1.0)


def _by_group(
    votes: Votes, group: Codes, groups: int, raters: Floats, items: Floats
) -> tuple[Floats, Floats]:
    """Votes compared and r_w of each group of votes, one rater's in one poll (g, b)."""
    # Y is taken less its value at one of the group's votes: equal quotients are equal numbers, so that a
    # constant Y has no variance at all.
    chosen = _by_option(votes, raters)
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
    return n, _ratio(total, varying)


class _Sums:
    """Sums of rows (n, b) by their groups' codes (n,)."""

    def __init__(self, group: Codes, groups: int) -> None:
        self._group, self._groups = group, groups

    def of(self, rows: Floats) -> Floats:
        """(g, b)"""
        if rows.shape[1] == 1:
            return _sums(self._group, rows[:, 0], self._groups)[:, None]
        return np.asarray(self._matrix @ rows)

    @cached_property
    def _matrix(self) -> Any:
        n = len(self._group)
        return sparse.csr_array((np.ones(n), (self._group, np.arange(n))), shape=(self._groups, n))


def _by_option(votes: Votes, rater_weight: Floats) -> Floats:
    """Weights (w, b) of those who chose each option of each item (k, q, b)."""
    cell, cells = votes.choice * votes.items + votes.item, votes.items * votes.options
    shape = votes.options, votes.items, rater_weight.shape[1]
    if rater_weight.shape[1] == 1:
        return _sums(cell, rater_weight[votes.rater, 0], cells).reshape(shape)
    counts = sparse.csr_array((np.ones(len(votes)), (cell, votes.rater)), shape=(cells, votes.raters))
    return np.asarray(counts @ rater_weight).reshape(shape)


def _sums(code: Codes, weight: Floats, many: int) -> Floats:
    return np.asarray(np.bincount(code, weight, many), dtype=np.float64)


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
    found = x.copy()
    if len(several):
        found[several] = _sums(pair, x[several], 0)[pair]
    return found


def relevance(votes: Votes, weight: Floats, rater_weight: Floats | None = None) -> tuple[Floats, Flags]:
    """RV: what share of an item's weight went to each option (Habibi and Popescu-Belis 2012, section 5.1, Eq.
    2)."""
    # Departs from Eq. 2 where it divides 0 by 0: votes weigh alike there.
    if rater_weight is None:
        rater_weight = np.ones((1, votes.raters))
    trusted, everyone = _by_option(votes, weight.T), _by_option(votes, rater_weight.T)
    equal = (trusted.sum(axis=0) <= 0) & (everyone.sum(axis=0) > 0)
    chosen = np.where(equal, everyone, trusted)
    return _ratio(chosen, chosen.sum(axis=0)).T, equal.T


def item_weights(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """W_q: how much each item counts, from 0 where all options are as likely to 1 where all chose one (Habibi
    and Popescu-Belis 2012, section 5.2, Eqs. 4 and 5)."""
    # W_q = 1 - H_q, with H_q = - sum over a of RV_qa log RV_qa. Departs from Eq. 4 in that the logarithm is
    # to base A, the number of options: a logarithm of another base can make W_q negative.
    weight = _certainty(relevance, counted, min_votes)
    known = ~np.isnan(relevance).any(axis=-1)
    enough = known & (counted >= min_votes)
    instead = np.where(enough.any(axis=-1, keepdims=True), enough, known)
    return np.where((weight > 0).any(axis=-1, keepdims=True), weight, instead)


def _certainty(relevance: Floats, counted: Floats, min_votes: int) -> Floats:
    """1 less the entropy to base A, 0 for items with few votes (b, q)."""
    entropy = special.entr(relevance).sum(axis=-1) / np.log(max(relevance.shape[-1], 2))
    weight = np.where(counted >= min_votes, np.nan_to_num(1 - entropy), 0.0)
    return np.where(weight > _NOTHING, weight, 0.0)


def weighted_share(relevance: Floats, item_weight: Floats) -> Floats:
    """PRV: the mean of the items' RV, weighted (Habibi and Popescu-Belis 2012, section 5.2, Eq. 6)."""
    known = ~np.isnan(relevance)
    weight = item_weight[:, :, None] * known
    return _ratio((weight * np.where(known, relevance, 0.0)).sum(axis=1), weight.sum(axis=1))


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
    told = (np.minimum(first, second) >= -_NOTHING) & (first + second > _NOTHING)
    first, second = np.maximum(first, 0.0), np.maximum(second, 0.0)
    return _ratio(np.where(told, first, nan), np.where(told, first + second, nan))


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where `below` is not positive."""
    known = below > 0
    found: Floats = np.where(known, above / np.where(known, below, 1.0), nan)
    return found
