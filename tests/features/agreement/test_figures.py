"""The matrix of rater pairs: a diverging scale with its bar, and missing pairs in no color of a value."""

import numpy as np
import pytest

from analysis.agreement.kappas import rater_pairs
from analysis.values.ratings import Ratings
from features.agreement.results import sort_pairs
from features.agreement.section import pair_matrix
from features.plotting.theme import Look

NAMES = ["Ann", "Bob", "Cy", "Di"]


def drawn(dark: bool = False) -> dict:
    """Three raters of 12 items, of whom the third disagrees, and a fourth of 5 items."""
    item, rater = (part.ravel() for part in np.indices((12, 4)))
    kept = (rater < 3) | (item < 5)
    item, rater = item[kept], rater[kept]
    pairs = sort_pairs(rater_pairs(Ratings(item, rater, np.where(rater == 2, 5.0 - item, item))))
    return pair_matrix(pairs, [NAMES[at] for at in pairs.raters], Look(dark))


def test_cells_hold_the_correlation_and_the_diagonal_nothing() -> None:
    heat, _, numbers = drawn()["data"]
    assert heat["z"][0][0] is None
    np.testing.assert_allclose([heat["z"][0][1], heat["z"][0][2]], [1.0, -1.0])
    assert len(numbers["text"]) == 6
    assert heat["hovertext"][0][1] == "Ann and Bob<br>r = 1.000, equal values 100.0%, 12 shared items"


@pytest.mark.parametrize("dark", [False, True])
def test_zero_is_neither_the_ground_nor_the_color_of_missing_pairs(dark: bool) -> None:
    heat, missing, _ = drawn(dark)["data"]
    (low, _), (middle, zero), (high, _) = heat["colorscale"]
    assert (heat["zmin"], heat["zmax"], low, middle, high) == (-1, 1, 0.0, 0.5, 1.0)
    grey = missing["colorscale"][0][1]
    assert len({zero.lower(), grey.lower(), Look(dark).ground.lower()}) == 3
    assert heat["showscale"]


def test_pairs_with_too_few_shared_items_are_drawn_as_missing() -> None:
    heat, missing, _ = drawn()["data"]
    for value, is_missing in zip(np.ravel(heat["z"]), np.ravel(missing["z"]), strict=True):
        assert (value is None) == (is_missing is not None)
    assert [row[3] is None for row in heat["z"]] == [True] * 4
    assert "no r: 5 shared items" in missing["hovertext"][0][3]


def test_names_from_a_study_are_inert() -> None:
    item, rater = (part.ravel() for part in np.indices((12, 2)))
    figure = pair_matrix(rater_pairs(Ratings(item, rater, item + rater)), ["<b>a</b>", "b"], Look())
    assert "<b>" not in str(figure)
