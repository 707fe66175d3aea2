"""The ranking of systems, by hand: order, shared ranks, what a low score means, and who has no score."""

import numpy as np
import pytest

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking

SYSTEM, TOPIC, RATER = (part.ravel() for part in np.indices((4, 6, 5)))
NOISE = np.random.default_rng(0).normal(0, 0.2, SYSTEM.shape)
NOISE -= np.bincount(SYSTEM, NOISE)[SYSTEM] / 30
SCORE = np.array([2.0, 5.0, 2.0, 4.0])[SYSTEM] + NOISE
STUDY = SYSTEM, TOPIC, RATER, SCORE
PER_SYSTEM = np.full(4, 30)


def ranking(without: bool = False, lowest_first: bool = False, gone: tuple[int, ...] = ()) -> SystemRanking:
    point = exclusion(*STUDY, gone)
    drawn = intervals(*STUDY, point, ExclusionSpec(draws=200))
    return system_ranking(point, drawn, PER_SYSTEM, without, lowest_first)


def test_the_first_is_on_top_and_equal_scores_share_rank_interval_and_letter() -> None:
    found = ranking()
    assert found.systems.tolist() == [1, 3, 0, 2]
    assert found.rank.tolist() == [1, 2, 3.5, 3.5]
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 2, 3, 3], [1, 2, 4, 4])
    assert found.letters == ("A", "B", "C", "C")
    assert found.possibly_equal.tolist() == [0, 0, 1, 1]
    assert [score.n for score in found.scores] == [30] * 4
    assert found.scores[0].value == pytest.approx(5)


def test_where_a_low_score_is_first_ranks_and_letters_turn_round() -> None:
    found = ranking(lowest_first=True)
    assert found.systems.tolist() == [0, 2, 3, 1]
    assert found.rank.tolist() == [1.5, 1.5, 3, 4]
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([1, 1, 3, 4], [2, 2, 3, 4])
    assert found.letters == ("A", "A", "B", "C")


def test_before_anything_is_drawn_there_are_scores_and_ranks_only() -> None:
    found = system_ranking(exclusion(*STUDY), None, PER_SYSTEM)
    assert not found.has_comparisons
    assert found.rank.tolist() == [1, 2, 3.5, 3.5]
    assert set(found.letters) == {""}
    assert np.isnan(found.scores[0].low)


def test_a_system_that_loses_its_ratings_is_ranked_before_and_not_after() -> None:
    rater = np.where(SYSTEM == 1, 9, RATER)
    point = exclusion(SYSTEM, TOPIC, rater, SCORE, [9])
    assert system_ranking(point, None, PER_SYSTEM).systems[0] == 1
    assert 1 not in system_ranking(point, None, PER_SYSTEM, without=True).systems


def test_a_system_of_one_rating_has_no_interval_and_differs_from_nobody() -> None:
    study = tuple(np.append(column, one) for column, one in zip(STUDY, (4, 0, 0, 40.0), strict=True))
    point = exclusion(*study, spec=ExclusionSpec("plain"))
    drawn = intervals(*study, point, ExclusionSpec(draws=200))
    found = system_ranking(point, drawn, np.append(PER_SYSTEM, 1))
    assert found.systems[0] == 4
    assert np.isnan(found.scores[0].low)
    assert (found.rank_low[0], found.rank_high[0]) == (1, 5)
    assert found.possibly_equal[0] == 4


def test_where_raters_differ_between_systems_scores_are_adjusted_as_pairs_are() -> None:
    """Severe raters rate the best system more often, so that its plain mean is not the highest."""
    rng = np.random.default_rng(2)
    often = rng.random(SYSTEM.shape) < np.where((SYSTEM == 1) == (RATER < 2), 0.9, 0.4)
    severity = np.where(RATER < 2, -4.0, 0.0)
    study = tuple(column[often] for column in (SYSTEM, TOPIC, RATER, SCORE + severity))
    point = exclusion(*study)
    drawn = intervals(*study, point, ExclusionSpec(draws=20, scope="these raters"))
    found = system_ranking(point, drawn, np.bincount(study[0]))
    assert found.is_adjusted
    assert np.nanargmax(point.before) != 1
    assert found.systems[0] == 1
    value = np.array([score.value for score in found.scores])
    assert found.pairs is not None
    np.testing.assert_allclose(value[:, None] - value, found.pairs.differences, atol=1e-9)
    assert value.mean() == pytest.approx(point.before.mean())


def test_where_all_raters_rate_all_nothing_is_adjusted() -> None:
    assert not ranking().is_adjusted
