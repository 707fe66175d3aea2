"""Figures of true scores: against analysis of variance, pairs of ratings counted out, and what was planted."""

from itertools import combinations, product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.agreement.intraclass import icc
from analysis.comparison import true_scores as true_scores_module
from analysis.comparison.comparison import ComparisonSpec, compare, compare_sums
from analysis.comparison.true_scores import (
    COLUMN,
    MANY,
    NO_INTERVAL,
    SHARED,
    CellSums,
    _estimate_variances,
    _GroupMoments,
    _leave_out_cells,
    _leave_out_items,
    estimate_true_variances,
    sum_cells,
    true_scores,
    true_variance,
)
from analysis.comparison.variance_components import summarize_pairs
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from tests.analysis.comparison import crossed_studies

QUICK = ComparisonSpec(bootstrap=BootstrapSpec(0), permutations=0)


def sides(
    seed: int = 0, items: int = 30, raters: tuple[int, int] = (9, 7), per_item: tuple[int, int] = (4, 7)
):
    design = crossed_studies.Design("", items, raters, per_item, severity=0.5)
    (x, in_x), (y, in_y) = crossed_studies.study(design, np.random.default_rng(seed))
    return crossed_studies.as_ratings(x, in_x, "a"), crossed_studies.as_ratings(y, in_y, "b")


def counted_out(ratings: Ratings) -> float:
    """The mean product of two ratings of an item by different people, over items, less the mean product of ratings of
    two different items by different people, each rating weighing as it does in its item's mean."""
    score = ratings.score - ratings.score.mean()
    rows = list(zip(ratings.item.tolist(), ratings.rater.tolist(), score.tolist(), strict=True))
    by_item = {item: [(r, s) for i, r, s in rows if i == item] for item in set(ratings.item.tolist())}
    together = [
        np.mean([s * t for (r, s), (q, t) in combinations(given_, 2) if r != q])
        for given_ in by_item.values()
    ]
    above = below = 0.0
    for one, other in combinations(by_item.values(), 2):
        for (r, s), (q, t) in product(one, other):
            if r != q:
                above += s * t / len(one) / len(other)
                below += 1 / len(one) / len(other)
    return float(np.mean(together) - above / below)


def variance_of(ratings: Ratings) -> float:
    items = np.unique(ratings.item)
    cells = sum_cells(ratings, items, persons=True)
    mean = ratings.score.mean()
    centred = CellSums(cells.item, cells.rater, cells.total - mean * cells.count, cells.count)
    return true_variance(centred, len(items))[1]


@pytest.mark.parametrize("seed", range(4))
def test_the_variance_of_true_scores_is_that_of_pairs_counted_out(seed: int) -> None:
    candidate, reference = sides(seed)
    assert variance_of(candidate) == pytest.approx(counted_out(candidate), rel=1e-9)
    assert variance_of(reference) == pytest.approx(counted_out(reference), rel=1e-9)


def test_of_complete_ratings_it_is_the_mean_covariance_of_two_raters() -> None:
    _, complete = sides()
    table = complete.score.reshape(30, 7)
    covariances = np.cov(table.T)[np.triu_indices(7, 1)]
    assert variance_of(complete) == pytest.approx(covariances.mean(), rel=1e-9)


def test_reliabilities_are_intraclass_correlations() -> None:
    candidate, reference = sides()
    crossed = true_scores(candidate, reference, np.arange(30), intervals=False)
    assert crossed.reliability_reference.value == pytest.approx(icc(reference).consistency_k.value, rel=1e-9)
    assert crossed.ceiling.value == pytest.approx(sqrt(icc(reference).consistency_k.value), rel=1e-9)
    # Each item by raters of its own: the one-way form.
    alone = Ratings(reference.item, np.arange(len(reference)), reference.score)
    slots = true_scores(candidate, reference, np.arange(30), persons=False, intervals=False)
    nested = true_scores(candidate, alone, np.arange(30), intervals=False)
    assert nested.reliability_reference.value == pytest.approx(icc(reference).one_way_k.value, rel=1e-9)
    assert slots.reliability_reference.value == pytest.approx(nested.reliability_reference.value, rel=1e-9)


