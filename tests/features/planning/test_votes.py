"""Preferences and labels: items and votes, their power, accuracy and price."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.planning import accuracy_of_votes, preference_power
from analysis.values.estimate import Estimate
from analysis.values.votes import Votes
from features.blocks import NextStep, Status
from features.planning.power_findings import alternatives_table, preference_finding, preference_notes
from features.planning.power_results import Prices
from features.planning.votes import (
    LabelsFound,
    LabelsSpec,
    OpenQuality,
    OpenVotes,
    PreferenceFound,
    PreferenceSpec,
    labels_finding,
    labels_table,
    votes_by_dawid_skene,
    votes_with_answers,
    without_guesses,
)
from tests.features.planning.plans import line_of
from tests.features.studies import said

PRICES = Prices(0.1, item=1.0, fixed=10.0, seconds=36.0)
SPEC = PreferenceSpec(0.6, 100, 2, 0.0, 1.0, 0.05, 1, 0.9, PRICES)
ONE = PreferenceFound(SPEC)


def test_a_preference_has_its_power_price_and_hours() -> None:
    finding = preference_finding(ONE)
    assert "an 82% chance" in said(finding)
    needed = int(ONE.items_needed(2))
    assert f"for 90%: {needed} items" in line_of(finding.evidence)
    assert preference_power(0.6, needed, 2).power >= 0.9 > preference_power(0.6, needed - 1, 2).power
    effort = line_of(next(preference_notes(ONE)).text)
    assert effort.startswith("Price 130.00 €: 200 votes, 2.0 hours")  # 10 + 100 (1 + .2)
    never = PreferenceFound(replace(SPEC, quality=0.0))
    assert "no number of items" in line_of(preference_finding(never).evidence)


def test_guesses_pull_items_shares_together() -> None:
    """Half of the votes guesses: items that differ by .1 as seen differ by .2, and no more than shares can."""
    half = OpenQuality(Estimate(0.5, 0.4, 0.6, 80), 0.3)
    untold = OpenQuality(Estimate(np.nan, reason="none known"), 0.3)
    for sd, expected in ((0.1, 0.2), (0.4, 0.5)):
        assert without_guesses(sd, half) == pytest.approx(expected)
    assert without_guesses(0.1, untold) == 0.1


def test_other_numbers_of_votes_cost_what_they_cost() -> None:
    table = alternatives_table(ONE, "Votes per item").frame.set_index("Votes per item")
    assert table["Price"].to_dict() == pytest.approx({1: 120, 2: 130, 4: 150, 8: 190})
    assert table.at[2, "Power"] == ONE.power
    points = {votes: items for items, _, votes in ONE.same_price()}
    assert points == pytest.approx({1: 120 / 1.1, 2: 100, 4: 120 / 1.4, 8: 120 / 1.8})
    x, along = ONE.curves()[2]
    assert along[x.index(100)].value == ONE.power


def labels(**given: float) -> LabelsFound:
    return LabelsFound(replace(LabelsSpec(0.7, 0.0, 2, 0.9, 10, PRICES), **given))  # type: ignore[arg-type]


def test_labels_need_the_first_majority_that_is_right_often_enough() -> None:
    one = labels()
    finding = labels_finding(one)
    assert "9 votes" in said(finding)
    assert "9 votes: 90% · limit 100%" in line_of(finding.evidence)
    assert labels_table(one).frame["Price"].iloc[8] == pytest.approx(29)  # 10 + 10 (1 + .9)
    assert labels_table(one).frame["Right"].iloc[2] == pytest.approx(0.784)
    assert set(one.curves()) == {60, 70, 80}
    assert "No number of votes" in said(labels_finding(labels(accuracy=0.5)))


def test_a_plan_of_labels_says_whether_its_numbers_were_entered() -> None:
    """Default numbers are those that nobody changed; the share that is wanted is named in any case."""
    sources = [
        line_of(labels_finding(LabelsFound(spec)).evidence).split(" · ")[-1]
        for spec in (LabelsSpec(), LabelsSpec(wanted=0.8), LabelsSpec(icc=0.2), LabelsSpec(accuracy=0.5))
    ]
    assert sources == ["default numbers"] * 2 + ["numbers as entered"] * 2


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
    spec = LabelsSpec(0.7, 0.2, 2)
    own = (0.6, 0.6, 0.65)
    found = LabelsFound(spec, OpenVotes(0.7, 2, 30, icc=0.2, own=own))
    gain = accuracy_of_votes(0.7, 9, 2, 0.2) - accuracy_of_votes(0.7, 3, 2, 0.2)
    assert [found.right(n) for n in (1, 3, 9)] == pytest.approx([0.6, 0.65, 0.65 + gain])
    assert found.right(99) < found.limit
    assert LabelsFound(replace(spec, wanted=0.65), found.known).votes == 3
    for wanted in (0.66, 0.68):
        needed = LabelsFound(replace(spec, wanted=wanted), found.known)
        assert needed.right(int(needed.votes)) >= wanted > needed.right(int(needed.votes) - 1)
    assert LabelsFound(replace(spec, wanted=0.95), found.known).votes == np.inf


def shared_errors(items: int = 300, votes: int = 9) -> SimpleNamespace:
    """Return a poll in which nearly all raters give the same wrong label on a quarter of the items."""
    rng = np.random.default_rng(3)
    gold = rng.integers(3, size=items)
    seen = np.where(np.arange(items) % 4 == 0, (gold + 1) % 3, gold)
    item = np.repeat(np.arange(items), votes)
    choice = np.where(rng.random(len(item)) < 0.85, seen[item], rng.integers(3, size=len(item)))
    rater = np.tile(np.arange(votes), items)
    every = Votes(item, rater, choice, items, votes, 3)
    return SimpleNamespace(
        votes=every, options=("a", "b", "c"), gold=gold, expert=np.full(items, -1), lists=None
    )


def test_errors_that_raters_share_are_no_promise_of_right_labels() -> None:
    """However many votes, a quarter of the labels is wrong; without known answers agreement hides it."""
    poll = shared_errors()
    known = votes_with_answers([poll])  # type: ignore[list-item]
    assert known is not None
    with_gold = LabelsFound(replace(known.usual, wanted=0.9), known)
    assert with_gold.limit < 0.8
    assert with_gold.votes == np.inf
    assert labels_finding(with_gold).status is Status.CLEAR
    poll.gold = np.full(len(poll.gold), -1)
    unknown = votes_by_dawid_skene([poll])  # type: ignore[list-item]
    assert unknown is not None
    finding = labels_finding(LabelsFound(replace(unknown.usual, wanted=0.9), unknown))
    assert finding.status is Status.UNCERTAIN
    assert finding.next_step == NextStep("Add known answers on Data", "datasets.py")
    assert "no answers known" in line_of(finding.evidence)
    easy = labels_finding(LabelsFound(replace(unknown.usual, wanted=0.5), unknown))
    assert said(easy).startswith("<b>1 vote</b> per item reaches 50%")
