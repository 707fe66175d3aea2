"""What is said of systems: who comes first, how surely, and what each row of the table holds."""

from dataclasses import replace

import numpy as np

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.pairs.paired_differences import PairedDifferences
from analysis.pairs.ranks import rank_intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.study import Scenario
from findings.systems.scores import few_columns, finding, notes, pairs_table, table
from tests.findings.studies import said

NAMES = np.array(["Ann's", "Bob's", "Cy's"])
NOBODY = Scenario()


def ranking(apart: list[tuple[int, int]], letters: tuple[str, ...] = ("A", "B", "C")) -> SystemRanking:
    """Scores 4, 3 and 2.5 with what is told apart; a difference has an interval of 0.4 either way."""
    value, told = np.array([4.0, 3.0, 2.5]), np.zeros((3, 3), dtype=bool)
    for one, other in apart:
        told[one, other] = told[other, one] = True
    differences = value[:, None] - value
    off = np.where(np.eye(3, dtype=bool), np.nan, 0.4)
    pairs = PairedDifferences(differences, differences - off, differences + off, off / 10, told, letters)
    ranks = rank_intervals(told & (differences > 0))
    scores = tuple(Estimate(each, each - 0.25, each + 0.25, n=12) for each in value.tolist())
    return SystemRanking(
        np.array([2, 0, 1]), scores, np.array([1.0, 2.0, 3.0]), ranks.low, ranks.high, letters, pairs
    )


def told(of: SystemRanking, scenario: Scenario = NOBODY, lowest_first: bool = False) -> str:
    return said(finding(of, NAMES, "focus", 8, scenario, lowest_first))


def test_one_that_is_told_apart_from_all_is_surely_above_them() -> None:
    assert told(ranking([(0, 1), (0, 2)])) == (
        "<b>Cy's</b> comes first of 3 systems by focus (highest score <b>4.00</b>, 3.75 to 4.25), surely above "
        "all others; <b>2</b> of 3 pairs of systems are told apart, by 8 raters."
    )


def test_one_that_is_not_told_apart_is_not_named_in_bold() -> None:
    assert told(ranking([(0, 2)])) == (
        "Cy's comes first of 3 systems by focus (highest score <b>4.00</b>, 3.75 to 4.25), but is not told apart "
        "from Ann's; <b>1</b> of 3 pairs of systems are told apart, by 8 raters."
    )


def test_where_nobody_is_told_apart_the_first_may_have_any_rank() -> None:
    assert told(ranking([])) == (
        "<b>No two</b> of 3 systems can be told apart by focus (3 pairs of systems, 8 raters): Cy's comes first "
        "with 4.00, 3.75 to 4.25, but its rank may be anything from 1 to 3."
    )


def test_a_low_score_may_come_first_and_a_scenario_is_told() -> None:
    two = Scenario("picked by hand", (1, 2), ("b", "c"), applied=True)
    sentence = told(ranking([(0, 1), (0, 2)]), two, lowest_first=True)
    assert sentence.startswith("Without 2 raters (picked by hand): <b>Cy's</b> comes first")
    assert "(lowest score <b>4.00</b>" in sentence
    assert "surely below all others" in sentence


def test_without_chance_to_draw_nothing_is_told_apart() -> None:
    one = np.arange(3), np.zeros(3, dtype=int), np.zeros(3, dtype=int), np.array([1.0, 2.0, 3.0])
    point = exclusion(*one)
    found = system_ranking(point, intervals(*one, point, ExclusionSpec(draws=20)), [1, 1, 1])
    assert told(found).endswith(
        "which of them differ <b>cannot be told</b>: with one rater and one topic there is nothing to resample."
    )
    assert table(found, NAMES)[0].columns.tolist() == [
        "System",
        "Score",
        "Rank",
        "Ratings",
        "Score from",
        "Score to",
    ]


def test_a_row_has_score_and_rank_with_their_intervals_and_its_letters() -> None:
    of = ranking([(0, 2)], ("A", "AB", "B"))
    rows, written = table(of, NAMES)
    assert few_columns(of) == ("System", "Score", "Rank", "Letters", "Ratings")
    assert rows[list(few_columns(of))].iloc[0].tolist() == ["Cy's", 4.0, 1.0, "A", 12]
    assert written["Score"][0] == "4.00 (3.75 to 4.25)"
    assert written["Rank"] == ["1 (1 to 2)", "2 (1 to 3)", "3 (2 to 3)"]


def test_letters_that_nobody_could_read_become_a_count() -> None:
    of = ranking([(0, 2)], ("A" * 9, "B", "C"))
    assert table(of, NAMES)[0]["Not told apart from"].tolist() == [1, 2, 1]
    assert "Letters" not in few_columns(of)


def test_pairs_stand_with_the_one_ahead_first() -> None:
    rows, _ = pairs_table(ranking([(0, 2)]), NAMES)
    assert rows["First"].tolist() == ["Cy's", "Cy's", "Ann's"]
    assert rows["Difference, 95 %"].tolist() == ["0.60 to 1.40", "1.10 to 1.90", "0.10 to 0.90"]
    assert rows["Told apart"].tolist() == ["no", "yes", "no"]


def test_what_has_no_interval_is_named() -> None:
    system, topic, rater = (part.ravel() for part in np.indices((2, 3, 4)))
    study = (
        np.append(system, 2),
        np.append(topic, 0),
        np.append(rater, 0),
        np.append(rater + system + topic % 2 * system, 9.0),
    )
    point = exclusion(*study, spec=ExclusionSpec("plain"))
    drawn = intervals(*study, point, ExclusionSpec(draws=50))
    sentences = notes(point, drawn, system_ranking(point, drawn, [12, 12, 1]), NAMES, False, True)
    assert said(sentences[-1]) == "No interval for Cy's: too few raters or items tell of them."


def test_a_first_that_is_not_told_apart_is_uncertain() -> None:
    def status(of: SystemRanking) -> Status:
        return finding(of, NAMES, "focus", 8, NOBODY, False).status

    assert status(ranking([(0, 1), (0, 2)])) is Status.CLEAR
    assert status(ranking([(0, 2)])) is Status.UNCERTAIN
    assert status(ranking([])) is Status.UNCERTAIN
    assert status(replace(ranking([]), pairs=None)) is Status.UNCERTAIN
