"""Raters picked by a number: ties in the order given, unknown numbers never picked."""

import numpy as np

from analysis.screening.observer_rejection import above, below, change, lowest


def test_the_lowest_come_first_and_ties_stay_in_order():
    assert lowest([3, 1, 2, 1, np.nan], 3).tolist() == [1, 3, 2]
    assert lowest([np.nan, 5], 2).tolist() == [1]
    assert lowest([], 2).tolist() == []


def test_a_limit_itself_is_neither_below_nor_above():
    assert below([0.1, 0.2, 0.3, np.nan], 0.2).tolist() == [0]
    assert above([0.1, 0.2, 0.3, np.nan], 0.2).tolist() == [2]


def test_a_change_of_an_undefined_figure_is_undefined():
    assert change(0.5, 0.25) == -0.25
    assert np.isnan(change(np.nan, 0.25))
