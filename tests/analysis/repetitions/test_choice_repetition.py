"""Votes per item: against a loop anyone can check, a worked example, laws, and real data with gold."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.repetitions.choice_repetition import (
    WEIGHTS,
    ChoiceRepetitionSpec,
    resampled_curves,
    simulate,
)
from analysis.repetitions.knee import DEFAULT_BOOTSTRAP, knee, knee_interval
from analysis.repetitions.rating_orders import draw_cells, lay_out
from analysis.repetitions.saturation import fit
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes, encode_votes
from analysis.workers import pcch_reliability

FEW = BootstrapSpec(draws=12)


def votes_of(rows, options, items=None):
    """Votes from (item, rater, choice) codes."""
    item, rater, choice = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Votes(item, rater, choice, items or int(item.max()) + 1, int(rater.max()) + 1, options)


def planted(n=60, m=9, raters=25, skill=0.75, options=2, seed=0):
    """Votes of workers who are right as often as told, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, options, n)
    item = np.repeat(np.arange(n), m)
    rater = np.concatenate([rng.permutation(raters)[:m] for _ in range(n)])
    right = rng.random(n * m) < np.broadcast_to(skill, raters)[rater]
    wrong = (truth[item] + rng.integers(1, options, n * m)) % options
    return Votes(item, rater, np.where(right, truth[item], wrong), n, raters, options), truth


def orders(votes, shuffles, seed):
    """For each shuffle, the places of each item's votes in its order."""
    layout = lay_out(Ratings(votes.item, votes.rater, votes.choice))
    position = layout.position.ravel()
    return [
        {
            int(item): position[block[:count, s, row]].tolist()
            for row, (item, count) in enumerate(zip(layout.items, layout.counts, strict=True))
        }
        for _, block in draw_cells(layout, "within items", shuffles, seed)
        for s in range(block.shape[1])
    ]


def reliability_by_hand(rows, options):
    """r_w of each worker by (item, rater, choice) rows: Eq. 1, one vote at a time."""
    found = {}
    for worker in {rater for _, rater, _ in rows}:
        correlations = []
        for option in range(options):
            x, y = [], []
            for item, rater, choice in rows:
                others = [c for i, r, c in rows if i == item and r != worker]
                if rater == worker and others:
                    x.append(int(choice == option))
                    y.append(Fraction(others.count(option), len(others)))
            if len(set(x)) > 1 and len(set(y)) > 1:
                mean_x, mean_y = Fraction(sum(x), len(x)), sum(y) / len(y)
                together = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
                of_x, of_y = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
                correlations.append(float(together) / sqrt(of_x * of_y))
        found[worker] = sum(correlations) / len(correlations) if correlations else 0.0
    return found


def answers_by_hand(rows, options, weights):
    """The most voted options of each item."""
    weight = {rater: 1.0 for _, rater, _ in rows}
    if weights == "PCC-H":
        weight = {rater: max(r, 0.0) for rater, r in reliability_by_hand(rows, options).items()}
    tallies, heads = defaultdict(Counter), defaultdict(Counter)
    for item, rater, choice in rows:
        tallies[item][choice] += weight[rater] if weight[rater] > 1e-9 else 0.0
        heads[item][choice] += 1
    answers = {}
    for item, tally in tallies.items():
        tally = tally if max(tally.values()) > 0 else heads[item]
        answers[item] = {option for option, sum_ in tally.items() if sum_ >= max(tally.values()) * (1 - 1e-9)}
    return answers


def curve_by_hand(votes, truth, order, m, weights):
    """The curve of one order, item by item."""
    rows = list(zip(votes.item.tolist(), votes.rater.tolist(), votes.choice.tolist(), strict=True))
    if truth is None:
        target = answers_by_hand(rows, votes.options, weights)
    else:
        target = {item: {option} for item, option in enumerate(truth.tolist()) if option >= 0}
    curve = []
    for r in range(1, m + 1):
        said = answers_by_hand(
            [rows[at] for places in order.values() for at in places[:r]], votes.options, weights
        )
        shares = [
            len(said[item] & target[item]) / len(said[item]) / len(target[item])
            for item, places in order.items()
            if len(places) >= r and item in target
        ]
        curve.append(sum(shares) / len(shares))
    return curve


