"""Preferences and labels: items and votes, their power, accuracy and price."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.planning import StudyCosts, preference_power
from analysis.values.estimate import Estimate
from analysis.values.votes import Votes
from findings.planning.apart import Prices
from findings.planning.votes import (
    Labels,
    OpenQuality,
    OpenShares,
    OpenVotes,
    Preference,
    by_dawid_skene,
    labels_curves,
    labels_finding,
    labels_table,
    of_open_choices,
    open_note,
    preference_beside,
    preference_curves,
    preference_effort,
    preference_finding,
    preference_same_price,
    without_guesses,
)
from tests.findings.studies import said

PRICES = Prices(StudyCosts(0.1, item=1.0, rater=0.0, fixed=10.0), "€", 36.0)
ONE = Preference(0.6, 100, 2, 0.0, 1.0, 0.05, 1, 0.9, PRICES)


def test_a_preference_has_its_power_price_and_hours() -> None:
    told = [said(sentence) for sentence in preference_finding(ONE)]
    assert "With <b>100 items of 2 votes each</b>" in told[0]
    assert "a power of <b>82 %</b>" in told[0]
    needed = int(ONE.items_needed)
    assert f"For 90 % it takes {needed} items" in told[1]
    assert preference_power(0.6, needed, 2).power >= 0.9 > preference_power(0.6, needed - 1, 2).power
    assert "130.00 €</b>: 200 votes, 2.0 hours" in said(preference_effort(ONE))  # 10 + 100 (1 + .2)
    assert "No number of items" in said(preference_finding(replace(ONE, quality=0.0))[1])


def test_guesses_pull_items_shares_together() -> None:
    """Half of the votes guesses: items that differ by .1 as seen differ by .2, and no more than shares can."""
    seen = OpenShares(0.1, 20, "A vs B")
    half = OpenQuality(Estimate(0.5, 0.4, 0.6, 80), 0.3)
    untold = OpenQuality(Estimate(np.nan, reason="none known"), 0.3)
    assert without_guesses(seen, half).sd == pytest.approx(0.2)
    assert without_guesses(replace(seen, sd=0.4), half).sd == 0.5
    assert without_guesses(seen, untold) is seen


def test_other_numbers_of_votes_cost_what_they_cost() -> None:
    table = preference_beside(ONE)[0].set_index("Votes per item")
    assert table["Price"].to_dict() == pytest.approx({1: 120, 2: 130, 4: 150, 8: 190})
    points = {votes: items for items, _, votes in preference_same_price(ONE, 500)}
    assert points == {
        1: pytest.approx(120 / 1.1),
        2: 100,
        4: pytest.approx(120 / 1.4),
        8: pytest.approx(120 / 1.8),
    }
    x, found = preference_curves(ONE, 250)[2]
    assert found[x.index(100)].value == ONE.power


def test_labels_take_the_first_majority_that_is_right_often_enough() -> None:
    one = Labels(0.7, 2, 0.9, 10, PRICES)
    told = [said(sentence) for sentence in labels_finding(one)]
    assert told[0].startswith("<b>9 votes per item</b> make the majority right in <b>90 %</b>")
    assert "8 votes in 87 %" in told[0]
    assert "29.00 €: 90 votes, 0.9 hours" in told[1]  # 10 + 10 (1 + .9)
    assert labels_table(one)[0]["Right"].iloc[2] == pytest.approx(0.784)
    assert set(labels_curves(one)) == {60, 70, 80}
    assert "no number of votes makes" in said(labels_finding(Labels(0.5, 2, 0.9, 10, PRICES))[0])


def test_the_open_choices_say_how_often_a_vote_is_right() -> None:
    """3 of 4 votes meet the gold; the item without gold does not count, nor a poll without known answers."""
    votes = Votes(np.array([0, 0, 1, 1, 2]), np.arange(5), np.array([0, 1, 1, 1, 0]), 3, 5, 2)
    known = SimpleNamespace(
        votes=votes, options=("a", "b"), gold=np.array([0, 1, -1]), expert=np.array([1, 0, 0])
    )
    unknown = SimpleNamespace(
        votes=votes, options=("a", "b"), gold=np.array([-1, -1, -1]), expert=np.array([-1, -1, -1])
    )
    found = of_open_choices([known, unknown])  # type: ignore[list-item]
    assert found is not None
    assert (found.accuracy, found.options, found.votes) == (0.75, 2, 4)
    assert found.icc == pytest.approx(0.0)  # 1 of 2 and 2 of 2: items differ no more than chance
    assert of_open_choices([unknown]) is None  # type: ignore[list-item]
    assert said(open_note(OpenVotes(0.75, 2, 4))) == (
        "In the open choices 75 % of 4 votes with a known answer are right."
    )


def _labels(votes_per_item: int, accuracy: float, options: int = 3, items: int = 400) -> SimpleNamespace:
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
def test_without_known_answers_dawid_skene_says_how_often_a_vote_is_right(accuracy: float) -> None:
    found = by_dawid_skene([_labels(5, accuracy)])  # type: ignore[list-item]
    assert found is not None
    assert found.accuracy == pytest.approx(accuracy, abs=0.04)
    assert (found.options, found.votes, found.known) == (3, 2000, False)
    assert "No answers are known; by Dawid-Skene's estimate" in said(open_note(found))


def test_votes_that_confirm_themselves_and_choices_of_systems_say_nothing() -> None:
    choices = _labels(5, 0.75, options=2)
    choices.lists = object()
    assert by_dawid_skene([_labels(2, 0.75)]) is None  # type: ignore[list-item]
    assert by_dawid_skene([choices]) is None  # type: ignore[list-item]


def test_up_to_the_votes_at_hand_labels_follow_the_items_own_votes() -> None:
    own = (0.6, 0.6, 0.65)
    one = Labels(0.7, 2, 0.9, 10, PRICES, 0.2, own)
    beyond = Labels(0.7, 2, 0.9, 10, PRICES, 0.2)
    assert [one.right(n) for n in (1, 3, 4)] == [0.6, 0.65, beyond.right(4)]
    assert one.votes == beyond.votes
    assert replace(one, wanted=0.65).votes == 3
    assert replace(one, wanted=0.62, own=(0.6, 0.63)).votes == 2
    assert replace(one, wanted=0.7, own=own).votes == 4
