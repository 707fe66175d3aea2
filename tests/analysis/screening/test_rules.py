"""Screening against the package sureal, against loops, and laws."""

import csv
import json
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from analysis.screening.observer_rejection import bt500, p913
from analysis.screening.rating_behavior import failed_checks, failed_references, high_anchors, runs, speed
from analysis.screening.subject_model import bias
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "sureal_numbers.json"


@pytest.fixture(scope="module")
def sureal():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def video(shared_data):
    with (shared_data / "video_mos_nflx_public.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Ratings([r["item"] for r in rows], [r["rater"] for r in rows], [float(r["score"]) for r in rows])


def without(ratings, rejected, raters):
    keep = ~np.isin(ratings.rater, raters[rejected])
    return Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep])


def test_bt500_equals_sureal(video, sureal):
    found, oracle = bt500(video, "n"), sureal["complete"]["bt500"]
    assert found.raters.tolist() == sureal["raters"]
    assert found.rejected.tolist() == oracle["observer_rejected"]
    alike = sum(len(set(video.score[video.item == item])) == 1 for item in sureal["items"])
    both_ways = 2 * alike  # sureal counts items that all score alike as far up and far down for everyone
    np.testing.assert_allclose(found.far + both_ways / 79, oracle["observer_rejected_1st_stats"], rtol=1e-12)
    balance = np.abs(found.p - found.q) / (found.p + found.q + both_ways)
    np.testing.assert_allclose(balance, oracle["observer_rejected_2nd_stats"], rtol=1e-12)
    mos = without(video, found.rejected, found.raters).mos()
    np.testing.assert_allclose(mos.means, oracle["quality_scores"], rtol=1e-12)


def test_the_standards_sd_keeps_a_subject_whom_sureals_rejects(video):
    """By hand on the video study: scores far above and below with either divisor of the SD."""
    table = np.full((79, 26), np.nan)
    _, row = np.unique(video.item, return_inverse=True)
    raters, column = np.unique(video.rater, return_inverse=True)
    table[row, column] = video.score
    away = table - table.mean(axis=1, keepdims=True)
    varied = np.ptp(table, axis=1) > 0
    kurtosis = np.where(varied, (away**4).mean(axis=1) / np.where(varied, table.var(axis=1), 1) ** 2, 0)
    verdicts = {}
    for divisor, less in (("n - 1", 1), ("n", 0)):
        reach = np.where((kurtosis >= 2) & (kurtosis <= 4), 2, 20**0.5) * table.std(axis=1, ddof=less)
        p = (away[varied] >= reach[varied, None]).sum(axis=0)
        q = (away[varied] <= -reach[varied, None]).sum(axis=0)
        found = bt500(video, divisor)
        assert (found.p.tolist(), found.q.tolist()) == (p.tolist(), q.tolist())
        verdicts[divisor] = raters[found.rejected].tolist()
    assert verdicts == {"n - 1": [], "n": ["subj_3"]}


def test_p913_bias_and_what_is_left_after_it_equal_sureal(video, sureal):
    found = bias(video)
    np.testing.assert_allclose(found.bias, sureal["complete"]["bias removed"]["observer_bias"], atol=1e-12)
    corrected = Ratings(
        video.item, video.rater, video.score - found.bias[np.searchsorted(found.raters, video.rater)]
    )
    removed = sureal["complete"]["bias removed"]["quality_scores"]
    np.testing.assert_allclose(corrected.mos().means, removed, rtol=1e-12)
    oracle = sureal["complete"]["p913"]
    verdict = bt500(corrected, "n")
    assert verdict.rejected.tolist() == oracle["observer_rejected"]
    np.testing.assert_allclose(verdict.far, oracle["observer_rejected_1st_stats"], rtol=1e-12)
    mos = without(corrected, verdict.rejected, verdict.raters).mos()
    np.testing.assert_allclose(mos.means, oracle["quality_scores"], rtol=1e-12)


def test_bias_equals_sureal_with_gaps(video, sureal):
    place = np.searchsorted(sureal["items"], video.item) * 26 + np.searchsorted(sureal["raters"], video.rater)
    keep = place % 7 != 0
    found = bias(Ratings(video.item[keep], video.rater[keep], video.score[keep]))
    oracle = sureal["every 7th missing"]["bias removed"]
    np.testing.assert_allclose(found.bias, oracle["observer_bias"], atol=1e-12)


