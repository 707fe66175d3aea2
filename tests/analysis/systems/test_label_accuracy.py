"""Aggregated labels against gold: a hand example, a slow loop, laws, planted truth, and the two real gold sets."""

from collections import Counter
from math import isnan, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.resampling.intervals import crossed_bootstrap_counts, wilson_interval_from_samples
from analysis.systems.label_accuracy import (
    ALONE,
    CLOSED,
    DAWID_SKENE,
    FITTED,
    GLAD,
    MAJORITY,
    METHODS,
    WEIGHTED,
    affordable_draws,
    bootstrap_accuracy,
    compare_methods,
    count_gold_items,
    label_accuracy,
    label_agreement,
    label_items,
    methods_differ,
)
from analysis.values.estimate import BootstrapSpec, InputError, Scope
from analysis.values.votes import Votes, encode_votes
from analysis.workers import pcch_reliability
from analysis.workers.worker_agreement import worker_confusion
from analysis.workers.worker_ranking import known_answer_shares


def votes_of(rows, options, items=None, raters=None):
    item, rater, choice = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Votes(item, rater, choice, items or item.max() + 1, raters or rater.max() + 1, options)


HAND = votes_of(
    [
        *((0, 0, 0), (0, 1, 0), (0, 2, 1)),  # most say the gold label
        *((1, 0, 1), (1, 1, 2)),  # a tie, gold among them
        *((2, 0, 2), (2, 2, 2), (2, 1, 0)),  # most are wrong
        *((3, 0, 1), (3, 2, 0)),  # a tie without gold
        *((4, 0, 0), (4, 1, 0)),  # gold is not known
    ],
    3,
)
HAND_GOLD = [0, 1, 0, 2, -1]


def test_majority_of_the_hand_example():
    found = label_items(HAND, HAND_GOLD, MAJORITY)
    np.testing.assert_allclose(found.right, [1, 0.5, 0, 0, nan])
    assert found.accuracy == pytest.approx(1.5 / 4)
    assert (found.items, found.ties) == (4, 2)
    np.testing.assert_allclose(found.confusion, [[1, 0, 1], [0, 0.5, 0.5], [0.5, 0.5, 0]])
    np.testing.assert_allclose(found.precision, [1 / 1.5, 0.5, 0])
    np.testing.assert_allclose(found.recall, [0.5, 0.5, 0])


def test_one_worker_alone_in_the_hand_example():
    found = label_items(HAND, HAND_GOLD, ALONE)
    assert found.accuracy == pytest.approx((2 / 3 + 1 / 2 + 1 / 3 + 0) / 4)
    assert found.ties == 0


def test_workers_of_the_hand_example_against_gold():
    found = known_answer_shares(HAND, HAND_GOLD)
    np.testing.assert_allclose([one.value for one in found], [2 / 4, 2 / 3, 0])
    assert [one.n for one in found] == [4, 3, 3]
    assert worker_confusion(HAND, HAND_GOLD, 0).tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 0]]


def test_what_gold_is_known_is_counted():
    found = count_gold_items(HAND, HAND_GOLD)
    assert (found.items, found.items_without) == (4, 1)
    assert found.of_class.tolist() == [2, 1, 1]
    assert found.chosen.tolist() == [6, 3, 3]


def test_several_votes_of_a_worker_on_an_item_count_as_one_item():
    votes = votes_of([(0, 0, 0), (0, 0, 1), (1, 0, 1)], 2)
    found = known_answer_shares(votes, [0, 1])[0]
    assert found.value == pytest.approx(0.75)
    assert found.n == 2


def test_wilsons_interval_of_a_worker():
    """9 of 10: 0.5958 to 0.9821, Newcombe 1998's method 3."""
    votes = votes_of([(q, 0, int(q == 0)) for q in range(10)], 2)
    found = known_answer_shares(votes, [0] * 10)[0]
    p, n, z = 0.9, 10, 1.959963984540054
    middle, half = (
        (p + z * z / 2 / n) / (1 + z * z / n),
        z * sqrt(p * 0.1 / n + z * z / 4 / n / n) / (1 + z * z / n),
    )
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))


@st.composite
def studies(draw):
    items, raters, options = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rows = draw(
        st.lists(
            st.tuples(*(st.integers(0, n - 1) for n in (items, raters, options))), min_size=1, max_size=25
        )
    )
    gold = draw(st.lists(st.integers(-1, options - 1), min_size=items, max_size=items))
    return votes_of(rows, options, items, raters), gold


