"""What is said of who is reliable, for workers who choose and raters who give numbers."""

from math import nan

import numpy as np
import pytest

from analysis.values.estimate import Estimate
from analysis.workers.worker_ranking import WorkerRanking
from features.blocks import Status
from features.words import plain
from findings.workers.reliability import (
    Reliability,
    finding,
    known_finding,
    methods_notes,
    methods_table,
    of_choices,
    of_ratings,
    remarks,
)
from tests.findings.raters import compared
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


def workers(given: WorkerRanking, known: str = "") -> Reliability:
    """The first workers of the poll with these figures."""
    return of_choices(POLL, given, compared(NAMES[: len(given.r)], given.r, POLL.name, 50), known)


FOUR = workers(ranking((*R, SAME), (12, 12, 3, 12)), "gold")


def test_workers_are_in_the_order_of_their_agreement_undefined_ones_last() -> None:
    table, written = FOUR.table
    assert table["Worker"].tolist() == ["ben", "cam", "ann", "dan"]
    assert table["r_w, 95 %"].tolist() == ["0.70 to 0.90", "0.40 to 0.60", "−0.10 to 0.40", "–"]
    assert table["e_w, gold"].tolist() == pytest.approx([0.2, 0.3, 0.1, 0.4])
    assert written["e_w, gold"](0.2) == "20.0 %"
    assert not {"Votes", "Seconds"} & set(table), "as many as items, and nobody was timed"


def test_votes_stand_in_the_table_where_they_are_more_than_items_and_seconds_where_timed() -> None:
    timed = ranking(R, (12, 12, 3), votes=np.array([12, 24, 3]), seconds=np.array([1.0, 2.0, 3.0]))
    table, _ = workers(timed).table
    assert table["Votes"].tolist() == [24, 3, 12]
    assert table["Seconds"].tolist() == [2, 3, 1]
    assert "Items known" not in table


def test_the_finding_names_raters_below_and_not_above_with_few_votes() -> None:
    names = [f"w{at}" for at in range(9)]
    for lowest, headline in (
        (-0.3, "1 of 9 raters is clearly less consistent than the typical rater."),
        (0.6, "Raters differ in consistency, but nobody clearly stands out."),
    ):
        r = [Estimate(value, value - 0.1, value + 0.1, 40) for value in (0.98, lowest, *[0.6] * 7)]
        found = of_ratings(compared(names, r, fewest_above=50), [40] * 9, None, "", "")
        assert said(finding(found)) == headline
        table, _ = found.table
        verdicts = dict(zip(table["Rater"], table["Typical rater"], strict=True))
        assert verdicts["w0"] == ""
        assert verdicts["w1"] == ("clearly below" if lowest < 0 else "")
        assert [worker.verdict for worker in found.workers] == table["Typical rater"].tolist()


def test_known_answers_have_a_finding_of_their_own() -> None:
    unclear = known_finding(FOUR, 1)
    assert unclear is not None
    assert (
        plain(unclear.headline)
        == "Whether workers closer to the gold answers agree more with the others is unclear."
    )
    assert plain(unclear.evidence) == "ρ = 0.50 · 3 workers · for raters like these"
    assert unclear.status is Status.UNCERTAIN
    assert known_finding(FOUR, 13) is None
    assert known_finding(workers(ranking(R, (12, 12, 3))), 1) is None
    names, values = [f"w{at}" for at in range(30)], np.linspace(0.1, 0.9, 30).tolist()
    r = [Estimate(value, n=20) for value in values]
    close = of_ratings(
        compared(names, r), [20] * 30, [r[at + 1 - 2 * (at % 2)] for at in range(30)], "lab", ""
    )
    alike = known_finding(close, 1)
    assert alike is not None
    assert said(alike) == "Raters closer to lab also agree more with the others."


@pytest.mark.parametrize("few", [FOUR, workers(ranking(R[:1], (12,)))])
def test_where_nobody_can_be_compared_data_are_missing(few: Reliability) -> None:
    assert finding(few).status is Status.NOT_ENOUGH_DATA


def test_remarks_tell_whose_agreement_is_undefined_who_judged_few_and_who_counts_nothing() -> None:
    with_chance = workers(ranking((*R[1:], Estimate(-0.1, n=12), SAME), (12, 3, 12, 12)))
    assert [said(remark) for remark in remarks(with_chance, 10)] == [
        "r_w is undefined for dan: always chose the same option; as a weight it counts 0.",
        "Fewer than 10 items shared with others, so not drawn: 1 of 4 workers.",
        "1 worker with an r_w of 0 or less count nothing as weights: they answer as chance would, or contrary.",
    ]


def test_raters_of_numbers_have_no_weights_and_are_held_against_the_reference() -> None:
    raters = of_ratings(
        compared(NAMES[:2], [Estimate(-0.2, n=9), Estimate(0.4, n=9)]),
        [20, 30],
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
    found = workers(ranking((R[0], lucky, R[1], SAME), (12, 2, 12, 12)))
    assert found.table[0]["Worker"].tolist() == ["cam", "ann", "ben", "dan"]
    assert "so not drawn: 1 of 4 workers" in said(remarks(found, 10)[1])
    assert found.compared.compared.tested.tolist() == [False] * 4


def test_raters_of_hundreds_of_items_are_told_how_few_they_share() -> None:
    raters = of_ratings(
        compared(NAMES[:2], [Estimate(0.5, n=4), Estimate(1.0, n=2)]), [540, 648], None, "", ""
    )
    assert [said(remark) for remark in remarks(raters, 10)] == ["Nobody shares 10 items with others."]
    assert said(finding(raters)) == ("Not enough data to compare raters: you have 2, it needs 5.")
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
