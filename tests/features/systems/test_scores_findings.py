"""Findings and tables of systems' scores: which one ranks first, how clearly, and what each row holds."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.assessors.exclusion import Exclusion, ExclusionSpec, exclusion, intervals
from analysis.pairs.paired_differences import PairedDifferences, undefined_differences
from analysis.pairs.system_table import rank_intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking
from analysis.values.estimate import Estimate
from features.blocks import Status, Text
from features.study import Scenario
from features.systems.scores_findings import (
    exclusion_finding,
    pairs_table,
    ranking_finding,
    ranking_notes,
    ranking_table,
)
from features.systems.scores_results import RankedSystems, ScoresSpec
from features.words import plain

NAMES = np.array(["Ann's", "Bob's", "Cy's"])
SPEC = ScoresSpec("focus")
ROWS = np.arange(3), np.zeros(3, dtype=int), np.zeros(3, dtype=int), np.array([1.0, 2.0, 3.0])


def ranking(apart: list[tuple[int, int]], letters: tuple[str, ...] = ("A", "B", "C")) -> SystemRanking:
    """Scores 4, 3 and 2.5 and the pairs that differ; a difference has an interval of 0.4 either way."""
    value, told = np.array([4.0, 3.0, 2.5]), np.zeros((3, 3), dtype=bool)
    for one, other in apart:
        told[one, other] = told[other, one] = True
    differences = value[:, None] - value
    off = np.where(np.eye(3, dtype=bool), np.nan, 0.4)
    pairs = PairedDifferences(
        value - value.mean(),
        differences,
        off / 2.5,
        np.full((3, 3), 20.0),
        differences - off,
        differences + off,
        off / 10,
        told,
        letters,
    )
    ranks = rank_intervals(told & (differences > 0))
    scores = tuple(Estimate(each, each - 0.25, each + 0.25, n=12) for each in value.tolist())
    return SystemRanking(
        np.array([2, 0, 1]), scores, np.array([1.0, 2.0, 3.0]), ranks.low, ranks.high, letters, pairs
    )


def ranked(of: SystemRanking, found: Exclusion | None = None, **more: object) -> RankedSystems:
    found = exclusion(*ROWS) if found is None else found
    given: dict[str, object] = {"raters": 8}
    return RankedSystems(of, None, NAMES, found, **(given | more))  # type: ignore[arg-type]


def headline(of: SystemRanking, spec: ScoresSpec = SPEC) -> str:
    return plain(ranking_finding(ranked(of), spec).headline)


def line(text: Text) -> list[str]:
    return plain(text).split(" · ")


@pytest.mark.parametrize(
    ("apart", "status"),
    [([(0, 1), (0, 2)], Status.CLEAR), ([(0, 2)], Status.UNCERTAIN), ([], Status.UNCERTAIN)],
)
def test_a_first_is_clear_only_where_it_differs_from_all(
    apart: list[tuple[int, int]], status: Status
) -> None:
    assert ranking_finding(ranked(ranking(apart)), SPEC).status is status


def test_before_intervals_nothing_is_clear() -> None:
    quick = ranked(replace(ranking([(0, 1), (0, 2)]), pairs=None))
    assert ranking_finding(quick, SPEC).status is Status.UNCERTAIN


def test_a_headline_names_the_first_and_counts_its_rivals() -> None:
    assert "Cy's ranks above the other 2 systems" in headline(ranking([(0, 1), (0, 2)]))
    assert "Ann's may be as good" in headline(ranking([(0, 2)]))
    assert "2 others may be as good" in headline(ranking([(1, 2)]))


def test_the_evidence_has_the_score_its_interval_n_and_scope() -> None:
    told = line(ranking_finding(ranked(ranking([(0, 2)])), SPEC).evidence)
    assert told == [
        "Focus 4.00",
        "95% CI 3.75–4.25",
        "rank 1–2",
        "1 of 3 pairs differ",
        "3 systems",
        "8 raters",
        "for raters like these",
    ]


def test_the_scope_is_that_of_the_comparison() -> None:
    found = ranking([(0, 2)])
    assert found.pairs is not None
    of = ranked(replace(found, pairs=replace(found.pairs, scope="these raters")))
    assert line(ranking_finding(of, SPEC).evidence)[-1] == "for these raters"


def test_a_null_result_tells_which_difference_would_be_found() -> None:
    found = ranking([])
    assert found.pairs is not None
    assert f"{found.pairs.detectable:.2f}" in plain(ranking_finding(ranked(found), SPEC).evidence)
    assert found.pairs.detectable == pytest.approx(0.4 + 0.16 * 0.860, abs=1e-3)


def test_too_few_raters_for_their_like_lead_to_the_other_scope() -> None:
    few = undefined_differences(3, "raters like these need 3 raters, and there are 2", "raters like these")
    found = replace(ranking([]), pairs=few, reason=few.reason)
    finding = ranking_finding(ranked(found, raters=2), SPEC)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert finding.next_step is not None
    assert finding.next_step.parameters == {"generalize": "these raters"}


def test_a_low_score_that_ranks_first_is_said() -> None:
    told = line(ranking_finding(ranked(ranking([])), replace(SPEC, lowest_first=True)).evidence)
    assert "the lowest score ranks first" in told


def test_without_anything_to_resample_no_pair_is_compared() -> None:
    point = exclusion(*ROWS)
    found = ranked(system_ranking(point, intervals(*ROWS, point, ExclusionSpec(draws=20)), [1, 1, 1]))
    finding = ranking_finding(found, SPEC)
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert "needs 6 topics" in plain(finding.evidence)
    assert ranking_table(found, SPEC).frame.columns.tolist() == [
        "System",
        "Score",
        "Rank",
        "Ratings",
        "Score from",
        "Score to",
    ]


def test_a_row_has_score_and_rank_with_their_intervals_and_its_letters() -> None:
    table = ranking_table(ranked(ranking([(0, 2)], ("A", "AB", "B"))), SPEC)
    first = list(table.columns_at_first_sight)
    assert first == ["System", "Score", "Rank", "Letters", "Ratings"]
    assert table.frame[first].iloc[0].tolist() == ["Cy's", 4.0, 1.0, "A", 12]
    assert table.formats["Score"][0] == "4.00 (3.75 to 4.25)"  # type: ignore[index]
    assert table.formats["Rank"] == ["1 (1 to 2)", "2 (1 to 3)", "3 (2 to 3)"]


def test_letters_that_nobody_could_read_become_a_count() -> None:
    table = ranking_table(ranked(ranking([(0, 2)], ("A" * 9, "B", "C"))), SPEC)
    assert table.frame["May be equal to"].tolist() == [1, 2, 1]
    assert "Letters" not in table.columns_at_first_sight


def test_pairs_have_the_one_ahead_first() -> None:
    rows = pairs_table(ranked(ranking([(0, 2)]))).frame
    assert rows["First"].tolist() == ["Cy's", "Cy's", "Ann's"]
    assert rows["Difference from"].tolist() == pytest.approx([0.6, 1.1, 0.1])
    assert rows["Difference to"].tolist() == pytest.approx([1.4, 1.9, 0.9])
    assert rows["Differ"].tolist() == ["no", "yes", "no"]


def test_a_system_without_an_interval_is_named() -> None:
    system, topic, rater = (part.ravel() for part in np.indices((2, 3, 4)))
    study = (
        np.append(system, 2),
        np.append(topic, 0),
        np.append(rater, 0),
        np.append(rater + system + topic % 2 * system, 9.0),
    )
    point = exclusion(*study, spec=ExclusionSpec("plain"))
    drawn = intervals(*study, point, ExclusionSpec(draws=50))
    notes = ranking_notes(ranked(system_ranking(point, drawn, [12, 12, 1]), point))
    assert any("Cy's" in plain(note.text) for note in notes)


def test_excluding_a_rater_tells_who_ranks_first_now() -> None:
    system, rater = (part.ravel() for part in np.indices((3, 4)))
    score = np.where(rater == 0, 10.0 * system, 5.0 - system)
    point = exclusion(system, np.zeros(12, dtype=int), rater, score, [0])
    before, after = system_ranking(point, None, [4, 4, 4]), system_ranking(point, None, [3, 3, 3], True)
    found = replace(ranked(after, point), by_everyone=before)
    told = exclusion_finding(found, Scenario("picked by hand", (0,), ("crowd 07",), applied=True))
    assert {"crowd 07", "System Ann's", "Cy's"} <= set(told.headline[1].values())
    assert line(told.evidence)[0].endswith("−1.000")