def slow_shares(votes, weight):
    """Item by item, vote by vote: the parts of each option in an item's label."""
    found = {}
    for q in range(votes.items):
        own = [(w, c) for i, w, c in zip(votes.item, votes.rater, votes.choice, strict=True) if i == q]
        if not own:
            continue
        of = [weight[w] for w, _ in own]
        of = of if sum(of) > 0 else [1.0] * len(own)
        score = [sum(x for x, (_, c) in zip(of, own, strict=True) if c == a) for a in range(votes.options)]
        best = [a for a, s in enumerate(score) if s >= max(score) - 1e-9 * sum(of)]
        found[q] = {a: 1 / len(best) for a in best}
    return found


@given(studies())
def test_closed_methods_equal_a_slow_loop(study):
    votes, gold = study
    weights = {
        MAJORITY: np.ones(votes.raters),
        WEIGHTED: np.maximum(pcch_reliability.reliabilities(votes)[0], 0),
    }
    for method, weight in weights.items():
        told = slow_shares(votes, weight)
        found = label_items(votes, gold, method)
        known = [q for q in told if gold[q] >= 0]
        expected = [told[q].get(gold[q], 0.0) for q in known]
        assert found.items == len(known)
        assert found.ties == sum(len(told[q]) > 1 for q in known)
        if known:
            assert found.accuracy == pytest.approx(sum(expected) / len(known))
        else:
            assert isnan(found.accuracy)
        for g in range(votes.options):
            for a in range(votes.options):
                assert found.confusion[g, a] == pytest.approx(
                    sum(told[q].get(a, 0.0) for q in known if gold[q] == g)
                )


@given(studies())
def test_workers_against_gold_equal_a_slow_loop(study):
    votes, gold = study
    found = known_answer_shares(votes, gold)
    rows = list(zip(votes.item.tolist(), votes.rater.tolist(), votes.choice.tolist(), strict=True))
    for w in range(votes.raters):
        own = {q: [c for i, r, c in rows if i == q and r == w] for q, r, _ in rows if r == w and gold[q] >= 0}
        shares = [sum(c == gold[q] for c in chosen) / len(chosen) for q, chosen in own.items()]
        assert found[w].n == len(shares)
        if shares:
            assert found[w].value == pytest.approx(sum(shares) / len(shares))
            assert found[w].low <= found[w].value + 1e-12
            assert found[w].high >= found[w].value - 1e-12
        else:
            assert isnan(found[w].value)
            assert found[w].reason
        counts = worker_confusion(votes, gold, w)
        told = Counter((gold[q], c) for q, r, c in rows if r == w and gold[q] >= 0)
        assert {(g, a): n for (g, a), n in np.ndenumerate(counts) if n} == dict(told)


@given(studies(), st.randoms(use_true_random=False))
def test_renaming_classes_changes_no_accuracy(study, random):
    votes, gold = study
    name = list(range(votes.options))
    random.shuffle(name)
    renamed = Votes(
        votes.item, votes.rater, np.array(name)[votes.choice], votes.items, votes.raters, votes.options
    )
    true = [name[g] if g >= 0 else -1 for g in gold]
    for method in CLOSED:
        before, after = label_items(votes, gold, method), label_items(renamed, true, method)
        assert after.accuracy == pytest.approx(before.accuracy, nan_ok=True)
        np.testing.assert_allclose(after.precision[name], before.precision)
        np.testing.assert_allclose(after.recall[name], before.recall)


@given(studies())
@settings(max_examples=15, deadline=None)
def test_intervals_hold_their_estimates_and_stay_between_0_and_1(study):
    votes, gold = study
    found = label_accuracy(votes, gold, BootstrapSpec(20), CLOSED)
    for estimate in found.accuracy.values():
        if not isnan(estimate.low):
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    for estimate in found.difference.values():
        if not isnan(estimate.low):
            assert -1 <= estimate.low <= estimate.value <= estimate.high <= 1


