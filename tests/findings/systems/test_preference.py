"""What is said of which system wins, and the paper's tables as one."""

from math import nan

import pytest

from analysis.systems.preference import METHODS, PCCH, Preference, PreferenceSpec
from analysis.values.estimate import Estimate
from analysis.workers.pcch import difficulty
from analysis.workers.polls import Poll
from features.blocks import Status
from findings.systems.preference import (
    UnderDesigns,
    finding,
    items_table,
    methods_table,
    notes,
    pairs_table,
    remarks,
)
from tests.findings.studies import said
from tests.findings.workers.polls import poll_of

ANSWERS = {"ann": "1122", "ben": "1120", "cam": "2=22"}
POLL = poll_of(ANSWERS)
TWO = poll_of({name: letters.replace("=", "1").replace("0", "2") for name, letters in ANSWERS.items()},
              options=("AW", "UI"), design="2-choice")  # fmt: skip
SPEC = PreferenceSpec(dropped=1)


def preference_of(
    poll: Poll, pcch: Estimate, *others: Estimate, items: int = 24, **more: object
) -> Preference:
    """All methods alike but PCC-H and the `others`, which are told in the order of the methods."""
    shares = dict.fromkeys(METHODS, pcch) | dict(zip(METHODS, others, strict=False)) | {PCCH: pcch}
    told = {
        "below_minimum": 0,
        "equally_weighted": 0,
        "no_item_weights": False,
        "flagged": (),
        "left_out": (2,),
        "resampled": "items and raters",
        "draws": 1000,
    }
    votes = poll.votes
    return Preference(shares, len(votes), items, votes.raters, **(told | more))  # type: ignore[arg-type]  # any of them


@pytest.mark.parametrize(
    ("pcch", "others", "told"),
    [
        (
            Estimate(0.2, 0.1, 0.4),
            (),
            "<b>UI</b> wins over AW with <b>80 %</b> (60 to 90 %) by PCC-H; all six methods agree.",
        ),
        (
            Estimate(0.7, 0.4, 0.9),
            (Estimate(0.4), Estimate(0.5)),
            "AW has <b>70 %</b> (40 to 90 %) against UI by PCC-H: <b>not distinguishable from 50 %</b> (about 54 items "
            "like these would tell); equal weights would have it the other way round, a draw by least reliable "
            "dropped.",
        ),
        (
            Estimate(0.8),
            (Estimate(nan, reason="no items"),),
            "<b>AW</b> wins over UI with <b>80 %</b> by PCC-H; all five methods that are defined agree.",
        ),
        (
            Estimate(0.45, 0.2, 0.7),
            (),
            "UI has <b>55 %</b> (30 to 80 %) against AW by PCC-H: <b>not distinguishable from 50 %</b> (not even 20 "
            "times the items would tell); all six methods agree.",
        ),
        (Estimate(0.5), (), "Neither AW nor UI is ahead by PCC-H: <b>50 %</b>."),
        (
            Estimate(nan, reason="most judgments say neither"),
            (),
            "Which of AW and UI wins is undefined by PCC-H: most judgments say neither.",
        ),
    ],
)
def test_the_finding_names_who_wins_and_how_surely(
    pcch: Estimate, others: tuple[Estimate, ...], told: str
) -> None:
    assert said(finding(POLL, preference_of(POLL, pcch, *others))) == told


UNDER = UnderDesigns(
    POLL,
    [POLL, TWO],
    SPEC,
    {
        POLL.name: preference_of(POLL, Estimate(0.2, 0.1, 0.4)),
        TWO.name: preference_of(TWO, Estimate(0.3, 0.2, 0.5)),
    },
    {"2-choice": dict.fromkeys(METHODS, Estimate(-0.1, -0.2, -0.05))},
)


def test_the_table_tells_shares_of_the_system_that_wins() -> None:
    table, written = methods_table(UNDER)
    assert table.columns.tolist() == [
        "Method",
        "Share of UI, 4-choice",
        "95 %, 4-choice",
        "Share of UI, 2-choice",
        "95 %, 2-choice",
        "4-choice less 2-choice",
        "95 % of the difference",
    ]
    assert table["Method"].tolist()[1] == "least reliable 1 dropped"
    assert table.iloc[0].tolist()[1:] == [0.8, "60.0 to 90.0 %", 0.7, "50.0 to 80.0 %", 0.1, "5.0 to 20.0 %"]
    assert written["Share of UI, 4-choice"](0.8) == "80.0 %"


