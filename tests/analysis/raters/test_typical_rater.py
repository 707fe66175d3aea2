"""Naming raters: the slow reference, simulated nulls and faults, laws, and studies that are too small."""

from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.assessors.typical_rater import (
    FEWEST_VOTES_ABOVE,
    NamedRaters,
    TypicalComparison,
    alpha_changes,
    compare_with_typical,
    correlation_changes,
    is_screening_list,
    name_raters,
    pooled_variance,
    weighted_median,
)
from analysis.values.ratings import Ratings


@pytest.fixture(scope="module")
def reference(shared_data: Path) -> ModuleType:
    """The slow reference version, which is not part of the project."""
    file = shared_data.parent / "reference-code" / "naming.py"
    if not file.is_file():
        pytest.skip("the folder ../shared/reference-code does not stand beside this checkout")
    spec = util.spec_from_file_location("reference_naming", file)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def study(
    seed: int, items: int = 60, raters: int = 8, per_item: int = 8, noisy: float = 1.0, digits: int = 9
) -> Ratings:
    """Equally good raters with severities, of whom the first has `noisy` times the noise."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item]
    noise = np.where(who == 0, noisy, 1.0) * rng.normal(0, 0.7, who.shape)
    score = rng.normal(3, 0.9, items)[:, None] + rng.normal(0, 0.4, raters)[who] + noise
    return Ratings(np.repeat(np.arange(items), per_item), who.ravel(), np.round(score.ravel(), digits))


def compared(ratings: Ratings, **more: Any) -> TypicalComparison:
    changes = correlation_changes(ratings)
    return compare_with_typical(changes.z, changes.units, pooled_variance(changes), **more)


def named(ratings: Ratings) -> NamedRaters:
    return name_raters([compared(ratings)])[0]


@pytest.mark.parametrize(
    ("seed", "design"),
    [
        (1, {"noisy": 4.0}),
        (2, {"digits": 0}),
        (3, {"items": 100, "raters": 40, "per_item": 10, "noisy": 3.0}),
        (4, {"items": 80, "raters": 12, "per_item": 3}),
    ],
)
def test_correlations_equal_the_slow_reference(
    reference: ModuleType, seed: int, design: dict[str, Any]
) -> None:
    ratings = study(seed, **design)
    z, n, _, unit, rater, change = reference.changes_of_correlations(
        ratings.item, ratings.rater, ratings.score
    )
    expected = reference.name(z, n, unit, rater, change)
    found, of = compared(ratings), named(ratings)
    np.testing.assert_array_equal(found.tested, expected.tested)
    assert found.typical == pytest.approx(expected.typical, abs=1e-8)
    assert found.p_differ == pytest.approx(expected.p_differ, abs=1e-8)
    np.testing.assert_allclose(found.t, expected.t, atol=1e-8)
    np.testing.assert_allclose(of.p, expected.p, atol=1e-8)
    np.testing.assert_array_equal(of.below, expected.below)
    np.testing.assert_array_equal(of.above, expected.above)


def test_alphas_and_choices_equal_the_slow_reference(reference: ModuleType) -> None:
    """Any changes of any figure enter alike; a rater above needs the units for it."""
    rng = np.random.default_rng(5)
    rater, text = np.repeat(np.arange(7), 60), np.tile(np.repeat(np.arange(30), 2), 7)
    score = rng.normal(0, 1, (7, 30)).repeat(2, axis=1).ravel()
    score = score + np.array([0.02, *[0.6] * 5, 3.0])[rater] * rng.normal(0, 1, 420)
    changes = alpha_changes(rater, text, score)
    for fewest_above, is_above in ((10, True), (FEWEST_VOTES_ABOVE, False)):
        expected = reference.name(
            changes.z, changes.units, changes.unit, changes.rater, changes.change, fewest_above=fewest_above
        )
        (of,) = name_raters(
            [compare_with_typical(changes.z, changes.units, pooled_variance(changes), fewest_above)]
        )
        np.testing.assert_allclose(of.p, expected.p, atol=1e-8)
        np.testing.assert_array_equal(of.below, expected.below)
        np.testing.assert_array_equal(of.above, expected.above)
        assert of.above[0] == is_above
        assert of.below[6]


def test_a_faulty_rater_is_named_and_equally_good_ones_are_not() -> None:
    of = named(study(11, items=120, noisy=8.0))
    assert of.below.tolist() == [True] + [False] * 7
    assert not of.above.any()
    assert of.p_differ < 0.001
    names = [named(study(seed, raters=12, per_item=12)) for seed in range(40)]
    assert sum(bool((one.below | one.above).any()) for one in names) <= 6


@settings(max_examples=6)
@given(some.integers(0, 1000))
def test_names_do_not_depend_on_order_ids_level_or_unit_of_the_scale(seed: int) -> None:
    ratings = study(seed, items=40, noisy=3.0, digits=0)
    order = np.random.default_rng(seed).permutation(len(ratings))
    moved = Ratings(ratings.item[order] * 7, 100 - ratings.rater[order], 20 * ratings.score[order] - 3)
    one, other = named(ratings), named(moved)
    np.testing.assert_allclose(one.p, other.p[::-1], atol=1e-8)
    np.testing.assert_array_equal(one.below, other.below[::-1])


def test_more_measures_make_names_rarer_and_their_tests_stay() -> None:
    measures = [compared(study(seed, items=80, noisy=4.0 if seed == 0 else 1.0)) for seed in range(4)]
    alone, together = name_raters(measures[:1])[0], name_raters(measures)[0]
    assert (together.p >= alone.p).all()
    assert together.p_differ >= alone.p_differ
    assert together.detectable < alone.detectable < measures[0].typical
    assert name_raters([]) == ()


def test_of_many_raters_there_is_a_screening_list() -> None:
    many = compared(study(3, items=300, raters=60, per_item=12, noisy=6.0))
    assert is_screening_list([many])
    assert not is_screening_list([compared(study(3))])
    (of,) = name_raters([many])
    assert of.below[0]
    assert (np.sort(of.p) >= np.sort(many.p)).all()
    assert (of.p <= 1).all()


def test_too_small_studies_have_a_reason_and_name_nobody() -> None:
    few_raters, few_items = compared(study(1, raters=4, per_item=4)), compared(study(1, items=9))
    assert few_raters.reason == "you have 4, it needs 5"
    assert few_items.reason == "you have 0 with 10 items or more, it needs 5"
    (nobody,) = name_raters([few_items])
    assert not (nobody.below | nobody.above).any()
    assert np.isnan(nobody.p).all()
    assert np.isnan([nobody.p_differ, nobody.detectable]).all()
    empty = compared(Ratings([], [], []))
    assert empty.reason.startswith("you have 0")


def _by_item(ratings: Ratings, rater: int) -> np.ndarray:
    """Places of a rater's ratings, in the order of the items."""
    places = np.flatnonzero(ratings.rater == rater)
    return places[np.argsort(ratings.item[places])]


