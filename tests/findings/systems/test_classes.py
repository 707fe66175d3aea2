"""What is said of classes and of the crowd against known answers, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.systems.crowd_labels import class_shares, crowd_against
from features.blocks import Status
from findings.systems import against_known
from findings.systems.classes import finding, table
from tests.findings.studies import said
from tests.findings.workers.polls import poll_of

OPTIONS = ("cat", "dog", "fox")
TEN = {"w1": "0001111111", "w2": "0011111111"}
"""Two workers: three items for the cat by both and one by the first; the rest for the dog."""


def poll_of_labels(answers, gold=""):
    return poll_of(answers, letters="012", options=OPTIONS, gold=gold)


def test_the_most_common_class_and_the_two_that_are_confused_are_named() -> None:
    poll = poll_of_labels(TEN)
    told = said(finding(poll, class_shares(poll.votes)))
    assert told.startswith("Most common of 2 classes is dog with <b>75 % (")
    assert "then cat with 25 % (" in told
    assert told.endswith("Confused most: where one says <b>cat</b>, another says <b>dog</b> in 20 %.")
    rows, _ = table(poll, class_shares(poll.votes))
    assert rows["Class"].tolist() == ["dog", "cat"]
    assert rows["Another agrees"].tolist() == pytest.approx([14 / 15, 4 / 5])
    assert rows["Most often taken for"].tolist() == ["cat", "dog"]
    assert rows["Votes"].tolist() == [15, 5]


def test_few_items_one_class_and_no_second_vote_are_said() -> None:
    few, one, alone = (poll_of_labels(a) for a in ({"a": "01"}, {"a": "0" * 12}, {"a": "01" * 6}))
    assert "<b>cannot be told</b> from 2 items" in said(finding(few, class_shares(few.votes)))
    assert "there is no other class" in said(finding(one, class_shares(one.votes)))
    assert said(finding(alone, class_shares(alone.votes))).endswith("no two votes on one item differ.")


def test_the_crowd_is_held_against_gold_with_its_kappa_and_its_parts() -> None:
    poll = poll_of_labels(TEN, gold="0001111111")
    whole = crowd_against(poll.votes, poll.gold)
    told = said(against_known.finding(whole, [("", whole)], "gold"))
    # one item ties between cat, which is gold, and dog: 9.5 of 10; by chance (3 x 2.5 + 7 x 7.5) of 100
    assert told.startswith(
        "The answer that most of the crowd give is gold on <b>95 %</b> of 10 items: kappa <b>0.87</b> (1 "
        "always, 0 as by chance, "
    )
    assert said(against_known.notes(whole)[-1]).startswith("1 item tie")
    worse = replace(whole, kappa=replace(whole.kappa, value=0.2, low=0.1, high=0.3))
    told = said(against_known.finding(whole, [("2-choice", worse), ("4-choice", whole)], "expert"))
    assert "is the expert's on" in told
    assert "; from 0.20 (0.10 to 0.30) (2-choice) to 0.87 (" in told
    rows, _ = against_known.parts_table([("2-choice", worse), ("4-choice", whole)])
    assert rows["Kappa"].tolist() == pytest.approx([0.2, (0.95 - 0.6) / 0.4])
    assert rows["Ties"].tolist() == [1, 1]


def test_few_known_answers_and_an_undefined_kappa_are_said() -> None:
    poll = poll_of_labels(TEN, gold="000.......")
    few = crowd_against(poll.votes, poll.gold)
    assert "<b>cannot be told</b> from 3 items" in said(against_known.finding(few, [], "gold"))
    one = poll_of_labels({"a": "0" * 12}, gold="0" * 12)
    same = crowd_against(one.votes, one.gold)
    assert "how far beyond chance is undefined" in said(against_known.finding(same, [], "gold"))
    assert np.isnan(same.kappa.value)


def test_classes_and_kappa_are_clear_where_intervals_say_so() -> None:
    few, one, many = (poll_of_labels(a) for a in ({"a": "01"}, {"a": "0" * 12}, {"a": "0" * 40 + "1" * 4}))
    for poll, status in (
        (few, Status.NOT_ENOUGH_DATA),
        (one, Status.CLEAR),
        (many, Status.CLEAR),
        (poll_of_labels({"a": "01" * 6}), Status.UNCERTAIN),
    ):
        assert finding(poll, class_shares(poll.votes)).status is status
    known = poll_of_labels(TEN, gold="0001111111")
    whole = crowd_against(known.votes, known.gold)
    held = {"clear": (0.1, 0.3), "holds 0": (-0.1, 0.3)}
    told = {
        name: against_known.finding(
            replace(whole, kappa=replace(whole.kappa, low=low, high=high)), [], "gold"
        )
        for name, (low, high) in held.items()
    }
    assert [one.status for one in told.values()] == [Status.CLEAR, Status.UNCERTAIN]
    three = replace(whole, items=3)
    assert against_known.finding(three, [], "gold").status is Status.NOT_ENOUGH_DATA
