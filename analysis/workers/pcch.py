"""PCC-H: how far each worker's choices can be trusted, how hard each item is, and what all say together.

Everything is worked out for many draws at once: how often a draw holds a rater or an item is its multiplicity.
Arrays inside have the draws last, so that a vote's figures of all draws lie side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.values.estimate import Flags, Floats, InputError
from analysis.values.votes import Lists, Votes, coded
from analysis.workers.pcch_reliability import (
    certainty,
    correlations,
    item_weights,
    relevance,
    shares_of_lists,
    weighted_share,
)

MOST_SAY_NEITHER = "most judgments say neither"
NO_VOTES = "there are no votes"


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
        """Return what each rater's votes weigh: r_w, or 0 where it is negative."""
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
        """Return how many items have too few votes to carry the result."""
        return int(self.arrays.below.sum())

    @property
    def items_weigh_alike(self) -> bool:
        """Return True where all W_q are 0, so that all items weigh alike in `prv`."""
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
        """Return why `prv_of_lists` has no share for the same lists; empty where it has."""
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

    >>> fitted = fit([1, 1, 2, 2, 3, 3], ["p", "q"] * 3, ["a", "b"] * 3, ["a", "b"])
    >>> fitted.r
    {1: 1.0, 2: 1.0, 3: 1.0}
    >>> fitted.prv_of_lists("a", "b")
    {'a': 0.5, 'b': 0.5}
    """
    of = coded(rater, item, choice, options)
    return PccH(of.rater_ids, of.item_ids, of.options, fit_votes(of.votes, min_votes))


def fit_votes(votes: Votes, min_votes: int = 3) -> VotesFit:
    """PCC-H of votes by codes."""
    if min_votes < 1:
        raise InputError(f"`min_votes` must be 1 or more, got {min_votes}")
    r_w = correlations(votes)
    r = np.where(np.isnan(r_w), 0.0, r_w)
    shares, equal = relevance(votes, np.maximum(r, 0.0))
    counted = np.bincount(votes.item, minlength=votes.items)[None].astype(np.float64)
    weight = item_weights(shares, counted, min_votes)
    return VotesFit(
        r[0],
        np.isnan(r_w[0]),
        shares[0],
        equal[0],
        weight[0],
        counted[0] < min_votes,
        bool(len(votes)) and not (certainty(shares, counted, min_votes) > 0).any(),
        weighted_share(shares, weight)[0],
    )


@dataclass(frozen=True, eq=False)
class Difficulty:
    """Difficulty of each of q items: `chosen` (q, options) votes, `entropy` (q,) H_q, `weight` (q,) W_q."""

    chosen: NDArray[np.int64]
    entropy: Floats
    weight: Floats


def difficulty(votes: Votes, min_votes: int = 3) -> Difficulty:
    """Return how far raters disagree on each item.

    Parameters
    ----------
    votes : of one poll
    min_votes : fewer votes on an item and its weight is 0

    Returns
    -------
    Difficulty
        (q, options) and (q,) each; NaN entropy where an item has no vote.

    Notes
    -----
    Not for items with one or two votes, which agree by accident.
    Source: Habibi and Popescu-Belis 2012, Eqs. 2, 4 and 5; methods, section 4.
    """
    chosen = np.bincount(
        votes.item * votes.options + votes.choice, minlength=votes.items * votes.options
    ).reshape(votes.items, votes.options)
    fitted = fit_votes(votes, min_votes)
    entropy = special.entr(fitted.relevance).sum(axis=1) / np.log(max(votes.options, 2))
    return Difficulty(chosen, entropy, fitted.item_weight)
