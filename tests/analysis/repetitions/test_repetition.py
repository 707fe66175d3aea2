"""The simulation against a loop anyone can check, against laws, and on real files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from analysis.repetitions import rating_orders
from analysis.repetitions.rating_orders import largest_common_count
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings

CORRELATE = {
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
}


def study(n=20, m=8, seed=0, top=5, unequal=False, raters=30):
    """Whole scores 1 … top of n items by anonymous raters, and a reference that is not free of ties."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(max(1, m - 3), m + 1, n) if unequal else np.full(n, m)
    item = np.repeat(np.arange(n), counts)
    quality = rng.normal(0, 1, n)
    score = np.clip(np.rint(top * (0.6 + 0.15 * (quality[item] + rng.normal(0, 1, len(item))))), 1, top)
    given_order = rng.permutation(len(item))
    ratings = Ratings(item, rng.integers(0, raters, len(item)), score, order=given_order)
    reference = {i: float(np.rint(4 * q)) for i, q in enumerate(quality)}
    return ratings, reference


def complete(n=12, raters=7, seed=0):
    rng = np.random.default_rng(seed)
    item, rater = np.repeat(np.arange(n), raters), np.tile(np.arange(raters), n)
    shuffled = rng.permutation(len(item))
    quality, severity = rng.normal(3, 1, n), rng.normal(0, 1, raters)
    score = np.rint(quality[item] + severity[rater] + rng.normal(0, 0.5, len(item)))
    reference = {i: float(v) for i, v in enumerate(rng.normal(0, 1, n))}
    return Ratings(item[shuffled], rater[shuffled], score[shuffled]), reference


def mean_by_hand(scores):
    """The exact mean, so that equal means are equal: scores are whole or short decimals."""
    return np.round(np.mean(scores), 9)


def by_hand(ratings, reference, drawn, correlation="spearman"):
    """Loop over orders, repetitions and items."""
    names = [item for item in ratings.mos().items.tolist() if item in reference]
    curve = np.full((len(drawn), drawn.shape[2]), np.nan)
    for s in range(len(drawn)):
        for r in range(1, drawn.shape[2] + 1):
            x, y = [], []
            for i, item in enumerate(names):
                places = drawn[s, i, :r]
                if (places >= 0).all():
                    x.append(mean_by_hand(ratings.score[places]))
                    y.append(reference[item])
            if len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
                curve[s, r - 1] = CORRELATE[correlation](x, y)
    return curve


def in_measured_order(ratings, m):
    """(1, n, m) the order in which ratings came."""
    frame = pd.DataFrame({"item": ratings.item, "at": np.arange(len(ratings))})
    frame["order"] = frame["at"] if ratings.order is None else ratings.order
    rows = [list(g["at"][:m]) for _, g in frame.sort_values("order", kind="stable").groupby("item")]
    return np.array([[row + [-1] * (m - len(row)) for row in rows]])


@pytest.mark.parametrize("correlation", ["spearman", "pearson", "kendall"])
@pytest.mark.parametrize(
    ("order", "top"),
    [*(("within items", top) for top in (2, 5, 100, 100_000)), ("raters", 5), ("by column", 5)],
)
def test_equals_the_loop_over_scipy(correlation, order, top):
    ratings, reference = study(top=top)
    spec = RepetitionSpec(shuffles=5, correlation=correlation, order=order, seed=3)
    curves = simulate(ratings, reference, spec)
    expected = by_hand(ratings, reference, orders(ratings, spec), correlation)
    np.testing.assert_allclose(curves.shuffled, expected, atol=1e-12)
    expected = by_hand(ratings, reference, in_measured_order(ratings, 8), correlation)
    np.testing.assert_allclose(curves.measured, expected[0], atol=1e-12)
    assert (curves.items == 20).all()


@pytest.mark.parametrize("correlation", ["spearman", "pearson", "kendall"])
@pytest.mark.parametrize("repetitions", [None, 3, 8, 50])
def test_unequal_counts_leave_the_curve_item_by_item(correlation, repetitions):
    ratings, reference = study(unequal=True, seed=5)
    spec = RepetitionSpec(shuffles=4, correlation=correlation, repetitions=repetitions)
    curves = simulate(ratings, reference, spec)
    counts = ratings.mos().counts
    m = {None: counts.min(), 3: 3, 8: 8, 50: counts.max()}[repetitions]
    assert curves.measured.shape == (m,)
    assert curves.items.tolist() == [(counts >= r).sum() for r in range(1, m + 1)]
    drawn = orders(ratings, spec)
    assert drawn.shape == (4, 20, m)
    np.testing.assert_allclose(curves.shuffled, by_hand(ratings, reference, drawn, correlation), atol=1e-12)
    expected = by_hand(ratings, reference, in_measured_order(ratings, m), correlation)
    np.testing.assert_allclose(curves.measured, expected[0], atol=1e-12)


