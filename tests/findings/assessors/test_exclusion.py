"""What is said of leaving raters out: whole sentences with their numbers, and the tables as shown."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.assessors.leave_one_out import leave_one_out
from analysis.assessors.random_drops import random_drops
from analysis.pairs.paired_differences import PairedDifferences, no_differences
from features.blocks import Status
from features.study import Scenario
from findings.assessors.exclusion import (
    PENDING,
    finding,
    first_finding,
    notes,
    of_single_raters,
    one_by_one_table,
    summary_table,
    systems_table,
    undefined,
)
from tests.findings.studies import said

RATERS, SYSTEMS = np.array(["Ann", "Bob", "Cy"]), np.array(["s0", "s1", "s2", "s3"])
BOB = Scenario("picked by hand", (1,), ("Bob",))
SYSTEM = np.repeat(np.arange(4), 6)
TOPIC = np.tile(np.repeat([0, 1], 3), 4)
RATER = np.tile([0, 1, 2], 8)
SCORE = np.array([1, 9, 1, 1, 9, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 1, 4, 4, 1, 4], dtype=float)
STUDY = SYSTEM, TOPIC, RATER, SCORE
SPEC = ExclusionSpec(random=20, draws=20)


def without_bob():
    return exclusion(*STUDY, [1], SPEC)


def test_the_finding_counts_pairs_that_swap() -> None:
    assert said(finding(BOB, without_bob(), "focus", "systems")) == (
        "Without <b>1 rater</b> (picked by hand) the ranking of 4 systems by focus has <b>3 pairs</b> in opposite "
        "order: Spearman's ρ <b>−0.316</b>, Pearson's r −0.188 with the ranking by everyone."
    )


def test_a_ranking_that_stays_and_one_that_is_gone() -> None:
    two = Scenario("two", (0, 2), ("Ann", "Cy"))
    same = exclusion(SYSTEM, TOPIC, RATER, SYSTEM.astype(float), [0, 2], SPEC)
    assert (
        "Without <b>2 raters</b> (two) the ranking of 4 systems by focus keeps its order: Spearman's ρ"
        in said(finding(two, same, "focus", "systems"))
    )
    gone = exclusion(*STUDY, [0, 1, 2], SPEC)
    assert said(finding(two, gone, "focus", "systems")) == (
        "Without 2 raters (two) the ranking by focus cannot be compared: all raters are left out, so there is "
        "nobody to rank by."
    )


def test_systems_that_lose_all_their_ratings_are_counted_and_named() -> None:
    rater = np.where(SYSTEM == 3, 9, RATER)
    lost = exclusion(SYSTEM, TOPIC, rater, SCORE, [9], SPEC)
    assert said(finding(BOB, lost, "focus", "systems")).endswith(" <b>1</b> lose all their ratings.")
    assert said(notes(lost, SYSTEMS)[1]) == "Without any ratings left: s3."


def of_pairs(low: float, high: float) -> PairedDifferences:
    """s3 beats s0 by 2 and s1 by 1; what else differs has no interval."""
    pairs = replace(
        no_differences(4, ""), **{name: np.full((4, 4), nan) for name in ("differences", "low", "high")}
    )
    for better, worse, by in ((3, 0, 2.0), (3, 1, 1.0)):
        for one, other, value, ends in (
            (better, worse, by, (low, high)),
            (worse, better, -by, (-high, -low)),
        ):
            pairs.differences[one, other], (pairs.low[one, other], pairs.high[one, other]) = value, ends
            pairs.apart[one, other] = ends[0] * ends[1] > 0
    return pairs


NOBODY_YET = "Nobody is left out yet: choose whom in the sidebar (<b>Leave out</b>)."


def of_everyone(pairs: PairedDifferences | None, reason: str = "") -> str:
    everyone = exclusion(*STUDY, [], SPEC)
    drawn = None
    if pairs is not None:
        drawn = replace(intervals(*STUDY, everyone, SPEC), pairs_before=pairs, reason=reason)
    return said(first_finding(everyone, drawn, SYSTEMS, "focus", "systems"))


def test_before_anyone_goes_it_is_told_whom_everyone_tells_apart() -> None:
    assert of_everyone(None) == NOBODY_YET
    assert of_everyone(of_pairs(0.4, 3.6)) == (
        "<b>2</b> of 2 pairs of systems can be told apart by focus; the largest difference is that of s3 and s0: "
        f"<b>2.00</b> (0.40 to 3.60), from 3 raters. {NOBODY_YET}"
    )


def test_nothing_is_concluded_from_differences_that_may_be_chance() -> None:
    assert of_everyone(of_pairs(-0.4, 4.4)).startswith(
        "<b>None</b> of 2 pairs of systems can be told apart by focus; the largest difference is that of s3 and s0: "
        "<b>2.00</b> (−0.40 to 4.40)"
    )
    cannot = NOBODY_YET + " Which systems differ by focus cannot be told: {}."
    assert of_everyone(of_pairs(1, 2), "too few") == cannot.format("too few")
    assert of_everyone(replace(of_pairs(1, 2), reason="too many")) == cannot.format("too many")


def test_of_single_raters_the_strongest_is_named() -> None:
    of_each = leave_one_out(*STUDY)
    assert of_each.raters[of_each.strongest] == 1
    others = min(of_each.spearman[[0, 2]])
    assert said(of_single_raters(of_each, RATERS, "focus", "systems")) == (
        "Of single raters, <b>Bob</b> would move the ranking of systems by focus most: Spearman's ρ <b>−0.316</b> with "
        f"the ranking by everyone, at most 3 ranks; without any other it stays at {others:.3f} or above. These are "
        "figures of these ratings, not of other raters."
    )


def test_of_two_raters_none_is_named() -> None:
    both = leave_one_out(*(column[RATER < 2] for column in STUDY))
    told = said(of_single_raters(both, RATERS, "focus", "systems"))
    assert "cannot be told: at least three raters are needed" in told


def test_one_rater_alone_cannot_be_left_out() -> None:
    alone = leave_one_out([0, 1, 2], [0, 0, 0], [0, 0, 0], [1.0, 2.0, 3.0])
    assert alone.strongest is None
    assert said(undefined(alone)) == "There is only one rater; without them nobody is left."


def test_where_no_correlation_is_defined_it_is_told_what_one_needs() -> None:
    equal = leave_one_out(SYSTEM, TOPIC, RATER, np.full(len(SCORE), 3.0))
    assert said(of_single_raters(equal, RATERS, "focus", "systems")) == (
        "Undefined for focus: a correlation needs at least three systems whose scores differ, whoever goes."
    )


def test_tables_wait_for_their_intervals() -> None:
    point = without_bob()
    drawn, drops = intervals(*STUDY, point, SPEC), random_drops(*STUDY, point, SPEC)
    summary, _ = summary_table({"focus": point})
    assert summary.loc[0, "r, random 5–95 %"] == PENDING
    assert summary.loc[0, ["Pairs that swap", "Raters left", "Ratings left"]].tolist() == [3, 2, 16]
    full, written = summary_table({"focus": point}, {"focus": drops})
    assert full.loc[0, "ρ, random"] == drops.spearman.value
    lower = int((drops.spearmans > point.change.spearman.value + 1e-9).sum())
    assert full.loc[0, "ρ, random 5–95 %"] == f"lower than {lower} of 3"
    assert written["Spearman ρ"](-0.316) == "−0.316"
    systems, _ = systems_table(point, SYSTEMS, "systems")
    assert systems["System"].tolist() == ["s0", "s2", "s3", "s1"]
    assert systems["Rank after"].tolist() == [4, 2, 1, 3]
    assert systems["Shift"].tolist() == [-3, 0.5, 1.5, 1]  # s2 and s3 tie before
    assert set(systems["Letters before"]) == {PENDING}
    with_intervals, written = systems_table(point, SYSTEMS, "systems", drawn)
    assert set(with_intervals["Before, 95 %"]).isdisjoint({PENDING})
    assert written["Shift"](2.0) == "+2.0"


def test_each_rater_in_turn_has_a_row_the_strongest_first() -> None:
    table, _ = one_by_one_table(leave_one_out(*STUDY), RATERS)
    assert table["Left out"].tolist()[0] == "Bob"
    assert table["Ratings"].tolist() == [8, 8, 8]


def test_notes_say_how_figures_were_made() -> None:
    point = without_bob()
    drawn = intervals(*STUDY, point, SPEC), random_drops(*STUDY, point, SPEC)
    told = [said(note) for note in notes(point, SYSTEMS, drawn, replace(BOB, by_hand=(1,)))]
    scores, on_intervals, _, on_pairs, on_drops = told
    assert scores.startswith("Scores: means. Before and after share data")
    assert on_pairs == "No letters: it needs 6 topics, and there are 2."
    assert on_intervals.startswith("Intervals: 20 draws of ")
    assert on_drops == (
        "Random exclusions: all 3 choices of 1 rater; median and than how many of them the correlation is lower."
    )


def test_it_is_told_whether_draws_choose_anew_and_whom() -> None:
    drawn = intervals(*STUDY, without_bob(), SPEC)
    drops = random_drops(*STUDY, without_bob(), SPEC)

    def who_goes(again: dict[int, float] | None, scenario: Scenario) -> str:
        told = notes(without_bob(), SYSTEMS, (replace(drawn, again=again), drops), scenario, RATERS)
        return said(told[2])

    by_hand = replace(BOB, by_hand=(1,))
    assert who_goes(None, by_hand) == "Those left out were picked by hand and stay out in every draw."
    assert who_goes(None, BOB).startswith(
        "Those left out are the same in every draw, although a rule chose them"
    )
    assert who_goes({0: 0.0, 1: 0.83, 2: 0.12}, BOB) == (
        "The rule was applied anew in every draw. Of the draws that hold them, it left out Bob in 83 %, Cy in 12 %."
    )
    assert who_goes({0: 0.5, 1: 1.0}, by_hand).endswith("it left out Ann in 50 %.")
    assert who_goes({0: 0.0}, BOB) == "The rule was applied anew in every draw and left out nobody."


def test_letters_that_nobody_could_read_become_a_count() -> None:
    few = replace(of_pairs(0.4, 3.6), letters=("A", "A", "B", "C"))
    drawn = replace(intervals(*STUDY, without_bob(), SPEC), pairs_before=few, pairs_after=few)
    table, _ = systems_table(without_bob(), SYSTEMS, "systems", drawn)
    assert {"Letters before", "Letters after"} <= set(table)
    many = replace(few, letters=("ABCDEFGHI", "A", "B", "C"))
    crowded = replace(drawn, pairs_before=many)
    counted, _ = systems_table(without_bob(), SYSTEMS, "systems", crowded)
    assert "Letters before" not in counted
    others = (~many.apart & ~np.isnan(many.low)).sum(axis=1)
    assert sorted(counted["Not told apart before"].astype(int)) == sorted(others.tolist())
    told = [
        said(note)
        for note in notes(without_bob(), SYSTEMS, (crowded, random_drops(*STUDY, without_bob(), SPEC)))
    ]
    assert any("count from how many others one is not told apart" in sentence for sentence in told)
    assert any("<b>2</b> of 2 pairs before, <b>2</b> of 2 after" in sentence for sentence in told)


def test_before_anyone_goes_there_is_no_verdict_until_differences_are_drawn() -> None:
    everyone = exclusion(*STUDY, [], SPEC)
    drawn = intervals(*STUDY, everyone, SPEC)

    def status(pairs: PairedDifferences, reason: str = "") -> Status:
        found = replace(drawn, pairs_before=pairs, reason=reason)
        return first_finding(everyone, found, SYSTEMS, "focus", "systems").status

    assert first_finding(everyone, None, SYSTEMS, "focus", "systems").status is Status.NOT_APPLICABLE
    assert status(of_pairs(0.4, 3.6)) is Status.CLEAR
    assert status(of_pairs(-0.4, 4.4)) is Status.UNCERTAIN
    assert status(of_pairs(1, 2), "too few") is Status.NOT_ENOUGH_DATA


def test_a_changed_ranking_of_these_ratings_is_uncertain() -> None:
    gone = exclusion(*STUDY, [0, 1, 2], SPEC)
    assert finding(BOB, without_bob(), "focus", "systems").status is Status.UNCERTAIN
    assert finding(BOB, gone, "focus", "systems").status is Status.NOT_ENOUGH_DATA
