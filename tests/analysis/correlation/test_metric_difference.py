"""Worth of a metric's difference: the likelihood's maximum, laws of scale and sign, and what is undefined."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import ttest_rel

from analysis.correlation.metric_difference import clear_differences, preference_curve
from analysis.values.estimate import InputError


def scores(seed: int, systems: int = 14, noise: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.normal(size=systems)
    return human, human + noise * rng.normal(size=systems)


@pytest.mark.parametrize("seed", range(4))
def test_the_rate_is_that_of_most_likelihood(seed: int) -> None:
    human, metric = scores(seed)
    found = preference_curve(human, metric)
    apart = [
        (abs(metric[i] - metric[j]), (human[i] - human[j]) * (metric[i] - metric[j]) > 0)
        for i in range(len(human))
        for j in range(i)
    ]

    def unlikely(k: float) -> float:
        return -sum(log(1 - np.exp(-k * x) / 2) if agrees else log(np.exp(-k * x) / 2) for x, agrees in apart)

    best = minimize_scalar(unlikely, bounds=(1e-6, 30), method="bounded", options={"xatol": 1e-10}).x
    assert found.rate == pytest.approx(best, rel=1e-5)
    assert found.needed[0.8].value == pytest.approx(log(2.5) / best, rel=1e-5)
    assert found.pairs == len(apart)


@given(seed=st.integers(0, 500), factor=st.floats(0.01, 100), shift=st.floats(-50, 50))
def test_scale_shift_and_sign_of_the_metric_do_not_matter(seed: int, factor: float, shift: float) -> None:
    human, metric = scores(seed)
    first, second = preference_curve(human, metric), preference_curve(human, shift - factor * metric)
    assert second.sign_reversed != first.sign_reversed
    assert second.rate == pytest.approx(first.rate / factor, rel=1e-6)
    for chance, needed in first.needed.items():
        other = second.needed[chance]
        assert (other.low, other.high) == pytest.approx(
            (needed.low * factor, needed.high * factor), nan_ok=True
        )


def test_steps_rise_and_the_band_holds_the_curve() -> None:
    found = preference_curve(*scores(3))
    assert (np.diff(found.steps) >= 0).all()
    assert ((found.low <= found.chance) & (found.chance <= found.high)).all()
    assert found.chance[0] == found.low[0] == found.high[0] == 0.5
    assert found.chance_at(float(found.at[-1])) == pytest.approx(found.chance[-1])
    assert np.isnan(found.chance_at(2 * float(found.at[-1])))


def test_a_metric_against_people_s_order_is_worth_nothing() -> None:
    rng = np.random.default_rng(0)
    found = preference_curve(np.arange(12.0), rng.permutation(12))
    assert not found.needed[0.95].defined
    assert found.needed[0.95].reason


def test_clear_preference_needs_a_larger_difference() -> None:
    rng = np.random.default_rng(5)
    quality = rng.normal(size=16)
    people = quality[:, None] + rng.normal(0, 2, (16, 40))
    metric = quality + 0.5 * rng.normal(size=16)
    clear = clear_differences(people)
    for i, j in ((0, 1), (3, 9), (14, 15)):
        assert clear[i, j] == (ttest_rel(people[i], people[j]).pvalue < 0.05)
    any_preference, clearly = (
        preference_curve(people.mean(axis=1), metric),
        preference_curve(people.mean(axis=1), metric, clear),
    )
    assert clearly.needed[0.8].value > any_preference.needed[0.8].value


def test_ties_of_people_are_left_out_and_counted() -> None:
    human, metric = scores(1)
    human[3] = human[7]
    found = preference_curve(human, metric)
    assert (found.tied, found.pairs) == (1, 14 * 13 // 2 - 1)


@pytest.mark.parametrize(
    ("human", "metric", "reason"),
    [(np.arange(7.0), np.arange(7.0), "fewer than 8"), (np.arange(9.0), np.ones(9), "same for all")],
)
def test_undefined_curves_have_a_reason(human: np.ndarray, metric: np.ndarray, reason: str) -> None:
    found = preference_curve(human, metric)
    assert reason in found.reason
    assert not any(one.defined for one in found.needed.values())


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(InputError):
        preference_curve(np.arange(9.0), np.arange(8.0))
    with pytest.raises(InputError):
        preference_curve(np.arange(9.0), np.arange(9.0), np.zeros((8, 9)))
