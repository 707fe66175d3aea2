"""Whether raters take what they see first."""

from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.intervals import ANGLE, SHARE, moved
from analysis.values.estimate import Estimate
from analysis.values.votes import Lists, Votes
from analysis.workers.preference import PreferenceSpec, by_rater_and_item, draws_of_votes

Floats = NDArray[np.float64]


def position_bias(
    votes: Votes,
    lists: Lists,
    first_shown: NDArray[np.bool_],
    spec: PreferenceSpec | None = None,
    raters_are_persons: bool = True,
) -> Estimate:
    """The share of choices of whatever stood first, among those that chose one of the two lists.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    first_shown : (N,) whether the first list stood in first position
    spec : of the interval
    raters_are_persons : if not, only items are drawn

    Returns
    -------
    Estimate
        n counts the choices of a list.

    Notes
    -----
    Answers: do raters take what they see first? Near one half they do not. It says so only where positions were
    drawn at random; a better system that always stood first looks like bias.
    Source: methods, section 4 ("position bias is reported on its own").
    """
    spec = PreferenceSpec() if spec is None else spec
    listed = (votes.choice == lists.first) | (votes.choice == lists.second)
    if not listed.any():
        return Estimate(nan, reason="nobody chose one of the two lists")
    ahead = listed & ((votes.choice == lists.first) == first_shown)
    of_lists, of_ahead = (by_rater_and_item(votes, which.astype(np.float64)) for which in (listed, ahead))
    drawn: list[Floats] = [np.empty(0)]
    for rater_weight, item_weight in draws_of_votes(votes, spec, (), raters_are_persons):
        total, won = (((rater_weight @ sums) * item_weight).sum(axis=1) for sums in (of_lists, of_ahead))
        drawn.append(np.divide(won, total, out=np.full(len(total), nan), where=total > 0))
    value = float(ahead.sum() / listed.sum())
    low, high = moved(value, np.concatenate(drawn), spec.level, within=SHARE, scale=ANGLE)
    return Estimate(value, float(low), float(high), int(listed.sum()))
