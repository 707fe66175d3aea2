"""Verdicts on two systems, and the paper's tables as one."""

from dataclasses import replace
from math import nan

import pytest

from analysis.systems.preference import EQUAL, METHODS, PCCH, Preference, PreferenceSpec
from analysis.values.estimate import Estimate
from analysis.workers.pcch import difficulty
from analysis.workers.polls import Poll
from features.blocks import Finding, Note, Status, Warning
from features.systems import pairs_results
from features.systems.pairs_results import ComparedPair
from features.systems.pairs_section import (
    items_table,
    methods_table,
    pair_finding,
    pair_notes,
    pair_warnings,
    pairs_table,
)
from features.words import plain
from tests.features.raters.polls import poll_of

ANSWERS = {"ann": "1122", "ben": "1120", "cam": "2=22"}
POLL = poll_of(ANSWERS)
TWO = poll_of({name: letters.replace("=", "1").replace("0", "2") for name, letters in ANSWERS.items()},
              options=("AW", "UI"), design="2-choice")  # fmt: skip
SPEC = PreferenceSpec(dropped=1)


def preference_of(
    poll: Poll, pcch: Estimate, *others: Estimate, items: int = 24, **more: object
) -> Preference:
    """All methods alike but PCC-H and the `others`, given in the order of the methods."""
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


def words(told: Finding | Note | Warning) -> str:
    """Return a finding's headline and evidence, or a remark, as text."""
    if isinstance(told, Finding):
        return f"{plain(told.headline)} {plain(told.evidence)}"
    return plain(told.text)


@pytest.mark.parametrize(
    ("pcch", "others", "items", "status", "parts"),
    [
        (
            Estimate(0.2, 0.1, 0.4),
            (),
            24,
            Status.CLEAR,
            ["System UI is preferred over AW", "80%", "95% CI 60–90%", "24 items", "all 6 methods agree"],
        ),
        (
            Estimate(0.7, 0.4, 0.9),
            (Estimate(0.4), Estimate(0.5)),
            24,
            Status.UNCERTAIN,
            [
                "Neither AW nor UI",
                "AW 70%",
                "95% CI 40–90%",
                "about 54 items",
                "4 of 6 methods agree",
            ],
        ),
        (
            Estimate(0.8),
            (Estimate(nan, reason="no items"),),
            24,
            Status.UNCERTAIN,
            ["System AW is preferred over UI", "80%", "all 5 methods"],
        ),
        (Estimate(0.45, 0.2, 0.7), (), 24, Status.UNCERTAIN, ["UI 55%", "95% CI 30–80%", "even 20 times"]),
        (Estimate(0.51, 0.3, 0.7), (), 24, Status.UNCERTAIN, ["AW 51%", "even 20 times"]),
        (Estimate(0.5), (), 24, Status.UNCERTAIN, ["Neither AW nor UI", "50%"]),
        (
            Estimate(0.8, 0.6, 0.9),
            (),
            4,
            Status.NOT_ENOUGH_DATA,
            ["4 items", "needs 10", "AW 80%", "95% CI 60–90%"],
        ),
        (
            Estimate(nan, reason="most judgments say neither"),
            (),
            24,
            Status.NOT_ENOUGH_DATA,
            ["no preference between AW and UI: most judgments say neither"],
        ),
    ],
)
def test_a_preference_is_clear_where_its_interval_excludes_one_half(
    pcch: Estimate, others: tuple[Estimate, ...], items: int, status: Status, parts: list[str]
) -> None:
    found = pair_finding(POLL, preference_of(POLL, pcch, *others, items=items))
    assert found.status is status
    told = words(found)
    assert [part for part in parts if part not in told] == []


def test_few_items_with_enough_votes_do_not_carry_the_verdict() -> None:
    """PCC-H counts 3 of 50 items, so that the verdict and the tables are by equal weights."""
    thin = preference_of(POLL, Estimate(0.94, 0.64, 1.0), items=50, below_minimum=47)
    shares = {**thin.shares, EQUAL: Estimate(0.6, 0.45, 0.75)}
    thin = replace(thin, shares=shares)
    found = pair_finding(POLL, thin)
    assert found.status is Status.UNCERTAIN
    assert "60% by equal weights · 95% CI 45–75%" in words(found)
    table = pairs_table([(POLL, thin), (POLL, preference_of(POLL, Estimate(0.8)))]).frame
    assert table["Share by equal weights"].tolist() == pytest.approx([0.6, 0.8])