def simulated(seed, items=120, raters=30, per_item=7, classes=3, spammers=0.0, skill=0.8):
    """Workers who are right with probability `skill`, and a share of spammers who guess."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, classes, items)
    chance = np.where(np.arange(raters) < spammers * raters, 1 / classes, skill)
    item = np.repeat(np.arange(items), per_item)
    rater = np.concatenate([rng.choice(raters, per_item, replace=False) for _ in range(items)])
    wrong = (gold[item] + rng.integers(1, classes, len(item))) % classes
    choice = np.where(rng.random(len(item)) < chance[rater], gold[item], wrong)
    return Votes(item, rater, choice, items, raters, classes), gold


def test_among_spammers_the_methods_that_weigh_beat_majority():
    votes, gold = simulated(3, items=200, raters=60, spammers=0.6, skill=0.9)
    found = label_accuracy(votes, gold, BootstrapSpec(200), fitted_draws=40)
    for method in (WEIGHTED, DAWID_SKENE, GLAD):
        assert found.difference[method].low > 0, method
        assert found.difference[method].value > 0.1, method
    assert found.difference[ALONE].value < 0
    assert isnan(found.difference[ALONE].low)


def test_perfect_workers_are_always_right_by_every_method():
    votes, gold = simulated(1, items=40, skill=1.0)
    found = label_accuracy(votes, gold, BootstrapSpec(30))
    for method in METHODS:
        assert found.accuracy[method].value == pytest.approx(1), method
        assert found.accuracy[method].high == 1
        assert 0.8 < found.accuracy[method].low < 1, "40 items right do not prove that all are"
    for estimate in found.difference.values():
        assert estimate.value == pytest.approx(0)
        if not isnan(estimate.low):
            assert -0.1 < estimate.low < -0.04, "half an item and more"


@pytest.mark.parametrize("unknown", [[], [0, 4, 9]])
def test_every_draw_is_the_figure_of_the_data_set_drawn(unknown):
    """Items and raters written out as often as a draw holds them give the draw's accuracy."""
    votes, gold = simulated(5, items=15, raters=6, per_item=4)
    gold[unknown] = -1
    rater_weight, item_weight = next(crossed_bootstrap_counts(6, 15, 5, 7, len(votes)))
    for method in CLOSED:
        both, items, _ = bootstrap_accuracy(votes, gold, method, BootstrapSpec(5, 7))
        for draw in range(5):
            for found, raters in ((both, rater_weight[draw]), (items, np.ones(6))):
                if method != ALONE or found is items:
                    copied, true = written_out(votes, gold, raters, item_weight[draw])
                    assert label_items(copied, true, method).accuracy == pytest.approx(found[draw], abs=1e-12)


def written_out(votes, gold, rater_weight, item_weight):
    """Every vote as often as its rater, every item as often as it was drawn."""
    rows, true = [], []
    for q in range(votes.items):
        own = [
            (w, c)
            for i, w, c in zip(votes.item, votes.rater, votes.choice, strict=True)
            if i == q
            for _ in range(int(rater_weight[w]))
        ]
        for _ in range(int(item_weight[q])):
            if own:
                rows += [(len(true), w, c) for w, c in own]
                true.append(gold[q])
    return votes_of(rows, votes.options), true


def test_fewer_draws_are_the_first_of_more():
    votes, gold = simulated(2)
    few, many = (bootstrap_accuracy(votes, gold, MAJORITY, BootstrapSpec(n)).both for n in (20, 50))
    np.testing.assert_array_equal(few, many[:20])


def test_without_persons_only_items_are_drawn():
    votes, gold = simulated(2, items=2000, raters=4, per_item=4, skill=0.6)
    with_persons, without = (
        bootstrap_accuracy(votes, gold, MAJORITY, BootstrapSpec(200), persons).both.std()
        for persons in (True, False)
    )
    p = label_items(votes, gold, MAJORITY).accuracy
    assert without == pytest.approx(sqrt(p * (1 - p) / 2000), rel=0.2)
    assert with_persons > 2 * without


@pytest.mark.parametrize(("raters", "scope"), [(5, "these raters"), (6, "raters like these")])
def test_methods_hold_for_the_raters_that_other_figures_hold_for(raters: int, scope: Scope):
    votes, gold = simulated(2, items=200, raters=raters, per_item=4, skill=0.6)
    usual, chosen = (
        label_accuracy(votes, gold, BootstrapSpec(50), CLOSED, scope=each) for each in (None, scope)
    )
    assert usual.scope == chosen.scope == scope
    assert usual.accuracy == chosen.accuracy
    slots = label_accuracy(votes, gold, BootstrapSpec(50), CLOSED, raters_are_persons=False)
    assert slots.scope == "these raters"
    widths = [one.accuracy[MAJORITY].high - one.accuracy[MAJORITY].low for one in (usual, slots)]
    assert (widths[0] > widths[1]) is (scope == "raters like these")


