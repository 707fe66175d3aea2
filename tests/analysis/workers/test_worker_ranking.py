"""The ranking of workers: a hand example, slow loops, the paper's Table 1, planted workers, real ones, coverage."""

import csv
from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes, encode_votes
from analysis.workers import dawid_skene, glad, pcch_reliability
from analysis.workers.worker_agreement import (
    agreement_with_majority,
    agreement_with_reference,
    correlate_known_with_r,
    rank_correlations,
)
from analysis.workers.worker_ranking import add_reliability_intervals, rank_workers
from benchmarks.calibration.workers import SIMULATIONS

TABLE_1 = {
    "e": [0.66, 0.54, 0.54, 0.50, 0.50, 0.50, 0.41, 0.39, 0.36, 0.31],
    "r": [0.81, 0.65, 0.64, 0.71, 0.60, 0.35, 0.24, 0.33, 0.34, 0.12],
}
"""Habibi and Popescu-Belis 2012, Table 1: ten workers' e_w and r_w."""


def votes(rows, options=2):
    """Votes from one row per worker, one choice per item, -1: none."""
    table = np.array(rows)
    rater, item = np.nonzero(table >= 0)
    return Votes(item, rater, table[rater, item], table.shape[1], table.shape[0], options)


HAND = votes([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]])


