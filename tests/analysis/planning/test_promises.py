"""Promises of further ratings, comparisons and votes: laws, and which differences a goal is on."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.items.rating_spread import rating_spread
from analysis.planning.collection import STRATEGIES
from analysis.planning.promises import (
    Asked,
    RatingsSource,
    own_repeats,
    pair_of,
    ratings_of,
    root_mean_square,
)
from analysis.planning.promises_of_choices import points_of, unused_names
from analysis.values.ratings import Ratings

ITEMS, RATERS = 12, 6
ASKED = Asked(24, cap=24, new=10)


def source() -> RatingsSource:
    """Return ratings of each item by six raters, enough for a separate variance, with the goal on the widest item."""
    rng = np.random.default_rng(2)
    item, rater = (each.ravel() for each in np.indices((ITEMS, RATERS)))
    rated = Ratings(item, rater, rng.normal(item % 4, 0.7))
    found = ratings_of(
        rated, rating_spread(rated), np.arange(ITEMS).astype(str), np.arange(RATERS).astype(str)
    )
    return replace(found, goal=found.means.goal, now=float(found.means.current_half_widths.max()))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_more_ratings_promise_a_narrower_interval(strategy) -> None:
    found = source()
    plan = found.collect(replace(ASKED, strategy=strategy))
    nothing, every = (found.promise(plan.first(n)) for n in (0, len(plan)))
    assert nothing.value == found.now
    assert every.low < every.value < every.high
    assert every.value < found.now
    (before, some), (_, all_) = found.each(plan.first(12)), found.each(plan)
    few, many = (np.bincount(each.item, minlength=ITEMS) for each in (plan.first(12), plan))
    more = (few > 0) & (many > few)
    assert more.any()
    assert (all_[more] < some[more]).all()
    np.testing.assert_array_equal(some[few == 0], before[few == 0])


def test_ratings_that_would_pass_the_scale_promise_nothing() -> None:
    found = source()
    plan = found.collect(ASKED)
    promise = replace(found, widest=0.0).promise(plan)
    assert np.isnan(promise.value)
    assert "wider than the scale" in promise.reason


def test_a_goal_is_on_the_named_pair_or_on_the_first_two() -> None:
    systems = np.array(["a", "b", "c"])
    assert np.argwhere(pair_of(systems, ("a", "c"))).tolist() == [[0, 2], [2, 0]]
    assert np.argwhere(pair_of(systems, ())).tolist() == [[0, 1], [1, 0]]
    assert not pair_of(systems, ("a", "nobody")).any()


def test_half_widths_are_averaged_as_squares_over_the_pairs_that_have_one() -> None:
    halves, pairs = np.array([[np.nan, 3.0], [4.0, np.nan]]), np.ones((2, 2))
    assert root_mean_square(halves, pairs) == pytest.approx(np.sqrt(12.5))
    assert np.isnan(root_mean_square(halves, np.zeros((2, 2))))


def test_repeats_are_counted_by_unit() -> None:
    found = own_repeats(np.array([7, 7, 9]), np.array([1.0, 3.0, 2.0]), np.array([0, 1]))
    assert found.counts.tolist() == [2, 1]
    assert found.totals.tolist() == pytest.approx([0, 0])
    assert found.squares.tolist() == pytest.approx([2, 0])


def test_a_half_width_of_strength_is_written_as_points_of_the_chance_to_win() -> None:
    assert points_of(np.log(3)) == pytest.approx(25)  # odds of 3 to 1: 75 of 100


def test_names_of_new_raters_and_items_are_not_taken() -> None:
    assert unused_names("new rater", ["new rater 9", "new raters", "a"], 2) == [
        "new rater 10",
        "new rater 11",
    ]