def test_kendall_of_many_items_takes_the_other_road_to_the_same_figures():
    ratings, reference = study(n=450, m=3)
    spec = RepetitionSpec(shuffles=1, correlation="kendall")
    expected = by_hand(ratings, reference, orders(ratings, spec), "kendall")
    np.testing.assert_allclose(simulate(ratings, reference, spec).shuffled, expected, atol=1e-12)


@pytest.mark.parametrize("correlation", ["spearman", "pearson", "kendall"])
def test_decimal_means_tie_where_they_are_equal(correlation):
    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(40), 4)
    score = rng.choice([0, 0.1, 0.2, 0.3, 1, 5], len(item))
    ratings, reference = Ratings(item, np.arange(160), score), dict(enumerate(rng.integers(0, 9, 40)))
    spec = RepetitionSpec(shuffles=10, correlation=correlation)
    expected = by_hand(ratings, reference, orders(ratings, spec), correlation)
    np.testing.assert_allclose(simulate(ratings, reference, spec).shuffled, expected, atol=1e-12)


def test_thirds_tie_where_their_means_are_equal():
    score = np.array([1, 1, 1, 0, 0, 3, 2, 2, 2]) / 3
    ratings = Ratings(np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3), score)
    curves = simulate(ratings, {0: 1.0, 1: 2.0, 2: 3.0}, RepetitionSpec(shuffles=0))
    assert curves.measured[2] == pytest.approx(stats.spearmanr([1, 1, 2], [1, 2, 3]).statistic, abs=1e-12)


def test_tied_references_tie_though_computed_differently():
    ratings = Ratings([0, 1, 2], [0, 0, 0], [1, 2, 3])
    curves = simulate(ratings, {0: 0.1 + 0.2, 1: 0.3, 2: 0.5}, RepetitionSpec(shuffles=0))
    assert curves.measured[0] == pytest.approx(stats.spearmanr([1, 2, 3], [1, 1, 2]).statistic, abs=1e-12)


def test_orders_are_permutations_of_each_items_ratings():
    ratings, _ = study(unequal=True, seed=6)
    counts = ratings.mos().counts
    for order in ("within items", "raters"):
        drawn = orders(ratings, RepetitionSpec(shuffles=30, repetitions=99, order=order))
        for i, count in enumerate(counts):
            own = np.sort(drawn[:, i, :count], axis=1)
            assert (own == np.flatnonzero(ratings.item == i)).all()
            assert (drawn[:, i, count:] == -1).all()


def test_every_place_is_equally_likely_within_items():
    ratings, _ = study(n=3, m=6)
    drawn = orders(ratings, RepetitionSpec(shuffles=6000, order="within items"))
    for place in range(6):
        counts = np.unique(drawn[:, 1, place], return_counts=True)[1]
        assert stats.chisquare(counts).pvalue > 1e-4
    pairs = drawn[:, 1, 0] * 1000 + drawn[:, 2, 0]
    assert stats.chisquare(np.unique(pairs, return_counts=True)[1]).pvalue > 1e-4  # items are independent


def test_raters_keep_their_place_over_items():
    ratings, reference = complete()
    drawn = orders(ratings, RepetitionSpec(shuffles=50))
    raters = ratings.rater[drawn]
    assert (raters == raters[:, :1, :]).all()
    assert len({tuple(row) for row in raters[:, 0].tolist()}) > 45
    assert simulate(ratings, reference).order == "raters"


def test_columns_keep_their_place_over_items():
    ratings, _ = study()
    drawn = orders(ratings, RepetitionSpec(shuffles=20, order="by column"))
    column = np.empty(len(ratings), dtype=int)
    column[in_measured_order(ratings, 8)[0]] = np.arange(8)
    assert (column[drawn] == column[drawn][:, :1, :]).all()