def planted(seed=0, items=200, accuracies=(0.95, 0.85, 0.75, 0.65, 0.5), options=3, share=1.0):
    """Workers who are right as often as planted, otherwise any other option alike; and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, options, items)
    right = rng.random((len(accuracies), items)) < np.array(accuracies)[:, None]
    wrong = (truth + rng.integers(1, options, right.shape)) % options
    choice = np.where(right, truth, wrong)
    choice[rng.random(choice.shape) >= share] = -1
    return votes(choice, options), truth


@some.composite
def any_votes(draw):
    """Few items, workers and options, and several votes of one worker on one item at times."""
    items, raters, options = (draw(some.integers(1, most)) for most in (6, 5, 3))
    n = draw(some.integers(0, 30))

    def codes(many):
        return np.array(draw(some.lists(some.integers(0, many - 1), min_size=n, max_size=n)), dtype=np.int64)

    return Votes(codes(items), codes(raters), codes(options), items, raters, options)


def values(estimates):
    return np.array([e.value for e in estimates])


def test_the_hand_example():
    found = rank_workers(HAND, known=[0, 0, 0, -1], seconds=[1, 2, 3, 9, *[5] * 8])
    assert values(found.r) == pytest.approx([sqrt(0.5), sqrt(0.5), 0])
    assert found.majority.tolist() == [0.75, 0.75, 0.5]
    assert values(found.known) == pytest.approx([2 / 3, 2 / 3, 2 / 3])
    assert found.items.tolist() == found.votes.tolist() == [4, 4, 4]
    assert [e.n for e in found.r] == [4, 4, 4]
    assert [e.n for e in found.known] == [3, 3, 3]
    assert found.seconds.tolist() == [2.5, 5, 5]
    assert found.intervals == ""


@given(any_votes())
def test_agreement_with_the_majority_equals_a_loop_over_votes(given_votes):
    v = given_votes
    for worker, share in enumerate(agreement_with_majority(v)):
        told = []
        for item, choice in zip(v.item[v.rater == worker], v.choice[v.rater == worker], strict=True):
            others = [
                c for i, w, c in zip(v.item, v.rater, v.choice, strict=True) if i == item and w != worker
            ]
            if others:
                most = max(others.count(option) for option in range(v.options))
                tied = [option for option in range(v.options) if others.count(option) == most]
                told.append((choice in tied) / len(tied))
        assert share == pytest.approx(np.mean(told) if told else nan, nan_ok=True)


def test_agreement_with_the_majority_is_the_same_in_small_blocks(monkeypatch):
    v = planted(share=0.6)[0]
    whole = agreement_with_majority(v)
    monkeypatch.setattr("analysis.workers.worker_agreement.CELLS_PER_BLOCK", 7)
    np.testing.assert_allclose(agreement_with_majority(v), whole, rtol=1e-12)


@given(any_votes(), some.data())
def test_known_answers_equal_a_loop_over_items(given_votes, data):
    v = given_votes
    known = data.draw(some.lists(some.integers(-1, v.options - 1), min_size=v.items, max_size=v.items))
    found = rank_workers(v, known)
    for worker, e in enumerate(found.known):
        judged = [item for item in set(v.item[v.rater == worker].tolist()) if known[item] >= 0]
        told = [np.mean(v.choice[(v.rater == worker) & (v.item == item)] == known[item]) for item in judged]
        assert e.n == len(told)
        assert e.value == pytest.approx(np.mean(told) if told else nan, nan_ok=True)
        assert bool(e.reason) == (not told)
        if told and set(told) <= {0, 1}:
            wilson = stats.binomtest(int(sum(told)), len(told)).proportion_ci(method="wilson")
            assert (e.low, e.high) == pytest.approx((wilson.low, wilson.high))


def slow_r(v, worker, poll, raters, items):
    """Eq. 1 for one worker, from lists in which everyone else and every item stand as often as they were drawn."""
    found, counts = [], []
    for code in set(poll.tolist()):
        pairs = []
        for item in np.flatnonzero(poll == code):
            others = [
                c
                for i, w, c in zip(v.item, v.rater, v.choice, strict=True)
                for _ in range(int(raters[w]))
                if i == item and w != worker
            ]
            own = v.choice[(v.rater == worker) & (v.item == item)]
            if others:
                pairs += [(c, others) for c in own.tolist()] * int(items[item])
        per_option = []
        for option in range(v.options):
            x = [float(c == option) for c, _ in pairs]
            y = [others.count(option) / len(others) for _, others in pairs]
            if len(set(x)) > 1 and max(y) - min(y) > 1e-9:
                per_option.append(np.corrcoef(x, y)[0, 1])
        if per_option:
            found.append(np.mean(per_option))
            counts.append(len(pairs))
    return np.average(found, weights=counts) if found else nan


@settings(max_examples=15, deadline=None)
@given(any_votes(), some.integers(0, 100), some.booleans())
def test_every_draw_has_every_workers_r_whether_drawn_or_not(given_votes, seed, persons):
    v = given_votes
    poll = np.arange(v.items) % 2
    for of_raters, of_items in crossed_bootstrap_counts(v.raters, v.items, 4, seed):
        weight = of_raters if persons else np.ones_like(of_raters)
        drawn = pcch_reliability.correlations(v, weight, of_items, poll)
        for row, raters, items in zip(drawn, weight, of_items, strict=True):
            slow = [slow_r(v, worker, poll, raters, items) for worker in range(v.raters)]
            np.testing.assert_allclose(row, slow, atol=1e-9)


@pytest.mark.parametrize("in_turn", [1, 2, 5])
def test_draws_looked_at_in_turn_are_the_draws_looked_at_at_once(in_turn, monkeypatch):
    v = planted(share=0.6)[0]
    of_raters, of_items = next(crossed_bootstrap_counts(v.raters, v.items, 5, 3))
    weights = (of_raters, of_items), (None, of_items), (of_raters, None)
    whole = [pcch_reliability.correlations(v, *weight) for weight in weights]
    monkeypatch.setattr(pcch_reliability, "CELLS_PER_BLOCK", in_turn * len(v))
    for expected, weight in zip(whole, weights, strict=True):
        np.testing.assert_array_equal(pcch_reliability.correlations(v, *weight), expected)
    np.testing.assert_array_equal(
        pcch_reliability.correlations(v, np.ones_like(of_raters), of_items), whole[1]
    )


def test_how_often_a_worker_is_drawn_has_no_part_in_the_same_workers_r():
    v = planted(share=0.6)[0]
    weight = np.ones((3, v.raters))
    weight[:, 2] = 0, 1, 5
    np.testing.assert_allclose(
        pcch_reliability.correlations(v, weight)[:, 2], pcch_reliability.correlations(v)[0, 2]
    )


@pytest.mark.parametrize("options", [2, 4])
def test_the_planted_order_comes_out_of_every_method(options):
    v, truth = planted(items=600, options=options, accuracies=(0.95, 0.87, 0.8, 0.72, 0.65, 0.55))
    found = rank_workers(v, truth)
    for figures in (
        values(found.r), found.majority, found.ability, found.accuracy, values(found.known)
    ):  # fmt: skip
        assert figures.tolist() == sorted(figures, reverse=True)
    assert all(
        rho.value == 1 for rho in rank_correlations({"r": values(found.r), "e": found.accuracy}).values()
    )


@settings(max_examples=20, deadline=None)
@given(some.integers(0, 1000), some.randoms())
def test_the_order_of_workers_items_and_rows_changes_nothing(seed, random):
    v, truth = planted(seed, items=30, share=0.8)
    of_workers, of_items, of_rows = ([*range(n)] for n in (v.raters, v.items, len(v)))
    for order in (of_workers, of_items, of_rows):
        random.shuffle(order)
    rater, item = np.array(of_workers)[v.rater], np.array(of_items)[v.item]
    mixed = Votes(item[of_rows], rater[of_rows], v.choice[of_rows], v.items, v.raters, v.options)
    known = np.empty(v.items, dtype=int)
    known[of_items] = truth
    plain, other = rank_workers(v, truth), rank_workers(mixed, known)
    for of in ("r", "known"):
        np.testing.assert_allclose(values(getattr(other, of))[of_workers], values(getattr(plain, of)))
    for of in ("majority", "items"):
        np.testing.assert_allclose(getattr(other, of)[of_workers], getattr(plain, of))


def test_polls_are_ranked_by_themselves_and_averaged_by_votes():
    v, _ = planted(items=90, share=0.8, options=2)
    four, _ = planted(1, items=40, share=0.9, options=4)
    both = Votes(
        np.concatenate([v.item, four.item + 90]),
        np.concatenate([v.rater, four.rater]),
        np.concatenate([v.choice, four.choice]),
        130,
        5,
        4,
    )
    poll = np.repeat([0, 1], [90, 40])
    found = rank_workers(both, poll=poll)
    n = np.array([np.bincount(part.rater) for part in (v, four)])
    parts = [rank_workers(v), rank_workers(four)]
    for of in ("ability", "accuracy"):
        expected = np.average([getattr(part, of) for part in parts], axis=0, weights=n)
        np.testing.assert_allclose(getattr(found, of), expected)
    np.testing.assert_allclose(
        values(found.r), np.average([values(part.r) for part in parts], axis=0, weights=n)
    )
    drawn = add_reliability_intervals(found, both, poll)
    assert all(e.low <= e.value <= e.high for e in drawn.r)


def test_one_batch_has_the_figures_of_the_single_methods():
    v = planted(share=0.7)[0]
    found = rank_workers(v)
    np.testing.assert_allclose(found.ability, glad.fit_votes(v).ability)
    np.testing.assert_allclose(found.accuracy, dawid_skene.fit_votes(v).accuracy)
    np.testing.assert_allclose(values(found.r), pcch_reliability.reliabilities(v)[0])


def test_undefined_reliabilities_say_why():
    v = votes(
        [
            [0, 0, 0, 0, -1, -1],  # always the same
            [0, 1, 0, 1, -1, -1],
            [1, 1, 0, 0, -1, -1],
            [-1, -1, 0, -1, 1, -1],  # one item with others
            [-1, -1, -1, -1, -1, 1],  # alone
        ]
    )
    found = rank_workers(v)
    assert [e.defined for e in found.r] == [False, True, True, False, False]
    assert found.r[0].reason == "always chose the same option"
    assert "only one item" in found.r[3].reason
    assert "nobody else" in found.r[4].reason
    assert [e.n for e in found.r] == [4, 4, 4, 1, 0]
    assert isnan(found.majority[4])
    assert all(e.reason == "no answers are known" for e in found.known)
    drawn = add_reliability_intervals(found, v)
    assert all(isnan(drawn.r[worker].low) for worker in (0, 3, 4))


def test_two_workers_of_whom_one_is_constant_are_both_undefined():
    found = rank_workers(votes([[0, 0, 0], [0, 1, 0]]))
    assert [e.reason for e in found.r] == [
        "always chose the same option",
        "the others' votes on the same items do not vary",
    ]
    within = rank_workers(votes([[0, 0, 1, 1], [0, 1, 0, 1]]), poll=[0, 0, 1, 1])
    assert within.r[0].reason == "never chose two different options in one comparison"


def test_one_item_in_each_comparison_is_not_always_the_same_option():
    each_its_own = rank_workers(votes([[0, 0, 0], [0, 1, 0]]), poll=[0, 1, 2])
    assert {e.reason for e in each_its_own.r} == {"only one item in each comparison, so choices cannot vary"}
    together = rank_workers(votes([[0, 0, 0], [0, 1, 0]]))
    assert together.r[0].reason == "always chose the same option"


@pytest.mark.parametrize("v", [votes([[0, 1, 0]]), votes(np.empty((0, 0), dtype=int))])
def test_one_worker_or_nobody_is_no_crash(v):
    found = add_reliability_intervals(rank_workers(v), v)
    assert len(found.r) == v.raters
    assert all(e.reason for e in found.r)


def test_table_1_of_the_paper_gives_its_correlation():
    pearson, spearman = correlate_known_with_r(TABLE_1["r"], TABLE_1["e"])
    expected = stats.pearsonr(TABLE_1["e"], TABLE_1["r"])
    assert pearson.estimate.value == pytest.approx(expected.statistic, abs=1e-12)
    assert isnan(pearson.estimate.low)
    assert pearson.p == pytest.approx(expected.pvalue)
    rho = stats.spearmanr(TABLE_1["e"], TABLE_1["r"])
    assert (spearman.estimate.value, spearman.p) == pytest.approx((rho.statistic, rho.pvalue))
    assert pearson.estimate.n == spearman.estimate.n == 10
    # by hand from the sums of the printed columns: 4.71, 4.79; squares 2.3147, 2.7713; products 2.4479
    by_hand = (10 * 2.4479 - 4.71 * 4.79) / sqrt((10 * 2.3147 - 4.71**2) * (10 * 2.7713 - 4.79**2))
    assert pearson.estimate.value == pytest.approx(by_hand, abs=1e-12)


def test_rank_correlations_are_over_the_workers_who_have_both():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(0, 1, (3, 20))
    b[3:6], c[5:] = nan, nan
    c[:5] = [1, 2, 3, nan, nan]
    found = rank_correlations({"a": a, "b": b, "c": c})
    assert set(found) == {("a", "b"), ("a", "c"), ("b", "c")}
    both = ~np.isnan(b)
    assert found["a", "b"].value == pytest.approx(stats.spearmanr(a[both], b[both]).statistic)
    assert [found[pair].n for pair in (("a", "b"), ("a", "c"), ("b", "c"))] == [17, 3, 3]
    few = rank_correlations({"a": [1.0, 2.0, nan], "b": [1.0, 2.0, 3.0], "c": [1.0, 1.0, 1.0]})
    assert "fewer than 3 raters" in few["a", "b"].reason
    assert "the same for all" in few["b", "c"].reason


def test_the_interval_over_workers_is_the_larger_of_two_errors():
    rng = np.random.default_rng(3)
    x = rng.normal(0, 1, 25)
    y = x + rng.normal(0, 0.8, 25)
    e = rank_correlations({"x": x, "y": y})["x", "y"]
    left_out = [
        np.arctanh(stats.spearmanr(np.delete(x, worker), np.delete(y, worker)).statistic)
        for worker in range(25)
    ]
    jackknife = sqrt(24 / 25 * np.square(np.array(left_out) - np.mean(left_out)).sum())
    error = max(jackknife, sqrt((1 + e.value**2 / 2) / 22))
    ends = np.tanh(np.arctanh(e.value) + stats.norm.ppf([0.025, 0.975]) * error)
    assert (e.low, e.high) == pytest.approx(tuple(ends))


def test_agreement_with_a_reference_equals_a_loop_over_raters():
    rng = np.random.default_rng(1)
    item, rater, score = rng.integers(0, 30, 200), rng.integers(0, 6, 200), rng.normal(3, 1, 200)
    score[rater == 5] = 4.0
    reference = {i: float(v) for i, v in enumerate(rng.normal(0, 1, 25))}
    found = agreement_with_reference(Ratings(item, rater, score), reference)
    for worker, e in enumerate(found):
        shared = [i for i in np.unique(item[rater == worker]) if i in reference]
        own = [score[(rater == worker) & (item == i)].mean() for i in shared]
        assert e.n == len(shared)
        if worker == 5:
            assert "do not vary" in e.reason
            continue
        expected = stats.pearsonr(own, [reference[i] for i in shared])
        assert e.value == pytest.approx(expected.statistic)
        ends = expected.confidence_interval(0.95)
        assert (e.low, e.high) == pytest.approx((ends.low, ends.high))
    (alone,) = agreement_with_reference(Ratings([1, 2], [1, 1], [1, 2]), {1: 1.0})
    assert "fewer than 3 items" in alone.reason


@pytest.mark.parametrize(
    ("file", "workers", "most_correlated"),
    [("choice2_sentiment_timed", 143, 0.8), ("choice4_website_gold", 269, 0.5)],
)
def test_on_real_votes_those_closer_to_gold_agree_more_with_the_others(
    shared_data, file, workers, most_correlated
):
    with (shared_data / f"{file}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    of = encode_votes(
        [row["rater"] for row in rows], [row["item"] for row in rows], [row["label"] for row in rows]
    )
    gold = {row["item"]: row["gold"] for row in rows}
    options = list(of.options)
    known = [options.index(gold[item]) if gold[item] in options else -1 for item in of.item_ids.tolist()]
    found = add_reliability_intervals(rank_workers(of.votes, known), of.votes)
    assert len(found.r) == workers
    assert all(e.low <= e.value <= e.high for e in found.r if not isnan(e.low))
    assert all(bool(e.reason) == (not e.defined) for e in found.r)
    enough = np.array([e.n >= 10 for e in found.r])
    pearson, spearman = correlate_known_with_r(values(found.r)[enough], values(found.known)[enough])
    assert spearman.estimate.low > 0
    assert pearson.estimate.value > most_correlated


@pytest.mark.slow
@pytest.mark.parametrize("place", range(5))
def test_intervals_cover(place):
    simulation = [each for each in SIMULATIONS if each.name.startswith("r_w")][place]
    truth = simulation.truth(np.random.default_rng(1))
    rng = np.random.default_rng(2)
    covering = [simulation.study(rng, truth)["r_w"] for _ in range(200)]
    assert np.mean([one for one in covering if one is not None]) >= 0.92


def test_wrong_input_is_reported():
    with pytest.raises(InputError, match="`known` must have shape"):
        rank_workers(HAND, known=[1])
    with pytest.raises(InputError, match="`seconds` must have shape"):
        rank_workers(HAND, seconds=[1])
    with pytest.raises(InputError, match="equally long"):
        rank_correlations({"a": [1, 2], "b": [1]})
    with pytest.raises(InputError, match="equally long"):
        correlate_known_with_r([1, 2], [1])