def test_constant_identical_and_perfect_raters_need_no_exception() -> None:
    ratings = study(2, digits=0)
    constant = Ratings(ratings.item, ratings.rater, np.where(ratings.rater == 3, 4.0, ratings.score))
    found = compared(constant)
    assert found.tested.tolist() == [True] * 3 + [False] + [True] * 4
    assert np.isnan(found.p[3])
    twins = ratings.score.copy()
    twins[_by_item(ratings, 1)] = twins[_by_item(ratings, 0)]
    alike = compared(Ratings(ratings.item, ratings.rater, twins))
    assert alike.t[0] == pytest.approx(alike.t[1])
    item, rater = np.divmod(np.arange(240), 6)
    perfect = compared(Ratings(item, rater, item % 5.0))
    assert perfect.reason == "the raters' figures do not depend on which items they have"


def test_a_variance_of_a_sample_of_items_takes_the_place_of_all() -> None:
    ratings = study(7, items=400)
    kept = ratings.item < 200
    of_sample = pooled_variance(
        correlation_changes(Ratings(ratings.item[kept], ratings.rater[kept], ratings.score[kept]))
    )
    assert of_sample.value == pytest.approx(pooled_variance(correlation_changes(ratings)).value, rel=0.2)
    assert np.isnan(pooled_variance(correlation_changes(Ratings([1, 1], [1, 2], [3, 4]))).value)


@given(some.lists(some.tuples(some.floats(-9, 9), some.integers(1, 9)), min_size=1, max_size=12))
def test_half_of_the_weight_lies_on_either_side_of_the_median(pairs: list[tuple[float, int]]) -> None:
    values, weights = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    middle = weighted_median(values, weights)
    assert weights[values < middle].sum() <= weights.sum() / 2
    assert weights[values > middle].sum() <= weights.sum() / 2