@some.composite
def studies(draw):
    options = draw(some.integers(2, 4))
    vote = some.tuples(some.integers(0, 4), some.integers(0, 4), some.integers(0, options - 1))
    votes = votes_of(draw(some.lists(vote, min_size=1, max_size=24)), options, items=5)
    truth = draw(
        some.none() | some.lists(some.integers(-1, options - 1), min_size=5, max_size=5).map(np.array)
    )
    return votes, truth


@given(studies(), some.sampled_from(WEIGHTS), some.sampled_from([None, 3, 9]))
def test_equals_the_loop_over_orders_repetitions_items_and_votes(study, weights, repetitions):
    votes, truth = study
    curves = simulate(votes, truth, ChoiceRepetitionSpec(3, repetitions, seed=1, weights=weights))
    counts = np.bincount(votes.item, minlength=5)
    counts = counts[(counts > 0) & (True if truth is None else truth >= 0)]
    if not len(counts):
        assert curves.repetitions == 0
        assert curves.reason
        return
    m = counts.min() if repetitions is None else min(repetitions, counts.max())
    assert curves.items.tolist() == [(counts >= r).sum() for r in range(1, m + 1)]
    for shuffled, order in zip(curves.shuffled, orders(votes, 3, 1), strict=True):
        np.testing.assert_allclose(shuffled, curve_by_hand(votes, truth, order, m, weights), atol=1e-12)
    as_they_stand = {int(item): np.flatnonzero(votes.item == item).tolist() for item in np.unique(votes.item)}
    np.testing.assert_allclose(
        curves.measured, curve_by_hand(votes, truth, as_they_stand, m, weights), atol=1e-12
    )


def test_an_example_by_hand():
    """Item 0: a a b, truth a: 1, 1, 1. Item 1: a b b, truth b: 0, 1/2, 1. Item 2: a b, not known."""
    votes = votes_of(
        [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 0), (1, 1, 1), (1, 2, 1), (2, 0, 0), (2, 1, 1)], 2
    )
    curves = simulate(votes, np.array([0, 1, -1]), ChoiceRepetitionSpec(shuffles=0))
    np.testing.assert_allclose(curves.measured, [0.5, 0.75, 1])
    assert curves.left_out == 1
    assert curves.reference == "gold"
    assert curves.items.tolist() == [2, 2, 2]
    latest_first = simulate(votes, np.array([0, 1, -1]), ChoiceRepetitionSpec(0), order=-np.arange(8.0))
    np.testing.assert_allclose(latest_first.measured, [0.5, 0.75, 1])
    np.testing.assert_allclose(
        simulate(votes, None, ChoiceRepetitionSpec(0, repetitions=3)).measured,
        # item 2's own answers tie, so its first vote is its answer half the time, and so are both together
        [(1 + 0 + 0.5) / 3, (1 + 0.5 + 0.5) / 3, 1],
    )


def test_the_reliable_outvote_the_rest_once_they_are_known():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    item, rater = np.repeat(np.arange(200), 7), np.tile(np.arange(7), 200)
    right = (rng.random(1400) < 0.5) | (rater < 3)  # three who know, four who guess
    votes = Votes(item, rater, np.where(right, truth[item], 1 - truth[item]), 200, 7, 2)
    heads, weighted = (
        simulate(votes, truth, ChoiceRepetitionSpec(20, weights=w)).points.mean(axis=0) for w in WEIGHTS
    )
    assert weighted[0] == pytest.approx(heads[0])  # nobody else has been asked yet
    assert (weighted[2:] > heads[2:] + 0.02).all()
    assert weighted[-1] > 0.97


@pytest.mark.parametrize("options", [2, 4])
def test_the_last_weights_are_those_of_all_votes(options):
    votes, truth = planted(skill=np.linspace(0.3, 0.95, 25), options=options)
    weight = np.maximum(pcch_reliability.reliabilities(votes), 0)
    relevance = np.nan_to_num(pcch_reliability.relevance(votes, weight)[0])
    right = relevance[0].argmax(axis=1) == truth
    curves = simulate(votes, truth, ChoiceRepetitionSpec(3, weights="PCC-H"))
    np.testing.assert_allclose(curves.points[:, -1], right.mean())


