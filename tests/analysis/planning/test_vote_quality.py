"""Share of genuine votes: planted shares are recovered, and agreement alone gives the minimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.planning.votes import least_quality_by_agreement, quality_by_known_answers
from analysis.values.estimate import InputError


def voted(quality: float, items: int = 4000, workers: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Items, workers and right votes, 4 an item, of which a share looks and the rest guesses."""
    rng = np.random.default_rng(1)
    rater = np.argsort(rng.random((items, workers)), axis=1)[:, :4].ravel()
    right = (rng.random(len(rater)) < quality) | (rng.random(len(rater)) < 0.5)
    return np.repeat(np.arange(items), 4), rater, right


@pytest.mark.parametrize("quality", [0.3, 0.7, 1.0])
def test_a_planted_share_comes_out(quality: float) -> None:
    found = quality_by_known_answers(*voted(quality))
    assert found.value == pytest.approx(quality, abs=0.02)
    assert found.low <= quality <= found.high
    assert found.n == 16_000


def test_agreement_tells_the_least_and_all_of_it_where_people_agree() -> None:
    item, _, right = voted(0.7)
    assert least_quality_by_agreement(np.bincount(item, right), np.bincount(item)) == pytest.approx(
        0.7, abs=0.02
    )
    split = np.random.default_rng(0).binomial(4, 0.5, 4000)
    assert least_quality_by_agreement(split, np.full(4000, 4)) < 0.15
    assert np.isnan(least_quality_by_agreement([1, 0], [1, 1]))


@given(st.integers(2, 8), st.integers(2, 6), st.integers(0, 99))
def test_an_interval_holds_its_estimate(items: int, raters: int, seed: int) -> None:
    right = np.random.default_rng(seed).random(items * raters) < 0.8
    found = quality_by_known_answers(
        np.repeat(np.arange(items), raters), np.tile(np.arange(raters), items), right
    )
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_an_undefined_result_has_its_reason() -> None:
    assert quality_by_known_answers([0, 0], [0, 1], [1, 1]).reason == "fewer than 2 items have a known answer"
    with pytest.raises(InputError, match="must be equally long, got 1, 2 and 1"):
        quality_by_known_answers([0], [0, 1], [1])