def test_differences_draw_items_only_and_half_an_item_is_the_least():
    votes, gold = simulated(2, items=50)
    labels = {method: label_items(votes, gold, method) for method in (MAJORITY, WEIGHTED)}
    drawn = {method: bootstrap_accuracy(votes, gold, method, BootstrapSpec(100)) for method in labels}
    apart = drawn[WEIGHTED].items - drawn[MAJORITY].items
    error = max(sqrt(apart.var(ddof=1) * 50 / 49), 1 / 52)
    half = stats.t.ppf(0.975, votes.raters - 1) * error
    e = compare_methods(labels, drawn, votes.raters).difference[WEIGHTED]
    assert (e.low, e.high) == pytest.approx((e.value - half, e.value + half))


def test_one_worker_alone_is_a_mean_over_items_and_raters():
    """In a complete table, the variance components of raters and items add up (Cameron, Gelbach, Miller 2011)."""
    rng = np.random.default_rng(0)
    skill = np.linspace(0.5, 0.95, 12)
    right = rng.random((200, 12)) < skill
    votes = Votes(*(code.ravel() for code in np.indices((200, 12))), right.ravel().astype(int), 200, 12, 2)
    gold = np.ones(200, dtype=int)
    drawn = bootstrap_accuracy(votes, gold, ALONE, BootstrapSpec(500))
    assert drawn.raters.variance == pytest.approx(right.mean(axis=0).var(ddof=1) / 12, rel=0.15)
    low, high = (
        compare_methods({ALONE: label_items(votes, gold, ALONE)}, {ALONE: drawn}, 12).accuracy[ALONE].low,
        compare_methods({ALONE: label_items(votes, gold, ALONE)}, {ALONE: drawn}, 12).accuracy[ALONE].high,
    )
    spread = sqrt(drawn.raters.variance + right.mean(axis=1).var(ddof=1) / 200)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 11) * spread, rel=0.1)


def test_the_interval_is_wilsons_where_draws_vary_as_independent_items_would():
    drawn = np.random.default_rng(0).binomial(100, 0.9, 20_000) / 100
    assert wilson_interval_from_samples(0.9, drawn, 100, 0.95, 10**6) == pytest.approx(
        (0.8256, 0.9448), abs=0.002
    )


def test_draws_that_are_right_less_often_do_not_move_the_interval():
    """0.7 in the draws where the data have 0.9: the interval stays around 0.9."""
    drawn = np.random.default_rng(0).binomial(100, 0.7, 20_000) / 100
    low, high = wilson_interval_from_samples(0.9, drawn, 100, 0.95, 10**6)
    assert (low, high) == pytest.approx((0.8256, 0.9448), abs=0.002)


def test_few_raters_widen_intervals_as_students_t_does():
    drawn = np.random.default_rng(0).binomial(100, 0.5, 2000) / 100
    (low, high), (lower, higher) = (
        wilson_interval_from_samples(0.5, drawn, 100, 0.95, units) for units in (10**6, 8)
    )
    assert (higher - lower) / (high - low) == pytest.approx(2.3646 / 1.96, abs=0.02)


@pytest.mark.parametrize("drawn", [[], [0.5], [nan, nan, 0.5, nan]])
def test_too_few_draws_give_no_interval(drawn):
    assert all(isnan(end) for end in wilson_interval_from_samples(0.5, np.array(drawn), 10, 0.95, 10))


def test_without_gold_nothing_is_accurate_and_the_reason_says_so():
    votes, _ = simulated(1, items=10)
    found = label_accuracy(votes, [-1] * 10, BootstrapSpec(10))
    for estimate in [*found.accuracy.values(), *found.difference.values()]:
        assert not estimate.defined
        assert "gold" in estimate.reason
        assert isnan(estimate.low)


def test_methods_agree_on_their_labels_with_parts_for_ties():
    labels = {method: label_items(HAND, HAND_GOLD, method) for method in (MAJORITY, DAWID_SKENE)}
    told = {(MAJORITY, DAWID_SKENE)}
    found = label_agreement(labels)
    assert set(found) == told
    expected = np.mean(
        [sum(a * b for a, b in zip(*(labels[m].shares[q] for m in labels), strict=True)) for q in range(5)]
    )
    assert found[MAJORITY, DAWID_SKENE].value == pytest.approx(expected)
    assert found[MAJORITY, DAWID_SKENE].n == 5
    same = label_agreement({MAJORITY: labels[MAJORITY], WEIGHTED: labels[MAJORITY]})[MAJORITY, WEIGHTED]
    assert same.value == pytest.approx((3 * 1 + 2 * 0.5) / 5)


