"""What is said of a metric held against the raters: whole sentences with their numbers, and the tables."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.assessors.automatic_metrics import Change, MetricAgreement
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Status
from features.study import Scenario
from findings.assessors.automatic_metrics import (
    PENDING,
    agreement_table,
    finding,
    notes,
    rater_table,
    remarks,
)
from tests.findings.studies import said

RATERS = np.array(["Ann", "Bob", "Cy"])
NOBODY, BOB = Scenario(), Scenario("picked by hand", (1,), ("Bob",))
UNDEFINED = Estimate(nan, reason="all systems have the same score")


def level(before: float, after: float, low: float = nan, high: float = nan, n: int = 6) -> Change:
    return Change(
        Estimate(before, before - 0.1, before + 0.1, n),
        Estimate(after, after - 0.1, after + 0.1, n - 1),
        Estimate(after - before, low, high, n),
    )


def agreement(systems: Change, **more: object) -> MetricAgreement:
    means = np.array([1.0, 2.0])
    made = MetricAgreement(
        correlation="pearson",
        system_level=systems,
        summary_level=level(0.3, 0.35, n=3),
        systems=np.array([0, 1]),
        human_before=means,
        metric_before=means,
        human_after=means,
        metric_after=means,
        raters=np.array([0, 1]),
        rater_correlation=np.array([0.4, 0.2]),
        rater_items=np.array([10, 12]),
        excluded=np.array([False, True]),
        ratings=22,
        ratings_left=10,
        topics=2,
        topics_left=2,
        without_metric=0,
        resampled="raters and systems",
    )
    return replace(made, **more)


def told(agreements: dict[str, MetricAgreement], scenario: Scenario = NOBODY, what: str = "systems") -> str:
    return said(finding(agreements, "rouge2", "Pearson's r", what, scenario))


def test_with_everyone_the_measure_that_the_metric_follows_best_is_named() -> None:
    both = {"focus": agreement(level(0.5, nan)), "grammar": agreement(level(0.9, nan))}
    assert told(both) == (
        "Over 6 systems rouge2 follows <b>grammar</b> best: Pearson's r <b>0.90</b>; on single items within a rater "
        "0.30. Choose raters to leave out in the sidebar to see what that changes."
    )


def test_an_exclusion_tells_the_largest_change_and_whether_it_is_clear_of_chance() -> None:
    both = {"focus": agreement(level(0.5, 0.75, 0.1, 0.4)), "grammar": agreement(level(0.9, 0.8))}
    assert told(both, BOB) == (
        "Without <b>1 rater</b> (picked by hand) rouge2 and focus correlate at <b>0.75</b> instead of 0.50 over "
        "systems (Pearson's r), the largest change of all measures; on single items within a rater at <b>0.35</b> "
        "instead of 0.30. The change over systems is clear of chance (0.100 to 0.400)."
    )
    unsure = {"focus": agreement(level(0.5, 0.75, -0.1, 0.4))}
    assert told(unsure, BOB).endswith("The change over systems is not clear of chance (−0.100 to 0.400).")
    closed = {"focus": agreement(level(0.5, 0.75))}
    assert told(closed, BOB).endswith("instead of 0.30.")


def test_what_is_undefined_has_its_reason_in_the_word_for_what_is_ranked() -> None:
    nothing = {"focus": agreement(Change(UNDEFINED, UNDEFINED, UNDEFINED))}
    assert told(nothing, what="items") == (
        "rouge2 cannot be held against the raters: all items have the same score."
    )
    before_only = {
        "focus": agreement(Change(Estimate(0.5, n=6), UNDEFINED, replace(UNDEFINED, reason="gone")))
    }
    assert told(before_only, BOB).endswith("What the exclusion changes is undefined: gone.")


def test_tables_3_and_4_have_a_row_per_level_and_measure() -> None:
    one = {"focus": agreement(level(0.5, 0.75, 0.1, 0.4))}
    table, written = agreement_table(one, "systems", BOB, drawn=True)
    assert table["Over"].tolist() == ["systems", "single items of a rater"]
    assert table.loc[0, ["Before", "After", "Difference"]].tolist() == [0.5, 0.75, 0.25]
    assert table.loc[0, "Difference, 95 %"] == "0.100 to 0.400"
    assert table["n after"].tolist() == [5, 2]
    assert written["n after"](5) == "5"
    closed, _ = agreement_table(one, "systems", Scenario(), drawn=False)
    assert "After" not in closed
    assert set(closed["Before, 95 %"]) == {PENDING}


def test_each_rater_has_a_row_the_lowest_on_the_first_measure_on_top() -> None:
    other = agreement(level(0.5, nan), raters=np.array([0, 2]), rater_correlation=np.array([0.9, 0.8]))
    table, written = rater_table({"focus": agreement(level(0.5, nan)), "grammar": other}, RATERS, BOB, "r")
    assert table["Rater"].tolist() == ["Bob", "Ann", "Cy"]
    assert table["Left out"].tolist() == ["yes", "", ""]
    assert table["r, grammar"].fillna(-1).tolist() == [-1, 0.9, 0.8]
    assert written["r, grammar"](0.9) == "0.900"
    assert written["Items, focus"](12.0) == "12"


def test_notes_and_remarks() -> None:
    odd = agreement(
        Change(UNDEFINED, UNDEFINED, UNDEFINED), without_metric=4, rater_correlation=np.array([nan, 0.2])
    )
    drawn, counted = (
        said(note)
        for note in notes({"focus": odd}, "items", BootstrapSpec(200, 7), drawn=True, excludes=False)
    )
    assert drawn == "Intervals: 200 draws of raters and items, seed 7."
    cautious, _ = notes({"focus": odd}, "items", BootstrapSpec(200, 7), drawn=True, excludes=True)
    assert said(cautious).startswith(drawn)
    assert "a difference" in said(cautious).removeprefix(drawn)
    assert counted == "n counts items, and raters where the correlations on single items are averaged."
    missing, undefined, reason = (said(one) for one in remarks({"focus": odd, "x": odd}, "items", drawn=True))
    assert missing == "Up to 4 ratings of a measure have no metric value and are left out."
    assert undefined.startswith("For up to 1 raters of a measure the correlation is undefined")
    assert reason == "focus and x: all items have the same score."


def test_a_change_is_clear_of_chance_or_uncertain_and_the_hint_is_for_pages() -> None:
    def status(change: Change, scenario: Scenario) -> Status:
        return finding({"focus": agreement(change)}, "rouge2", "r", "systems", scenario).status

    assert status(level(0.5, 0.75, 0.1, 0.4), BOB) is Status.CLEAR
    assert status(level(0.5, 0.75, -0.1, 0.4), BOB) is Status.UNCERTAIN
    assert status(level(0.5, nan), NOBODY) is Status.CLEAR
    holds_0 = replace(level(0.5, nan), before=Estimate(0.5, -0.1, 0.9, 6))
    assert status(holds_0, NOBODY) is Status.UNCERTAIN
    assert status(Change(UNDEFINED, UNDEFINED, UNDEFINED), NOBODY) is Status.NOT_ENOUGH_DATA
    one = {"focus": agreement(level(0.5, nan))}
    printed = finding(one, "rouge2", "r", "systems", NOBODY, on_page=False)
    assert said(finding(one, "rouge2", "r", "systems", NOBODY)).startswith(said(printed))
    assert "sidebar" not in said(printed)