def test_votes_still_to_come_change_nothing():
    votes, truth = planted(m=9)
    early = np.tile(np.arange(9) < 5, 60)
    changed = Votes(
        votes.item, votes.rater, np.where(early, votes.choice, 1 - votes.choice), 60, votes.raters, 2
    )
    for weights in WEIGHTS:
        spec = ChoiceRepetitionSpec(0, weights=weights)
        one, other = simulate(votes, truth, spec), simulate(changed, truth, spec)
        np.testing.assert_array_equal(one.measured[:5], other.measured[:5])
        assert one.measured[-1] != other.measured[-1]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_all_votes_agree_with_the_answer_of_all_votes(weights):
    votes, _ = planted(m=9, skill=np.linspace(0.4, 0.9, 25))
    curves = simulate(votes, None, ChoiceRepetitionSpec(20, weights=weights))
    assert curves.reference == "full data"
    np.testing.assert_array_equal(curves.points[:, -1], 1)
    assert (curves.points[:, 0] < 1).all()


@pytest.mark.parametrize("weights", WEIGHTS)
def test_perfect_workers_are_right_from_the_first_vote(weights):
    votes, truth = planted(skill=1.0, options=3)
    for against in (truth, None):
        np.testing.assert_array_equal(
            simulate(votes, against, ChoiceRepetitionSpec(5, weights=weights)).points, 1
        )
        drawn = resampled_curves(votes, against, ChoiceRepetitionSpec(weights=weights), FEW)
        np.testing.assert_array_equal(drawn, 1)


def test_more_votes_of_able_workers_are_right_more_often():
    votes, truth = planted(n=400, m=15, skill=0.7)
    mean = simulate(votes, truth, ChoiceRepetitionSpec(50)).points.mean(axis=0)
    assert (np.diff(mean[::2]) > 0).all()  # of two options, an even vote only adds ties
    np.testing.assert_allclose(mean[1::2], mean[:-1:2], atol=0.01)
    mean = simulate(*planted(n=400, m=15, skill=0.6, options=4), ChoiceRepetitionSpec(50)).points.mean(axis=0)
    assert (np.diff(mean[1:]) > 0).all()


@given(studies(), some.sampled_from(WEIGHTS), some.randoms(use_true_random=False))
def test_names_of_workers_and_options_do_not_matter(study, weights, random):
    votes, truth = study
    options, raters = list(range(votes.options)), list(range(votes.raters))
    random.shuffle(options)
    random.shuffle(raters)
    renamed = Votes(
        votes.item,
        np.array(raters)[votes.rater],
        np.array(options)[votes.choice],
        votes.items,
        votes.raters,
        votes.options,
    )
    other_truth = None if truth is None else np.where(truth >= 0, np.array(options)[truth], -1)
    spec = ChoiceRepetitionSpec(2, weights=weights)
    np.testing.assert_allclose(
        simulate(votes, truth, spec).points, simulate(renamed, other_truth, spec).points, atol=1e-12
    )


def with_interval(votes, truth, spec=None, bootstrap=DEFAULT_BOOTSTRAP):
    """The knee of the study itself with the interval of its resampled curves."""
    drawn = resampled_curves(votes, truth, spec, bootstrap)
    return knee_interval(simulate(votes, truth, spec), drawn, level=bootstrap.level, shares=True)