def gapped(seed, n=25, raters=9, rows=220, noise=1.0):
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(0, n, rows), rng.integers(0, raters, rows)
    noises = np.linspace(0.1, 3, raters) * noise
    return Ratings(item, rater, np.rint(rng.normal(3, 1.5, n)[item] + noises[rater] * rng.normal(0, 1, rows)))


@pytest.mark.parametrize("seed", range(5))
def test_bias_is_the_mean_deviation_with_students_interval(seed):
    ratings = gapped(seed)
    found = bias(ratings)
    mos = ratings.mos()
    for place, rater in enumerate(found.raters):
        own = ratings.rater == rater
        off = ratings.score[own] - mos.means[np.searchsorted(mos.items, ratings.item[own])]
        assert found.bias[place] == pytest.approx(off.mean())
        low, high = stats.t.interval(0.95, len(off) - 1, off.mean(), stats.sem(off))
        assert (found.low[place], found.high[place]) == pytest.approx((low, high))
        assert found.ratings[place] == own.sum()


@pytest.mark.parametrize("divisor", ["n - 1", "n"])
@pytest.mark.parametrize("seed", range(5))
def test_bt500_equals_the_slow_obvious_version(seed, divisor):
    ratings = gapped(seed, n=12, rows=400)
    found = bt500(ratings, divisor)
    p, q = dict.fromkeys(found.raters.tolist(), 0), dict.fromkeys(found.raters.tolist(), 0)
    for item in set(ratings.item.tolist()):
        here = ratings.item == item
        scores = ratings.score[here]
        if len(set(scores)) == 1:
            continue
        kurtosis = stats.kurtosis(scores, fisher=False)
        reach = (2 if 2 <= kurtosis <= 4 else 20**0.5) * scores.std(ddof=int(divisor == "n - 1"))
        for rater, score in zip(ratings.rater[here].tolist(), scores, strict=True):
            p[rater] += score >= scores.mean() + reach
            q[rater] += score <= scores.mean() - reach
    assert found.p.tolist() == list(p.values())
    assert found.q.tolist() == list(q.values())
    for place, rater in enumerate(found.raters.tolist()):
        far, given_by = p[rater] + q[rater], (ratings.rater == rater).sum()
        expected = far / given_by > 0.05 and abs(p[rater] - q[rater]) / far < 0.3
        assert found.rejected[place] == expected


def test_a_score_of_exactly_two_standard_deviations_is_far():
    ratings = Ratings([1] * 5, range(5), [0.1, 0.1, 0.1, 0.1, 0.7])  # 4 equal and 1 else: exactly 2 SD
    assert bt500(ratings, "n").p.tolist() == [0, 0, 0, 0, 1]
    assert bt500(ratings).p.tolist() == [0, 0, 0, 0, 0]  # 1.79 of the standard's SD


def test_six_ratings_are_the_fewest_that_can_lie_two_of_the_standards_sds_away():
    five = Ratings([1] * 5, range(5), [0, 0, 0, 0, 1])
    six = Ratings([1] * 6, range(6), [-2, -1, 0, 1, 2, 18])  # kurtosis below 4
    assert "no item has six ratings" in bt500(five).reason
    assert (bt500(six).reason, bt500(six).p.sum()) == ("", 1)
    with pytest.raises(InputError, match="n - 1"):
        bt500(six, "n - 2")


def test_items_that_all_score_alike_count_for_nobody():
    found = bt500(Ratings(np.repeat([1, 2], 6), np.tile(np.arange(6), 2), [0.1] * 12))
    assert found.p.sum() == found.q.sum() == found.rejected.sum() == 0
    assert np.isnan(found.balance).all()
    assert found.reason == ""


def test_too_few_ratings_per_item_are_said():
    few, none = Ratings([1, 1, 2, 2], [1, 2, 1, 2], [1, 5, 2, 3]), Ratings([], [], [])
    for ratings in (few, none):
        assert "no item has five ratings" in bt500(ratings, "n").reason
        assert "no item has six ratings" in bt500(ratings).reason


def p913_by_hand(ratings, system=None):
    raters = sorted(set(ratings.rater.tolist()))
    out = []

    def against(rater, unit):
        inside = ~np.isin(ratings.rater, out)
        own = ratings.rater == rater
        mos = {u: ratings.score[inside & (unit == u)].mean() for u in set(unit[own].tolist())}
        if unit is ratings.item:
            return np.corrcoef(ratings.score[own], [mos[u] for u in unit[own].tolist()])[0, 1]
        means = [ratings.score[own & (unit == u)].mean() for u in mos]
        return np.corrcoef(means, list(mos.values()))[0, 1]

    while True:
        short = {}
        for rater in set(raters) - set(out):
            r1 = against(rater, ratings.item)
            r2 = against(rater, system) if system is not None else None
            if r1 < 0.75 and (r2 is None or r2 < 0.8):
                short[rater] = 0.75 - r1 if r2 is None else (0.75 - r1 + 0.8 - r2) / 2
        if not short:
            return out
        out.append(max(short, key=short.get))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("with_systems", [False, True])
