"""The matrix of raters: one cell per pair, numbers where there is room."""

import numpy as np

from analysis.agreement.rater_pairs import rater_pairs
from analysis.values.ratings import Ratings
from charts.agreement.rater_pairs import rater_matrix
from features.plotting.theme import Look


def test_cells_hold_the_correlation_and_the_diagonal_nothing() -> None:
    item, rater = (part.ravel() for part in np.indices((12, 3)))
    score = np.where(rater == 2, 5.0 - item, item)
    figure = rater_matrix(rater_pairs(Ratings(item, rater, score)), ["Ann", "Bob", "Cy"], Look())
    heat, numbers = figure["data"]
    assert heat["z"][0][0] is None
    np.testing.assert_allclose([heat["z"][0][1], heat["z"][0][2]], [1.0, -1.0])
    assert len(numbers["text"]) == 6
    assert heat["hovertext"][0][1] == "Ann and Bob<br>r = 1.000, equal values 100.0 %, 12 items"
