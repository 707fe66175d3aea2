"""What is said of labels against gold, and the tables by method, class, worker and item."""

from math import nan

import numpy as np
import pytest

from analysis.systems.label_accuracy import (
    ALONE,
    DAWID_SKENE,
    MAJORITY,
    METHODS,
    LabelAccuracy,
    compared,
    gold_known,
    labelled,
    same_label,
)
from analysis.values.estimate import Estimate
from analysis.workers.dawid_skene import fit_votes
from analysis.workers.worker_agreement import against_gold
from features.blocks import Status
from findings.systems.labels import (
    AGGREGATED,
    PENDING,
    classes_table,
    finding,
    items_differ,
    labels_table,
    methods_table,
    notes,
    remarks,
    same_labels_table,
    ties_in_all,
    workers_table,
)
from tests.findings.studies import said
from tests.findings.workers.polls import poll_of

POLL = poll_of(
    {"ann": "ababab", "ben": "ababab", "cam": "abab..", "dan": "bbbbbb"},
    letters="abc",
    options=("cat", "dog", "emu"),
    gold="ababc.",
)
LABELS = {method: labelled(POLL.votes, POLL.gold, method) for method in METHODS}
CLOSED = compared(LABELS)


def told_of(accuracy: dict[str, float], apart: Estimate) -> LabelAccuracy:
    """Accuracies of methods over 20 items, each but majority vote so far from it."""
    return LabelAccuracy(
        {method: LABELS[method] for method in accuracy},
        {method: Estimate(value, value - 0.1, value + 0.1, 20) for method, value in accuracy.items()},
        {method: apart for method in accuracy if method != MAJORITY},
        {method: 1000 if method == MAJORITY else 200 for method in accuracy},
    )


@pytest.mark.parametrize(
    ("accuracy", "apart", "told"),
    [
        (
            {MAJORITY: 0.8, DAWID_SKENE: 0.9, ALONE: 0.6},
            Estimate(0.1, 0.02, 0.2),
            "<b>Dawid-Skene</b> gets <b>90 %</b> of 20 items with gold right, 10.0 points more than majority vote "
            "(2.0 to 20.0); one worker alone gets 60 %.",
        ),
        (
            {MAJORITY: 0.8, DAWID_SKENE: 0.9, "GLAD": 0.9, ALONE: 0.6},
            Estimate(0.1, -0.02, 0.2),
            "<b>Dawid-Skene</b> gets <b>90 %</b> of 20 items with gold right, majority vote 80.0 %: which is "
            "better <b>cannot be told</b> (−2.0 to 20.0 points), as many as GLAD; one worker alone gets 60 %.",
        ),
        (
            {MAJORITY: 0.9, DAWID_SKENE: 0.9, ALONE: 0.6},
            Estimate(0.0),
            "<b>Majority vote</b> gets <b>90 %</b> of 20 items with gold right, and no other method more; one worker "
            "alone gets 60 %.",
        ),
    ],
)
def test_the_finding_names_the_best_method_and_how_far_it_is_ahead(
    accuracy: dict[str, float], apart: Estimate, told: str
) -> None:
    assert said(finding(told_of(accuracy, apart))) == told


def test_the_table_of_methods_has_the_most_accurate_first_and_waits_for_intervals() -> None:
    table, written = methods_table(told_of({MAJORITY: 0.8, DAWID_SKENE: 0.9}, Estimate(0.1, 0.02, 0.2)))
    assert table[["Method", "Accuracy, 95 %", "Points over majority, 95 %"]].to_numpy().tolist() == [
        [DAWID_SKENE, "80.0 % to 100.0 %", "2.0 to 20.0"],
        [MAJORITY, "70.0 % to 90.0 %", ""],
    ]
    assert written["Points over majority"](0.1) == "+10.0"
    waiting, _ = methods_table(CLOSED)
    assert set(waiting["Accuracy, 95 %"]) == {PENDING}