def test_p913_discards_one_at_a_time_from_the_worst(seed, with_systems):
    ratings = gapped(seed, rows=400)
    system = ratings.item // 4 if with_systems else None
    found = p913(ratings, system)
    out = p913_by_hand(ratings, system)
    assert found.raters[np.argsort(found.turn)][len(found.raters) - len(out) :].tolist() == out
    assert found.raters[found.rejected].tolist() == sorted(out)
    for place, rater in enumerate(found.raters):
        own = ratings.rater == rater
        mos = ratings.mos()
        expected = np.corrcoef(ratings.score[own], mos.means[np.searchsorted(mos.items, ratings.item[own])])
        assert found.by_item[place] == pytest.approx(expected[0, 1])


def test_p913_finds_the_random_raters(video):
    rng = np.random.default_rng(0)
    raters = np.unique(video.rater)
    noisy = np.isin(video.rater, raters[:3])
    score = np.where(noisy, rng.integers(1, 6, len(video)), video.score)
    found = p913(Ratings(video.item, video.rater, score))
    assert found.rejected[:3].all()
    assert set(found.turn[:3]) == {1, 2, 3}


def test_p913_says_why_a_correlation_is_undefined():
    found = p913(Ratings([1, 2, 3, 1, 2, 3, 1], list("aaabbbc"), [1, 2, 3, 4, 4, 4, 2]))
    assert found.reasons == ("", "the scores, or the MOS, do not vary", "fewer than 3 ratings")
    assert not found.rejected[1:].any()
    assert np.isnan(found.by_system).all()
    assert p913(Ratings([], [], [])).raters.size == 0


grids = some.integers(2, 6).flatmap(
    lambda raters: some.lists(
        some.lists(some.integers(1, 5), min_size=raters, max_size=raters), min_size=5, max_size=12
    )
)


def crossed(grid):
    table = np.array(grid, dtype=float)
    n, w = table.shape
    return Ratings(np.repeat(np.arange(n), w), np.tile(np.arange(w), n), table.ravel())


@given(grids, some.randoms())
def test_the_order_of_rows_does_not_matter(grid, random):
    ratings = crossed(grid)
    order = list(range(len(ratings)))
    random.shuffle(order)
    mixed = Ratings(ratings.item[order], ratings.rater[order], ratings.score[order])
    np.testing.assert_allclose(bias(mixed).bias, bias(ratings).bias, atol=1e-12)
    np.testing.assert_array_equal(bt500(mixed).p, bt500(ratings).p)
    np.testing.assert_array_equal(bt500(mixed).rejected, bt500(ratings).rejected)
    np.testing.assert_allclose(p913(mixed).by_item, p913(ratings).by_item, atol=1e-9)


@given(grids, some.integers(-5, 5))
def test_a_constant_for_one_rater_moves_biases_only(grid, constant):
    ratings = crossed(grid)
    w = len(grid[0])
    moved = Ratings(ratings.item, ratings.rater, ratings.score + constant * (ratings.rater == 0))
    step = bias(moved).bias - bias(ratings).bias
    np.testing.assert_allclose(
        step, np.where(np.arange(w) == 0, constant * (1 - 1 / w), -constant / w), atol=1e-9
    )
    np.testing.assert_allclose(bias(ratings).bias.sum(), 0, atol=1e-9)
    np.testing.assert_allclose(p913(moved).by_item, p913(ratings).by_item, atol=1e-6)


def longest_run(answers):
    longest = run = 1
    for before, now in pairwise(answers):
        run = run + 1 if now == before else 1
        longest = max(longest, run)
    return longest


@given(some.lists(some.integers(1, 3), min_size=1, max_size=7))
def test_runs_equal_counting_and_the_chance_bounds_that_of_all_orders(answers):
    found = runs(["a"] * len(answers), answers, range(len(answers)))
    assert found.longest[0] == longest_run(answers)
    pairs = list(pairwise(answers))
    if pairs:
        assert found.repeated[0] == pytest.approx(np.mean([a == b for a, b in pairs]))
    lengths = [longest_run(order) for order in permutations(answers)]
    chance = np.mean([length >= found.longest[0] for length in lengths])
    assert chance - 1e-9 <= found.chance[0] <= 1


