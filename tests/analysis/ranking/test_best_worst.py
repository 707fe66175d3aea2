"""Counting scores of best-worst choices, their intervals, and split-half reliability."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from analysis.systems.rank_agreement import HALVES, best_worst_scores
from analysis.systems.ranked_options import RankedOptions, ranked_options
from analysis.values.estimate import InputError


def choices(tuples: int, raters: int, items: int, seed: int, noise: float = 1.0) -> RankedOptions:
    rng = np.random.default_rng(seed)
    quality, rows = np.linspace(1, -1, items), []
    for task in range(tuples):
        some = rng.choice(items, 4, replace=False)
        for rater in range(raters):
            order = some[np.argsort(-(quality[some] + noise * rng.gumbel(size=4)))]
            ranks = {order[0]: 1, order[-1]: 3}
            rows += [(task, rater, one, ranks.get(one, 2)) for one in some]
    return ranked_options(*np.array(rows).T)


def test_scores_count_best_and_worst() -> None:
    rows = [(0, 0, item, rank) for item, rank in zip("abcd", (1, 2, 2, 3), strict=True)]
    rows += [(1, 0, item, rank) for item, rank in zip("abce", (1, 3, 2, 2), strict=True)]
    found = best_worst_scores(ranked_options(*zip(*rows, strict=True)))
    assert found.score.tolist() == [1.0, -0.5, 0.0, -1.0, 0.0]
    assert found.shown.tolist() == [2, 2, 2, 1, 1]
    assert (found.best.sum(), found.worst.sum()) == (2, 2)


def test_intervals_are_wilsons_with_the_variance_of_the_choices() -> None:
    found = best_worst_scores(choices(60, 1, 10, 1), raters_are_persons=False)
    at = 4
    share, many = (found.score[at] + 1) / 2, found.shown[at] / found.inflation[at]
    low, high = proportion_confint(share * many, many, method="wilson")
    assert (found.low[at], found.high[at]) == (pytest.approx(2 * low - 1), pytest.approx(2 * high - 1))
    assert 0.2 < found.inflation.min() < 1  # most choices are neither best nor worst
    assert (found.low >= -1).all()
    assert (found.high <= 1).all()


def test_raters_of_a_tuple_who_agree_count_less() -> None:
    alone = best_worst_scores(choices(40, 1, 8, 2), raters_are_persons=False)
    copied = choices(40, 1, 8, 2)
    parts = [np.tile(part, 3) for part in (copied.task, copied.option, copied.rank)]
    rater = np.repeat([0, 1, 2], len(copied))
    again = best_worst_scores(ranked_options(parts[0], rater, parts[1], parts[2]), raters_are_persons=False)
    assert again.inflation == pytest.approx(3 * alone.inflation)
    assert again.high == pytest.approx(alone.high)


def test_halves_of_clear_choices_correlate_and_those_of_chance_do_not() -> None:
    clear = best_worst_scores(choices(80, 2, 10, 3, noise=0.1))
    chance = best_worst_scores(choices(80, 2, 10, 3, noise=50.0))
    assert len(clear.halves) == HALVES
    assert clear.reliability > 0.9 > 0.5 > chance.reliability
    assert best_worst_scores(choices(80, 2, 10, 3, noise=0.1)).reliability == clear.reliability


def test_too_few_tuples_have_no_halves_and_rankings_are_refused() -> None:
    found = best_worst_scores(choices(1, 3, 4, 4))
    assert np.isnan(found.reliability)
    assert found.reason
    with pytest.raises(InputError, match="best-worst"):
        best_worst_scores(ranked_options([0, 0, 0], [0, 0, 0], list("abc"), [1, 2, 3]))
