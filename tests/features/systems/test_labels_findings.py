"""Verdicts and tables of labels: classes, the crowd against known answers, and methods, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.systems.label_accuracy import (
    ALONE,
    DAWID_SKENE,
    MAJORITY,
    METHODS,
    LabelAccuracy,
    class_shares,
    compare_crowd_with_known,
    compare_methods,
    count_gold_items,
    label_items,
)
from analysis.values.estimate import Estimate
from analysis.workers.polls import Poll
from features.blocks import Finding, Status
from features.systems.labels_results import AGGREGATED, ClassesFound, CrowdFound, compare_labels
from features.systems.labels_section import (
    classes_finding,
    classes_table,
    confusion_finding,
    crowd_finding,
    crowd_table,
    gold_warnings,
    items_table,
    methods_finding,
    methods_table,
    missing_gold,
    precision_table,
    same_labels_table,
)
from features.words import cells, plain
from tests.features.raters.polls import poll_of
from tests.golden.content import numbers_in

OPTIONS = ("cat", "dog", "fox")
TEN = {"w1": "0001111111", "w2": "0011111111"}
"""Two raters: three items for the cat by both and one by the first; the rest for the dog."""
POLL = poll_of(
    {"ann": "ababab", "ben": "ababab", "cam": "abab..", "dan": "bbbbbb"},
    letters="abc",
    options=("cat", "dog", "emu"),
    gold="ababc.",
)
LABELS = {method: label_items(POLL.votes, POLL.gold, method) for method in METHODS}
CLOSED = compare_methods(LABELS)


def labels(answers: dict[str, str], gold: str = "") -> Poll:
    return poll_of(answers, letters="012", options=OPTIONS, gold=gold)


def classes(answers: dict[str, str]) -> ClassesFound:
    poll = labels(answers)
    return ClassesFound(poll.options, poll.votes.items, class_shares(poll.votes))


def crowd(known: str = "gold", gold: str = "0001111111") -> CrowdFound:
    poll = labels(TEN, gold)
    return CrowdFound(known, poll.options, compare_crowd_with_known(poll.votes, poll.gold), {})


def values(finding: Finding) -> dict[str, object]:
    return dict(finding.headline[1])


def found(accuracy: dict[str, float], apart: Estimate) -> LabelAccuracy:
    """Accuracies of methods over 20 items, each but majority vote so far from it."""
    return LabelAccuracy(
        {method: LABELS[method] for method in accuracy},
        {method: Estimate(value, value - 0.1, value + 0.1, 20) for method, value in accuracy.items()},
        {method: apart for method in accuracy if method != MAJORITY},
        {method: 1000 if method == MAJORITY else 200 for method in accuracy},
        "raters like these",
    )


def test_the_most_common_class_and_the_two_that_are_confused_are_named() -> None:
    told = classes(TEN)
    assert values(classes_finding(told)) == {"first": "dog", "second": "cat", "share": "75%"}
    confused = confusion_finding(told)
    assert values(confused) == {"one": "cat", "other": "dog", "part": "20%"}
    assert "of differing votes" in plain(confused.evidence)
    assert confused.status is Status.NOT_TESTED
    rows = classes_table(told).frame
    assert rows["Class"].tolist() == ["dog", "cat"]
    assert rows["Share of votes"].tolist() == pytest.approx([0.75, 0.25])
    assert rows["Others agree"].tolist() == pytest.approx([14 / 15, 4 / 5])
    assert rows["Most often confused with"].tolist() == ["cat", "dog"]
    assert rows["How often"].tolist() == pytest.approx([1 / 15, 1 / 5])
    assert rows["Votes"].tolist() == [15, 5]


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ({"a": "01"}, Status.NOT_ENOUGH_DATA),
        ({"a": "0" * 12}, Status.CLEAR),
        ({"a": "0" * 40 + "1" * 4}, Status.CLEAR),
        ({"a": "01" * 6}, Status.UNCERTAIN),
    ],
)
def test_a_class_is_clearly_the_most_common_where_intervals_are_apart(
    answers: dict[str, str], status: Status
) -> None:
    assert classes_finding(classes(answers)).status is status


def test_numbers_that_are_labels_stand_in_quotation_marks_in_the_evidence() -> None:
    numbered = replace(classes({"a": "01" * 6}), options=("0", "1"))
    told = classes_finding(numbered).evidence[1].values()
    assert "“0” 50%" in told
    assert any(str(part).startswith("next: “1” 50%") for part in told)


def test_confusions_need_two_votes_on_an_item() -> None:
    alone, alike = classes({"a": "01" * 6}), classes({"a": "01" * 6, "b": "01" * 6})
    assert confusion_finding(alone).status is Status.NOT_ENOUGH_DATA
    assert confusion_finding(alone).next_step is not None
    assert confusion_finding(alike).status is Status.CLEAR
    assert classes_table(alike).frame["Most often confused with"].tolist() == ["", ""]
    assert classes_table(alike).frame["How often"].isna().all()


def test_the_crowd_is_compared_with_gold_by_kappa_and_by_part() -> None:
    whole = crowd()
    # one item ties between cat, which is gold, and dog: 9.5 of 10; by chance (3 x 2.5 + 7 x 7.5) of 100
    assert values(crowd_finding(whole)) == {"known": "gold", "share": "95%"}
    assert plain(crowd_finding(whole).evidence).startswith("Kappa 0.88 · 95% CI ")
    low = replace(whole.whole, kappa=replace(whole.whole.kappa, value=0.2, low=0.1, high=0.3))
    parts = replace(whole, known="expert", parts={"2-choice": low, "4-choice": whole.whole})
    assert values(crowd_finding(parts))["known"] == "the expert"
    rows = crowd_table(parts).frame
    of_all = (0.95 - 0.6) / 0.4
    assert rows["Kappa"].tolist() == pytest.approx([of_all, 0.2, of_all])
    assert (rows["Kappa from"][1], rows["Kappa to"][1]) == (0.1, 0.3)
    assert rows["Ties"].tolist() == [1, 1, 1]
    assert len(crowd_table(replace(parts, parts={"2-choice": low})).frame) == 1


@pytest.mark.parametrize(("low", "status"), [(0.1, Status.CLEAR), (-0.1, Status.UNCERTAIN)])
def test_the_crowd_clearly_agrees_where_kappa_excludes_0(low: float, status: Status) -> None:
    one = crowd()
    kappa = replace(one.whole.kappa, low=low, high=0.3)
    assert crowd_finding(replace(one, whole=replace(one.whole, kappa=kappa))).status is status


def test_few_known_answers_and_an_undefined_kappa_are_no_result() -> None:
    few = crowd_finding(crowd(gold="000......."))
    assert (few.status, values(few)["there"]) == (Status.NOT_ENOUGH_DATA, "3 items")
    one = labels({"a": "0" * 12}, gold="0" * 12)
    same = CrowdFound("gold", one.options, compare_crowd_with_known(one.votes, one.gold), {})
    assert np.isnan(same.whole.kappa.value)
    assert crowd_finding(same).status is Status.UNCERTAIN
    assert same.whole.kappa.reason in plain(crowd_finding(same).evidence)


@pytest.mark.parametrize(
    ("accuracy", "apart", "best", "status", "numbers"),
    [
        (
            {MAJORITY: 0.8, DAWID_SKENE: 0.9, ALONE: 0.6},
            Estimate(0.1, 0.02, 0.2),
            DAWID_SKENE,
            Status.CLEAR,
            [95, 80, 100, 10, 2, 20, 20, 60],
        ),
        (
            {MAJORITY: 0.8, DAWID_SKENE: 0.9, "GLAD": 0.9, ALONE: 0.6},
            Estimate(0.1, -0.02, 0.2),
            DAWID_SKENE,
            Status.UNCERTAIN,
            [95, 80, 100, 10, -2, 20, 20, 60],
        ),
        (
            {MAJORITY: 0.8, DAWID_SKENE: 0.9, ALONE: 0.6},
            Estimate(0.1),
            DAWID_SKENE,
            Status.UNCERTAIN,
            [95, 80, 100, 10, 20, 60],
        ),
        (
            {MAJORITY: 0.9, DAWID_SKENE: 0.9, ALONE: 0.6},
            Estimate(0.0),
            "Majority vote",
            Status.UNCERTAIN,
            [95, 80, 100, 20, 60],
        ),
    ],
)
def test_the_best_method_is_clearly_ahead_where_the_difference_excludes_0(
    accuracy: dict[str, float], apart: Estimate, best: str, status: Status, numbers: list[float]
) -> None:
    told = methods_finding(found(accuracy, apart))
    assert (values(told)["best"], told.status) == (best, status)
    assert values(told)["accuracy"] == "90%"
    assert numbers_in(plain(told.evidence)) == numbers
    assert ("more than" in told.headline[0]) == (np.isfinite(apart.low) and best != "Majority vote")


def test_too_little_gold_is_not_enough_data() -> None:
    few, none = count_gold_items(POLL.votes, POLL.gold), count_gold_items(POLL.votes, -np.ones(6, dtype=int))
    assert values(missing_gold(few))["there"] == "5 items with gold"
    assert missing_gold(none).status is Status.NOT_ENOUGH_DATA
    assert missing_gold(none).next_step is not None


def test_the_table_of_methods_has_the_most_accurate_first() -> None:
    table = methods_table(found({MAJORITY: 0.8, DAWID_SKENE: 0.9}, Estimate(0.1, 0.02, 0.2)))
    rows = table.frame
    assert rows["Method"].tolist() == [DAWID_SKENE, MAJORITY]
    assert rows["Accuracy from"].tolist() == pytest.approx([0.8, 0.7])
    assert rows["Points above majority from"][0] == 0.02
    assert rows["Points above majority"].tolist() == [0.1, 0.0]
    assert cells(rows["Accuracy"], table.formats["Accuracy"])[0] == "90.0% (80.0 to 100.0%)"
    assert cells(rows["Points above majority"], table.formats["Points above majority"]) == [
        "+10.0 (+2.0 to +20.0)",
        "0.0",
    ]


def test_warnings_have_missing_gold_and_gold_that_nobody_chose() -> None:
    told = [one.text[1] for one in gold_warnings(POLL, count_gold_items(POLL.votes, POLL.gold))]
    assert told == [{"rest": "1 item"}, {"names": "emu", "items": "1 item"}]


def test_a_class_that_nobody_chose_has_no_precision() -> None:
    table = precision_table(POLL, CLOSED, DAWID_SKENE)
    rows = table.frame
    assert rows["Class"].tolist() == ["cat", "dog", "emu"]
    assert rows["Items with gold"].tolist() == [2, 2, 1]
    assert rows[f"Recall, {MAJORITY}"].tolist() == [1, 1, 0]
    assert np.isnan(rows[f"Precision, {MAJORITY}"][2])
    assert cells(rows[f"Precision, {MAJORITY}"], table.formats[f"Precision, {MAJORITY}"])[2] == "–"
    assert table.columns_at_first_sight[2] == "Precision, Dawid-Skene"


def test_items_on_which_methods_differ_come_first_and_tied_labels_are_joined() -> None:
    even = poll_of({"ann": "aab", "ben": "abb"}, letters="ab", options=("cat", "dog"), gold="aab")
    accuracy = compare_methods({method: label_items(even.votes, even.gold, method) for method in METHODS})
    table = items_table(even, accuracy)
    by_item = table.frame.set_index("Item")
    assert by_item.loc["q1", MAJORITY] == "cat = dog"
    assert by_item.loc["q0", MAJORITY] == by_item.loc["q0", "Gold"] == "cat"
    differ = (table.frame[list(AGGREGATED)].nunique(axis=1) > 1).tolist()
    assert differ == sorted(differ, reverse=True)
    assert table.fold.endswith(f"{sum(differ)} of 3 items")


def test_without_gold_methods_are_compared_with_each_other() -> None:
    table = same_labels_table(compare_labels(CLOSED))
    assert table.frame.iloc[0].tolist()[:2] == list(AGGREGATED[:2])
    assert set(table.frame["Items"]) == {6}
    assert len(table.frame) == 6
    assert table.frame["Same label"].between(0, 1).all()
