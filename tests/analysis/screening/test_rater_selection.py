"""Raters picked by a number: ties in the order given, unknown numbers never picked."""

import numpy as np

from analysis.screening.observer_rejection import exclusion_gain, indices_above, indices_below, lowest_indices


def test_the_lowest_come_first_and_ties_stay_in_order():
    assert lowest_indices([3, 1, 2, 1, np.nan], 3).tolist() == [1, 3, 2]
    assert lowest_indices([np.nan, 5], 2).tolist() == [1]
    assert lowest_indices([], 2).tolist() == []


def test_a_limit_itself_is_neither_below_nor_above():
    assert indices_below([0.1, 0.2, 0.3, np.nan], 0.2).tolist() == [0]
    assert indices_above([0.1, 0.2, 0.3, np.nan], 0.2).tolist() == [2]


def test_a_change_of_an_undefined_figure_is_undefined():
    assert exclusion_gain(0.5, 0.25) == -0.25
    assert np.isnan(exclusion_gain(np.nan, 0.25))
