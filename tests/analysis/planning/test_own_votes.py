"""Majorities of the items' own votes: against all choices of them, and on real labels."""

from itertools import combinations, product
from math import comb, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.planning.votes import accuracy_of_subsamples, votes_for_accuracy
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
def test_every_choice_of_votes_counts_alike(votes: list[list[int]]) -> None:
    item = np.repeat(np.arange(len(votes)), [len(own) for own in votes])
    found = accuracy_of_subsamples(item, np.concatenate(votes), np.zeros(len(item)))
    assert len(found) == int(np.median([len(own) for own in votes]))
    assert found == pytest.approx([slow(votes, n) for n in range(1, len(found) + 1)])


def chance_of_right(counts: list[int], right: int, n: int) -> float:
    """Chance that the right option wins among n of the votes, from every way to choose them; ties at random."""
    won = 0.0
    for drawn in product(*(range(min(votes, n) + 1) for votes in counts)):
        if sum(drawn) == n and drawn[right] == max(drawn):
            ways = prod(comb(votes, some) for votes, some in zip(counts, drawn, strict=True))
            won += ways / drawn.count(max(drawn))
    return won / comb(sum(counts), n)


@pytest.mark.parametrize(("n", "published"), [(3, 0.715), (5, 0.738), (9, 0.750)])
def test_real_labels_gather_wrong_votes(n: int, published: float) -> None:
    """The published shares are of one random choice of n votes per item; ours is the mean over all choices."""
    path = SHARED_DATA / "choice4_website_gold.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    votes = pd.read_csv(path).dropna(subset=["gold", "label"]).drop_duplicates(["item", "rater"])
    options = sorted(set(votes["label"]) | set(votes["gold"]))
    item, label, gold = (
        pd.Categorical(votes[column], options if column != "item" else None).codes
        for column in ("item", "label", "gold")
    )
    found = accuracy_of_subsamples(item, label, gold)[n - 1]
    counts = np.zeros((item.max() + 1, len(options)), dtype=int)
    np.add.at(counts, (item, label), 1)
    answers = np.zeros(len(counts), dtype=int)
    answers[item] = gold
    rows = zip(counts.tolist(), answers.tolist(), strict=True)
    chances = np.array([chance_of_right(row, right, n) for row, right in rows if sum(row) >= n])
    assert found == pytest.approx(chances.mean(), abs=1e-12)
    error_of_one_choice = np.sqrt((chances * (1 - chances)).sum()) / len(chances)
    assert abs(found - published) < 2 * error_of_one_choice < 0.03


def test_no_votes_have_no_majority_and_unequal_lengths_are_refused() -> None:
    assert accuracy_of_subsamples([], [], []).size == 0
    with pytest.raises(InputError, match="equally long"):
        accuracy_of_subsamples([0], [0, 1], [0])


def test_the_fewest_votes_may_begin_beyond_those_at_hand() -> None:
    assert votes_for_accuracy(0.7, 0.8, least=7) == 7 > votes_for_accuracy(0.7, 0.8)
