import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from analysis.comparison import variance_components
from analysis.comparison.variance_components import (
    ItemPairs,
    RaterInfluence,
    correlation_variance,
    estimate_two_way_variance,
    summarize_pairs,
)
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings


def crossed(seed: int, items: int, raters: int, per_item: int, severity: float, group: str) -> Ratings:
    rng = np.random.default_rng(seed)
    scores = (
        rng.normal(3, 0.6, (items, 1)) + rng.normal(0, severity, raters) + rng.normal(0, 1, (items, raters))
    )
    chosen = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item]
    item = np.repeat(np.arange(items), per_item)
    rater = chosen.ravel()
    return Ratings(item, np.char.add(group, rater.astype(str)), np.round(scores[item, rater], 2))


def slow_raters_part(ours: Ratings, theirs: Ratings, sign: float) -> float:
    """The covariance that one group's raters carry between items, by loops over pairs of ratings."""
    shared = sorted(set(ours.item) & set(theirs.item))
    own = {i: ours.score[ours.item == i] for i in shared}
    other = {i: theirs.score[theirs.item == i].mean() for i in shared}
    mean_difference = sign * np.mean([sign * (own[i].mean() - other[i]) for i in shared])
    ratings = []
    for item, rater, score in zip(ours.item, ours.rater, ours.score, strict=True):
        if item not in own:
            continue
        n = len(own[item])
        others = (own[item].sum() - score) / (n - 1) if n > 1 else other[item] + mean_difference
        ratings.append((item, rater, (score - others) / (n * len(shared))))
    raters = {rater for _, rater, _ in ratings}
    products = sum(
        a * b
        for place, (item, rater, a) in enumerate(ratings)
        for other_place, (_, other_rater, b) in enumerate(ratings)
        if place != other_place and rater == other_rater
    )
    return (len(raters) - 1) / len(raters) * len(shared) / (len(shared) - 1) * products


@pytest.mark.parametrize("per_item", [1, 2, 5, 9])
def test_equals_the_loop_over_pairs_of_ratings(per_item):
    ours, theirs = crossed(1, 12, 9, per_item, 1.0, "a"), crossed(2, 15, 8, 3, 1.0, "b")
    found = estimate_two_way_variance(*summarize_pairs(ours, theirs))
    slow = max(slow_raters_part(ours, theirs, 1.0), 0) + max(slow_raters_part(theirs, ours, -1.0), 0)
    assert found.raters == pytest.approx(slow, abs=1e-12)
    pairs = summarize_pairs(ours, theirs)[0].shared()
    difference = pairs.sum_candidate / pairs.n_candidate - pairs.sum_reference / pairs.n_reference
    assert found.items == pytest.approx(difference.var(ddof=1) / 12, abs=1e-12)
    assert found.error == pytest.approx(np.sqrt(found.items + found.raters))


def test_complete_design_is_the_textbook_two_way_analysis():
    # All raters rate all items: the raters' part of a group is (MS_raters - MS_residual) / (items x raters).
    ours = crossed(3, 20, 10, 10, 0.8, "a")
    reference = {int(item): 3.0 for item in range(20)}
    table = np.zeros((20, 10))
    raters = np.unique(ours.rater)
    table[ours.item, np.searchsorted(raters, ours.rater)] = ours.score
    rows, columns = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
    residual = ((table - rows - columns + table.mean()) ** 2).sum() / (19 * 9)
    between = 20 * ((columns - table.mean()) ** 2).sum() / 9
    found = estimate_two_way_variance(*summarize_pairs(ours, reference))
    assert found.raters == pytest.approx((between - residual) / (20 * 10), abs=1e-12)
    assert found.items == pytest.approx(rows.var(ddof=1) / 20, abs=1e-12)


@pytest.mark.parametrize(("per_item", "severity"), [(2, 0.5), (3, 0.5), (12, 0.5), (4, 0.0)])
def test_variance_is_right_on_average(per_item, severity):
    def one(seed: int) -> tuple[float, float]:
        ours = crossed(2 * seed, 40, 12, per_item, severity, "a")
        theirs = crossed(2 * seed + 1, 40, 12, per_item, severity, "b")
        # Items are drawn anew in both groups, so their part is there twice.
        found = estimate_two_way_variance(*summarize_pairs(ours, theirs))
        return ours.mos().means.mean() - theirs.mos().means.mean(), found.error**2

    differences, variances = zip(*(one(seed) for seed in range(250)), strict=True)
    # The ratio of two variances of 250 has a standard error of about 9%; negative parts are cut at 0.
    assert 0.8 < np.mean(variances) / np.var(differences) < 1.3


