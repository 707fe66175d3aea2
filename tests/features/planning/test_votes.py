"""Preferences and labels: items and votes, their power, accuracy and price."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.planning import preference_power
from analysis.planning.promises_of_choices import votes_by_dawid_skene, votes_with_answers
from analysis.values.votes import Votes
from features.blocks import NextStep, Status
from features.planning.power_findings import alternatives_table, preference_finding, preference_notes
from features.planning.power_results import Prices
from features.planning.votes import (
    LabelsFound,
    LabelsSpec,
    PreferenceFound,
    PreferenceSpec,
    labels_finding,
    labels_table,
    usual_labels,
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
    with_gold = LabelsFound(replace(usual_labels(known), wanted=0.9), known)
    assert with_gold.majority.limit < 0.8
    assert with_gold.votes == np.inf
    assert labels_finding(with_gold).status is Status.CLEAR
    poll.gold = np.full(len(poll.gold), -1)
    unknown = votes_by_dawid_skene([poll])  # type: ignore[list-item]
    assert unknown is not None
    finding = labels_finding(LabelsFound(replace(usual_labels(unknown), wanted=0.9), unknown))
    assert finding.status is Status.UNCERTAIN
    assert finding.next_step == NextStep("Add known answers on Data", "datasets.py")
    assert "no answers known" in line_of(finding.evidence)
    easy = labels_finding(LabelsFound(replace(usual_labels(unknown), wanted=0.5), unknown))
    assert said(easy).startswith("<b>1 vote</b> per item reaches 50%")