def test_a_gold_label_that_nobody_chose_is_never_found():
    votes = votes_of([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)], 3)
    for method in METHODS:
        found = label_items(votes, [2, 1], method)
        assert found.accuracy == pytest.approx(0.5)
        assert found.recall[2] == 0
        assert isnan(found.precision[2])
    assert count_gold_items(votes, [2, 1]).chosen[2] == 0


def test_one_vote_and_one_option_are_no_trouble():
    for votes, gold in ((votes_of([(0, 0, 0)], 1), [0]), (votes_of([(0, 0, 0)], 2, 3, 2), [0, 1, -1])):
        found = label_accuracy(votes, gold, BootstrapSpec(5), fitted_draws=5)
        assert found.accuracy[MAJORITY].value == 1
        assert found.accuracy[MAJORITY].n == 1


@pytest.mark.parametrize("gold", [[0], [0, 1, 2, 3, 0], [0, 1, 0, 2, -2], [[0] * 5]])
def test_gold_that_does_not_fit_is_refused(gold):
    with pytest.raises(InputError, match="`gold`"):
        label_items(HAND, gold, MAJORITY)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError, match="majority vote"):
        label_items(HAND, HAND_GOLD, "MACE")


def test_draws_are_fewer_where_votes_are_many_and_none_where_they_would_be_too_few():
    assert affordable_draws(1000, 10_000, MAJORITY) == 1000
    assert affordable_draws(200, 5_000, GLAD) == 200
    assert 20 <= affordable_draws(200, 40_000, GLAD) < 200
    assert affordable_draws(200, 10**6, GLAD) == 0
    assert affordable_draws(0, 10, GLAD) == 0
    assert affordable_draws(5, 10, GLAD) == 5


def test_progress_goes_from_0_to_1():
    votes, gold = simulated(1, items=20)
    told = []
    label_accuracy(votes, gold, BootstrapSpec(30), CLOSED, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def real(shared_data, name):
    table = pd.read_csv(shared_data / name, dtype=str)
    of = encode_votes(
        table["rater"], table["item"], table["label"], sorted({*table["label"], *table["gold"]})
    )
    gold = table.drop_duplicates("item").set_index("item")["gold"].loc[of.item_ids]
    return table, of, np.array([of.options.index(true) for true in gold])


@pytest.mark.parametrize("name", ["choice4_website_gold.csv", "choice2_sentiment_timed.csv"])
def test_majority_on_real_gold_equals_pandas(shared_data, name):
    table, of, gold = real(shared_data, name)
    counts = table.groupby("item")["label"].value_counts().unstack(fill_value=0)
    best = counts.eq(counts.max(axis=1), axis=0)
    parts = best.div(best.sum(axis=1), axis=0)
    true = table.drop_duplicates("item").set_index("item")["gold"]
    expected = np.mean([parts.loc[item].get(label, 0.0) for item, label in true.items()])
    found = label_items(of.votes, gold, MAJORITY)
    assert found.accuracy == pytest.approx(expected)
    assert found.ties == (best.sum(axis=1) > 1).sum()
    alone = (table["label"] == table["gold"]).groupby(table["item"]).mean().mean()
    assert label_items(of.votes, gold, ALONE).accuracy == pytest.approx(alone)
    hits = (table["label"] == table["gold"]).groupby([table["rater"], table["item"]]).mean()
    right = hits.groupby("rater").mean()
    shares = [one.value for one in known_answer_shares(of.votes, gold)]
    np.testing.assert_allclose(shares, right.loc[of.rater_ids])


@pytest.mark.parametrize("name", ["choice4_website_gold.csv", "choice2_sentiment_timed.csv"])
def test_fitted_methods_on_real_gold_beat_one_worker_alone(shared_data, name):
    _, of, gold = real(shared_data, name)
    found = compare_methods({method: label_items(of.votes, gold, method) for method in METHODS})
    for method in FITTED:
        assert found.accuracy[method].value > found.accuracy[ALONE].value


def test_methods_differ_where_one_label_or_tie_is_another():
    labels = {method: label_items(HAND, HAND_GOLD, method) for method in (MAJORITY, ALONE)}
    assert methods_differ(labels).tolist() == [True, False, True, False, False]
    assert not methods_differ({MAJORITY: labels[MAJORITY], WEIGHTED: labels[MAJORITY]}).any()
