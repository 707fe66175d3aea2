"""What is said of one scale of all systems, and its two tables."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.goodness_of_fit import goodness_of_fit
from analysis.systems.paired_comparisons import PairedComparisons
from analysis.systems.paired_votes import PairedVotes
from analysis.systems.scale_intervals import intervals
from analysis.systems.scale_position import position_effect
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from findings.systems.scale import (
    PENDING,
    WITHOUT_POSITION,
    finding,
    notes,
    of_position,
    pairs_table,
    remarks,
    systems_table,
)
from tests.findings.studies import said

SPEC = BootstrapSpec(draws=100)
OUTCOME = {"f": 0, "s": 1, "t": 2}


def votes(results: dict[str, str], forced: tuple[str, ...] = (), itself: int = 0) -> PairedVotes:
    """Outcomes by pair of one-letter systems: f the first won, s the second, t a tie; an item for each letter."""
    systems = sorted(set("".join(results)))
    rows = [
        (systems.index(pair[0]), systems.index(pair[1]), OUTCOME[outcome])
        for pair, outcomes in results.items()
        for outcome in outcomes
    ]
    first, second, outcome = np.array(rows, dtype=np.int64).T
    offered = np.ones(len(rows), dtype=np.bool_)
    comparisons = PairedComparisons(first, second, outcome, offered, np.array(systems))
    return PairedVotes(
        comparisons,
        np.arange(len(rows)),
        np.arange(len(rows)) % 3,
        forced,
        itself,
        np.arange(len(rows)) % 2 == 0,
        np.arange(len(rows)),
    )


EVEN = votes({"ab": "ffsfst" * 2, "bc": "fsfsft" * 2})
FEW = votes({"ab": "ffsfst", "bc": "fsfsft"})
CLEAR = votes({"ab": "f" * 45 + "s" * 5, "bc": "fs" * 25})
BEST = votes({"ab": "ffsfst", "bc": "fsfsft", "da": "ffff", "dc": "fff"})


def test_before_intervals_only_the_leader_is_named() -> None:
    scale = fit_comparisons(EVEN.comparisons)
    chance = round(100 * float(scale.chance[scale.order[0]]))
    assert said(finding(scale, None, SPEC)) == (
        f"<b>a</b> comes first, with a chance of <b>{chance} %</b> to win against an average system."
    )


def test_standing_first_is_told_with_its_effect_and_what_hangs_on_it() -> None:
    data = votes({"ab": "ff" * 20 + "fs" * 10, "bc": "sf" * 30})
    scale = fit_comparisons(data.comparisons)
    effect = position_effect(data.comparisons, data.first_shown, data.item, None)
    assert said(of_position(scale, effect)).startswith("Standing first")
    told = [
        said(of_position(scale, replace(effect, factor=Estimate(value, low, high, 120), p=p)))
        for value, low, high, p in ((1.5, 1.2, 1.9, 0.001), (0.6, 0.4, 0.9, 0.01), (1.1, 0.8, 1.4, 0.4))
    ]
    assert told[0].startswith(
        "Standing first <b>helps</b>: it multiplies a system's odds by <b>1.50</b> (1.20 to 1.90; "
    )
    assert "the order stays, and strengths move by 0." in told[0]
    assert told[1].startswith("Standing first <b>hurts</b>")
    assert told[2].startswith(
        "Standing first: no effect can be told over 120 comparisons (odds times 1.10, 0.80 to 1.40"
    )
    assert said(
        of_position(scale, replace(effect, factor=Estimate(nan, reason="no pair changed places")))
    ) == ("Whether standing first helps cannot be told: no pair changed places.")
    assert WITHOUT_POSITION in systems_table(scale, None, SPEC, effect)[0]


def test_systems_that_cannot_be_told_apart_are_one_cluster() -> None:
    scale = fit_comparisons(EVEN.comparisons)
    drawn = intervals(EVEN.comparisons, EVEN.item, EVEN.rater, SPEC)
    assert said(finding(scale, drawn, SPEC)).endswith(
        " to win against an average system, but no line between stronger and weaker is sure at 95 %: the <b>3 systems"
        "</b> form one cluster. <b>0</b> of 3 pairs are told apart."
    )


def test_nobody_is_strongest_on_a_handful_of_comparisons() -> None:
    assert said(finding(fit_comparisons(FEW.comparisons), None, SPEC)) == (
        "Which system is strongest <b>cannot be told</b>: a, which comes first, has 6 comparisons, and 10 or more "
        "would be needed."
    )


def test_a_leader_above_all_others_is_said_to_be() -> None:
    scale = fit_comparisons(CLEAR.comparisons)
    drawn = intervals(CLEAR.comparisons, CLEAR.item, None, SPEC)
    assert said(finding(scale, drawn, SPEC)).endswith(
        "The 3 systems fall into <b>2 clusters</b> at 95 %: it is surely above all others. <b>2</b> of 3 pairs are "
        "told apart."
    )
    pairs, _ = pairs_table(scale, drawn, goodness_of_fit(scale), SPEC)
    assert pairs.set_index(["First", "Second"])["Told apart"].to_dict() == {
        ("a", "b"): "yes",
        ("a", "c"): "yes",
        (pairs["First"][2], pairs["Second"][2]): "no",
    }
    assert pairs["Share of the first"][pairs["Comparisons"] == 50].tolist()[0] == pytest.approx(0.9)


def test_a_system_never_beaten_stands_above_the_scale_with_what_would_help() -> None:
    scale = fit_comparisons(BEST.comparisons)
    assert said(finding(scale, None, SPEC)).startswith(
        "<b>d</b> was never beaten and lies above the scale; on it, <b>a</b> comes first"
    )
    (why,) = (said(each) for each in remarks(BEST, scale, None))
    assert why.startswith("No strength for d: it won every comparison")
    assert why.endswith(" More comparisons with the systems next to it may give one.")


def test_the_table_waits_for_intervals_and_a_system_off_the_scale_has_none() -> None:
    table, _ = systems_table(fit_comparisons(BEST.comparisons), None, SPEC)
    assert table["Chance, 95 %"].tolist() == ["–", PENDING, PENDING, PENDING]
    assert table["Cluster"].tolist() == ["above the scale", PENDING, PENDING, PENDING]
    assert table["Share won"].tolist()[0] == 1


def test_notes_tell_votes_ties_and_designs_without_them() -> None:
    data = votes({"ab": "ffst"}, forced=("2-choice",), itself=2)
    scale = fit_comparisons(data.comparisons)
    told = [said(note) for note in notes(data, scale, None, goodness_of_fit(scale))]
    assert told[0] == (
        "4 votes on pairs of 2 systems, 1 of them a tie: 'both', 'neither' and 'tie' all count as ties, half for "
        "either side. No tie was on offer under 2-choice; nothing there is taken for one."
    )
    assert "2 rows compare a system with itself; they are left out." in [
        said(remark) for remark in remarks(data, scale, None)
    ]


def test_a_leader_is_clear_only_above_all_others() -> None:
    def status(data: PairedVotes, drawn: bool = True) -> Status:
        found = intervals(data.comparisons, data.item, None, SPEC) if drawn else None
        return finding(fit_comparisons(data.comparisons), found, SPEC).status

    assert status(CLEAR) is Status.CLEAR
    assert status(EVEN) is Status.UNCERTAIN
    assert status(CLEAR, drawn=False) is Status.UNCERTAIN
    assert status(FEW, drawn=False) is Status.NOT_ENOUGH_DATA