def test_automatic_shuffles_within_items_where_a_rater_missed_one_or_rated_one_twice():
    ratings, reference = complete()
    assert simulate(Ratings(ratings.item[1:], ratings.rater[1:], ratings.score[1:])).order == "within items"
    again = ratings.rater.copy()
    first = np.flatnonzero(ratings.item == 0)
    again[first[0]] = again[first[1]]
    assert simulate(Ratings(ratings.item, again, ratings.score), reference).order == "within items"


def test_by_column_needs_equal_counts():
    with pytest.raises(InputError, match="'by column' needs equally many ratings of every item, got 5 to 8"):
        simulate(*study(unequal=True), RepetitionSpec(order="by column"))


def test_more_shuffles_keep_the_first_ones():
    ratings, reference = study()
    few = simulate(ratings, reference, RepetitionSpec(shuffles=7))
    many = simulate(ratings, reference, RepetitionSpec(shuffles=4000))  # drawn in several blocks
    assert (few.shuffled == many.shuffled[:7]).all()


@pytest.mark.parametrize("order", ["within items", "raters", "by column"])
@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("remembered", [0, 1 << 21])
def test_shuffles_that_are_known_are_not_done_again_and_others_join_them(
    order, halves, remembered, monkeypatch
):
    monkeypatch.setattr("analysis.repetitions.rating_orders._LARGEST_CACHED", remembered)
    monkeypatch.setattr("analysis.repetitions.rating_orders._BLOCK", 700)  # several blocks on either side
    ratings, reference = study()
    asked = None if halves else reference
    spec = RepetitionSpec(order=order, seed=4)
    few, some_, many = (simulate(ratings, asked, replace(spec, shuffles=k)) for k in (7, 20, 41))
    for found in (
        simulate(ratings, asked, replace(spec, shuffles=20), few),
        simulate(ratings, asked, replace(spec, shuffles=20), many),
    ):
        np.testing.assert_array_equal(found.points, some_.points)
        assert (found.order, found.reason, found.items.tolist()) == (order, "", some_.items.tolist())
        if halves:
            np.testing.assert_allclose(found.pearson_of_halves, some_.pearson_of_halves, atol=1e-12)


def test_the_reason_is_that_of_the_shuffles_asked_for():
    ratings = Ratings([0, 0, 1, 1], [1, 2, 1, 2], [1, 2, 1, 3])
    known = simulate(ratings, {0: 1.0, 1: 2.0}, RepetitionSpec(shuffles=60, order="within items"))
    assert known.reason
    assert np.isfinite(known.points[1:3]).all(axis=1).any()
    for shuffles in (0, 1, 2, 5, 59, 61):
        spec = RepetitionSpec(shuffles=shuffles, order="within items")
        expected = simulate(ratings, {0: 1.0, 1: 2.0}, spec)
        found = simulate(ratings, {0: 1.0, 1: 2.0}, spec, known)
        np.testing.assert_array_equal(found.points, expected.points)
        assert found.reason == expected.reason


def test_large_draws_equal_remembered_ones(monkeypatch):
    ratings, reference = study()
    expected = simulate(ratings, reference, RepetitionSpec(shuffles=500)).shuffled
    monkeypatch.setattr("analysis.repetitions.rating_orders._LARGEST_CACHED", 0)
    assert (simulate(ratings, reference, RepetitionSpec(shuffles=500)).shuffled == expected).all()


@pytest.mark.parametrize("m", [9, 300])
@pytest.mark.parametrize("halves", [False, True])
def test_orders_kept_as_columns_are_those_drawn_for_these_counts(m, halves, monkeypatch):
    monkeypatch.setattr(rating_orders, "_LARGEST_CACHED", 0)
    monkeypatch.setattr(rating_orders, "_BLOCK", 700)
    spec = RepetitionSpec(shuffles=9, order="within items", seed=3, repetitions=m)
    whole, reference = study(m=m)
    here = np.arange(len(whole.score)) % 17 > 0  # some items lose a rating, as when a rater is left out
    fewer = Ratings(whole.item[here], whole.rater[here], whole.score[here])
    for ratings in (whole, fewer):
        asked = None if halves else reference
        monkeypatch.setattr(rating_orders, "_LARGEST_CACHED_COLUMNS", 0)
        expected, drawn = simulate(ratings, asked, spec), orders(ratings, spec)
        monkeypatch.setattr(rating_orders, "_LARGEST_CACHED_COLUMNS", 1 << 25)
        np.testing.assert_array_equal(simulate(ratings, asked, spec).points, expected.points)
        np.testing.assert_array_equal(orders(ratings, spec), drawn)
    assert rating_orders._cached_columns.cache_info().hits