def test_undefined_says_why():
    nobody = np.zeros(0, dtype=np.int64)
    assert simulate(Votes(nobody, nobody, nobody, 0, 0, 2)).reason == "there are no votes"
    votes, _ = planted(n=5)
    curves = simulate(votes, np.full(5, -1))
    assert "no item with votes has a known answer" in curves.reason
    assert curves.left_out == 5
    assert fit(curves).reason == curves.reason
    assert resampled_curves(votes, np.full(5, -1), None, FEW).shape == (0, 0)
    found = with_interval(votes, np.full(5, -1), None, FEW)
    assert not found.knee.defined
    assert found.knee.reason == curves.reason


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda votes, truth: simulate(votes, truth[:-1]), "`truth` must give each of the 60 items"),
        (lambda votes, truth: simulate(votes, truth + 1), r"`truth` must lie in -1 … 1"),
        (lambda votes, truth: ChoiceRepetitionSpec(shuffles=-1), "`shuffles` must be 0 or more, got -1"),
        (lambda votes, truth: ChoiceRepetitionSpec(repetitions=0), "`repetitions` must be None or"),
        (lambda votes, truth: ChoiceRepetitionSpec(seed=-1), "`seed` must be"),
        (
            lambda votes, truth: ChoiceRepetitionSpec(weights="GLAD"),
            "`weights` must be 'majority' or 'PCC-H'",
        ),
        (lambda votes, truth: resampled_curves(votes, truth, shuffles=0), "`shuffles` must be 1 or more"),
    ],
)
def test_mistakes_are_reported(wrong, told):
    with pytest.raises(InputError, match=told):
        wrong(*planted())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("with_gold", [True, False])
def test_knee_and_curve_lie_in_their_intervals(weights, with_gold):
    votes, truth = planted(n=200, m=15, skill=np.linspace(0.7, 0.95, 25))
    truth = truth if with_gold else None
    spec = ChoiceRepetitionSpec(30, weights=weights)
    found = with_interval(votes, truth, spec, FEW)
    curves = simulate(votes, truth, spec)
    curve = fit(curves)
    assert found.knee.value == knee(curve.a, curve.b, curve.c, 15)
    assert found.knee.low <= found.knee.value <= found.knee.high
    np.testing.assert_allclose(found.mean, curves.points.mean(axis=0))
    assert ((found.low >= 0) & (found.low <= found.mean)).all()
    assert ((found.mean <= found.high) & (found.high <= 1)).all()
    if not with_gold:
        np.testing.assert_allclose(found.low[-1], 1)


def test_the_same_seed_gives_the_same_draws_and_progress_is_reported():
    votes, truth = planted()
    told = []
    one = resampled_curves(votes, truth, None, FEW, on_progress=told.append)
    np.testing.assert_array_equal(one, resampled_curves(votes, truth, ChoiceRepetitionSpec(3), FEW))
    assert (one != resampled_curves(votes, truth, None, BootstrapSpec(12, seed=1))).any()
    assert told == sorted(told)
    assert told[-1] == 1
    told.clear()
    simulate(votes, truth, None, on_progress=told.append)
    assert told[-1] == 1


def test_drawing_workers_too_widens_the_band_where_it_matters_who_is_asked():
    rng = np.random.default_rng(0)
    truth, item, rater = rng.integers(0, 2, 400), np.repeat(np.arange(400), 6), np.tile(np.arange(6), 400)
    right = rng.random(2400) < np.array([0.98, 0.98, 0.9, 0.5, 0.4, 0.3])[rater]
    votes = Votes(item, rater, np.where(right, truth[item], 1 - truth[item]), 400, 6, 2)
    curves = simulate(votes, truth)
    width = []
    for persons in (True, False):
        drawn = resampled_curves(votes, truth, None, BootstrapSpec(60), raters_are_persons=persons)
        band = knee_interval(curves, drawn, shares=True)
        width.append((band.high - band.low).mean())
    assert width[0] > 2 * width[1]


def test_copies_of_a_worker_lend_each_other_no_weight():
    """One worker on every item, drawn any number of times: there are no others, so all votes count alike."""
    votes, truth = planted(n=40, m=1, raters=1)
    heads, weighted = (resampled_curves(votes, truth, ChoiceRepetitionSpec(weights=w), FEW) for w in WEIGHTS)
    np.testing.assert_array_equal(heads, weighted)
    same_item_again = Votes(
        *(np.repeat(codes, 3) for codes in (votes.item, votes.rater, votes.choice)), 40, 1, 2
    )
    heads, weighted = (simulate(same_item_again, truth, ChoiceRepetitionSpec(3, weights=w)) for w in WEIGHTS)
    np.testing.assert_array_equal(heads.points, weighted.points)