def test_too_few_items_name_a_next_step() -> None:
    found = pair_finding(POLL, preference_of(POLL, Estimate(0.8, 0.6, 0.9), items=4))
    assert found.next_step is not None


FOUND = ComparedPair(
    POLL,
    [POLL, TWO],
    SPEC,
    {
        POLL.name: preference_of(POLL, Estimate(0.2, 0.1, 0.4)),
        TWO.name: preference_of(TWO, Estimate(0.3, 0.2, 0.5)),
    },
    ("AW", "UI"),
    {"2-choice": dict.fromkeys(METHODS, Estimate(-0.1, -0.2, -0.05))},
)


def test_the_table_has_shares_of_the_system_ahead() -> None:
    table = methods_table(FOUND)
    rows = table.frame
    assert rows["Method"].tolist()[1] == "least reliable 1 dropped"
    assert rows.iloc[0].tolist()[1:] == pytest.approx([0.8, 0.6, 0.9, 0.7, 0.5, 0.8, 0.1, 0.05, 0.2])
    shown = [table.formats[name][0] for name in table.columns_at_first_sight[1:]]  # type: ignore[index]  # of texts
    assert shown == ["80.0% (60.0 to 90.0%)", "70.0% (50.0 to 80.0%)", "10 points (5 to 20)"]


def test_an_undefined_share_has_its_reason_in_the_table() -> None:
    assert "Why" not in methods_table(FOUND).frame
    one = preference_of(POLL, Estimate(0.8), Estimate(nan, reason="no items"))
    frame = methods_table(replace(FOUND, preferences={**FOUND.preferences, POLL.name: one})).frame
    assert frame["Why"].tolist() == ["no items", *[""] * (len(METHODS) - 1)]


def test_notes_have_dropped_raters_and_position() -> None:
    dropped, position = map(words, pair_notes(FOUND, Estimate(0.51, 0.38, 0.64, 12)))
    assert "cam (4-choice); cam (2-choice)" in dropped
    assert "12 choices" in position
    assert "51% (38–64%)" in position
    assert "no clear effect" in position
    assert "no clear effect" not in words(pair_notes(FOUND, Estimate(0.7, 0.6, 0.8, 12))[1])


def test_warnings_name_what_is_based_on_little(monkeypatch: pytest.MonkeyPatch) -> None:
    lone = preference_of(POLL, Estimate(0.8), below_minimum=2, flagged=(1,), resampled="items")
    flagged, light, slots = map(words, pair_warnings(POLL, lone, SPEC))
    assert "counts as 0, for ben" in flagged
    assert "2 items with fewer than 3 votes" in light
    assert "rater ids are slots" in slots
    monkeypatch.setattr(pairs_results, "QUICK_VOTES", 5)
    (many,) = pair_warnings(POLL, preference_of(POLL, Estimate(0.8)), SPEC)
    assert "above 5 votes" in words(many)


def test_a_pair_has_the_share_of_the_system_ahead_and_none_where_undefined() -> None:
    table = pairs_table([(POLL, preference_of(POLL, Estimate(0.2, 0.1, 0.4)))]).frame
    shares = ["Share by PCC-H", "Share by PCC-H from", "Share by PCC-H to", "GLAD"]
    assert table[["Ahead by PCC-H", "Votes"]].iloc[0].tolist() == ["UI", 12]
    assert table[shares].iloc[0].tolist() == pytest.approx([0.8, 0.6, 0.9, 0.8])
    nothing = preference_of(POLL, Estimate(nan, reason="no items"))
    assert pairs_table([(POLL, nothing)]).frame["Ahead by PCC-H"].tolist() == [""]


def test_the_hardest_item_comes_first_with_its_votes() -> None:
    table = items_table(POLL, difficulty(POLL.votes, 3), None).frame
    assert table["Item"].tolist()[-1] == "q2"
    votes = table[["AW: votes", "UI: votes", "both: votes", "neither: votes"]]
    assert votes.iloc[-1].tolist() == [0, 3, 0, 0]
    assert table["Entropy"].is_monotonic_decreasing
