"""Scores laid out one row per item, read in any order as running values whose ties are exact."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.aggregation import BY_ITEM, Aggregation, running_steps, running_values
from analysis.repetitions.rating_orders import Layout
from analysis.values.ratings import Ratings
from analysis.values.whole_numbers import tie_exact, whole_steps


class ScoreTable:
    """The scores and raters of a layout, cell by cell.

    Source: the matrix of judgments of Iskender et al. 2020, section 4.2, step 1.
    """

    def __init__(self, ratings: Ratings, layout: Layout) -> None:
        filled = layout.position >= 0
        self.rater = layout.rater
        self.raters = layout.raters
        self.scores: NDArray[np.float64] = np.zeros(layout.position.shape)
        self.scores[filled] = ratings.score[layout.position[filled]]
        self.steps: NDArray[np.int64] | None = None
        steps = whole_steps(ratings.score)
        if steps is not None:
            self.steps = np.zeros(layout.position.shape, dtype=np.int64)
            self.steps[filled] = steps[layout.position[filled]]
            self.top = int(steps.max(initial=0))

    def values(
        self, aggregation: Aggregation, cell: NDArray[np.intp], given: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The items' values after 1 … m ratings in the given orders, as whole numbers.

        Source: Iskender et al. 2020, section 4.2, step 2 (mean); the others as `analysis.repetitions.aggregation`.
        """
        if self.steps is not None and aggregation in BY_ITEM:
            return running_steps(aggregation, self.steps.ravel().take(cell), self.top)
        rater = self.rater.ravel().take(cell)
        values = running_values(aggregation, self.scores.ravel().take(cell), rater, self.raters, given)
        exact = tie_exact(np.where(given[:, None, :], values, values[:1]))
        return exact, np.full(len(exact), int(exact.max(initial=0)))
