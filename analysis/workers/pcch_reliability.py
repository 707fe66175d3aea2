"""RV, W_q and PRV of PCC-H, and the reliability r_w of raters, in many bootstrap draws."""

from functools import cached_property
from math import nan
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.ratings import ratio, sum_by_code
from analysis.values.votes import Lists, Votes

NEGLIGIBLE = 1e-12
"""Rounding error of a correlation or a share that is 0, or of 1 minus the entropy of equal shares."""
SMALLEST_POSITIVE = np.finfo(np.float64).tiny
"""Number that replaces 0 in x log(x)."""


class OptionVotes:
    """Votes by rater and item, summed by option in many draws, with the `weight` (N,) of each vote, 1 by default."""

    def __init__(self, votes: Votes, weight: Floats | None = None) -> None:
        self.votes, self._weight = votes, weight
        self._cell = votes.choice * votes.items + votes.item
        self._cells = votes.items * votes.options

    def weights_by_option(self, rater_weight: Floats) -> Floats:
        """Return the sum of the weights (w, b) of raters who chose each option of each item (k, q, b)."""
        draws = rater_weight.shape[1]
        if draws == 1:
            weight = rater_weight[self.votes.rater, 0]
            chosen = sum_by_code(
                self._cell, weight if self._weight is None else weight * self._weight, self._cells
            )
        else:
            chosen = self._matrix @ rater_weight
        return np.asarray(chosen).reshape(self.votes.options, self.votes.items, draws)

    def relevance(self, weight: Floats, rater_weight: Floats) -> tuple[Floats, Flags]:
        """Return RV with rater weights (b, w), and True where all are 0 and votes have equal weights."""
        # Departs from Eq. 2 where it is 0 / 0: votes have equal weights there.
        option_weights = self.weights_by_option(weight.T)
        total = option_weights.sum(axis=0)
        equal = np.zeros(total.shape, dtype=np.bool_)
        if not (total > 0).all():
            equal_weights = self.weights_by_option(rater_weight.T)
            equal = (total <= 0) & (equal_weights.sum(axis=0) > 0)
            option_weights = np.where(equal, equal_weights, option_weights)
            total = option_weights.sum(axis=0)
        return divide_by_total(option_weights, total), equal.T

    @cached_property
    def _matrix(self) -> Any:
        of = self._weight if self._weight is not None else np.ones(len(self.votes))
        return sparse.csr_array((of, (self._cell, self.votes.rater)), shape=(self._cells, self.votes.raters))


def relevance(votes: Votes, weight: Floats, rater_weight: Floats | None = None) -> tuple[Floats, Flags]:
    """Return RV: the share of an item's weight for each option (Habibi and Popescu-Belis 2012, Eq. 2)."""
    return OptionVotes(votes).relevance(
        weight, np.ones((1, votes.raters)) if rater_weight is None else rater_weight
    )


def divide_by_total(chosen: Floats, total: Floats) -> Floats:
    """Return the share (b, q, k) of an item's total weight (q, b) for each option (k, q, b), computed in place."""
    chosen /= np.where(total > 0, total, nan)
    return chosen.T


def item_weights(relevance: Floats, vote_counts: Floats, min_votes: int) -> Floats:
    """Return W_q: the weight of each item, from 0 for equally likely options to 1 for one option (Habibi and
    Popescu-Belis 2012, section 5.2, Eqs. 4 and 5)."""
    # W_q = 1 - H_q, with H_q = - sum over a of RV_qa log RV_qa. Departs from Eq. 4 in that the logarithm is
    # to base A, the number of options: a logarithm of another base can make W_q negative.
    weight = certainty(relevance, vote_counts, min_votes)
    is_judged = _is_judged(relevance)
    has_enough_votes = is_judged & (vote_counts >= min_votes)
    fallback = np.where(has_enough_votes.any(axis=-1, keepdims=True), has_enough_votes, is_judged)
    return np.where((weight > 0).any(axis=-1, keepdims=True), weight, fallback)


def weighted_share(relevance: Floats, item_weight: Floats) -> Floats:
    """Return PRV: the weighted mean of the items' RV (Habibi and Popescu-Belis 2012, section 5.2, Eq. 6)."""
    is_judged = _is_judged(relevance)
    if not is_judged.all():
        item_weight, relevance = item_weight * is_judged, np.where(is_judged[:, :, None], relevance, 0.0)
    weighted_sums = np.einsum("kqb,qb->kb", relevance.T, item_weight.T)
    return ratio(weighted_sums, item_weight.sum(axis=1)).T