def test_the_correction_is_spearmans() -> None:
    candidate, reference = sides()
    found = compare(candidate, reference, QUICK)
    both = found.true_scores.reliability_candidate.value * found.true_scores.reliability_reference.value
    assert found.true_scores.corrected.value == pytest.approx(found.pearson.value / sqrt(both), rel=1e-9)


def test_unequal_numbers_of_ratings_tilt_the_raw_slope_and_not_the_spread() -> None:
    slopes, logs = [], []
    for seed in range(40):
        found = compare(*sides(seed, 60, (24, 40), (24, 3)), QUICK)
        slopes.append(found.slope)
        logs.append(np.log(found.true_scores.spread.value))
    # Both sides have the same true SD; methods, section 1, saw -.13 with 24 against 3 ratings.
    assert np.mean(slopes) < -0.08
    assert abs(np.mean(logs)) < 2.5 * np.std(logs) / sqrt(40)


def test_a_wider_side_is_reported_with_an_interval_that_its_p_agrees_with() -> None:
    candidate, reference = sides(3, 60, (24, 24), (24, 24))
    wider = Ratings(candidate.item, candidate.rater, 3 + 1.5 * (candidate.score - 3))
    same, found = (true_scores(one, reference, np.arange(60)) for one in (candidate, wider))
    assert found.spread.value == pytest.approx(1.5 * same.spread.value)
    assert found.spread_p < 0.05
    assert found.spread.low > 1
    assert (same.spread_p < 0.05) == (not same.spread.low <= 1 <= same.spread.high)
    assert found.corrected.value == pytest.approx(same.corrected.value)


def test_where_items_do_not_differ_nothing_is_corrected_and_it_is_said_why() -> None:
    rng = np.random.default_rng(4)
    items, raters = np.repeat(np.arange(12), 6), np.tile(np.arange(6), 12)
    quality = np.repeat(rng.normal(0, 1, 12), 6)
    noise = Ratings(items, raters + 100, rng.normal(size=72))
    own = noise.score.reshape(12, 6)
    flat = Ratings(items, raters + 100, (own - own.mean(axis=1, keepdims=True)).ravel())
    told = Ratings(items, raters, quality + rng.normal(size=72))
    found = true_scores(told, flat, np.arange(12))
    assert found.reliability_reference.value < 0
    for figure in (found.ceiling, found.corrected, found.spread):
        assert not figure.defined
        assert figure.reason == "the reference's items differ no more than chance within a rating makes them"
    assert isnan(found.spread_p)
    assert found.reliability_candidate.defined


def test_a_true_variance_of_less_than_a_billionth_corrects_nothing() -> None:
    """Two raters with a covariance of 1e-10, which made corrected correlations of many thousands."""
    one, other = np.tile([1, 1, -1, -1], 5) * 0.1, np.tile([1, -1, 1, -1], 5) * 0.7
    item = np.tile(np.arange(20), 2)
    candidate = Ratings(item, np.repeat(["a", "b"], 20), np.concatenate([one, other + 1e-8 * one]))
    rng = np.random.default_rng(0)
    reference = Ratings(item, np.repeat(["c", "d"], 20), rng.normal(size=40) + item / 5)
    found = true_scores(candidate, reference, np.arange(20))
    assert not found.corrected.defined
    assert "differ no more than chance" in found.corrected.reason


def test_a_corrected_correlation_above_1_is_not_cut() -> None:
    values = [
        true_scores(*sides(seed, 20, (6, 6), (3, 3)), np.arange(20), intervals=False).corrected.value
        for seed in range(30)
    ]
    assert max(values) > 1