def test_notes_tell_draws_and_ties() -> None:
    told = [said(note) for note in notes(told_of({MAJORITY: 0.8, DAWID_SKENE: 0.9}, Estimate(0.1)), True)]
    assert told[0] == (
        "Draws of items and workers: 1\u202f000 for majority vote; 200 for Dawid-Skene. Every draw fits everything "
        "again. Differences are paired and draw items only; they rest on the few items whose labels differ, so that "
        "their intervals are cautious."
    )
    tied = compared({MAJORITY: labelled(POLL.votes, np.array([0, 1, 0, 1, 0, 1]), MAJORITY)})
    assert tied.labels[MAJORITY].ties == 0
    even = poll_of({"ann": "ab", "ben": "bb"}, letters="ab", options=("cat", "dog"), gold="ab")
    assert said(notes(compared({MAJORITY: labelled(even.votes, even.gold, MAJORITY)}), True)[0]).startswith(
        "Ties: 1 item under majority vote. An item whose best options tie counts 1 divided by their number"
    )


def test_remarks_tell_missing_gold_gold_that_nobody_chose_and_missing_intervals() -> None:
    told = [said(remark) for remark in remarks(POLL, CLOSED, gold_known(POLL.votes, POLL.gold))]
    assert told == [
        "Without gold: 1 item. The methods use their votes, but the accuracy leaves them out.",
        "Nobody chose emu, the gold of 1 item: no method can find it.",
        "No intervals for majority vote, r_w-weighted vote, Dawid-Skene, GLAD and one worker alone.",
    ]


def test_a_class_that_nobody_chose_has_no_precision() -> None:
    table, written = classes_table(POLL, CLOSED)
    assert table["Class"].tolist() == ["cat", "dog", "emu"]
    assert table["Items with gold"].tolist() == [2, 2, 1]
    assert table[f"Recall, {MAJORITY}"].tolist() == [1, 1, 0]
    assert np.isnan(table[f"Precision, {MAJORITY}"][2])
    assert written[f"Recall, {MAJORITY}"](0.5) == "50.0 %"


def test_workers_with_most_items_with_gold_come_first_the_most_accurate_of_them_before_the_others() -> None:
    table, _ = workers_table(POLL, against_gold(POLL.votes, POLL.gold), fit_votes(POLL.votes))
    assert table["Worker"].tolist() == ["ann", "ben", "dan", "cam"]
    assert table["Accuracy"].tolist() == pytest.approx([0.8, 0.8, 0.4, 1.0])
    assert table["Votes"].tolist() == [6, 6, 6, 4]


def test_items_on_which_methods_differ_come_first_and_tied_labels_are_joined() -> None:
    even = poll_of({"ann": "aab", "ben": "abb"}, letters="ab", options=("cat", "dog"), gold="aab")
    labels = {method: labelled(even.votes, even.gold, method) for method in AGGREGATED}
    table, _ = labels_table(even, labels)
    by_item = table.set_index("Item")
    assert by_item.loc["q1", MAJORITY] == "cat = dog"
    assert by_item.loc["q0", MAJORITY] == by_item.loc["q0", "Gold"] == "cat"
    differ = (table[list(AGGREGATED)].nunique(axis=1) > 1).tolist()
    assert differ == sorted(differ, reverse=True)
    assert said(items_differ(table)) == f"The methods differ on {sum(differ)} of 3 items, shown first."
    assert said(ties_in_all({MAJORITY: labels[MAJORITY]})[0]) == (
        "Ties: 1 item under majority vote; broken at random by each method, on average."
    )


def test_without_gold_methods_are_held_against_each_other() -> None:
    table, written = same_labels_table(same_label({method: LABELS[method] for method in AGGREGATED[:2]}))
    assert table.iloc[0].tolist()[:2] == list(AGGREGATED[:2])
    assert table["Items"].tolist() == [6]
    assert written["Items with the same label"](nan) == "undefined"


def test_a_method_is_clearly_ahead_where_the_difference_leaves_out_0() -> None:
    def status(apart: Estimate, best: float = 0.9) -> Status:
        return finding(told_of({MAJORITY: 0.8, DAWID_SKENE: best, ALONE: 0.6}, apart)).status

    assert status(Estimate(0.1, 0.02, 0.2)) is Status.CLEAR
    assert status(Estimate(0.1, -0.02, 0.2)) is Status.UNCERTAIN
    assert status(Estimate(0.1)) is Status.UNCERTAIN
    assert status(Estimate(0.0), best=0.8) is Status.UNCERTAIN
    assert finding(CLOSED).status is Status.NOT_ENOUGH_DATA
