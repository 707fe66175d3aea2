"""What is said of who is reliable, for workers who choose and raters who give numbers."""

from math import nan

import numpy as np
import pytest

from analysis.values.estimate import Estimate
from analysis.workers.worker_ranking import WorkerRanking
from features.blocks import Status
from findings.workers.reliability import (
    Reliability,
    finding,
    methods_notes,
    methods_table,
    of_choices,
    of_ratings,
    remarks,
)
from tests.findings.studies import said
from tests.findings.workers.polls import poll_of

NAMES = ("ann", "ben", "cam", "dan")
R = (Estimate(0.2, -0.1, 0.4, 12), Estimate(0.8, 0.7, 0.9, 12), Estimate(0.5, 0.4, 0.6, 3))
SAME = Estimate(nan, n=12, reason="always chose the same option")
POLL = poll_of(dict.fromkeys(NAMES, "12" * 6))


def ranking(r: tuple[Estimate, ...], items: tuple[int, ...], **more: object) -> WorkerRanking:
    n = len(r)
    told = {
        "r": r,
        "items": np.array(items),
        "votes": np.array(items),
        "majority": np.linspace(0.5, 0.8, n),
        "ability": np.linspace(2, 1, n),
        "accuracy": np.linspace(0.6, 0.9, n),
        "known": tuple(Estimate(0.1 * (at + 1), 0.0, 0.9, 10) for at in range(n)),
        "seconds": np.full(n, nan),
    }
    return WorkerRanking(**(told | more))  # type: ignore[arg-type]  # any of them


FOUR = of_choices(POLL, ranking((*R, SAME), (12, 12, 3, 12)), "gold")


def test_workers_are_in_the_order_of_their_agreement_undefined_ones_last() -> None:
    table, written = FOUR.table
    assert table["Worker"].tolist() == ["ben", "cam", "ann", "dan"]
    assert table["r_w, 95 %"].tolist() == ["0.70 to 0.90", "0.40 to 0.60", "−0.10 to 0.40", "–"]
    assert table["e_w, gold"].tolist() == pytest.approx([0.2, 0.3, 0.1, 0.4])
    assert written["e_w, gold"](0.2) == "20.0 %"
    assert not {"Votes", "Seconds"} & set(table), "as many as items, and nobody was timed"


def test_votes_stand_in_the_table_where_they_are_more_than_items_and_seconds_where_timed() -> None:
    timed = ranking(R, (12, 12, 3), votes=np.array([12, 24, 3]), seconds=np.array([1.0, 2.0, 3.0]))
    table, _ = of_choices(POLL, timed, "").table
    assert table["Votes"].tolist() == [24, 3, 12]
    assert table["Seconds"].tolist() == [2, 3, 1]
    assert "Items known" not in table


def test_the_finding_names_the_first_and_the_last_of_those_with_enough_items() -> None:
    assert said(finding(FOUR, 1)) == (
        "<b>ben</b> agrees best with the others (r = <b>0.80</b>, 0.70 to 0.90), <b>ann</b> least (<b>0.20</b>, "
        "−0.10 to 0.40); whether workers closer to the gold answers agree more with the others remains open: ρ = "
        "<b>0.50</b> over 3 workers."
    )
    assert said(finding(FOUR, 10)) == (
        "<b>ben</b> agrees best with the others (r = <b>0.80</b>, 0.70 to 0.90), <b>ann</b> least (<b>0.20</b>, "
        "−0.10 to 0.40)."
    )


@pytest.mark.parametrize(
    ("reliability", "least", "told"),
    [
        (
            FOUR,
            13,
            "No two workers can be ranked: none of the 4 workers shares 13 items or more with others; always "
            "chose the same option.",
        ),
        (
            of_choices(POLL, ranking(R[:1], (12,)), ""),
            1,
            "No two workers can be ranked: there is only one.",
        ),
        (of_ratings([], [], [], None, "", ""), 1, "No two raters can be ranked: nobody is left."),
    ],
)
def test_where_nobody_can_be_ranked_the_reason_is_told(
    reliability: Reliability, least: int, told: str
) -> None:
    assert said(finding(reliability, least)) == told


def test_remarks_tell_whose_agreement_is_undefined_who_judged_few_and_who_counts_nothing() -> None:
    with_chance = of_choices(POLL, ranking((*R[1:], Estimate(-0.1, n=12), SAME), (12, 3, 12, 12)), "")
    assert [said(remark) for remark in remarks(with_chance, 10)] == [
        "r_w is undefined for dan: always chose the same option; as a weight it counts 0.",
        "Not named best or worst, as they share fewer than 10 items with others: 1 of 4 workers.",
        "1 worker with an r_w of 0 or less count nothing as weights: they answer as chance would, or contrary.",
    ]


