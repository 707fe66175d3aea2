"""Votes in draws: every vote whose rater and item were drawn, and nothing else."""

import numpy as np
import pytest

from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad
from analysis.workers.polls import sample_votes


def some_votes(items=30, raters=9, options=3, votes=150):
    rng = np.random.default_rng(0)
    codes = (rng.integers(0, many, votes) for many in (items, raters, options))
    return Votes(*codes, items, raters, options)


def draws_of(votes, draws, seed=1):
    rng = np.random.default_rng(seed)
    return tuple(
        rng.multinomial(many, np.full(many, 1 / many), draws).astype(np.float64)
        for many in (votes.raters, votes.items)
    )


def as_rows(held, votes):
    """(draw, item, rater, choice, times the item, times the rater) of every vote, sorted."""
    items, raters = held.items, held.raters
    draw = held.number[items.draw[held.item]]
    np.testing.assert_array_equal(draw, held.number[raters.draw[held.rater]])
    np.testing.assert_array_equal(draw, items.index[held.item] // votes.items)
    of_item, of_rater = items.index[held.item] % votes.items, raters.index[held.rater] % votes.raters
    often = items.multiplicity[held.item], raters.multiplicity[held.rater]
    return sorted(zip(draw, of_item, of_rater, held.choice, *often, strict=True))


def expected_rows(votes, raters, items, draws):
    return sorted(
        (draw, item, rater, choice, items[draw, item], raters[draw, rater])
        for draw in draws
        for item, rater, choice in zip(votes.item, votes.rater, votes.choice, strict=True)
        if items[draw, item] and raters[draw, rater]
    )


def test_each_draw_holds_the_votes_whose_rater_and_item_it_holds():
    votes = some_votes()
    raters, items = draws_of(votes, 7)
    held = sample_votes(votes, raters, items)
    assert as_rows(held, votes) == expected_rows(votes, raters, items, range(7))
    assert (np.diff(held.item) >= 0).all()
    kept = np.array([0, 1, 1, 0, 0, 1, 0], dtype=np.bool_)
    assert as_rows(held.select_draws(kept), votes) == expected_rows(votes, raters, items, (1, 2, 5))


def test_a_draw_without_a_vote_is_not_among_them():
    votes = Votes(np.array([0, 1]), np.array([0, 1]), np.array([0, 0]), 2, 2, 1)
    raters, items = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 2.0], [1.0, 1.0]])
    held = sample_votes(votes, raters, items)
    assert held.number.tolist() == [1]
    assert as_rows(held, votes) == expected_rows(votes, raters, items, (1,))


def test_sums_by_draw_count_items_as_often_as_they_were_drawn():
    votes = some_votes()
    raters, items = draws_of(votes, 5)
    held = sample_votes(votes, raters, items)
    there = np.zeros(items.shape, dtype=np.bool_)
    there.ravel()[held.items.index] = True
    np.testing.assert_array_equal(held.sum_by_draw(np.ones(len(held.items))), (items * there).sum(axis=1))


@pytest.mark.parametrize("model", [dawid_skene, glad])
def test_a_draw_among_others_is_the_draw_alone(model):
    """Draws come to rest after one another, and those that did are taken out of hand."""
    votes = some_votes(votes=200)
    raters, items = draws_of(votes, 40)
    block = model.bootstrap_posteriors(votes, raters, items)
    for draw in range(40):
        alone = model.bootstrap_posteriors(votes, raters[draw : draw + 1], items[draw : draw + 1])
        np.testing.assert_allclose(block[draw], alone[0], atol=1e-9)


@pytest.mark.parametrize("model", [dawid_skene, glad])
def test_an_item_is_unknown_to_draws_that_hold_no_vote_on_it(model):
    votes = some_votes()
    raters, items = draws_of(votes, 20)
    judged = np.zeros((20, votes.items), dtype=np.bool_)
    for draw, item, *_ in expected_rows(votes, raters, items, range(20)):
        judged[draw, item] = True
    found = model.bootstrap_posteriors(votes, raters, items)
    assert 0 < judged.mean() < 1
    np.testing.assert_allclose(found[judged].sum(axis=1), 1)
    assert np.isnan(found[~judged]).all()
