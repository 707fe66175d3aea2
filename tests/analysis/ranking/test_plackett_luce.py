"""Plackett-Luce strengths by closed forms, a maximizer of the likelihood, and planted strengths."""

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from analysis.systems.rankings import plackett_luce
from analysis.values.estimate import InputError


def log_likelihood(strength: np.ndarray, rankings: list[list[int]]) -> float:
    total = 0.0
    for order in rankings:
        for at in range(len(order) - 1):
            total += strength[order[at]] - np.log(np.exp(strength[order[at:]]).sum())
    return total


def draw_rankings(strength: np.ndarray, number: int, seed: int, size: int) -> list[list[int]]:
    """Draw partial rankings by the model: the order of strengths with Gumbel noise."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(number):
        items = rng.choice(strength.size, size, replace=False)
        noisy = strength[items] + rng.gumbel(size=size)
        drawn.append(items[np.argsort(-noisy)].tolist())
    return drawn


def test_of_pairs_the_odds_are_those_of_the_wins() -> None:
    strength = plackett_luce([["a", "b"]] * 3 + [["b", "a"]])
    assert strength["a"] - strength["b"] == pytest.approx(np.log(3))
    assert sum(strength.values()) == pytest.approx(0)


@pytest.mark.parametrize("size", [5, 3], ids=["complete", "partial"])
def test_no_other_strengths_are_more_likely(size: int) -> None:
    rankings = draw_rankings(np.array([1.0, 0.5, 0.0, -0.5, -1.0]), 40, 3, size)
    found = plackett_luce(rankings)
    fitted = np.array([found[item] for item in range(5)])
    best = minimize(
        lambda s: -log_likelihood(s, rankings), np.zeros(5), method="BFGS", options={"gtol": 1e-8}
    ).x
    assert fitted == pytest.approx(best - best.mean(), abs=1e-5)


@pytest.mark.parametrize("size", [6, 3, 2], ids=["complete", "partial", "pairs"])
def test_strengths_are_those_of_choix(size: int) -> None:
    rankings = draw_rankings(np.array([1.2, 0.6, 0.1, 0.0, -0.4, -1.5]), 150, 11, size)
    found = plackett_luce(rankings)
    expected = choix.ilsr_rankings(6, rankings, tol=1e-12)
    assert [found[item] for item in range(6)] == pytest.approx(expected - expected.mean(), abs=1e-6)


def test_planted_strengths_come_back() -> None:
    planted = np.array([0.8, 0.3, -0.2, -0.9])
    found = plackett_luce(draw_rankings(planted, 4000, 7, 3))
    assert [found[item] for item in range(4)] == pytest.approx(planted, abs=0.12)


def test_an_item_above_all_others_has_no_finite_strength() -> None:
    with pytest.raises(InputError, match="not finite"):
        plackett_luce([["a", "b", "c"], ["a", "c", "b"]])
    with pytest.raises(InputError, match="not finite"):
        plackett_luce([["a", "b"], ["b", "a"], ["c", "d"], ["d", "c"]])


def test_rankings_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        plackett_luce([["a", "a"]])
    with pytest.raises(InputError, match="at least one"):
        plackett_luce([["a"], []])