def test_raters_of_numbers_have_no_weights_and_are_held_against_the_reference() -> None:
    raters = of_ratings(
        NAMES[:2],
        [20, 30],
        [Estimate(-0.2, n=9), Estimate(0.4, n=9)],
        [Estimate(0.3), Estimate(0.6)],
        "lab",
        "",
    )
    table, _ = raters.table
    assert table[["Rater", "Ratings", "r with the reference"]].to_numpy().tolist() == [
        ["ben", 30, 0.6],
        ["ann", 20, 0.3],
    ]
    assert raters.known == ("lab", "Correlation with the reference, e_w")
    assert list(remarks(raters, 1)) == []


def test_who_shares_few_items_heads_no_table_and_is_never_named() -> None:
    """A worker with 2 votes and r = 1.00 stands last of those with a figure, not first."""
    lucky = Estimate(1.0, n=2)
    workers = of_choices(POLL, ranking((R[0], lucky, R[1], SAME), (12, 2, 12, 12)), "")
    assert workers.table[0]["Worker"].tolist() == ["cam", "ann", "ben", "dan"]
    for least in (1, 10):
        assert "<b>cam</b> agrees best" in said(finding(workers, least))
    assert "share fewer than 10 items with others: 1 of 4 workers" in said(remarks(workers, 10)[1])


def test_overlapping_intervals_name_nobody() -> None:
    alike = of_choices(
        POLL, ranking((Estimate(0.4, 0.1, 0.6, 20), Estimate(0.6, 0.3, 0.8, 20)), (20, 20)), ""
    )
    assert said(finding(alike, 10)) == (
        "Which of 2 workers agrees best with the others <b>cannot be told</b>: even the intervals of the surest, ben "
        "(r = 0.60, 0.30 to 0.80) and ann (0.40, 0.10 to 0.60), overlap."
    )


def test_raters_of_hundreds_of_items_are_told_how_few_they_share() -> None:
    raters = of_ratings(NAMES[:2], [540, 648], [Estimate(0.5, n=4), Estimate(1.0, n=2)], None, "", "")
    assert [said(remark) for remark in remarks(raters, 10)] == [
        "Nobody shares 10 items with others: nobody is named best or worst."
    ]
    assert said(finding(raters, 10)) == (
        "No two raters can be ranked: none of the 2 raters shares 10 items or more with others."
    )
    assert len(raters.pictured(10)) == 2


def test_methods_are_compared_by_rank_and_the_least_alike_are_named() -> None:
    of_both = {
        ("r_w", "GLAD ability"): Estimate(0.9, 0.5, 0.99, 10),
        ("r_w", "e_w, gold"): Estimate(-0.2, -0.7, 0.5, 8),
        ("GLAD ability", "e_w, gold"): Estimate(nan, n=2, reason="fewer than 3 workers have both figures"),
    }
    table, _ = methods_table(["r_w", "GLAD ability", "e_w, gold"], of_both)
    assert table.iloc[0].tolist() == ["r_w", "", "0.90 (10)", "−0.20 (8)"]
    assert table.iloc[2].tolist() == ["e_w, gold", "−0.20 (8)", "– (2)", ""]
    lowest, undefined = (said(note) for note in methods_notes(of_both))
    assert (
        "Of these workers' figures those by r_w and e_w, gold agree least (ρ = −0.20, −0.70 to 0.50); whether other "
        "workers' would is not worked out here." in lowest
    )
    assert undefined == "A dash: fewer than 3 workers have both figures."


def test_no_methods_are_named_where_all_agree_alike() -> None:
    alike = Estimate(1.0, n=3)
    (told,) = (said(note) for note in methods_notes({("r_w", "GLAD ability"): alike, ("r_w", "e_w"): alike}))
    assert "agree least" not in told


def test_workers_whose_intervals_overlap_are_uncertain() -> None:
    assert finding(FOUR, 1).status is Status.CLEAR
    assert finding(FOUR, 13).status is Status.NOT_ENOUGH_DATA
    near = Estimate(0.75, 0.65, 0.85, 12), Estimate(0.8, 0.7, 0.9, 12)
    assert finding(of_choices(POLL, ranking(near, (12, 12)), ""), 1).status is Status.UNCERTAIN