def _is_judged(relevance: Floats) -> Flags:
    """Return a mask of the items with votes (b, q)."""
    return np.asarray(~np.isnan(relevance[..., :1]).any(axis=-1))


def list_share(prv: Floats, lists: Lists) -> Floats:
    """Return the first list's share after dividing "both" and "neither" between the two lists (Habibi and
    Popescu-Belis 2012, section 5.1, Eq. 3)."""
    # Each list gains half of "both" and loses half of "neither". Eq. 3 does this for each item; as Eq. 6 is
    # a sum over items, doing it once after it gives the same. Departs from the paper's formulas, not from
    # its tables: the two are divided by their sum, so that they add to 1.
    adjustment = np.zeros(len(prv))
    if lists.both is not None:
        adjustment = adjustment + prv[:, lists.both] / 2
    if lists.neither is not None:
        adjustment = adjustment - prv[:, lists.neither] / 2
    first, second = prv[:, lists.first] + adjustment, prv[:, lists.second] + adjustment
    is_defined = (np.minimum(first, second) >= -NEGLIGIBLE) & (first + second > NEGLIGIBLE)
    first, second = np.maximum(first, 0.0), np.maximum(second, 0.0)
    return ratio(np.where(is_defined, first, nan), np.where(is_defined, first + second, nan))


def certainty(relevance: Floats, vote_counts: Floats, min_votes: int) -> Floats:
    """Return 1 minus the entropy to base A, 0 for items with few votes (b, q)."""
    entropy = np.zeros(relevance.shape[::-1][1:])
    for share in relevance.T:
        entropy -= share * np.log(np.maximum(share, SMALLEST_POSITIVE))
    weight = 1 - entropy.T / np.log(max(relevance.shape[-1], 2))
    return np.where((vote_counts >= min_votes) & (weight > NEGLIGIBLE), weight, 0.0)


CELLS_PER_BLOCK = 200_000
"""Votes times draws in a block."""


