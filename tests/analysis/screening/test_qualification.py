"""Qualification as in the paper, by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.screening.rating_behavior import PASS_MARK, qualify
from analysis.values.estimate import InputError

EXPERTS = [5, 5, 1, 1] * 2  # two very good and two very bad summaries, two questions each


def test_the_papers_points_are_four_less_one_for_each_point_of_deviation():
    # Iskender et al. 2020, section 3.2: 32 points at most, and 0.625 of them, 20, pass
    passes = [5, 4, 2, 3, 3, 4, 3, 3]  # off by 0 1 1 2 2 1 2 2, 11 in all: 21 points
    at_the_mark = [5, 4, 2, 3, 3, 3, 3, 3]  # 12 off: 20 points
    fails = [5, 4, 2, 3, 3, 3, 3, 4]  # 13 off: 19 points
    found = qualify(
        np.repeat(["a", "b", "c"], 8), np.concatenate([passes, at_the_mark, fails]), EXPERTS * 3, span=4
    )
    assert (32 * found.points).tolist() == [21, 20, 19]
    assert found.failed.tolist() == [False, False, True]
    assert PASS_MARK == 20 / 32


def test_other_scales_have_as_many_points_as_they_are_wide():
    found = qualify(["a"] * 3, [100, 50, 0], [100, 100, 100], span=100)
    assert found.points.tolist() == [0.5]


def test_raters_with_few_known_ratings_are_not_judged():
    unknown = float("nan")
    found = qualify(["a", "a", "b", "c"], [1, 1, 1, 1], [5, 5, 5, unknown], span=4, fewest=2)
    assert found.ratings.tolist() == [2, 1, 0]
    assert found.judged.tolist() == [True, False, False]
    assert found.failed.tolist() == [True, False, False]
    assert np.isnan(found.points[2])
    with pytest.raises(InputError, match="`span` must be above 0"):
        qualify(["a"], [1], [1], span=0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 7), st.integers(1, 7)), min_size=1))
def test_points_do_not_depend_on_the_direction_or_unit_of_the_scale(rows):
    rater, score, expected = (np.array(column) for column in zip(*rows, strict=True))
    found = qualify(rater, score, expected, span=6)
    turned = qualify(rater, 10 * (8 - score), 10 * (8 - expected), span=60)
    assert found.points == pytest.approx(turned.points)
    assert ((found.points >= 0) & (found.points <= 1)).all()
