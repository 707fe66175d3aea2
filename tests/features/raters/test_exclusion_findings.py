"""Findings, tables and notes on excluded raters, with the numbers of a small study worked out directly."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.assessors.exclusion import Exclusion, ExclusionSpec, exclusion, intervals
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.leave_one_out import LeaveOneOut, leave_one_out, random_drops
from analysis.pairs.paired_differences import PairedDifferences, undefined_differences
from features.blocks import Finding, Status, Table
from features.raters.exclusion_findings import (
    change_finding,
    change_notes,
    one_by_one_table,
    single_finding,
    summary_table,
    systems_table,
)
from features.raters.rater_results import RankingChange
from features.study import Scenario
from features.words import plain, printed
from tests.features.studies import said, verdict
from tests.golden.content import numbers_in

RATERS, SYSTEMS = np.array(["Ann", "Bob", "Cy"]), np.array(["s0", "s1", "s2", "s3"])
BOB = Scenario("picked by hand", (1,), ("Bob",))
SYSTEM = np.repeat(np.arange(4), 6)
TOPIC = np.tile(np.repeat([0, 1], 3), 4)
RATER = np.tile([0, 1, 2], 8)
SCORE = np.array([1, 9, 1, 1, 9, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 1, 4, 4, 1, 4], dtype=float)
STUDY = SYSTEM, TOPIC, RATER, SCORE
SPEC = ExclusionSpec(random=20, draws=20)


def change(
    point: Exclusion, drawn: Intervals | None = None, one_by_one: LeaveOneOut | None = None
) -> RankingChange:
    """The ranking by focus, with random exclusions where there are intervals."""
    of_focus = {"focus": (drawn, random_drops(*STUDY, point, SPEC))} if drawn is not None else None
    return RankingChange("focus", "systems", SYSTEMS, RATERS, {"focus": point}, of_focus, one_by_one)


def without(*raters: int) -> Exclusion:
    return exclusion(*STUDY, raters, SPEC)


def told(finding: Finding) -> tuple[str, str]:
    return plain(finding.headline), plain(finding.evidence)


def column(table: Table, name: str) -> list[str]:
    """Cells of a column as shown."""
    (text,) = zip(*printed((table.frame, table.formats), [name]).rows, strict=True)
    return list(text)


def test_pairs_that_change_order_are_counted() -> None:
    finding = change_finding(change(without(1)), BOB)
    headline, line = told(finding)
    assert verdict(finding) == (Status.CLEAR, "3")
    assert "Bob" in headline
    assert {-0.316, -0.188, 4, 1} <= {*numbers_in(line)}


def test_a_ranking_that_stays_and_one_that_is_gone() -> None:
    two = Scenario("two", (0, 2), ("Ann", "Cy"))
    same = exclusion(SYSTEM, TOPIC, RATER, SYSTEM.astype(float), [0, 2], SPEC)
    assert "keeps its order" in said(change_finding(change(same), two))
    gone = change_finding(change(without(0, 1, 2)), two)
    assert gone.status is Status.NOT_ENOUGH_DATA
    assert "nobody to rank by" in told(gone)[1]


def test_systems_that_lose_all_their_ratings_are_named() -> None:
    rater = np.where(SYSTEM == 3, 9, RATER)
    lost = change(exclusion(SYSTEM, TOPIC, rater, SCORE, [9], SPEC))
    assert "without ratings: s3" in told(change_finding(lost, BOB))[1]


def of_pairs(low: float, high: float) -> PairedDifferences:
    """s3 beats s0 by 2 and s1 by 1; the other pairs have no interval."""
    pairs = replace(
        undefined_differences(4, ""),
        **{name: np.full((4, 4), nan) for name in ("differences", "low", "high")},
    )
    for better, worse, by in ((3, 0, 2.0), (3, 1, 1.0)):
        for one, other, value, ends in (
            (better, worse, by, (low, high)),
            (worse, better, -by, (-high, -low)),
        ):
            pairs.differences[one, other], (pairs.low[one, other], pairs.high[one, other]) = value, ends
            pairs.is_different[one, other] = ends[0] * ends[1] > 0
    return pairs


def test_of_single_raters_the_one_who_changes_the_ranking_most_is_named() -> None:
    of_each = leave_one_out(*STUDY)
    found = change(without(), one_by_one=of_each)
    headline, line = told(single_finding(found, is_main=True))
    assert "Bob, ρ = −0.316" in headline
    assert f"stays at {min(of_each.spearman[[0, 2]]):.3f} or above" in line
    assert "3 raters" in line
    hardly = replace(of_each, spearman=np.array([0.99996, 0.999, 0.99997]))
    line = told(single_finding(change(without(), one_by_one=hardly), is_main=True))[1]
    assert "1.000 or above" not in line
    assert not single_finding(found, is_main=False).is_main
    table = one_by_one_table(found, of_each)
    assert column(table, "Without")[0] == "Bob"
    assert column(table, "Spearman ρ")[0] == "−0.316"
    assert column(table, "Ratings") == ["8", "8", "8"]


def test_where_each_ranking_stays_the_same_no_rater_is_named() -> None:
    found = change(without(), one_by_one=leave_one_out(*STUDY[:3], np.asarray(SYSTEM, dtype=float)))
    same = single_finding(found, is_main=True)
    assert "rater" not in same.headline[1], "nobody is named"
    assert numbers_in(told(same)[1]) == [1, 3]


@pytest.mark.parametrize(
    "rows",
    [
        [column[RATER < 2] for column in STUDY],
        [[0, 1, 2], [0, 0, 0], [0, 0, 0], [1.0, 2.0, 3.0]],
        [SYSTEM, TOPIC, RATER, np.full(len(SCORE), 3.0)],
    ],
    ids=["two raters", "one rater", "equal scores"],
)
def test_where_single_raters_cannot_be_compared_data_are_missing(rows: list[np.ndarray]) -> None:
    found = change(without(), one_by_one=leave_one_out(*rows))
    assert single_finding(found, is_main=True).status is Status.NOT_ENOUGH_DATA


def test_the_summary_compares_with_random_exclusions_once_they_are_drawn() -> None:
    point = without(1)
    drops = random_drops(*STUDY, point, SPEC)
    bare = summary_table({"focus": point})
    assert "ρ, random" not in bare.frame
    assert bare.frame.loc[0, ["Pairs that swap", "Raters left", "Ratings left"]].tolist() == [3, 2, 16]
    full = summary_table({"focus": point}, {"focus": drops})
    assert full.frame.loc[0, "ρ, random"] == drops.spearman.value
    lower = int((drops.spearmans > point.change.spearman.value + 1e-9).sum())
    assert column(full, "ρ, random 5–95%") == [f"lower than {lower} of 3"]
    assert "3 possible exclusions of 1 rater" in plain(full.caption)


def test_systems_are_sorted_by_their_score_before() -> None:
    point = without(1)
    table = systems_table(change(point))
    assert column(table, "System") == ["s0", "s2", "s3", "s1"]
    assert table.frame["Rank after"].tolist() == [4, 2, 1, 3]
    assert column(table, "Shift") == ["−3", "+0.5", "+1.5", "+1"]  # s2 and s3 tie before
    drawn = intervals(*STUDY, point, SPEC)
    whole = systems_table(change(point, drawn))
    at = int(np.argmax(point.before))
    assert whole.frame["Change from"][0] == drawn.difference_low[at]
    assert whole.frame["Change to"][0] == drawn.difference_high[at]


def test_notes_say_what_intervals_do_not_show() -> None:
    point = without(1)
    found = change(point, intervals(*STUDY, point, SPEC))
    (pairs,) = (plain(note.text) for note in change_notes(found, replace(BOB, by_hand=(1,))))
    assert {6, 2} <= {*numbers_in(pairs)}
    assert change_notes(change(point), BOB) == []


def test_the_raters_that_a_rule_excludes_in_samples_are_named() -> None:
    point = without(1)
    drawn = intervals(*STUDY, point, SPEC)

    def who_goes(again: dict[int, float] | None, scenario: Scenario) -> str:
        return plain(change_notes(change(point, replace(drawn, exclusion_shares=again)), scenario)[0].text)

    assert "do not show" in who_goes(None, BOB)
    assert who_goes({0: 0.0, 1: 0.83, 2: 0.12}, BOB).endswith("Bob in 83% and Cy in 12%.")
    two = replace(BOB, left_out_codes=(0, 1), by_hand=(1,))
    assert who_goes({0: 0.5, 1: 1.0}, two).endswith("excluded Ann in 50%.")
    assert who_goes({0: 0.0}, BOB).endswith("excluded nobody.")


def test_pairs_that_clearly_differ_are_counted_before_and_after() -> None:
    point = without(1)
    few = of_pairs(0.4, 3.6)
    drawn = change(point, replace(intervals(*STUDY, point, SPEC), pairs_before=few, pairs_after=few))
    assert any(numbers_in(plain(note.text))[:4] == [2] * 4 for note in change_notes(drawn, BOB))
