"""Intervals of each rater's noise: Grubbs' closed form, coverage, and where nothing is known."""

import numpy as np
import pytest
from scipy import stats

from analysis.screening.subject_model import noise_intervals


def study(seed: int, items: int, raters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Items (n, w), raters (n, w), scores (n, w) and everyone's noise (w,)."""
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0.5, 1.1, raters)
    item, rater = np.indices((items, raters))
    score = (
        rng.normal(3, 1, items)[:, None] + rng.normal(0, 0.4, raters) + noise * rng.normal(size=item.shape)
    )
    return item, rater, score, noise


def test_of_equally_noisy_raters_the_pooled_interval_lies_around_grubbs_estimate() -> None:
    """Complete tables: (SS_j / (n - 1) - mean / w) / (1 - 2 / w), mean = all SS / ((n - 1) (w - 1))."""
    item, rater, score, _ = study(1, 50, 6)
    low, high = noise_intervals(item.ravel(), rater.ravel(), score.ravel(), 6, 0.95)
    around = score - score.mean(axis=1, keepdims=True)
    squares = ((around - around.mean(axis=0)) ** 2).sum(axis=0)
    mean = squares.sum() / (49 * 5)
    grubbs = (squares / 49 - mean / 6) / (1 - 2 / 6)
    for estimate, below, above in zip(grubbs, low, high, strict=True):
        degrees = np.linspace(5, 60, 20_000)
        ratio = np.sqrt(stats.chi2.ppf(0.975, degrees) / stats.chi2.ppf(0.025, degrees))
        own = degrees[np.argmin(np.abs(ratio - above / below))]
        assert below**2 * stats.chi2.ppf(0.975, own) / own == pytest.approx(estimate, rel=1e-3)
        assert own < 49


def test_they_cover_with_few_raters() -> None:
    inside = []
    for seed in range(150):
        item, rater, score, noise = study(seed, 40, 4)
        low, high = noise_intervals(item.ravel(), rater.ravel(), score.ravel(), 4, 0.95)
        inside += ((low <= noise) & (noise <= high)).tolist()
    assert 0.92 <= np.mean(inside) <= 0.98


def test_two_raters_cannot_be_told_apart_and_one_rating_tells_nothing() -> None:
    item, rater, score, _ = study(2, 30, 2)
    assert np.isnan(noise_intervals(item.ravel(), rater.ravel(), score.ravel(), 2, 0.95)).all()
    item, rater, score, _ = study(3, 30, 4)
    kept = (rater != 3) | (item == 0)
    low, high = noise_intervals(item[kept], rater[kept], score[kept], 4, 0.95)
    assert np.isnan(low).tolist() == [False, False, False, True]
    assert np.isnan(high[3])
    assert np.isnan(noise_intervals(item[:0, 0], rater[:0, 0], score[:0, 0], 0, 0.95)).all()
