"""Agreement with the others from sums is the agreement from the ratings, whatever repeats or is flat."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from analysis.assessors.consistency import agreement_with_others
from analysis.assessors.system_model import RaterSums, agreement_from_sums
from analysis.assessors.typical_rater import correlation_changes, variance_ratio
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings


def sums_by_hand(table: pd.DataFrame) -> tuple[RaterSums, pd.DataFrame]:
    """Rater by rater and item by item, as it is defined."""
    table = table.assign(score=table["score"] - table["score"].mean())
    rows = []
    for rater, mine in table.groupby("rater"):
        own, others, change = [], [], np.zeros(4)
        for item, given in mine.groupby("item"):
            everyone = table.loc[table["item"] == item, "score"]
            rest = table.loc[(table["item"] == item) & (table["rater"] != rater), "score"]
            change += of_unit(rest) - of_unit(everyone)
            if len(rest):
                own.append(given["score"].mean())
                others.append(rest.mean())
        x, y = (np.array(side) - np.mean(side) if side else np.empty(0) for side in (own, others))
        rows.append([rater, len(mine), len(own), x @ x, y @ y, x @ y, *change])
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    of_items = table.groupby("item")["score"].agg(["count", "sum", lambda x: (x**2).sum()])
    return RaterSums(*columns), of_items


def of_unit(scores: pd.Series) -> np.ndarray:
    n = len(scores)
    if n < 2:
        return np.zeros(4)
    return np.array([n, scores.sum(), (scores**2).sum(), n / (n - 1) * ((scores - scores.mean()) ** 2).sum()])


@pytest.mark.parametrize("seed", range(2))
def test_sums_say_what_the_ratings_say(seed):
    rng = np.random.default_rng(seed)
    n = 300
    item = rng.integers(0, 40, n)
    rater = rng.integers(0, 12, n)
    score = np.rint(3 + item / 20 + rng.normal(0, 1, n))
    score[rater == 11] = 3.0
    item[rater == 10] = 40 + np.arange((rater == 10).sum())
    table = pd.DataFrame({"item": item, "rater": rater, "score": score})
    sums, of_items = sums_by_hand(table)
    ratings = Ratings(item, rater, score)
    widening = variance_ratio(correlation_changes(ratings))
    columns = (of_items[column].to_numpy() for column in of_items)
    found = agreement_from_sums(sums, *columns, BootstrapSpec(10), widening)
    expected = agreement_with_others(ratings, BootstrapSpec(10))
    assert found.reasons == expected.reasons
    assert np.isnan(found.correlation).sum() >= 2
    for name in ("raters", "correlation", "low", "high", "items", "alpha_without"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, err_msg=name)
    for name in ("value", "low", "high", "n"):
        assert_allclose(getattr(found.alpha_all, name), getattr(expected.alpha_all, name), rtol=1e-9)


def test_without_the_one_who_differs_no_alpha_is_reported():
    table = pd.DataFrame({"item": [1, 1, 1, 2, 2, 2], "rater": list("abc") * 2, "score": [1, 1, 5, 1, 1, 2]})
    sums, of_items = sums_by_hand(table)
    found = agreement_from_sums(sums, *(of_items[column].to_numpy() for column in of_items))
    assert np.isnan(found.alpha_without).tolist() == [False, False, True]