def test_without_two_people_per_item_or_with_shared_people_there_is_nothing() -> None:
    candidate, reference = sides()
    one = Ratings(np.arange(30), np.zeros(30), np.arange(30) % 5)
    assert "two different people" in true_scores(candidate, one, np.arange(30)).ceiling.reason
    assert true_scores(candidate, candidate, np.arange(30)).ceiling.reason == SHARED
    assert compare(candidate, {0: 1.0, 1: 2.0, 2: 4.0}, QUICK).true_scores.ceiling.reason == COLUMN
    many = compare(candidate, reference, QUICK)
    assert many.true_scores.ceiling.low != many.true_scores.ceiling.low


def test_a_side_of_no_cells_has_no_item_that_two_rated() -> None:
    nothing = np.array([], dtype=np.int64)
    side = _GroupMoments.from_cells(CellSums(nothing, nothing, nothing, nothing), 2)
    assert not side.is_paired.any()
    assert side.mean_products.tolist() == [0.0, 0.0]


def test_sums_alone_do_not_tell_it_and_with_ratings_they_tell_the_same() -> None:
    both = sides()
    assert compare_sums(*summarize_pairs(*both)).true_scores.corrected.reason == MANY
    spec = ComparisonSpec(bootstrap=BootstrapSpec(50), permutations=0)
    assert (
        compare_sums(*summarize_pairs(*both), spec, shared_ratings=both).true_scores
        == compare(*both, spec).true_scores
    )


@pytest.mark.parametrize("seed", range(3))
def test_without_items_is_what_remains_when_their_cells_go(seed: int) -> None:
    both = sides(seed, 40, (9, 7), (3, 2))
    cells = tuple(sum_cells(side, np.arange(40), True) for side in both)
    of = np.random.default_rng(seed).integers(0, 9, 40)
    assert len(np.unique(of)) == 9
    slow = [
        _estimate_variances(
            *(_GroupMoments.from_cells(side.select(of[side.item] != part), 40) for side in cells)
        )[0]
        for part in range(of.max() + 1)
    ]
    assert _leave_out_items(tuple(_GroupMoments.from_cells(side, 40) for side in cells), of) == pytest.approx(
        np.array(slow), rel=1e-9
    )


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("of_raters", [True, False])
@pytest.mark.parametrize("per_item", [(3, 2), (4, 1), (5, 6)])
def test_without_some_of_one_side_is_what_remains_of_both(
    at: int, of_raters: bool, per_item: tuple[int, int]
) -> None:
    both = sides(at, 40, (9, 7), per_item)
    cells = [sum_cells(side, np.arange(40), True) for side in both]
    side = cells[at]
    again = np.arange(len(side.item)) % 7 == 0  # some rated an item more than once
    cells[at] = side = CellSums(side.item, side.rater, side.total * (1 + again), side.count + again)
    part = side.rater if of_raters else np.random.default_rng(at).integers(0, 6, len(side.item))
    slow = []
    for one in range(part.max() + 1):
        left = [side.select(part != one) if which == at else cells[which] for which in (0, 1)]
        slow.append(_estimate_variances(*(_GroupMoments.from_cells(side, 40) for side in left))[0])
    assert _leave_out_cells(cells, 40, at, part) == pytest.approx(np.array(slow), rel=1e-9, nan_ok=True)


def test_of_many_items_raters_are_looked_at_on_some_with_intervals_of_their_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = sides(5, 400, (20, 12), (4, 6))
    whole = true_scores(*both, np.arange(400))
    monkeypatch.setattr(true_scores_module, "MOST_ITEMS", 100)
    some = true_scores(*both, np.arange(400))
    for figure in ("spread", "ceiling", "corrected", "reliability_candidate"):
        one, other = getattr(whole, figure), getattr(some, figure)
        assert other.value == one.value
        assert 0.5 < (other.high - other.low) / (one.high - one.low) < 4


