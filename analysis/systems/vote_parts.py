"""Each vote's part in the share of a preference: how far the share would move if the vote were not there.

Summed by rater they tell what raters carry from item to item (`analysis.resampling.carried`). Weights of raters and of
items stay as they are here; that these are estimated, too, is in the draws of items.
"""

import numpy as np

from analysis.values.types import Floats
from analysis.values.votes import Lists, Votes
from analysis.workers import glad


def of_weighted_votes(votes: Votes, relevance: Floats, rater_weight: Floats) -> Floats:
    """(N, options) of shares that are means of votes with these weights of their raters (w,)."""
    weight = rater_weight[votes.rater]
    total = np.bincount(votes.item, weight, votes.items)
    weight = np.where(total[votes.item] > 0, weight, 1.0)  # where all weights are 0, votes weigh alike
    total = np.bincount(votes.item, weight, votes.items)
    chosen = np.eye(votes.options)[votes.choice]
    parts: Floats = (weight / total[votes.item])[:, None] * (chosen - np.nan_to_num(relevance)[votes.item])
    return parts


def of_majority(votes: Votes, relevance: Floats, lists: Lists) -> Floats:
    """(N, options) of the item's winner, which turns, or ties, without a vote or does not."""
    counts = np.zeros((votes.items, votes.options))
    np.add.at(counts, (votes.item, votes.choice), 1.0)
    without = counts[votes.item]
    without[np.arange(len(votes)), votes.choice] -= 1
    return _shrunk(votes, relevance[votes.item] - winners(without, lists))


def of_glad(votes: Votes, relevance: Floats) -> Floats:
    """(N, options) of GLAD's posterior, its abilities and difficulties as they are."""
    fitted = glad.fit_votes(votes)
    if fitted.reason:
        return np.zeros((len(votes), votes.options))
    evidence = fitted.ability[votes.rater] * np.exp(-fitted.difficulty[votes.item])
    evidence += np.log(max(votes.options - 1, 1))
    odds = relevance[votes.item]
    without = odds.copy()
    own = np.arange(len(votes)), votes.choice
    without[own] *= np.exp(-evidence)
    without /= without.sum(axis=1, keepdims=True)
    return _shrunk(votes, odds - without)


def in_the_share(votes: Votes, lists: Lists, parts: Floats, relevance: Floats, item_weight: Floats) -> Floats:
    """From parts (N, options) in the items' values to those (N,) in the first list's share (Eqs. 3 and 6)."""
    weight = np.where(np.isnan(relevance[:, 0]), 0.0, item_weight)
    weight = weight / weight.sum()
    prv = weight @ np.nan_to_num(relevance)
    of_first, of_second = np.zeros((2, votes.options))
    of_first[lists.first] = of_second[lists.second] = 1.0
    for option, by in ((lists.both, 0.5), (lists.neither, -0.5)):
        if option is not None:
            of_first[option] = of_second[option] = by
    first, second = prv @ of_first, prv @ of_second
    slope = (of_first * second - of_second * first) / (first + second) ** 2
    return np.asarray(weight[votes.item] * (parts @ slope))


def winners(relevance: Floats, lists: Lists) -> Floats:
    """All of an item's relevance (…, options) to the list that more chose, half to each where equally many did."""
    # What Eq. 3 adds to and takes from both lists alike does not change which is ahead.
    told = relevance * 0.0  # NaN stays what it is
    ahead = np.sign(relevance[..., lists.first] - relevance[..., lists.second])
    told[..., lists.first], told[..., lists.second] = (1 + ahead) / 2, (1 - ahead) / 2
    return told


def _shrunk(votes: Votes, moved: Floats) -> Floats:
    """What leaving a vote out moves, as what one vote of n adds."""
    many = votes.per_item[votes.item]
    return np.asarray(moved * ((many - 1) / many)[:, None])
