"""Consistency against loops over pairs, laws, and reasons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from analysis.agreement.reliability import rater_reliability
from analysis.assessors.consistency import (
    CONSTANT,
    agreement_with_others,
    consistency_on_items,
    consistency_on_texts,
)
from analysis.assessors.typical_rater import correlation_changes, variance_ratio
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings

FEW = BootstrapSpec(draws=100)
NONE = BootstrapSpec(draws=0)


def alpha_by_hand(units):
    """Krippendorff 2011: 1 - observed / expected disagreement, over all ordered pairs."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1)
        for unit in units
        for i, a in enumerate(unit)
        for j, b in enumerate(unit)
        if i != j
    )
    expected = sum((a - b) ** 2 for i, a in enumerate(values) for j, b in enumerate(values) if i != j)
    return 1 - observed / n / (expected / n / (n - 1))


def planted(seed=0, raters=4, texts=30, rows=300):
    """Raters whose noise grows with their number."""
    rng = np.random.default_rng(seed)
    rater, text = rng.integers(0, raters, rows), rng.integers(0, texts, rows)
    noise = np.linspace(0.2, 3, raters)[rater]
    return rater, text, (rng.normal(3, 1, texts)[text] + noise * rng.normal(0, 1, rows)).round(1)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_of_identical_texts_equals_the_loop_over_pairs(seed):
    rater, text, score = planted(seed)
    found = consistency_on_texts(rater, text, score, bootstrap=FEW)
    for place in range(4):
        units = [score[(rater == place) & (text == t)].tolist() for t in range(30)]
        units = [unit for unit in units if len(unit) > 1]
        assert found.alpha[place].value == pytest.approx(alpha_by_hand(units), abs=1e-12)
        assert found.alpha[place].low <= found.alpha[place].value <= found.alpha[place].high
        assert found.sets[place] == found.alpha[place].n == len(units)
        assert found.judgements[place] == sum(map(len, units))


def test_planted_inconsistency_comes_out_in_order():
    found = consistency_on_texts(*planted(rows=2000), bootstrap=NONE)
    values = [alpha.value for alpha in found.alpha]
    assert values == sorted(values, reverse=True)


def test_splits_are_the_same_on_their_own_rows():
    rater, text, score = planted()
    split = text % 2
    split[text == 4] = -1
    found = consistency_on_texts(rater, text, score, split, NONE)
    assert sorted(found.by_split) == [0, 1]
    for part, inside in found.by_split.items():
        alone = consistency_on_texts(rater, np.where(split == part, text, -1), score, bootstrap=NONE)
        assert [a.value for a in inside.alpha] == [a.value for a in alone.alpha]
        assert inside.raters.tolist() == found.raters.tolist()
    assert consistency_on_texts(rater, text, score, bootstrap=NONE).by_split is None


def test_all_raters_are_listed_and_too_few_sets_say_so():
    found = consistency_on_texts(
        ["a", "a", "b", "b", "c", "c", "d", "d", "d", "d"],
        [1, 1, 1, 2, -1, -1, 1, 1, 2, 2],
        [1, 2, 1, 2, 3, 4, 2, 2, 2, 2],
        bootstrap=NONE,
    )
    assert found.raters.tolist() == ["a", "b", "c", "d"]
    assert found.sets.tolist() == [1, 0, 0, 2]
    assert found.judgements.tolist() == [2, 0, 0, 4]
    assert not any(alpha.defined for alpha in found.alpha)
    assert "only one set" in found.alpha[0].reason
    assert "no set" in found.alpha[1].reason
    assert "no set" in found.alpha[2].reason
    assert found.alpha[3].reason


def test_same_scores_for_identical_texts_give_one():
    found = consistency_on_texts([7] * 6, [1, 1, 2, 2, 3, 3], [1, 1, 4, 4, 5, 5], bootstrap=FEW)
    assert found.alpha[0].value == pytest.approx(1)