def test_two_raters_leave_no_interval_and_say_so() -> None:
    found = true_scores(*sides(1, 30, (9, 2), (4, 2)), np.arange(30))
    assert found.ceiling.defined
    assert isnan(found.ceiling.low)
    assert found.ceiling.reason == NO_INTERVAL


@given(st.integers(0, 50))
def test_laws(seed: int) -> None:
    candidate, reference = sides(seed, 14, (6, 5), (3, 5))
    items = np.arange(14)
    found = true_scores(candidate, reference, items)
    for figure in (found.spread, found.ceiling, found.corrected, found.reliability_candidate):
        assert _holds(figure)
    order = np.random.default_rng(seed).permutation(len(candidate))
    mixed = Ratings(candidate.item[order], candidate.rater[order], candidate.score[order] + 7)
    again = true_scores(mixed, reference, items)
    assert again.spread.value == pytest.approx(found.spread.value, rel=1e-6, nan_ok=True)
    assert again.corrected.value == pytest.approx(found.corrected.value, rel=1e-6, nan_ok=True)


def _holds(figure: Estimate) -> bool:
    return isnan(figure.low) or figure.low <= figure.value <= figure.high


def test_raters_who_agree_perfectly_have_a_reliability_of_1() -> None:
    items, raters = np.repeat(np.arange(10), 4), np.tile(np.arange(4), 10)
    severe = Ratings(items, raters, np.arange(10)[items] / 3 + raters / 10)
    candidate, _ = sides(0, 10)
    found = true_scores(Ratings(candidate.item, candidate.rater, candidate.score), severe, np.arange(10))
    assert found.ceiling.value == found.reliability_reference.value == 1
    assert found.ceiling.reason == "the raters agree perfectly, which leaves no room for an interval"
    assert isnan(found.ceiling.low)
    assert found.spread.defined


def test_progress_of_intervals_is_reported_and_may_stop() -> None:
    candidate, reference = sides()
    done: list[float] = []
    told = true_scores(candidate, reference, np.arange(30), on_progress=done.append)
    assert done == [0.25, 0.5, 0.75, 1]
    assert told.corrected == true_scores(candidate, reference, np.arange(30)).corrected

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        true_scores(candidate, reference, np.arange(30), on_progress=stop)


def ordinal(truth: np.ndarray, raters: int, name: str, rng: np.random.Generator) -> Ratings:
    shape = len(truth), raters
    scores = truth[:, None] + rng.normal(0, 0.4, raters) + rng.normal(0, 0.8, shape)
    item, rater = np.indices(shape).reshape(2, -1)
    return Ratings(item, np.char.add(name, rater.astype(str)), np.clip(np.rint(3 + scores), 1, 5).ravel())


def test_equal_spreads_of_ordinal_scores_are_rarely_called_unequal() -> None:
    """12 raters on each side: 8 to 17% with the Satterthwaite degrees alone."""
    rng, p = np.random.default_rng(0), []
    for _ in range(150):
        truth = rng.normal(0, 1, 60)
        both = ordinal(truth, 12, "a", rng), ordinal(truth, 12, "b", rng)
        p.append(true_scores(*both, np.arange(60)).spread_p)
    assert np.mean(np.array(p) < 0.05) <= 0.07


def test_the_spread_has_no_more_degrees_of_freedom_than_the_smaller_group_of_raters() -> None:
    truth = np.random.default_rng(1).normal(0, 1, 60)
    both = ordinal(truth, 24, "a", np.random.default_rng(2)), ordinal(truth, 3, "b", np.random.default_rng(3))
    found = true_scores(*both, np.arange(60))
    parts = estimate_true_variances(tuple(sum_cells(one, np.arange(60), True) for one in both), 60)
    covariance, satterthwaite = parts.covariance(np.eye(5)[:2], np.array([1.0, -1.0]))
    t = (parts.values[0] - parts.values[1]) / sqrt(covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1])
    assert satterthwaite > 2
    assert found.spread_p == pytest.approx(2 * stats.t.sf(abs(t), 2))