def test_notes_tell_what_figures_rest_on_whether_designs_differ_and_who_is_dropped() -> None:
    assert [said(note) for note in notes(UNDER, Estimate(0.51, 0.38, 0.64, 12))] == [
        "Rests on 4-choice: 12 choices of 4 items by 3 workers; 2-choice: 12 choices of 4 items by 3 workers.",
        "By PCC-H the share of UI under 4-choice less that under 2-choice is 10 points (5 to 20): the design matters.",
        "Dropped: 4-choice: cam; 2-choice: cam.",
        "Of 12 choices of a list, 51 % (38 to 64 %) went to the one in first position: no bias for a position can be "
        "told.",
    ]


def test_nobody_wins_on_a_handful_of_items() -> None:
    assert said(finding(POLL, preference_of(POLL, Estimate(0.8, 0.6, 0.9), items=4))) == (
        "Which of AW and UI wins <b>cannot be told</b> from 4 items: 10 or more would be needed. By PCC-H AW has 80 % "
        "(60 to 90 %)."
    )


def test_what_is_out_of_reach_is_said_to_be() -> None:
    told = said(finding(POLL, preference_of(POLL, Estimate(0.51, 0.3, 0.7))))
    assert "(not even 20 times the items would tell)" in told


def test_remarks_tell_what_is_undefined_and_rests_on_little() -> None:
    lone = preference_of(POLL, Estimate(0.8), below_minimum=2, flagged=(1,), resampled="items")
    assert [said(remark) for remark in remarks(POLL, lone, SPEC, 20_000)] == [
        "4-choice: No agreement with the others can be worked out for ben, who made the same choice throughout or "
        "shared no item: r_w counts as 0.",
        "4-choice: PCC-H gives no weight to 2 items with fewer than 3 votes.",
        "4-choice: Intervals are over items only (ids are slots).",
    ]
    undefined = preference_of(POLL, Estimate(0.8), Estimate(nan, reason="no items"))
    assert (
        said(remarks(POLL, undefined, SPEC, 20_000)[0]) == "4-choice: Undefined by equal weights: no items."
    )
    many = [said(remark) for remark in remarks(POLL, preference_of(POLL, Estimate(0.8)), SPEC, 5)]
    assert many == ["4-choice: GLAD has no interval above 5 votes: it would take too long."]


def test_a_pair_is_told_by_the_system_ahead_and_has_none_where_undefined() -> None:
    table, _ = pairs_table([POLL], {POLL.name: preference_of(POLL, Estimate(0.2, 0.1, 0.4))})
    assert table[["Ahead by PCC-H", "Share by PCC-H", "95 %", "GLAD", "Votes"]].iloc[0].tolist() == [
        "UI",
        0.8,
        "60.0 to 90.0 %",
        0.8,
        12,
    ]
    undefined, _ = pairs_table([POLL], {POLL.name: preference_of(POLL, Estimate(nan, reason="no items"))})
    assert undefined["Ahead by PCC-H"].tolist() == [""]


def test_the_hardest_item_comes_first_with_its_votes() -> None:
    table, _ = items_table(POLL, difficulty(POLL.votes, 3), None)
    assert table["Item"].tolist()[-1] == "q2"
    assert table[["AW: votes", "UI: votes", "both: votes", "neither: votes"]].iloc[-1].tolist() == [
        0,
        3,
        0,
        0,
    ]
    assert table["Entropy"].is_monotonic_decreasing


@pytest.mark.parametrize(
    ("pcch", "items", "status"),
    [
        (Estimate(0.2, 0.1, 0.4), 24, Status.CLEAR),
        (Estimate(0.7, 0.4, 0.9), 24, Status.UNCERTAIN),
        (Estimate(0.8), 24, Status.UNCERTAIN),
        (Estimate(0.5), 24, Status.UNCERTAIN),
        (Estimate(0.8, 0.6, 0.9), 4, Status.NOT_ENOUGH_DATA),
        (Estimate(nan, reason="most judgments say neither"), 24, Status.NOT_ENOUGH_DATA),
    ],
)
def test_a_win_is_clear_where_its_interval_leaves_out_one_half(
    pcch: Estimate, items: int, status: Status
) -> None:
    assert finding(POLL, preference_of(POLL, pcch, items=items)).status is status
