"""Items and raters as one measure's ratings describe them."""

import numpy as np

from analysis.assessors.consistency import Assessments


def test_the_sole_rater_of_an_item_is_who_alone_judged_it() -> None:
    item, rater = np.array([0, 0, 1, 1, 3]), np.array([2, 2, 0, 1, 1])
    n = len(item)
    codes = {name: np.full(n, -1) for name in ("system", "topic", "condition", "split", "text")}
    numbers = {name: np.zeros(n) for name in ("score", "order", "seconds")}
    judged = Assessments("focus", item, rater, **numbers, **codes)
    assert judged.sole_raters(5).tolist() == [2, -1, -1, 1, -1]
