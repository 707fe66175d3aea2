"""Majorities of the items' own votes: against all choices of them, and on real labels."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.planning.votes import accuracy_of_own_votes, votes_for_accuracy
from analysis.values.estimate import InputError
from tests.conftest import SHARED_DATA

VOTES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=5)


def slow(votes: list[list[int]], n: int) -> float:
    """Every choice of n votes of each item with as many; option 0 is right."""
    of_items = []
    for own in votes:
        if len(own) >= n:
            counts = [[chosen.count(option) for option in range(4)] for chosen in combinations(own, n)]
            of_items.append(np.mean([(c[0] == max(c)) / c.count(max(c)) for c in counts]))
    return float(np.mean(of_items))


@given(VOTES)
@settings(max_examples=40)
def test_every_choice_of_votes_counts_alike(votes: list[list[int]]) -> None:
    item = np.repeat(np.arange(len(votes)), [len(own) for own in votes])
    found = accuracy_of_own_votes(item, np.concatenate(votes), np.zeros(len(item)))
    assert len(found) == int(np.median([len(own) for own in votes]))
    assert found == pytest.approx([slow(votes, n) for n in range(1, len(found) + 1)])


@pytest.mark.parametrize(("n", "expected", "within"), [(3, 0.715, 0.02), (5, 0.738, 0.01), (9, 0.750, 0.01)])
def test_real_labels_gather_wrong_votes(n: int, expected: float, within: float) -> None:
    path = SHARED_DATA / "choice4_website_gold.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    votes = pd.read_csv(path).dropna(subset=["gold", "label"]).drop_duplicates(["item", "rater"])
    options = sorted(set(votes["label"]) | set(votes["gold"]))
    item, label, gold = (
        pd.Categorical(votes[column], options if column != "item" else None).codes
        for column in ("item", "label", "gold")
    )
    assert accuracy_of_own_votes(item, label, gold)[n - 1] == pytest.approx(expected, abs=within)


def test_no_votes_have_no_majority_and_unequal_lengths_are_refused() -> None:
    assert accuracy_of_own_votes([], [], []).size == 0
    with pytest.raises(InputError, match="equally long"):
        accuracy_of_own_votes([0], [0, 1], [0])


def test_the_fewest_votes_may_begin_beyond_those_at_hand() -> None:
    assert votes_for_accuracy(0.7, 0.8, least=7) == 7 > votes_for_accuracy(0.7, 0.8)
