"""Findings and tables on raters of choices: agreement beyond chance, exclusion, and how far methods agree."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.values.estimate import Estimate
from features.blocks import Status
from features.raters.ranking import KnownAnswers, RaterRanking, rank_raters
from features.raters.workers import (
    R_W,
    WorkersFound,
    chance_finding,
    exclusion_finding,
    methods_table,
    typical_finding,
    votes_table,
    workers_notes,
    workers_table,
)
from features.study import Scenario
from features.words import plain, printed
from tests.features.raters.polls import poll_of
from tests.features.raters_of_studies import compared
from tests.features.studies import said, verdict

CHANCE, AGREES = Estimate(0.05, -0.14, 0.23, 132), Estimate(0.5, 0.3, 0.6, 132)
SAME = Estimate(nan, n=12, reason="always chose the same option")


def found(*r: Estimate, known: str = "", **more: object) -> WorkersFound:
    """Raters w0, w1, … with these agreements, in the order of the ranking."""
    names = [f"w{at}" for at in range(len(r))]
    tests = compared(names, r, fewest_above=50)
    e = [Estimate(0.1 * (at + 1), 0.0, 0.9, 10) for at in range(len(r))] if known else None
    answers = KnownAnswers("the gold answers", "e_w", is_share=True) if known else None
    raters = rank_raters(tests, [""] * len(r), e, marks_chance=True)
    items = np.array([one.figure.n for one in raters])
    given = {
        "known": known,
        "ranking": RaterRanking(raters, tests, "r_w", known=answers),
        "all_items": 132,
        "items": items,
        "votes": items,
        "seconds": np.full(len(r), nan),
        "methods": {
            R_W: np.array([one.figure.value for one in raters]),
            "With the majority": np.linspace(0.5, 0.8, len(r)),
            "GLAD ability": np.linspace(2, 1, len(r)),
            "Dawid-Skene accuracy": np.linspace(0.6, 0.9, len(r)),
        },
        "rank_correlations": {},
        "intervals": "",
    }
    return WorkersFound(**(given | more))  # type: ignore[arg-type]  # any of them


def test_raters_not_beyond_chance_are_counted_and_the_lowest_named_first() -> None:
    one, other = CHANCE, Estimate(0.10, -0.08, 0.27, 132)
    finding = chance_finding(found(other, AGREES, one, AGREES))
    assert verdict(finding) == (Status.CLEAR, "2", "4")
    assert "do not agree" in plain(finding.headline)
    assert "w2 0.05 (−0.14 to 0.23) · w0 0.10 (−0.08 to 0.27)" in plain(finding.evidence)
    assert plain(chance_finding(found(one, AGREES)).headline).startswith("1 of 2 raters does not")


def test_wide_intervals_do_not_show_that_raters_do_not_agree() -> None:
    wide = Estimate(-0.4, -0.8, 0.1, 17)
    finding = chance_finding(found(wide, Estimate(-0.2, -0.7, 0.4, 17), AGREES, comparisons=15))
    assert plain(finding.headline).startswith("2 of 3 raters are not shown to agree")
    assert finding.status is Status.UNCERTAIN
    assert "132 items in 15 comparisons" in plain(finding.evidence)


def test_that_all_agree_is_a_result() -> None:
    finding = chance_finding(found(AGREES, AGREES, SAME))
    assert finding.status is Status.CLEAR
    assert said(finding).startswith("Both raters agree")


@pytest.mark.parametrize("r", [[Estimate(0.5, n=3)], [SAME, SAME], []])
def test_without_an_interval_there_is_not_enough_data(r: list[Estimate]) -> None:
    finding = chance_finding(found(*r))
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert finding.next_step is not None


def test_who_is_compared_with_the_typical_rater_is_a_second_finding() -> None:
    second = typical_finding(found(CHANCE, *[AGREES] * 8))
    assert second is not None
    assert plain(second.headline).startswith("1 of 9 raters")
    assert not second.is_main
    assert typical_finding(found(CHANCE, AGREES)) is None


def test_an_exclusion_tells_what_it_changes_in_the_verdict() -> None:
    everyone, without = found(CHANCE, CHANCE, AGREES), found(CHANCE, AGREES)
    finding = exclusion_finding(without, everyone, Scenario(names=("w1",)))
    assert "rater w1" in plain(finding.headline)
    assert plain(finding.headline).endswith("is 1 instead of 2.")
    same = exclusion_finding(everyone, everyone, Scenario(names=("w3", "w4")))
    assert plain(same.headline).endswith("stays 2.")
    assert not finding.is_main


def test_the_table_has_every_method_the_lowest_agreement_first() -> None:
    table = workers_table(found(AGREES, CHANCE, SAME, known="gold"))
    rows = printed(
        (table.frame, table.formats), ["Rater", R_W, "Typical rater", "Agreement with the gold answers"]
    ).rows
    assert [row[0] for row in rows] == ["w1", "w0", "w2"]
    assert rows[0][1] == "0.050 (−0.140 to 0.230)"
    assert rows[2][1] == "–"
    assert rows[0][3].startswith("20.0%")
    assert table.frame["GLAD ability"].tolist() == [2, 1.5, 1]
    assert not {"Votes", "Seconds"} & set(table.frame), "as many as items, and nobody was timed"
    timed = found(AGREES, CHANCE, votes=np.array([264, 132]), seconds=np.array([1.0, 2.0]))
    assert {"Votes", "Seconds"} <= set(workers_table(timed).frame)
    assert "Items known" not in workers_table(timed).frame


def test_methods_are_compared_in_pairs_and_undefined_ones_say_why() -> None:
    rho = {
        (R_W, "With the majority"): Estimate(0.9, 0.5, 0.99, 10),
        (R_W, "GLAD ability"): Estimate(0.3, -0.4, 0.7, 10),
        ("With the majority", "GLAD ability"): Estimate(
            nan, n=2, reason="fewer than 3 raters have both figures"
        ),
    }
    of_methods = found(AGREES, CHANCE, rank_correlations=rho)
    frame = methods_table(of_methods).frame.set_index("Method")
    assert (
        frame.loc[R_W, "With the majority"]
        == frame.loc["With the majority", R_W]
        == "0.90 (0.50 to 0.99, n = 10)"
    )
    assert frame.loc["GLAD ability", "With the majority"] == "– (n = 2)"
    assert frame.loc[R_W, R_W] == ""
    told = [plain(note.text) for note in workers_notes(replace(of_methods, intervals="by z"))]
    assert told == ["Intervals: by z.", "A dash: fewer than 3 raters have both figures."]


def test_votes_are_counted_by_option() -> None:
    table, _ = votes_table([poll_of({"a": "1122", "b": "1112"})])
    assert table["Votes"].sum() == 8
    assert set(table["Raters"]) == {2}