def test_what_raters_add_to_z_equals_a_numerical_derivative_summed_over_pairs_of_ratings():
    ours, theirs = crossed(1, 12, 9, 4, 1.0, "a"), crossed(2, 12, 8, 3, 1.0, "b")
    means = [ours.mos().means, theirs.mos().means]

    def z(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.arctanh(np.corrcoef(a, b)[0, 1]))

    total = 0.0
    for place, group in enumerate((ours, theirs)):
        pulls = []
        for item, rater, score in zip(group.item, group.rater, group.score, strict=True):
            others = group.score[(group.item == item) & (group.rater != rater)]
            ends = []
            for step in (1e-5, -1e-5):
                moved = [m.copy() for m in means]
                moved[place][item] += step * (score - others.mean()) / (len(others) + 1)
                ends.append(z(*moved))
            pulls.append((rater, (ends[0] - ends[1]) / 2e-5))
        raters = len(set(group.rater))
        products = sum(
            a * b
            for first, (rater, a) in enumerate(pulls)
            for second, (other, b) in enumerate(pulls)
            if first != second and rater == other
        )
        total += max((raters - 1) / raters * products, 0)
    assert correlation_variance(*summarize_pairs(ours, theirs)) == pytest.approx(total, rel=1e-6)


def test_every_kth_item_tells_what_raters_carry(monkeypatch):
    ours, theirs = crossed(1, 900, 40, 6, 0.5, "a"), crossed(2, 900, 30, 6, 0.5, "b")
    full, z_full = (
        estimate_two_way_variance(*summarize_pairs(ours, theirs)),
        correlation_variance(*summarize_pairs(ours, theirs)),
    )
    monkeypatch.setattr(variance_components, "MOST_SAMPLED_ITEMS", 200)
    pairs, pulls = summarize_pairs(ours, theirs)
    assert pulls.n.sum() == 2 * 6 * 225
    assert pairs.taken(pulls).item.tolist() == list(range(0, 900, 4))
    part = estimate_two_way_variance(pairs, pulls)
    assert part.items == full.items
    assert part.raters == pytest.approx(full.raters, rel=0.15)
    assert correlation_variance(pairs, pulls) == pytest.approx(z_full, abs=0.3 / 900)


def test_what_raters_add_to_z_is_nothing_where_there_is_no_z():
    flat = Ratings([0, 0, 1, 1, 2, 2], list("xyxyxy"), [3, 3, 3, 3, 3, 3])
    ours = crossed(1, 3, 4, 4, 1, "a")
    for pair in ((ours, flat), (ours, ours), (ours, {0: 1.0})):
        assert correlation_variance(*summarize_pairs(*pair)) == 0


def test_raters_in_both_groups_lower_the_variance():
    rng = np.random.default_rng(5)
    severity = rng.normal(0, 1, 12)
    item, rater = (a.ravel() for a in np.meshgrid(range(40), range(12), indexing="ij"))
    scores = [3 + severity[rater] + rng.normal(0, 0.3, len(item)) for _ in range(2)]
    same = estimate_two_way_variance(
        *summarize_pairs(Ratings(item, rater, scores[0]), Ratings(item, rater, scores[1]))
    )
    others = estimate_two_way_variance(
        *summarize_pairs(Ratings(item, rater, scores[0]), Ratings(item, rater + 100, scores[1]))
    )
    assert others.raters > 0.05
    assert same.raters < others.raters / 20


def test_a_single_rater_is_said():
    found = estimate_two_way_variance(
        *summarize_pairs(crossed(1, 10, 1, 1, 1, "a"), crossed(2, 10, 5, 5, 1, "b"))
    )
    assert "candidate has a single rater" in found.reason


def test_numbers_as_reference_and_missing_ones():
    ours = crossed(1, 10, 4, 4, 1, "a")
    pairs, pulls = summarize_pairs(ours, {0: 2.0, 1: float("nan"), 2: 3.0, 77: 1.0})
    assert pairs.shared().item.tolist() == [0, 2]
    assert pairs.n_reference.sum() == 3
    assert set(pulls.candidate) == {1.0}
    assert pulls.n.tolist() == [2, 2, 2, 2]


def test_unusable_arguments():
    ours = crossed(1, 10, 4, 4, 1, "a")
    with pytest.raises(InputError, match="of one kind"):
        summarize_pairs(ours, {"a": 1.0})
    with pytest.raises(InputError, match="finite"):
        summarize_pairs(ours, {0: float("inf")})
    with pytest.raises(InputError, match="at least 2 shared items"):
        estimate_two_way_variance(*summarize_pairs(ours, {0: 1.0}))
    with pytest.raises(InputError, match="equally long"):
        ItemPairs(*[np.zeros(3)] * 6, np.zeros(2))
    with pytest.raises(InputError, match="equally long"):
        RaterInfluence(*[np.zeros(3)] * 8, np.zeros(2))


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_order_of_ratings_does_not_matter_nor_does_an_item_of_one_group(seed, per_item):
    ours, theirs = crossed(seed, 8, 5, per_item, 1, "a"), crossed(seed + 1, 8, 4, 2, 1, "b")
    mixed = np.random.default_rng(seed).permutation(len(ours))
    extra = Ratings(
        np.append(ours.item[mixed], 99), np.append(ours.rater[mixed], "a0"), np.append(ours.score[mixed], 5.0)
    )
    one, two = (
        estimate_two_way_variance(*summarize_pairs(ours, theirs)),
        estimate_two_way_variance(*summarize_pairs(extra, theirs)),
    )
    assert_allclose((one.items, one.raters, one.degrees), (two.items, two.raters, two.degrees), rtol=1e-9)
    mirrored = estimate_two_way_variance(*summarize_pairs(theirs, ours))
    assert_allclose((one.items, one.raters), (mirrored.items, mirrored.raters), rtol=1e-9, atol=1e-15)
