"""Which summaries suffice, in whole sentences with their numbers."""

from dataclasses import replace

import pytest

from analysis.relevance.side_by_side import each_event
from features.blocks import Status
from findings.relevance import agreement
from tests.findings.relevance.judged import CLOSED, SURROGATES, both, judged, told


def test_which_summaries_suffice() -> None:
    assert told(agreement.finding_of(SURROGATES, both())) == (
        "Summary keeps 88 % of the raters' judgments on the full text, at 5.5 s against 10.5 s a judgment; "
        "Headline 38 %. Agreement with gold is not distinguishable from that, 88 % (p = 1.000)."
    )
    no_full_text = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert told(agreement.finding_of(no_full_text, both((0, 1)))) == (
        "With Summary raters judge 88 % of the documents as gold does; Headline 62 %."
    )
    nothing = replace(SURROGATES, summaries=())
    assert told(agreement.finding_of(nothing, both((2,)))).startswith("There is only the full text")


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (3.0, 7.0, " and saves 5.0 s (3.0 to 7.0) of 10.5 s a judgment; Headline"),
        (
            -1.0,
            7.0,
            "; whether it saves time cannot be told (5.5 s against 10.5 s a judgment; −1.0 to 7.0 s saved)",
        ),
        (-7.0, -3.0, " but takes more time (5.5 s against 10.5 s a judgment; −7.0 to −3.0 s saved)"),
    ],
)
def test_time_is_saved_only_where_the_interval_says_so(low: float, high: float, words: str) -> None:
    found = both()
    saved = replace(found.seconds_saved[1], low=low, high=high)
    drawn = replace(found, seconds_saved=(found.seconds_saved[0], saved, *found.seconds_saved[2:]))
    assert words in told(agreement.finding_of(SURROGATES, drawn))


def test_what_intervals_of_agreement_rest_on() -> None:
    assert list(map(told, agreement.notes(both(), 1200))) == [
        "Intervals draw raters and events: 2 raters, 2 events, 4 documents. Those of shares near 100 % and of "
        "agreement lost by LDC are wider than they say: they held in 97 to 99 of 100 simulated studies; that of "
        "seconds saved in 92 to 94.",
        "1\u202f200 judgments with an order label are left to the panel Order of presentation.",
    ]
    assert list(map(told, agreement.remarks(SURROGATES, both()))) == [
        "There are only 2 events: an interval over them is wide and rough."
    ]
    assert list(map(told, agreement.without_test(SURROGATES, both()))) == [
        "No test for Headline: all raters differ by the same amount, so that there is no spread to test against."
    ]


def test_what_lacks_and_would_open_the_rest() -> None:
    no_full_text = replace(SURROGATES, full_text=-1, has_full_text=False)
    assert told(agreement.remarks(no_full_text, both((0, 1)))[0]) == (
        "Judgments of the full text (chosen in the sidebar) would open Relevance Prediction; without them only LDC "
        "Agreement is shown."
    )
    assert told(agreement.no_speed(no_full_text)) == (
        "Speed against agreement: judgments of the full text would open this picture."
    )
    no_seconds = replace(SURROGATES, has_seconds=False)
    assert told(agreement.no_speed(no_seconds)) == (
        "Speed against agreement: a column seconds would open this picture."
    )


def test_both_agreements_as_tables() -> None:
    table, _ = agreement.agreement_table(SURROGATES, both())
    assert table["Surrogate"].tolist() == ["Headline"] * 2 + ["Summary"] * 2 + ["Full Text"]
    assert table["Accuracy"].tolist() == [0.625, 0.375, 0.875, 0.875, 0.75]
    assert table[["TP", "TN", "FP", "FN"]].loc[1].tolist() == [2, 1, 1, 4]
    assert table["Seconds"].tolist() == [2.5, 2.5, 5.5, 5.5, 10.5]
    untimed, _ = agreement.agreement_table(replace(SURROGATES, has_seconds=False), both())
    assert "Seconds" not in untimed
    difference, _ = agreement.difference_table(SURROGATES, both())
    assert difference["RP less LDC"].tolist() == [-0.25, 0]
    by_event = dict(zip((0, 1), each_event(judged(), 2, CLOSED).values(), strict=True))
    events, _ = agreement.events_table(SURROGATES, ["e", "f"], by_event)
    assert events["Event"].tolist() == ["e"] * 5 + ["f"] * 5
    assert events["Judgments"].tolist() == [4] * 10


def test_without_summaries_the_question_does_not_arise_and_without_truth_data_lack() -> None:
    nothing = replace(SURROGATES, summaries=())
    assert agreement.finding_of(nothing, both((2,))).status is Status.NOT_APPLICABLE
    assert agreement.finding_of(SURROGATES, both()).status is Status.UNCERTAIN