def test_a_small_chance_is_close_to_that_of_many_shuffles():
    answers = [1, 2, 3, 4, 5] * 6 + [3] * 7
    found = runs(["a"] * len(answers), answers, range(len(answers)))
    rng = np.random.default_rng(0)
    shuffled = np.mean([longest_run(rng.permutation(answers).tolist()) >= 8 for _ in range(20_000)])
    assert found.longest[0] == 7
    longer = runs(["a"] * 37, sorted(answers, key=lambda a: a == 3), range(37))
    assert longer.longest[0] == 13
    shuffled = np.mean([longest_run(rng.permutation(answers).tolist()) >= 7 for _ in range(20_000)])
    assert found.chance[0] == pytest.approx(shuffled, abs=0.004)


def test_runs_go_by_time_and_by_rater():
    found = runs(list("abababa"), [1, 9, 2, 1, 1, 9, 1], [3, 1, 4, 3, 2, 2, 1])
    assert found.raters.tolist() == ["a", "b"]
    assert found.longest.tolist() == [3, 2]  # a: 1 1 1 2; b: 9 9 1
    assert found.ratings.tolist() == [4, 3]
    np.testing.assert_allclose(found.repeated, [2 / 3, 1 / 2])
    assert runs([], [], []).longest.size == 0
    assert np.isnan(runs(["a"], [1], [1]).repeated[0])


def test_failed_checks_with_wilsons_interval():
    found = failed_checks(
        [1] * 10 + [2] * 2 + [3], [5] * 7 + [1, np.nan, 2] + [4, 4] + [1], [5] * 10 + [4, 4] + [np.nan]
    )
    assert found.checks.tolist() == [10, 2, 0]
    assert found.failed.tolist() == [3, 0, 0]
    assert found.unknown.tolist() == [0, 0, 1]
    for place, (failed, checks) in enumerate([(3, 10), (0, 2)]):
        interval = stats.binomtest(failed, checks).proportion_ci(0.95, "wilson")
        assert (found.low[place], found.high[place]) == pytest.approx((interval.low, interval.high))
    assert np.isnan([found.share[2], found.low[2], found.high[2]]).all()


def test_failed_references_are_counted_below_the_limit():
    rng = np.random.default_rng(1)
    rater, score = rng.integers(0, 6, 200), rng.integers(80, 101, 200)
    score[rater == 2] = 90
    found = failed_references(rater, score)
    assert found.failed.tolist() == [int((score[rater == one] < 90).sum()) for one in range(6)]
    assert found.checks.tolist() == np.bincount(rater).tolist()
    assert found.share[2] == 0
    assert failed_references([], []).share.size == 0


def test_high_anchors_are_counted_on_items_whose_anchor_is_impaired():
    """Five raters and eight items: on item 8 two of five rate the anchor above 90, on item 7 one of four."""
    score = np.full((5, 8), 50.0)
    score[0, :2] = 91, 100  # rater 0: two of the seven items that count
    score[1, 2] = 90  # the limit itself is not above
    score[2, 6], score[3, 6] = 95, np.nan  # one of the four who answered: 25% is not more than 25%
    score[2:4, 7] = 99  # two of five: the item does not count
    rater, item = (codes.ravel() for codes in np.indices(score.shape))
    found = high_anchors(rater, item, score.ravel())
    np.testing.assert_allclose(found.share, [0.2, 0.2, 0, 0, 0, 0, 0.25, 0.4])
    assert found.set_aside.tolist() == [False] * 7 + [True]
    assert found.by_rater.checks.tolist() == [7, 7, 7, 6, 7]
    assert found.by_rater.failed.tolist() == [2, 0, 1, 0, 0]
    np.testing.assert_allclose(found.by_rater.share, [2 / 7, 0, 1 / 7, 0, 0])
    interval = stats.binomtest(2, 7).proportion_ci(0.95, "wilson")
    assert (found.by_rater.low[0], found.by_rater.high[0]) == pytest.approx((interval.low, interval.high))
    strict = high_anchors(rater, item, score.ravel(), most_raters=1.0)
    assert strict.by_rater.failed.tolist() == [2, 0, 2, 1, 0]
    assert not strict.set_aside.any()