def test_draws_need_no_item_with_gold_each():
    votes, truth = planted(n=6, m=7)
    truth[2:] = -1
    drawn = resampled_curves(votes, truth, None, BootstrapSpec(40))
    assert np.isnan(drawn).any(axis=1).any()  # draws without the two items
    assert not np.isnan(drawn).all()
    band = knee_interval(simulate(votes, truth), drawn, shares=True)
    assert (band.low <= band.mean).all()


def test_one_item_alone_has_no_band():
    votes, truth = planted(n=6, m=7)
    truth[1:] = -1
    drawn = resampled_curves(votes, truth, None, BootstrapSpec(40))
    assert np.isnan(knee_interval(simulate(votes, truth), drawn, shares=True).low).all()


def sentiment(shared_data: Path):
    rows = pd.read_csv(shared_data / "choice2_sentiment_timed.csv")
    found = encode_votes(rows.rater.to_numpy(), rows.item.to_numpy(), rows.label.to_numpy())
    return rows, found.votes, rows.groupby("item").gold.first().to_numpy()


def test_one_vote_is_as_right_as_votes_are_on_average(shared_data: Path):
    rows, votes, gold = sentiment(shared_data)
    curves = simulate(votes, gold)
    right = (rows.label == rows.gold).groupby(rows.item)
    np.testing.assert_allclose(curves.measured[0], right.first().mean())
    assert curves.shuffled[:, 0].mean() == pytest.approx(right.mean().mean(), abs=0.003)
    share = rows.label.groupby(rows["item"]).mean()
    of_all = np.where(share == 0.5, 0.5, (share > 0.5) == gold.astype(bool)).mean()
    np.testing.assert_allclose(curves.points[:, -1], of_all)


def test_one_curve_describes_the_steps_of_two_options(shared_data: Path):
    _, votes, gold = sentiment(shared_data)
    curves = simulate(votes, gold)
    curve = fit(curves)
    found = knee(curve.a, curve.b, curve.c, curves.repetitions)
    assert found is not None
    assert curve.r_squared_measured > 0.8
    mean = curves.points.mean(axis=0)
    assert np.abs(mean - curve.at(np.arange(1, 21))).max() <= (mean[2] - mean[0]) / 2
    assert mean[found - 1] > 0.98 * mean[-1]


def crossed(seed, n=100, m=11, raters=30):
    """Workers of unequal skill on items of unequal ease."""
    rng = np.random.default_rng(seed)
    truth, item = rng.integers(0, 2, n), np.repeat(np.arange(n), m)
    rater = np.concatenate([rng.permutation(raters)[:m] for _ in range(n)])
    skill, ease = rng.beta(6, 2.5, raters), rng.normal(0, 0.8, n)
    right = rng.random(n * m) < 1 / (1 + np.exp(-(np.log(skill / (1 - skill))[rater] + ease[item])))
    return Votes(item, rater, np.where(right, truth[item], 1 - truth[item]), n, raters, 2), truth


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("with_gold", [True, False])
def test_coverage(weights, with_gold):
    """The truth is the mean curve of many studies."""
    spec = ChoiceRepetitionSpec(20, weights=weights)

    def drawn(seed):
        votes, gold = crossed(seed)
        return votes, gold if with_gold else None

    truth = np.mean(
        [simulate(*drawn(seed), spec).points.mean(axis=0) for seed in range(10_000, 10_300)], axis=0
    )
    hits = []
    for seed in range(100):
        found = with_interval(*drawn(seed), spec)
        hits.append((found.low[:-1] <= truth[:-1]) & (truth[:-1] <= found.high[:-1]))
    assert np.mean(hits) >= 0.9


def test_a_stop_stops():
    def stop(_):
        raise KeyboardInterrupt

    votes, truth = planted()
    for work in (simulate, resampled_curves):
        with pytest.raises(KeyboardInterrupt):
            work(votes, truth, ChoiceRepetitionSpec(5), on_progress=stop)