@given(some.integers(0, 1000), some.floats(-50, 50), some.randoms())
def test_the_order_of_rows_and_a_constant_for_a_rater_change_nothing(seed, constant, random):
    rater, text, score = planted(seed, rows=80, texts=15)
    plain = consistency_on_texts(rater, text, score, bootstrap=NONE)
    order = list(range(80))
    random.shuffle(order)
    mixed = consistency_on_texts(
        rater[order], text[order], (score + constant * (rater == 1))[order], bootstrap=NONE
    )
    np.testing.assert_allclose([a.value for a in mixed.alpha], [a.value for a in plain.alpha], atol=1e-9)


def study(seed=0, n=25, raters=6, rows=200):
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(0, n, rows), rng.integers(0, raters, rows)
    noise = np.linspace(0.2, 3, raters)[rater]
    return Ratings(item, rater, np.rint(rng.normal(3, 1, n)[item] + noise * rng.normal(0, 1, rows)))


@pytest.mark.parametrize("seed", range(3))
def test_alpha_with_and_without_each_rater_equals_the_loop_over_pairs(seed):
    ratings = study(seed)
    found = agreement_with_others(ratings, FEW)
    np.testing.assert_array_equal(found.correlation, rater_reliability(ratings).correlation)

    def alpha(keep):
        return alpha_by_hand([ratings.score[keep & (ratings.item == i)].tolist() for i in range(25)])

    assert found.alpha_all.value == pytest.approx(alpha(ratings.rater >= 0), abs=1e-12)
    for place, rater in enumerate(found.raters):
        assert found.alpha_without[place] == pytest.approx(alpha(ratings.rater != rater), abs=1e-9)
    assert (found.low <= found.correlation).all()
    assert (found.correlation <= found.high).all()


def test_intervals_of_the_correlation_are_fishers():
    rng = np.random.default_rng(1)
    score = rng.normal(0, 1, 150)[:, None] + rng.normal(0, 1, (150, 8))
    ratings = Ratings(np.repeat(np.arange(150), 8), np.tile(np.arange(8), 150), score.ravel())
    found = agreement_with_others(ratings, FEW, widening=1.0)
    interval = stats.pearsonr(score[:, 0], score[:, 1:].mean(axis=1)).confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((interval.low, interval.high))
    usual = agreement_with_others(ratings, FEW)
    assert np.arctanh(usual.high[0]) - np.arctanh(usual.low[0]) == pytest.approx(
        (np.arctanh(interval.high) - np.arctanh(interval.low)), rel=0.1
    )


def test_the_variance_of_correlations_is_the_jackknifes_of_all_raters_where_it_is_larger():
    rng = np.random.default_rng(2)
    score = np.clip(np.rint(rng.normal(5, 1, 25)[:, None] + rng.normal(0, 0.8, (25, 4))), 1, 5)
    ratios = []
    for rater in range(4):
        own, others = score[:, rater], np.delete(score, rater, axis=1).mean(axis=1)
        left = [np.arctanh(np.corrcoef(np.delete(own, at), np.delete(others, at))[0, 1]) for at in range(25)]
        whole = np.arctanh(np.corrcoef(own, others)[0, 1])
        ratios.append(24 / 25 * ((np.array(left) - whole) ** 2).sum() * (25 - 3))
    item, rater = (each.ravel() for each in np.indices(score.shape))
    ratings = Ratings(item, rater, score.ravel())
    assert variance_ratio(correlation_changes(ratings)) == pytest.approx(max(np.mean(ratios), 1), rel=1e-9)
    assert np.mean(ratios) > 1
    assert variance_ratio(correlation_changes(Ratings(item[:20], rater[:20], score.ravel()[:20]))) == 1.0


def test_a_correlation_holds_where_most_scores_are_the_highest():
    """Fisher's variance alone covers in 65 to 80 of 100 such studies."""
    rng = np.random.default_rng(3)

    def drawn(n):
        score = np.clip(np.rint(rng.normal(5.5, 1.2, n)[:, None] + rng.normal(0, 0.8, (n, 5))), 1, 5)
        item, rater = (each.ravel() for each in np.indices(score.shape))
        return Ratings(item, rater, score.ravel())

    truth = agreement_with_others(drawn(100_000), BootstrapSpec(0), 1.0).correlation[0]
    studies = 300
    for items in (20, 60):
        held = {1.0: 0, None: 0}
        for _ in range(studies):
            ratings = drawn(items)
            for widening in held:
                found = agreement_with_others(ratings, BootstrapSpec(0), widening)
                held[widening] += bool(found.low[0] <= truth <= found.high[0])
        assert held[1.0] / studies < 0.85
        assert held[None] / studies >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / studies)


