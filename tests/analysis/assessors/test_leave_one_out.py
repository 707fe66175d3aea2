"""Leaving one rater out is what excluding that rater is, for every design, and sums stand in for ranks when huge."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.assessors import leave_one_out as leave_one_out_module
from analysis.assessors.exclusion import ExclusionSpec, exclusion, system_scores
from analysis.assessors.exclusion_intervals import compare_rankings
from analysis.assessors.leave_one_out import leave_one_out
from analysis.values.estimate import InputError


def study(seed, ratings=160, whole_topics=False, systems=7, topics=6, raters=6):
    rng = np.random.default_rng(seed)
    system, topic = rng.integers(0, systems, ratings), rng.integers(0, topics, ratings)
    rater = topic % raters if whole_topics else rng.integers(0, raters, ratings)
    return system, topic, rater, rng.integers(1, 6, ratings).astype(float)


def complete(seed, raters=5):
    rng = np.random.default_rng(seed)
    system, topic = (part.ravel() for part in np.meshgrid(np.arange(6), np.arange(10), indexing="ij"))
    return system, topic, topic % raters, rng.integers(1, 6, len(system)).astype(float)


def assert_is_excluding_each(ratings, method):
    found = leave_one_out(*ratings, method)
    assert found.raters.tolist() == np.unique(ratings[2]).tolist()
    for at, rater in enumerate(found.raters.tolist()):
        one = exclusion(*ratings, [rater], ExclusionSpec(method))
        for name in ("pearson", "spearman"):
            expected = getattr(one.change, name).value
            assert getattr(found, name)[at] == pytest.approx(expected, abs=1e-9, nan_ok=True), (rater, name)
        assert found.lost[at] == len(one.lost)
        assert found.ratings[at] == one.ratings - one.ratings_left
        if one.change.pearson.n:
            assert found.swaps[at] == one.change.swaps
            assert found.largest_shift[at] == np.abs(one.change.shifts).max()
        else:
            assert np.isnan(found.swaps[at])


@given(
    some.integers(0, 10_000),
    some.sampled_from(["automatic", "additive", "plain"]),
    some.sampled_from([25, 60, 400]),
    some.booleans(),
)
def test_it_is_excluding_each_rater(seed, method, ratings, whole_topics):
    assert_is_excluding_each(study(seed, ratings, whole_topics), method)


@pytest.mark.parametrize("method", ["automatic", "additive", "plain"])
def test_it_is_excluding_each_rater_of_a_complete_table(method):
    assert_is_excluding_each(complete(0), method)
    system, topic, rater, score = complete(1)
    hole = np.where((system == 0) & (topic == 0), 9, rater)
    assert_is_excluding_each((system, topic, hole, score), method)


def test_it_is_a_slow_loop_over_system_scores():
    system, topic, rater, score = study(4, 300)
    found = leave_one_out(system, topic, rater, score, "plain")
    everyone = system_scores(system, topic, rater, score)
    for at, one in enumerate(found.raters.tolist()):
        stay = [r != one for r in rater]
        change = compare_rankings(
            everyone, system_scores(system[stay], topic[stay], rater[stay], score[stay])
        )
        assert found.pearson[at] == pytest.approx(change.pearson.value, abs=1e-9)
        assert found.spearman[at] == pytest.approx(change.spearman.value, abs=1e-9)


def test_ranked_items_above_the_limit_get_pearson_from_sums(monkeypatch):
    rng = np.random.default_rng(0)
    item, rater = rng.integers(0, 300, 2000), rng.integers(0, 40, 2000)
    item[-5:], rater[-5:] = range(300, 305), 7  # items that only one rater saw
    ratings = item, np.zeros(2000, dtype=int), rater, rng.integers(1, 6, 2000).astype(float)
    small = leave_one_out(*ratings)
    monkeypatch.setattr(leave_one_out_module, "MOST_RANKED", 1000)
    large = leave_one_out(*ratings)
    np.testing.assert_allclose(large.pearson, small.pearson, atol=1e-9)
    assert large.lost.tolist() == small.lost.tolist()
    assert small.lost[7] == 5
    assert np.isnan(large.spearman).all()
    assert "only Pearson" in large.reason_ranks
    assert not large.reason


def test_methods_say_why():
    assert "no cell is missing" in leave_one_out(*complete(0)).why
    assert leave_one_out(*complete(0)).method == "plain"
    assert leave_one_out(*study(0, 60)).method == "additive"
    alone = np.arange(8), np.arange(8), np.arange(8) % 4, np.arange(8.0)
    assert "share no topic" in leave_one_out(*alone).why
    asked = leave_one_out(*alone, method="additive")
    assert "share no topic" in asked.reason
    assert np.isnan(asked.pearson).all()


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [(([], [], [], []), "no ratings"), (([1, 2, 3], [1, 1, 1], [5, 5, 5], [1, 2, 3]), "only one")],
)
def test_nobody_to_leave_out_is_undefined(ratings, reason):
    found = leave_one_out(*ratings)
    assert reason in found.reason
    assert np.isnan(found.pearson).all()


def test_constant_scores_have_no_correlation():
    system, topic, rater, score = study(0)
    found = leave_one_out(system, topic, rater, np.full(len(score), 0.1))
    assert np.isnan(found.pearson).all()
    assert np.isnan(found.spearman).all()
    assert (found.swaps == 0).all()
    assert (found.largest_shift == 0).all()


def test_an_unknown_method_is_reported():
    with pytest.raises(InputError, match="`method`"):
        leave_one_out(*study(0), method="median")


def test_progress_ends_with_all():
    told = []
    leave_one_out(*study(0), on_progress=told.append)
    assert told[-1] == 1


def test_real_reviewers_against_pandas(shared_data):
    rows = pd.read_csv(shared_data / "squality_summary_ratings.csv")
    rows = rows[rows.measure == rows.measure.iloc[0]]
    found = leave_one_out(rows.system, rows.topic, rows.rater, rows.score, "plain")

    def scores(left):
        return left.groupby(["system", "topic"]).score.mean().groupby("system").mean()

    everyone = scores(rows)
    for at, rater in enumerate(found.raters):
        without = scores(rows[rows.rater != rater])
        assert found.pearson[at] == pytest.approx(everyone.corr(without), abs=1e-9)
        assert found.spearman[at] == pytest.approx(everyone.corr(without, method="spearman"), abs=1e-9)


def test_the_strongest_is_without_whom_the_ranking_changes_most():
    system, rater = np.repeat(np.arange(4), 3), np.tile([0, 1, 2], 4)
    score = np.array([1, 9, 1, 2, 2, 2, 3, 3, 3, 4, 1, 4], dtype=float)  # rater 1 turns both ends around
    of_each = leave_one_out(system, np.zeros(12), rater, score)
    assert of_each.compares_ranks
    assert of_each.strongest == int(np.nanargmin(of_each.spearman)) == 1
    equal = leave_one_out(system, np.zeros(12), rater, np.ones(12))
    assert (equal.compares_ranks, equal.strongest) == (False, None)
