"""Leaps along EM: where they land, and that EM ends where its plain steps do, in fewer of them."""

import numpy as np
import pytest

from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad
from analysis.workers.dawid_skene import DawidSkeneSpec
from analysis.workers.glad import LONGEST_EXTRAPOLATION, GladSpec, squarem_step

ONCE, OF_ONE_DRAW = np.ones(2), np.zeros(2, dtype=np.int64)
FITS = ((glad.fit_votes, GladSpec), (dawid_skene.fit_votes, DawidSkeneSpec))


def test_a_leap_along_a_line_lands_on_the_limit():
    limit, share = np.array([[2.0], [-1.0]]), 0.9
    points = [[limit * (1 - share**step)] for step in range(3)]
    np.testing.assert_allclose(squarem_step(*points, [ONCE], [OF_ONE_DRAW])[0], limit)


def test_a_climb_at_rest_stays():
    here = [np.ones((2, 1))]
    np.testing.assert_array_equal(squarem_step(here, here, here, [ONCE], [OF_ONE_DRAW])[0], here[0])


def test_steps_that_do_not_shrink_leap_no_further_than_the_longest():
    points = [[np.full((1, 1), float(step))] for step in range(3)]
    points[2][0] += 1e-9
    assert 2 < squarem_step(*points, [ONCE[:1]], [OF_ONE_DRAW[:1]])[0].item() < 2 * LONGEST_EXTRAPOLATION + 1


def test_what_a_draw_does_not_hold_has_no_say():
    points = [[np.array([[1 - 0.5**step], [5.0 * step**3]])] for step in range(3)]
    held = squarem_step(*points, [np.array([1.0, 0.0])], [OF_ONE_DRAW])[0]
    assert held[0, 0] == pytest.approx(1)


def test_each_draw_leaps_by_itself():
    limits, shares = np.array([[1.0], [4.0]]), np.array([[0.5], [0.9]])
    points = [[limits * (1 - shares**step)] for step in range(3)]
    np.testing.assert_allclose(squarem_step(*points, [ONCE], [np.array([0, 1])])[0], limits)


def of_weak_raters(items=400, raters=20):
    """Two votes an item by raters who are hardly better than a coin, where EM climbs slowly."""
    rng = np.random.default_rng(0)
    truth, ability = rng.integers(0, 2, items), rng.normal(0.3, 1, raters)
    item, rater = np.repeat(np.arange(items), 2), rng.integers(0, raters, 2 * items)
    right = rng.random(2 * items) < 1 / (1 + np.exp(-2 * ability[rater]))
    return Votes(item, rater, np.where(right, truth[item], 1 - truth[item]), items, raters, 2)


@pytest.mark.parametrize(("fit", "spec"), FITS)
def test_leaps_end_at_the_maximum_of_plain_steps_in_fewer(fit, spec):
    votes = of_weak_raters()
    ended, plain = fit(votes), fit(votes, spec(1500, -np.inf))
    rising = np.diff(plain.log_likelihood)
    of_plain = int(np.argmax(rising < 1e-8 * len(votes)))
    assert ended.converged
    assert ended.iterations < of_plain
    assert ended.log_likelihood[-1] == pytest.approx(plain.log_likelihood[-1], abs=0.01)
    assert (np.diff(ended.log_likelihood) >= -1e-9).all()
    assert (ended.label == plain.label).mean() > 0.995


@pytest.mark.parametrize("options", [2, 3])
@pytest.mark.parametrize(("fit", "spec"), FITS)
def test_one_vote_an_item_comes_to_rest_at_once(fit, spec, options):
    rng = np.random.default_rng(options)
    votes = Votes(
        np.arange(2000), rng.integers(0, 50, 2000), rng.integers(0, options, 2000), 2000, 50, options
    )
    found = fit(votes)
    assert found.converged
    assert found.iterations < 100


@pytest.mark.parametrize("model", [glad, dawid_skene])
def test_a_draw_without_a_vote_comes_to_rest_at_once(model, monkeypatch):
    """With one vote per item, drawn items and raters may share no vote: nothing can rise then."""
    votes = Votes(np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 4, 2, 2)
    steps, step = [], model._e_step
    monkeypatch.setattr(model, "_e_step", lambda *given: steps.append(1) or step(*given))
    first_rater, items_of_the_second = np.array([[2.0, 0.0]]), np.array([[0.0, 0.0, 2.0, 2.0]])
    model.bootstrap_posteriors(votes, first_rater, items_of_the_second)
    assert len(steps) < 20
