"""Votes so far: how often they are right, how many are guesses, and majorities beyond the votes at hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from analysis.planning import accuracy_of_votes
from analysis.planning.promises_of_choices import (
    Majority,
    OpenQuality,
    votes_by_dawid_skene,
    votes_with_answers,
    without_guesses,
)
from analysis.values.estimate import Estimate
from analysis.values.votes import Votes


def test_guesses_pull_items_shares_together() -> None:
    """Half of the votes guesses: items that differ by .1 as seen differ by .2, and no more than shares can."""
    half = OpenQuality(Estimate(0.5, 0.4, 0.6, 80), 0.3)
    untold = OpenQuality(Estimate(np.nan, reason="none known"), 0.3)
    for sd, expected in ((0.1, 0.2), (0.4, 0.5)):
        assert without_guesses(sd, half) == pytest.approx(expected)
    assert without_guesses(0.1, untold) == 0.1


def test_the_open_choices_tell_how_often_a_vote_is_right() -> None:
    """3 of 4 votes meet the gold; the item without gold does not count, nor a poll without known answers."""
    votes = Votes(np.array([0, 0, 1, 1, 2]), np.arange(5), np.array([0, 1, 1, 1, 0]), 3, 5, 2)
    known = SimpleNamespace(
        votes=votes, options=("a", "b"), gold=np.array([0, 1, -1]), expert=np.array([1, 0, 0])
    )
    unknown = SimpleNamespace(
        votes=votes, options=("a", "b"), gold=np.array([-1, -1, -1]), expert=np.array([-1, -1, -1])
    )
    found = votes_with_answers([known, unknown])  # type: ignore[list-item]
    assert found is not None
    assert (found.accuracy, found.options, found.votes) == (0.75, 2, 4)
    assert found.icc == pytest.approx(0.0)  # 1 of 2 and 2 of 2: items differ no more than chance
    assert votes_with_answers([unknown]) is None  # type: ignore[list-item]


def _poll(votes_per_item: int, accuracy: float, options: int = 3, items: int = 400) -> SimpleNamespace:
    """A poll of labels without known answers: each vote is right with one chance, the wrong options share the rest."""
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(items), votes_per_item)
    truth = rng.integers(options, size=items)[item]
    wrong = (truth + rng.integers(1, options, size=len(item))) % options
    choice = np.where(rng.random(len(item)) < accuracy, truth, wrong)
    rater = np.concatenate([rng.choice(20, votes_per_item, replace=False) for _ in range(items)])
    votes = Votes(item, rater, choice, items, 20, options)
    unknown = np.full(items, -1)
    names = tuple("abc"[:options])
    return SimpleNamespace(votes=votes, options=names, gold=unknown, expert=unknown, lists=None)


@pytest.mark.parametrize("accuracy", [0.6, 0.75, 0.9])
def test_without_known_answers_dawid_skene_tells_how_often_a_vote_is_right(accuracy: float) -> None:
    found = votes_by_dawid_skene([_poll(5, accuracy)])  # type: ignore[list-item]
    assert found is not None
    assert found.accuracy == pytest.approx(accuracy, abs=0.04)
    assert (found.options, found.votes, found.known) == (3, 2000, False)


def test_votes_that_confirm_themselves_and_choices_of_systems_say_nothing() -> None:
    choices = _poll(5, 0.75, options=2)
    choices.lists = object()
    assert votes_by_dawid_skene([_poll(2, 0.75)]) is None  # type: ignore[list-item]
    assert votes_by_dawid_skene([choices]) is None  # type: ignore[list-item]


def test_up_to_the_votes_at_hand_labels_follow_the_items_own_votes_and_go_on_from_there() -> None:
    found = Majority(0.7, 2, 0.2, own=(0.6, 0.6, 0.65))
    gain = accuracy_of_votes(0.7, 9, 2, 0.2) - accuracy_of_votes(0.7, 3, 2, 0.2)
    assert [found.right(n) for n in (1, 3, 9)] == pytest.approx([0.6, 0.65, 0.65 + gain])
    assert found.right(99) < found.limit
    assert found.votes_for(0.65) == 3
    for wanted in (0.66, 0.68):
        needed = int(found.votes_for(wanted))
        assert found.right(needed) >= wanted > found.right(needed - 1)
    assert found.votes_for(0.95) == np.inf