def reliabilities(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """Return r_w of every rater in every draw, 0 where undefined (Habibi and Popescu-Belis 2012, section 5.1, Eq. 1;
    see `correlations`)."""
    return RaterCorrelations(votes, poll).reliabilities(rater_weight, item_weight)


def undefined_reliability(votes: Votes, poll: Codes | None = None) -> Flags:
    """Return a mask of raters whose r_w is 0 only because no option varies."""
    is_undefined: Flags = np.isnan(correlations(votes, poll=poll)[0])
    return is_undefined


def correlations(
    votes: Votes,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    poll: Codes | None = None,
) -> Floats:
    """Return r_w of every rater in every draw, NaN where undefined (Habibi and Popescu-Belis 2012, Eq. 1)."""
    # For each option, Pearson's correlation over the rater's votes of X, 1 where it was chosen, with Y, the mean of
    # the other raters' X on the item; r_w is the mean over the options where both vary. Votes on items without other
    # raters are excluded. Copies of a rater are not among the others; other raters and items have their
    # multiplicities. Several votes of a rater on an item count separately, none of them among the others. Options of
    # different polls differ: r_w is then the mean of the polls' defined r_w, weighted by the number of the rater's
    # compared votes. Departs from Eq. 1 as printed, which sums over options: divided by their number, r_w stays in
    # -1 … 1.
    return RaterCorrelations(votes, poll).correlations(rater_weight, item_weight)


class RaterCorrelations:
    """Correlations of raters with the others in many draws, with all that does not depend on the draw computed once."""

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
        """Return r_w (b, raters), 0 where undefined and for raters that are not in a draw."""
        r = self.correlations(rater_weight, item_weight)
        known = ~np.isnan(r) if rater_weight is None else ~np.isnan(r) & (rater_weight > 0)
        return np.where(known, r, 0.0)

    def correlations(self, rater_weight: Floats | None = None, item_weight: Floats | None = None) -> Floats:
        """Return r_w (b, raters), NaN where undefined."""
        votes = self._votes
        raters = np.ones((votes.raters, 1)) if rater_weight is None else np.ascontiguousarray(rater_weight.T)
        items = np.ones((votes.items, 1)) if item_weight is None else np.ascontiguousarray(item_weight.T)
        if self._crossed:
            return _round_and_clip(crossed_correlations(votes, raters, items))
        draws = max(raters.shape[1], items.shape[1])
        if not len(votes):
            return np.full((draws, votes.raters), np.nan)
        step = max(CELLS_PER_BLOCK // len(votes), 1)
        buffer = np.empty(
            (3, len(votes) * min(step, draws))
        )  # allocated once, as allocation is slower than the sums
        parts = [
            self._correlations_by_group(
                _select_columns(raters, start, step), _select_columns(items, start, step), buffer
            )
            for start in range(0, draws, step)
        ]
        n, r = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        n, r = (part.reshape(self._polls, votes.raters, draws) for part in (n, r))
        n = np.where(np.isnan(r), 0.0, n)
        return _round_and_clip(ratio((n * np.nan_to_num(r)).sum(axis=0), n.sum(axis=0)).T)

    def _correlations_by_group(self, raters: Floats, items: Floats, buffer: Floats) -> tuple[Floats, Floats]:
        """Return the number of compared votes and r_w of each group of votes, one rater's in one poll (g, b)."""
        # Y is taken relative to its value at one of the group's votes, so that a constant Y has variance exactly 0.
        votes, sums = self._votes, self._sums
        chosen = self._chosen.weights_by_option(raters)
        rater_weight = np.take(raters, votes.rater, axis=0)
        other_weight = np.take(chosen.sum(axis=0), votes.item, axis=0)
        other_weight -= rater_weight * self._own_votes[:, None]
        shape = len(votes), max(raters.shape[1], items.shape[1])
        weight, deviation, weighted_deviation = buffer[:, : shape[0] * shape[1]].reshape(-1, *shape)
        np.multiply(np.take(items, votes.item, axis=0), other_weight > 0, out=weight)
        other_weight[other_weight <= 0] = 1.0
        n = sums.sums(weight)
        reference_row, draw = sums.last_weighted_row(weight), np.arange(n.shape[1]) % raters.shape[1]
        total, varying = np.zeros((2, *n.shape))
        for of_option, choice in zip(chosen, self._choices, strict=True):
            y = np.take(of_option, votes.item, axis=0)
            y[choice.with_own] -= rater_weight[choice.with_own] * choice.own_votes[:, None]
            y /= other_weight
            np.take(y[reference_row, draw], self._group, axis=0, out=deviation, mode="clip")
            np.subtract(y, deviation, out=deviation)
            np.multiply(weight, deviation, out=weighted_deviation)
            sum_y = sums.sums(weighted_deviation)
            sum_x, sum_xy = (
                choice.sums.sums(np.take(each, choice.votes, axis=0)) for each in (weight, weighted_deviation)
            )
            weighted_deviation *= deviation
            sum_yy = sums.sums(weighted_deviation)
            variance_product = sum_x * (n - sum_x) * (n * sum_yy - sum_y**2)
            varies = (sum_x > 0) & (sum_x < n) & (sum_yy > 0) & (variance_product > 0)
            numerator = n * sum_xy - sum_x * sum_y
            total += np.where(varies, numerator / np.sqrt(np.where(varies, variance_product, 1.0)), 0.0)
            varying += varies
        return n, ratio(total, varying)

    @cached_property
    def _chosen(self) -> OptionVotes:
        return OptionVotes(self._votes)

    @cached_property
    def _sums(self) -> "_GroupSums":
        return _GroupSums(self._group, self._polls * self._votes.raters)

    @cached_property
    def _repeated_votes(self) -> tuple[Codes, Codes]:
        return _find_repeated_votes(self._votes)

    @cached_property
    def _own_votes(self) -> Floats:
        """Return how many votes the vote's rater has on its item (N,)."""
        return _sum_over_repeats(np.ones(len(self._votes)), *self._repeated_votes)

    @cached_property
    def _choices(self) -> "list[_OptionSums]":
        choices = []
        for option in range(self._votes.options):
            x = self._votes.choice == option
            own_votes, votes = (
                _sum_over_repeats(x.astype(np.float64), *self._repeated_votes),
                np.flatnonzero(x),
            )
            with_own = np.flatnonzero(own_votes)
            of_votes = _GroupSums(self._group[votes], self._polls * self._votes.raters)
            choices.append(_OptionSums(votes, of_votes, with_own, own_votes[with_own]))
        return choices


class _OptionSums(NamedTuple):
    """Votes (m,) for an option with their group sums, and those (l,) whose rater chose it on the item, with their
    number."""

    votes: Codes
    sums: "_GroupSums"
    with_own: Codes
    own_votes: Floats


def _select_columns(weights: Floats, start: int, step: int) -> Floats:
    """Return some of the draws, or the single column that applies to all."""
    return weights if weights.shape[1] == 1 else weights[:, start : start + step]


def _round_and_clip(r: Floats) -> Floats:
    return np.clip(np.where(np.abs(r) < NEGLIGIBLE, 0.0, r), -1.0, 1.0)


class _GroupSums:
    """Sums of rows (n, b) by group code (n,)."""

    def __init__(self, group: Codes, groups: int) -> None:
        self._group, self._groups = group, groups

    def sums(self, rows: Floats) -> Floats:
        """Return the sums (g, b)."""
        if rows.shape[1] == 1:
            return sum_by_code(self._group, rows[:, 0], self._groups)[:, None]
        return np.asarray(self._matrix @ rows)

    def last_weighted_row(self, weight: Floats) -> Codes:
        """Return the last row of each group with a positive weight in a draw (g, b), or any row without one."""
        order, first = self._matrix.indices, self._matrix.indptr
        nonempty = np.flatnonzero(np.diff(first))
        position = (np.take(weight, order, axis=0) > 0) * np.arange(len(order))[:, None]
        last = np.zeros((self._groups, weight.shape[1]), dtype=np.int64)
        last[nonempty] = order[np.maximum.reduceat(position, first[nonempty], axis=0)]
        return last

    @cached_property
    def _matrix(self) -> Any:
        """Indicator matrix of rows by group."""
        n = len(self._group)
        return sparse.csr_array((np.ones(n), (self._group, np.arange(n))), shape=(self._groups, n))


def _find_repeated_votes(votes: Votes) -> tuple[Codes, Codes]:
    """Return the votes (m,) whose rater has several on the item, and a code of rater and item for each (m,)."""
    pair = votes.item * votes.raters + votes.rater
    order = np.argsort(pair)
    pair = pair[order]
    first = np.ones(len(pair), dtype=np.bool_)
    first[1:] = pair[1:] != pair[:-1]
    alone = first & np.append(first[1:], True)
    return order[~alone], np.cumsum(first & ~alone)[~alone] - 1


def _sum_over_repeats(x: Floats, repeated: Codes, pair: Codes) -> Floats:
    """Return the sum of x (N,) over all votes of the same rater on the same item (N,)."""
    sums = x.copy()
    if len(repeated):
        sums[repeated] = sum_by_code(pair, x[repeated], 0)[pair]
    return sums


def is_crossed(votes: Votes) -> bool:
    """Return True where every rater judged every item exactly once (the complete table of methods, section 4, as in
    Habibi and Popescu-Belis 2012, section 4. Arrays (n,))."""
    if not len(votes) or len(votes) != votes.items * votes.raters:
        return False
    return bool((np.bincount(votes.item * votes.raters + votes.rater, minlength=len(votes)) == 1).all())


def crossed_correlations(votes: Votes, raters: Floats, items: Floats) -> Floats:
    """Return r_w of every rater in every draw of a crossed design, NaN where no option varies (Habibi and
    Popescu-Belis 2012, section 5.1, Eq. 1, as `correlations`)."""
    # The number of other raters is the same for all items, so that their mean is proportional to their sum.
    # With T the votes for an option on an item, m how often the rater was drawn and x the rater's own
    # choice, the others' votes are T - m x: their variance, and covariance with x, follow from those of T and x.
    n = items.sum(axis=0)
    indicator = np.zeros((votes.options, votes.raters, votes.items))
    indicator[votes.choice, votes.rater, votes.item] = 1.0
    shape = np.broadcast_shapes(raters.shape, n.shape)
    total, varying = np.zeros(shape), np.zeros(shape)
    for x in indicator:
        t = x.T @ raters
        weighted = items * t
        sum_t, sum_x = weighted.sum(axis=0), x @ items
        variance_t = n * np.einsum("qb,qb->b", weighted, t) - sum_t**2
        variance_x = sum_x * (n - sum_x)
        covariance_t = n * (x @ weighted) - sum_x * sum_t
        covariance_others = covariance_t - raters * variance_x
        variance_product = variance_x * (variance_t - raters * (covariance_t + covariance_others))
        varies = variance_product > 0
        total += covariance_others / np.sqrt(np.where(varies, variance_product, np.inf))
        varying += varies
    return np.clip(ratio(total, varying * (raters.sum(axis=0) > raters)), -1.0, 1.0).T