@pytest.mark.parametrize("halves", [False, True])
def test_items_are_counted_in_each_row_as_in_all_at_once(halves, monkeypatch):
    ratings, reference = study(unequal=True)
    asked, spec = None if halves else reference, RepetitionSpec(shuffles=9, repetitions=7)
    together = simulate(ratings, asked, spec)
    monkeypatch.setattr("analysis.correlation.rank_rows._LONG_ROW", 0)
    np.testing.assert_array_equal(simulate(ratings, asked, spec).points, together.points)


def test_another_seed_gives_other_orders():
    ratings, reference = study()
    one, two = (simulate(ratings, reference, RepetitionSpec(seed=seed)) for seed in (0, 1))
    assert (one.shuffled != two.shuffled).any()
    assert (one.measured == two.measured).all()


# split halves


@pytest.mark.parametrize("m", [2, 5, 8])
@pytest.mark.parametrize("unequal", [False, True])
def test_split_halves_correlate_the_first_with_the_last_half(m, unequal):
    ratings, _ = study(m=8, unequal=unequal, seed=9)
    spec = RepetitionSpec(shuffles=3, repetitions=m)
    curves = simulate(ratings, None, spec)
    drawn = orders(ratings, spec)
    h = drawn.shape[2] // 2
    assert curves.shuffled.shape == (3, h)
    assert curves.reference == "split halves"
    for s in range(3):
        for r in range(1, h + 1):
            own = [row[row >= 0] for row in drawn[s]]
            both = [row for row in own if len(row) >= r + h]
            x = [ratings.score[row[:r]].mean() for row in both]
            y = [ratings.score[row[-h:]].mean() for row in both]
            assert curves.shuffled[s, r - 1] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
            assert curves.items[r - 1] == len(both)
        assert curves.pearson_of_halves[s] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


def test_split_halves_need_two_ratings_of_each_item():
    curves = simulate(Ratings([1, 1, 2], [1, 2, 1], [3, 4, 5]))
    assert curves.measured.shape == (0,)
    assert "at least two ratings" in curves.reason


# laws


def whole_studies():
    return some.builds(
        study,
        n=some.integers(3, 15),
        m=some.integers(1, 7),
        seed=some.integers(0, 10**6),
        top=some.sampled_from([2, 5, 100]),
        unequal=some.booleans(),
    )


@given(whole_studies(), some.integers(0, 2**32), some.sampled_from(["within items", "raters", "automatic"]))
def test_names_and_row_order_do_not_matter(drawn, seed, order):
    ratings, reference = drawn
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(ratings))
    # names that sort as the old ones do: codes, and so the draws, stay
    item = [f"x{code:04d}" for code in ratings.item[rows]]
    rater = [f"x{code:04d}" for code in ratings.rater[rows]]
    renamed = Ratings(item, rater, ratings.score[rows], ratings.order[rows])
    other = {f"x{key:04d}": value for key, value in reference.items()}
    spec = RepetitionSpec(shuffles=3, seed=1, order=order)
    one, two = simulate(ratings, reference, spec), simulate(renamed, other, spec)
    np.testing.assert_array_equal(one.points, two.points)


@given(whole_studies())
def test_relabelling_items_or_raters_keeps_the_measured_curve(drawn):
    ratings, reference = drawn
    rng = np.random.default_rng(0)
    items, raters = rng.permutation(100), rng.permutation(100)
    other = Ratings(items[ratings.item], raters[ratings.rater], ratings.score, ratings.order)
    curves = simulate(other, {int(items[i]): v for i, v in reference.items()})
    np.testing.assert_allclose(curves.measured, simulate(ratings, reference).measured, atol=1e-14)


@given(whole_studies())
def test_all_curves_meet_where_all_ratings_are_used(drawn):
    ratings, reference = drawn
    counts = ratings.mos().counts
    if counts.min() == counts.max():
        end = simulate(ratings, reference).points[:, -1]
        np.testing.assert_allclose(end, end[0], atol=1e-14)