def test_undefined_correlations_say_why():
    ratings = Ratings([1, 2, 3, 4, 1, 2, 3, 4, 1, 2], list("aaaabbbbcc"), [1, 2, 3, 5, 3, 3, 3, 3, 1, 2])
    found = agreement_with_others(ratings, FEW)
    assert found.reasons[0] == ""
    assert found.reasons[1] == CONSTANT
    assert "fewer than 3 items" in found.reasons[2]
    assert np.isnan(found.low[1:]).all()


@pytest.mark.parametrize(
    "ratings",
    [
        Ratings([1, 2, 3], [1, 1, 1], [1, 2, 3]),
        Ratings([1, 1, 1], [1, 2, 3], [1, 2, 3]),
        Ratings([1, 2, 1, 2], [1, 1, 2, 2], [3, 3, 3, 3]),
        Ratings([], [], []),
    ],
)
def test_one_rater_one_item_or_constant_scores_are_undefined_with_reasons(ratings):
    found = agreement_with_others(ratings, FEW)
    assert np.isnan(found.correlation).all()
    assert all(found.reasons)
    assert found.alpha_all.defined or found.alpha_all.reason


def test_draws_are_seeded_and_progress_is_called():
    told = []
    first = agreement_with_others(study(), FEW).alpha_all
    assert first == agreement_with_others(study(), FEW).alpha_all
    rater, text, score = planted()
    consistency_on_texts(rater, text, score, text % 2, FEW, told.append)
    assert told[-1] == 1
    assert told == sorted(told)


def test_wrong_input_is_reported():
    with pytest.raises(InputError, match="one code per rating, 2"):
        consistency_on_texts([1, 1], [1, 1], [1, 2], split=[1])
    with pytest.raises(InputError, match="equally long"):
        consistency_on_texts([1, 1], [1], [1, 2])


def test_alpha_on_own_repeats_is_that_of_the_pairs_of_each_rater():
    rater, item, score = planted(seed=4, raters=5, texts=12, rows=200)
    found = consistency_on_items(Ratings(item, rater, score), NONE)
    for place, own in enumerate(found.raters):
        units = [score[(rater == own) & (item == one)].tolist() for one in range(12)]
        assert found.alpha[place].value == pytest.approx(alpha_by_hand(units))
        assert found.sets[place] == sum(len(unit) > 1 for unit in units)


def test_items_take_the_place_of_texts():
    rater, text, score = planted(seed=5)
    of_items, of_texts = (
        consistency_on_items(Ratings(text, rater, score), FEW),
        consistency_on_texts(rater, text, score, None, FEW),
    )
    assert of_items.alpha == of_texts.alpha


def test_without_repeats_alpha_on_own_repeats_has_a_reason():
    found = consistency_on_items(Ratings(list("abab"), [1, 1, 2, 2], [1, 2, 3, 4]), NONE)
    assert [one.reason for one in found.alpha] == ["no item rated more than once"] * 2


def test_a_pure_drift_between_rounds_lowers_alpha_on_repeats_by_its_square() -> None:
    """Second round = first + shift: alpha = 1 - E(d²) over repeats / E(d²) over all pairs, by its definition."""
    first = np.array([1.0, 2, 3, 4, 5, 2])
    item, rater = np.tile(np.arange(6), 2), np.zeros(12, dtype=int)
    for shift in (0.0, 0.5, 1.0):
        score = np.concatenate([first, first + shift])
        found = consistency_on_items(Ratings(item, rater, score), BootstrapSpec(draws=0)).alpha[0]
        of_pairs = [(a - b) ** 2 for at, a in enumerate(score) for b in score[:at]]
        assert found.value == pytest.approx(1 - shift**2 / np.mean(of_pairs))
