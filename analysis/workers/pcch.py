"""PCC-H: reliability of each worker, difficulty of each item, and the shares of the options.

All is computed for many bootstrap draws at once, with multiplicities of raters and items. Internal arrays have the
draws last, so that all draws of a vote are contiguous.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.values.estimate import Flags, Floats, InputError
from analysis.values.votes import Lists, Votes, encode_votes
from analysis.workers.pcch_reliability import (
    certainty,
    correlations,
    item_weights,
    list_share,
    relevance,
    weighted_share,
)

MOST_SAY_NEITHER = "most judgments say neither"
NO_VOTES = "there are no votes"


@dataclass(frozen=True, eq=False)
class VotesFit:
    """PCC-H of w raters' votes on q items with k options, by code.

    `r` (w,) of Eq. 1, 0 where `undefined` (w,): no option varies. `relevance` (q, k) is RV of Eq. 2, NaN without
    votes; `equal` (q,): all weights are 0, so that votes have equal weights. `item_weight` (q,) is W of Eq. 5;
    `below` (q,): fewer votes than the minimum; `all_equal`: all W are 0, so that items have equal weights. `prv`
    (k,) of Eq. 6, NaN without votes.
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
    """PCC-H of w raters' choices on q items with k options, by id.

    `raters` (w,), `items` (q,) ids ascending; `options` as given; `arrays` the same figures by code.
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
        """Weight of each rater's votes: r_w, or 0 if negative."""
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
        """W_q of Eq. 5 by item, from 0 (maximum entropy, or too few votes) to 1."""
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
        """Items with equal vote weights because all their weights are 0."""
        return tuple(self.items[self.arrays.equal].tolist())

    @cached_property
    def below_min_votes(self) -> int:
        """Number of items with too few votes for the result."""
        return int(self.arrays.below.sum())

    @property
    def has_equal_item_weights(self) -> bool:
        """True where all W_q are 0, so that all items have equal weights in `prv`."""
        return self.arrays.all_equal

    def prv_of_lists(
        self, first: Any, second: Any, both: Any | None = None, neither: Any | None = None
    ) -> dict[Any, float]:
        """Return the two lists' shares of the relevance, which sum to 1 (Habibi and Popescu-Belis 2012, section 5,
        Eqs. 3 and 6; see `list_share`. Arrays (k,) inside)."""
        share = float(list_share(self.arrays.prv[None], self._lists(first, second, both, neither))[0])
        return {first: share, second: 1 - share}

    def undefined_reason(
        self, first: Any, second: Any, both: Any | None = None, neither: Any | None = None
    ) -> str:
        """Return why `prv_of_lists` is undefined for these lists; empty if defined."""
        lists = self._lists(first, second, both, neither)
        if not np.isnan(list_share(self.arrays.prv[None], lists)[0]):
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
        index = self.options.index
        return Lists(
            index(first),
            index(second),
            None if both is None else index(both),
            None if neither is None else index(neither),
        )


def fit(
    rater: ArrayLike, item: ArrayLike, choice: ArrayLike, options: Sequence[Any], min_votes: int = 3
) -> PccH:
    """Fit PCC-H to choices.

    Parameters
    ----------
    rater, item, choice : (N,) any ids
    options : all possible options, also those that nobody chose
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
    It estimates which workers agree with the others, which items are difficult, and the options' shares weighted by
    both. It does not measure who is right: a single expert may disagree with all others. Recode choices by position to
    systems before.
    Departs from the paper: the sum over options of Eq. 1 is divided by the number of options that vary, so that
    r lies in -1 … 1; entropies have logarithms to base A, so that W lies in 0 … 1; a negative r has weight 0;
    items with few votes, which agree by chance, have W = 0; the two lists' PRVs are divided by their sum.
    Source: Habibi and Popescu-Belis 2012, section 5, Eqs. 1 to 6; methods, section 4.

    >>> fitted = fit([1, 1, 2, 2, 3, 3], ["p", "q"] * 3, ["a", "b"] * 3, ["a", "b"])
    >>> fitted.r
    {1: 1.0, 2: 1.0, 3: 1.0}
    >>> fitted.prv_of_lists("a", "b")
    {'a': 0.5, 'b': 0.5}
    """
    encoded = encode_votes(rater, item, choice, options)
    return PccH(encoded.rater_ids, encoded.item_ids, encoded.options, fit_votes(encoded.votes, min_votes))


def fit_votes(votes: Votes, min_votes: int = 3) -> VotesFit:
    """Fit PCC-H to encoded votes."""
    if min_votes < 1:
        raise InputError(f"`min_votes` must be 1 or more, got {min_votes}")
    r_w = correlations(votes)
    r = np.where(np.isnan(r_w), 0.0, r_w)
    shares, equal = relevance(votes, np.maximum(r, 0.0))
    vote_counts = np.bincount(votes.item, minlength=votes.items)[None].astype(np.float64)
    weight = item_weights(shares, vote_counts, min_votes)
    return VotesFit(
        r[0],
        np.isnan(r_w[0]),
        shares[0],
        equal[0],
        weight[0],
        vote_counts[0] < min_votes,
        bool(len(votes)) and not (certainty(shares, vote_counts, min_votes) > 0).any(),
        weighted_share(shares, weight)[0],
    )


@dataclass(frozen=True, eq=False)
class Difficulty:
    """Difficulty of each of q items: `chosen` (q, options) votes, `entropy` (q,) H_q, `weight` (q,) W_q."""

    chosen: NDArray[np.int64]
    entropy: Floats
    weight: Floats


def difficulty(votes: Votes, min_votes: int = 3) -> Difficulty:
    """Return the disagreement of raters on each item.

    Parameters
    ----------
    votes : of one poll
    min_votes : fewest votes of an item with a positive weight

    Returns
    -------
    Difficulty
        (q, options) and (q,) each; NaN entropy where an item has no vote.

    Notes
    -----
    Not for items with one or two votes, which agree by chance.
    Source: Habibi and Popescu-Belis 2012, Eqs. 2, 4 and 5; methods, section 4.
    """
    chosen = np.bincount(
        votes.item * votes.options + votes.choice, minlength=votes.items * votes.options
    ).reshape(votes.items, votes.options)
    fitted = fit_votes(votes, min_votes)
    entropy = special.entr(fitted.relevance).sum(axis=1) / np.log(max(votes.options, 2))
    return Difficulty(chosen, entropy, fitted.item_weight)