@given(whole_studies())
def test_a_monotone_change_of_the_reference_leaves_rank_correlations(drawn):
    ratings, reference = drawn
    stretched = {item: np.exp(value / 3) for item, value in reference.items()}
    turned = {item: -value for item, value in reference.items()}
    for correlation in ("spearman", "kendall"):
        spec = RepetitionSpec(correlation=correlation)
        expected = simulate(ratings, reference, spec).points
        np.testing.assert_array_equal(simulate(ratings, stretched, spec).points, expected)
        np.testing.assert_allclose(simulate(ratings, turned, spec).points, -expected, atol=1e-14)


@given(whole_studies(), some.sampled_from([0.1, 3.0, 7.5]), some.sampled_from([-2.0, 0.0, 0.7]))
def test_unit_and_origin_of_the_scale_do_not_matter(drawn, unit, origin):
    ratings, reference = drawn
    moved = Ratings(ratings.item, ratings.rater, ratings.score * unit + origin, ratings.order)
    for correlation in ("spearman", "pearson", "kendall"):
        spec = RepetitionSpec(correlation=correlation)
        expected = simulate(ratings, reference, spec).points
        np.testing.assert_allclose(simulate(moved, reference, spec).points, expected, atol=1e-9)


@given(whole_studies())
def test_an_item_without_reference_changes_nothing(drawn):
    ratings, reference = drawn
    more = Ratings(
        np.append(ratings.item, [900, 900]),
        np.append(ratings.rater, [0, 1]),
        np.append(ratings.score, [1, 2]),
        np.append(ratings.order, [0, 1]),
    )
    one, two = simulate(ratings, reference), simulate(more, reference)
    np.testing.assert_array_equal(one.measured, two.measured)
    assert two.left_out == 1
    spec = RepetitionSpec(shuffles=3)
    np.testing.assert_allclose(
        simulate(more, reference, spec).shuffled,
        by_hand(more, reference, orders(more, spec, reference)),
        atol=1e-12,
    )


def test_perfect_agreement_is_1_from_the_first_rating_on():
    ratings = Ratings(np.repeat(np.arange(9), 4), np.tile(np.arange(4), 9), np.repeat(np.arange(9), 4))
    for correlation in ("spearman", "pearson", "kendall"):
        curves = simulate(ratings, dict(enumerate(range(9))), RepetitionSpec(correlation=correlation))
        np.testing.assert_allclose(curves.points, 1, atol=1e-15)


# the undefined


def undefined(curves: Curves, reason: str) -> None:
    assert np.isnan(curves.points).all()
    assert reason in curves.reason


@pytest.mark.parametrize("correlation", ["spearman", "pearson", "kendall"])
def test_undefined_is_nan_with_a_reason(correlation):
    spec = RepetitionSpec(correlation=correlation)
    ratings, reference = study()
    undefined(simulate(ratings, dict.fromkeys(reference, 2.0), spec), "same reference value")
    undefined(simulate(ratings, {}, spec), "no item has both")
    undefined(simulate(ratings, {3: 2.0}, spec), "one item alone")
    undefined(simulate(ratings, dict.fromkeys(reference, float("nan")), spec), "no item has both")
    flat = Ratings(ratings.item, ratings.rater, np.full(len(ratings), 3.0))
    undefined(simulate(flat, reference, spec), "all ratings are equal")
    undefined(simulate(flat, None, spec), "all ratings are equal")
    undefined(simulate(Ratings([1, 1], [1, 2], [3, 4]), {1: 1}, spec), "one item alone")
    empty = simulate(Ratings([], [], []), None, spec)
    assert empty.points.shape == (6, 0)
    assert empty.reason == "there are no ratings"


def test_two_items_and_one_rater_are_defined():
    curves = simulate(Ratings([0, 1], [5, 5], [1, 2]), {0: 10.0, 1: 20.0})
    np.testing.assert_allclose(curves.points, 1)
    assert curves.items.tolist() == [2]


def test_an_order_with_all_values_equal_is_left_undefined_alone():
    ratings = Ratings([0, 0, 1, 1], [1, 2, 1, 2], [1, 2, 2, 1])
    curves = simulate(ratings, {0: 1.0, 1: 2.0}, RepetitionSpec(shuffles=40, order="raters"))
    assert np.isnan(curves.points[:, 1]).all()
    assert not np.isnan(curves.points[:, 0]).any()
    assert "after 2 ratings" in curves.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shuffles": -1}, "`shuffles` must be 0 or more, got -1"),
        ({"repetitions": 0}, "`repetitions` must be None or a whole number from 1, got 0"),
        ({"seed": -1}, "`seed` must be"),
        ({"correlation": "rho"}, "`correlation` must be one of 'spearman', 'pearson', 'kendall', got 'rho'"),
        ({"order": "rows"}, "`order` must be one of"),
        ({"aggregation": "mode"}, "`aggregation` must be one of"),
    ],
)
def test_a_wrong_spec_says_what_is_allowed(arguments, message):
    with pytest.raises(InputError, match=message):
        RepetitionSpec(**arguments)


