"""Sufficient summaries: status, numbers of the verdict, and tables."""

from dataclasses import replace

import pytest

from analysis.relevance.rater_pairs import compare_agreements_by_event
from features.blocks import Status
from features.relevance import agreement_findings
from features.relevance.agreement_results import LDC, PREDICTION, Accuracy
from tests.features.relevance.judged import CLOSED, SURROGATES, accuracy, both, evidence, judged, main, said
from tests.features.studies import verdict

NO_FULL_TEXT = replace(SURROGATES, full_text=-1, has_full_text=False, is_predicted=False)


def test_sides_are_those_that_are_defined() -> None:
    assert SURROGATES.sides == [PREDICTION, LDC]
    assert SURROGATES.present == (0, 1, 2)
    assert replace(SURROGATES, has_gold=False, is_predicted=False).sides == []
    assert replace(SURROGATES, is_predicted=False).sides == [LDC]
    assert (NO_FULL_TEXT.full_text_name, NO_FULL_TEXT.present) == ("the full text", (0, 1))


def test_the_best_summary_is_named_with_its_share_and_its_time() -> None:
    found = agreement_findings.accuracy_finding(accuracy())
    assert verdict(found) == (Status.UNCERTAIN, "88%")  # without intervals nothing is clear
    assert "Summary" in said(found)
    assert evidence(found) == ["2 raters", "4 documents", "saves 5.0 of 10.5 s", "next: Headline 38%"]
    by_gold = agreement_findings.accuracy_finding(accuracy(NO_FULL_TEXT))
    assert "gold" in said(by_gold)
    assert verdict(by_gold)[1:] == ("88%",)


def test_without_summaries_or_a_truth_there_is_no_verdict() -> None:
    alone = replace(SURROGATES, summaries=(), is_predicted=False)
    assert agreement_findings.accuracy_finding(accuracy(alone)).status is Status.NOT_APPLICABLE
    no_truth = replace_gold(accuracy(NO_FULL_TEXT))
    assert agreement_findings.accuracy_finding(no_truth).status is Status.NOT_ENOUGH_DATA


def replace_gold(found: Accuracy) -> Accuracy:
    """The same where no agreement is defined."""
    nothing = tuple(replace(one, n=0) for one in found.both.ldc)
    return replace(found, both=replace(found.both, ldc=nothing))


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (3.0, 7.0, "saves 5.0 of 10.5 s"),
        (-1.0, 7.0, "no clear time saved of 10.5 s"),
        (-7.0, -3.0, "5.0 s more than 10.5 s"),
    ],
)
def test_time_is_saved_only_where_the_interval_says_so(low: float, high: float, told: str) -> None:
    found = accuracy()
    saved = replace(found.both.seconds_saved[1], value=(low + high) / 2, low=low, high=high)
    seconds = (found.both.seconds_saved[0], saved, *found.both.seconds_saved[2:])
    drawn = replace(found, both=replace(found.both, seconds_saved=seconds))
    assert told in evidence(agreement_findings.accuracy_finding(drawn))


def test_the_verdict_is_clear_where_the_interval_excludes_one_half() -> None:
    found = accuracy()
    for low, status in ((0.6, Status.CLEAR), (0.4, Status.UNCERTAIN)):
        first, best, *others = found.both.prediction
        best = replace(best, accuracy=replace(best.accuracy, low=low, high=0.95))
        drawn = replace(found, both=replace(found.both, prediction=(first, best, *others)))
        assert agreement_findings.accuracy_finding(drawn).status is status


def test_agreements_differ_where_the_paired_test_says_so() -> None:
    found = accuracy()
    tests = found.both.difference
    for p, value, status in (
        (0.01, 0.1, Status.CLEAR),
        (0.01, -0.1, Status.CLEAR),
        (0.4, 0.1, Status.UNCERTAIN),
    ):
        test = replace(tests[1], p=p, difference=replace(tests[1].difference, value=value))
        told = agreement_findings.difference_finding(
            replace(found, both=replace(found.both, differences={"accuracy": (tests[0], test, tests[2])}))
        )
        assert told is not None
        assert told.status is status


def test_what_is_missing_is_said() -> None:
    few_events = {"n": "2"}
    labelled = replace(accuracy(), main=replace(main(), with_label=1200))
    assert [one.text[1] for one in agreement_findings.accuracy_warnings(labelled)] == [
        few_events,
        {"n": "1,200"},
    ]
    assert [one.text[1] for one in agreement_findings.accuracy_warnings(accuracy())] == [few_events]
    (missing, *_) = agreement_findings.accuracy_warnings(accuracy(NO_FULL_TEXT))
    assert "full text" in missing.text[0]
    unpredicted = replace(SURROGATES, is_predicted=False)
    (undefined, *_) = agreement_findings.accuracy_warnings(accuracy(unpredicted))
    assert "Relevance Prediction" in undefined.text[0]


def test_both_agreements_as_tables() -> None:
    table = agreement_findings.accuracy_table(accuracy()).frame
    assert table["Surrogate"].tolist() == ["Headline"] * 2 + ["Summary"] * 2 + ["Full Text"]
    assert table["Accuracy"].tolist() == [0.625, 0.375, 0.875, 0.875, 0.75]
    assert table[["TP", "TN", "FP", "FN"]].loc[1].tolist() == [2, 1, 1, 4]
    assert table["Seconds"].tolist() == [2.5, 2.5, 5.5, 5.5, 10.5]
    untimed = agreement_findings.accuracy_table(accuracy(replace(SURROGATES, has_seconds=False))).frame
    assert "Seconds" not in untimed
    paired = agreement_findings.difference_table(accuracy()).frame
    assert paired["Figure"].tolist() == ["Accuracy"] * 2 + ["Precision"] * 2 + ["F"] * 2
    assert paired["RP minus LDC"].tolist()[:2] == [-0.25, 0]
    by_event = dict(zip((0, 1), compare_agreements_by_event(judged(), 2, CLOSED).values(), strict=True))
    events = agreement_findings.events_table(Accuracy(main(), both(), by_event)).frame
    assert events["Event"].tolist() == ["e"] * 5 + ["f"] * 5
    assert events["Judgments"].tolist() == [4] * 10
