"""The vote that stands for a rater's votes on an item, against a loop over them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.values.estimate import InputError
from analysis.values.ratings import standing_votes

VOTES = some.lists(
    some.tuples(some.sampled_from("ab"), some.integers(0, 2), some.sampled_from("xyz"), some.integers(0, 5)),
    max_size=30,
)


def by_hand(votes, merge):
    """The last vote for the most frequent choice, or the last vote."""
    found = []
    for cell in {(item, rater) for item, rater, _, _ in votes}:
        own = [place for place, vote in enumerate(votes) if vote[:2] == cell]
        own.sort(key=lambda place: (votes[place][3], place))
        times = Counter(votes[place][2] for place in own)
        most = max(times.values())
        found.append([place for place in own if merge == "last" or times[votes[place][2]] == most][-1])
    return sorted(found)


@given(VOTES, some.sampled_from(["mean", "last"]))
def test_one_vote_stands_for_each_rater_and_item(votes, merge):
    columns = list(zip(*votes, strict=True)) or [[]] * 4
    assert standing_votes(*map(list, columns), merge).tolist() == by_hand(votes, merge)


@pytest.mark.parametrize(
    ("votes", "merge", "told"),
    [
        ((["a"], [1], [0], [1]), "first", "`merge` must be one of mean, last, got 'first'"),
        ((["a", "b"], [1], [0], [1]), "mean", "must be equally long"),
    ],
)
def test_what_is_not_allowed_is_reported(votes, merge, told):
    with pytest.raises(InputError, match=told):
        standing_votes(*votes, merge)