def test_high_anchors_of_nobody_and_of_items_that_all_do_not_count():
    assert high_anchors([], [], []).items.size == 0
    found = high_anchors(["a", "b"], [1, 1], [95, 96])
    assert found.set_aside.tolist() == [True]
    assert np.isnan(found.by_rater.share).all()
    with pytest.raises(InputError, match="most_raters"):
        high_anchors(["a"], [1], [95], most_raters=1.5)


@given(some.integers(0, 10_000))
def test_high_anchors_do_not_depend_on_the_order_of_ratings(seed: int):
    rng = np.random.default_rng(seed)
    rater, item = (codes.ravel() for codes in np.indices((4, 6)))
    score = rng.integers(70, 101, 24)
    one, order = high_anchors(rater, item, score), rng.permutation(24)
    other = high_anchors(rater[order], item[order], score[order])
    np.testing.assert_array_equal(one.by_rater.share, other.by_rater.share)
    np.testing.assert_array_equal(one.share, other.share)


def test_speed_is_the_median_and_the_limit_a_share_of_the_typical_one():
    rng = np.random.default_rng(0)
    rater, seconds = rng.integers(0, 7, 100), rng.exponential(10, 100)
    seconds[rater == 3] /= 10
    seconds[rater == 5] = np.nan
    found = speed(rater, seconds)
    expected = [np.median(seconds[rater == r]) if r != 5 else np.nan for r in range(7)]
    np.testing.assert_allclose(found.seconds, expected)
    assert found.typical == np.nanmedian(expected)
    assert found.limit == found.typical / 2
    assert np.flatnonzero(found.too_fast).tolist() == [3]
    assert found.ratings[5] == 0
    assert np.isnan(speed(["a"], [np.nan]).typical)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: bias(Ratings([1], [1], [1]), level=95), "`level` must be between 0 and 1, got 95"),
        (lambda: p913(Ratings([1], [1], [1]), threshold=75), "`threshold` must be between -1 and 1"),
        (lambda: p913(Ratings([1], [1], [1]), [1, 2]), "one code per rating, 1"),
        (lambda: runs([1], [1, 2], [1]), "`score` has shape"),
        (lambda: failed_checks([1], [1], [1], level=0), "`level`"),
        (lambda: speed([1], [1], factor=2), "`factor`"),
    ],
)
def test_wrong_input_is_reported(call, told):
    with pytest.raises(InputError, match=told.replace("(", r"\(")):
        call()


def test_one_rater_or_one_item_or_constant_scores_bring_no_warning():
    for ratings in (
        Ratings([1, 2, 3], [1, 1, 1], [1, 2, 3]),
        Ratings([1, 1, 1], [1, 2, 3], [1, 2, 3]),
        Ratings([1, 2, 1, 2], [1, 1, 2, 2], [3, 3, 3, 3]),
        Ratings([], [], []),
    ):
        assert not bt500(ratings).rejected.any()
        assert not p913(ratings).rejected.any()
        bias(ratings)


def test_items_that_nobody_else_rated_say_nothing_of_a_bias():
    found = bias(Ratings([1, 1, 2, 2, 3, 4], ["a", "b", "a", "b", "a", "c"], [3, 4, 1, 2, 5, 5]))
    np.testing.assert_allclose(found.bias, [-0.5, 0.5, np.nan])
    assert found.ratings.tolist() == [2, 2, 0]


def test_a_check_may_be_off_by_the_tolerance():
    rater, score, expected = ["a"] * 4, [5, 4, 3, np.nan], [5, 5, 5, 5]
    assert failed_checks(rater, score, expected).failed.tolist() == [3]
    assert failed_checks(rater, score, expected, tolerance=1).failed.tolist() == [2]
    with pytest.raises(InputError, match="`tolerance` must be 0 or more"):
        failed_checks(rater, score, expected, tolerance=-1)


@given(some.lists(some.tuples(some.sampled_from("abc"), some.integers(1, 3)), min_size=1), some.randoms())
def test_runs_are_the_same_whether_rows_come_in_time_or_not(answers, random):
    places = list(range(len(answers)))
    told = [(rater, score, place) for (rater, score), place in zip(answers, places, strict=True)]
    in_time = runs(*(list(column) for column in zip(*told, strict=True)))
    random.shuffle(told)
    mixed = runs(*(list(column) for column in zip(*told, strict=True)))
    np.testing.assert_array_equal(in_time.longest, mixed.longest)
    np.testing.assert_array_equal(in_time.repeated, mixed.repeated)
    np.testing.assert_array_equal(in_time.chance, mixed.chance)