def test_a_wrong_reference_says_what_is_allowed():
    ratings, _ = study()
    with pytest.raises(InputError, match="finite numbers, got an infinite one for item 2"):
        simulate(ratings, {2: float("inf")})
    with pytest.raises(InputError, match="must give each item one number"):
        simulate(ratings, {2: "good"})


# real data


def check_on(ratings, reference, spec):
    curves = simulate(ratings, reference, spec)
    drawn = orders(ratings, spec, reference)
    np.testing.assert_allclose(curves.shuffled, by_hand(ratings, reference, drawn), atol=1e-12)
    return curves


def halves_of_raters(frame: pd.DataFrame) -> tuple[Ratings, dict[str, float]]:
    """Every second rater is the candidate group, the others give the reference."""
    second = frame["rater"].rank(method="dense") % 2 == 1
    reference = frame[~second].groupby("item")["score"].mean().round(9).to_dict()
    candidate = frame[second]
    return Ratings(candidate["item"], candidate["rater"], candidate["score"]), reference


def test_speech(shared_data: Path):
    frame = pd.read_csv(shared_data / "speech_mos_lab_vs_crowd.csv")
    frame = frame[frame["check"].isna()]
    lab = frame[frame["group"] == "lab"].groupby("item")["score"].mean().to_dict()
    for group in sorted(set(frame["group"]) - {"lab"}):
        crowd = frame[frame["group"] == group]
        ratings = Ratings(crowd["item"], crowd["rater"], crowd["score"])
        spec = RepetitionSpec(shuffles=2, repetitions=40)
        curves = check_on(ratings, lab, spec)
        assert curves.items[0] == len(set(crowd["item"]))
        assert curves.items[-1] == (crowd.groupby("item").size() >= len(curves.items)).sum()


def test_squality_on_a_scale_to_100(shared_data: Path):
    frame = pd.read_csv(shared_data / "squality_summary_ratings.csv")
    frame = frame[frame["measure"] == frame["measure"][0]]
    check_on(*halves_of_raters(frame), RepetitionSpec(shuffles=3))
    assert np.isfinite(simulate(Ratings(frame["item"], frame["rater"], frame["score"])).points).all()


def test_translations_with_many_zeros(shared_data: Path):
    frame = pd.read_csv(shared_data / "wmt23_mqm_3raters.csv")
    chosen = sorted(set(frame["item"]))[::20]
    frame = frame[frame["item"].isin(chosen)]
    curves = check_on(*halves_of_raters(frame), RepetitionSpec(shuffles=3, repetitions=3))
    assert np.isfinite(curves.points[:, 0]).all()


def test_video_is_complete(shared_data: Path):
    frame = pd.read_csv(shared_data / "video_mos_nflx_public.csv")
    ratings, reference = halves_of_raters(frame)
    curves = check_on(ratings, reference, RepetitionSpec(shuffles=3))
    assert curves.order == "raters"
    assert curves.measured[-1] > 0.95


def test_one_item_with_a_single_rating_does_not_end_the_curve():
    counts = np.array([1] + [20] * 320)
    assert largest_common_count(counts) == 20
    item = np.repeat(np.arange(321), counts)
    rng = np.random.default_rng(0)
    ratings = Ratings(item, np.arange(len(item)), rng.normal(0, 1, 321)[item] + rng.normal(0, 1, len(item)))
    known = dict(enumerate(rng.normal(0, 1, 321).tolist()))
    curves = simulate(ratings, known, RepetitionSpec(shuffles=2, repetitions=largest_common_count(counts)))
    assert curves.repetitions == 20
    assert curves.items.tolist() == [321] + [320] * 19


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([1] * 2 + [9] * 18, 9), ([1] * 3 + [9] * 17, 1), ([2] * 5 + [7] * 9, 2), ([2] + [7] * 10, 7), ([], 0)],
)
def test_curves_run_as_far_as_nine_of_ten_items_and_at_least_ten(counts, expected):
    assert largest_common_count(np.array(counts, dtype=np.int64)) == expected
