"""Draws of units: what they add to, how they vary, and that blocks change nothing."""

import numpy as np
import pytest

import analysis.resampling.intervals as draws
from analysis.resampling.intervals import (
    blocks,
    bootstrap_counts,
    bootstrap_counts_by_index,
    crossed_bootstrap_counts,
    rao_wu_weights,
)


def generator():
    return np.random.default_rng(3)


def picked(rng, units, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "MOST_MULTINOMIAL", 4)
        return rao_wu_weights(rng, units, size)


@pytest.mark.parametrize("drawn", [bootstrap_counts, bootstrap_counts_by_index, rao_wu_weights, picked])
def test_every_draw_holds_as_many_units_as_there_are(drawn):
    weights = drawn(generator(), 7, 5000)
    assert weights.shape == (5000, 7)
    np.testing.assert_allclose(weights.sum(axis=1), 7)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.06)


def test_means_of_plain_draws_vary_less_than_new_units_would_and_those_of_one_fewer_as_much():
    """Over n units with variance s², n draws give the mean (n - 1) / n² s², one fewer s² / n (s² with n - 1)."""
    values = np.array([1.0, 5.0, 2.0, 7.0, 4.0])
    of_means = values.var(ddof=1) / 5
    for drawn, share in (
        (bootstrap_counts, 0.8),
        (bootstrap_counts_by_index, 0.8),
        (rao_wu_weights, 1.0),
        (picked, 1.0),
    ):
        means = drawn(generator(), 5, 100_000) @ values / 5
        assert means.var() == pytest.approx(share * of_means, rel=0.02)


def test_one_unit_and_no_unit():
    assert rao_wu_weights(generator(), 1, 3).tolist() == [[1], [1], [1]]
    assert bootstrap_counts(generator(), 0, 3).shape == (3, 0)


def test_blocks_cover_all_draws_and_tell_the_share_done():
    told = []
    covered = []
    for block in blocks(7, 3, told.append):
        assert len(told) == len(covered)
        covered.append((block.start, block.stop))
    assert covered == [(0, 3), (3, 6), (6, 7)]
    assert told == [3 / 7, 6 / 7, 1]
    assert list(blocks(0, 3)) == []
    assert len(list(blocks(2, 0))) == 2


def test_the_size_of_blocks_does_not_change_what_is_drawn(monkeypatch):
    told = []
    whole = list(crossed_bootstrap_counts(4, 6, 9, seed=5))
    monkeypatch.setattr(draws, "BLOCK", 12)
    parts = list(crossed_bootstrap_counts(4, 6, 9, seed=5, on_progress=told.append))
    assert len(whole) == 1
    assert len(parts) == 5
    assert told == [2 / 9, 4 / 9, 6 / 9, 8 / 9, 1]
    for side in range(2):
        np.testing.assert_array_equal(np.concatenate([part[side] for part in parts]), whole[0][side])
