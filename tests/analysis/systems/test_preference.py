"""Shares under six ways to weigh votes: a worked example, laws, undefined cases, and draws as slow loops make them."""

from dataclasses import replace
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.resampling.influence import (
    NO_VARIANCE,
    VarianceEstimate,
    item_variance_from_samples,
    rater_variance,
)
from analysis.resampling.intervals import ANGLE, crossed_bootstrap_counts
from analysis.systems.preference import (
    CLOSED,
    DROPPED,
    EQUAL,
    GLAD,
    MAJORITY,
    METHODS,
    PCCH,
    WEIGHTED,
    PreferenceSpec,
    bootstrap_reliabilities,
    items_for_clear_preference,
    leave_one_out_shares,
    position_bias,
    preference,
    preference_shares,
    relevance_and_weights,
    second_list_share,
    share_interval,
    vote_influence,
)
from analysis.systems.system_ranking import Design, compare_designs
from analysis.values.estimate import Estimate, InputError
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch, pcch_reliability
from analysis.workers.pcch import difficulty
from data.samples import comparisons

TWO, FOUR = Lists(0, 1), Lists(0, 1, 2, 3)
QUIET = PreferenceSpec(draws=0)


def votes_of(table, options=None):
    """Votes from a table of items by raters with -1 for none."""
    table = np.asarray(table)
    item, rater = np.nonzero(table >= 0)
    many = options or int(table.max()) + 1
    return Votes(item, rater, table[item, rater], *table.shape, many)


def study(seed, items=12, raters=6, options=4, missing=0.2, truth=0.7):
    rng = np.random.default_rng(seed)
    right = np.where(rng.random(items) < truth, 0, 1)
    trust = rng.random(raters)
    answers = np.where(
        rng.random((items, raters)) < trust, right[:, None], rng.integers(0, options, (items, raters))
    )
    answers[rng.random((items, raters)) < missing] = -1
    answers[0, 0] = 0
    return votes_of(answers, options)


def swapped(votes):
    """The same votes with the two lists' names exchanged."""
    place = np.array([1, 0, 2, 3])
    return Votes(votes.item, votes.rater, place[votes.choice], votes.items, votes.raters, votes.options)


def sample(pair=("AW", "UI"), design="4-choice"):
    """One poll of the sample study, told by system."""
    table = comparisons.generate()
    of_pair = (np.sort([table["option_a"], table["option_b"]], axis=0) == np.sort(pair)[:, None]).all(axis=0)
    part = {name: values[of_pair & (table["design"] == design)] for name, values in table.items()}
    side = np.array([comparisons.WORDS.tolist().index(word) for word in part["choice"]])
    shown = part["option_a"] == pair[0]
    choice = np.where((side < 2) & ~shown, 1 - side, side)
    items, item = np.unique(part["item_id"], return_inverse=True)
    raters, rater = np.unique(part["rater_id"], return_inverse=True)
    many = int(design[0])
    return Votes(item, rater, choice, len(items), len(raters), many), shown, items, raters


# what can be worked out by hand


def test_equal_weights_dropping_and_majority_by_hand():
    # items by raters; both = 2, neither = 3
    votes = votes_of([[0, 0, 1], [1, 1, 1], [0, 2, 3], [0, 1, 2]], 4)
    found = preference_shares(votes, FOUR, PreferenceSpec(dropped=0), (EQUAL, MAJORITY, DROPPED))
    # relevance: first (2 + 0 + 1 + 1) / 12, second (1 + 3 + 0 + 1) / 12, both 2 / 12, neither 1 / 12
    first, second = 4 / 12 + 2 / 24 - 1 / 24, 5 / 12 + 2 / 24 - 1 / 24
    assert found[EQUAL] == pytest.approx([first / (first + second)])
    assert found[DROPPED] == pytest.approx(found[EQUAL])
    assert found[MAJORITY] == pytest.approx([(1 + 0 + 1 + 0.5) / 4])


def test_shares_without_each_item_are_those_of_the_rest():
    """As long as no weight rests on all items."""
    votes, methods = study(3), (EQUAL, MAJORITY)
    found = leave_one_out_shares(votes, FOUR, QUIET, methods)
    for method in methods:
        value, left = found[method]
        assert value == pytest.approx(preference_shares(votes, FOUR, QUIET, methods)[method][0])
        for item in range(votes.items):
            rest = votes.item != item
            others = Votes(
                votes.item[rest],
                votes.rater[rest],
                votes.choice[rest],
                votes.items,
                votes.raters,
                votes.options,
            )
            assert left[item] == pytest.approx(preference_shares(others, FOUR, QUIET, methods)[method][0])


def test_weights_by_hand():
    # raters 0 and 1 always agree; rater 2 is against them on items 0 and 1, with them on 2 and 3
    votes = votes_of([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]])
    # the others' means of rater 0 are (.5, .5, 0, 1) against (0, 1, 0, 1): r = 1 / sqrt(2); rater 2: r = 0
    r = np.sqrt(0.5)
    assert pcch_reliability.reliabilities(votes)[0] == pytest.approx([r, r, 0])
    found = preference_shares(votes, TWO, PreferenceSpec(dropped=1), CLOSED)
    for method in CLOSED:
        assert found[method] == pytest.approx([0.5]), method
    votes = votes_of([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    found = preference_shares(votes, TWO, PreferenceSpec(dropped=1), CLOSED)
    assert found[DROPPED] == pytest.approx([3 / 5])
    assert found[EQUAL] == pytest.approx([(2 + 1 + 3 + 0 + 2) / 15])


def test_equal_weights_of_votes_change_nothing():
    votes, lists = study(3), FOUR
    spec = PreferenceSpec(1, draws=40)
    ones = replace(votes, weight=np.ones(len(votes)))
    assert preference(votes, lists, spec).shares == preference(ones, lists, spec).shares
    thirds = preference(replace(votes, weight=np.full(len(votes), 1 / 3)), lists, spec).shares
    for method, share in preference(votes, lists, spec).shares.items():
        assert (share.value, share.low, share.high) == pytest.approx(
            (thirds[method].value, thirds[method].low, thirds[method].high)
        )


def test_whole_weights_of_votes_are_repeats():
    """Reliabilities are without weights, and so are not those of repeats."""
    votes, lists = study(4), FOUR
    weight = np.random.default_rng(0).integers(1, 5, len(votes))
    again = np.repeat(np.arange(len(votes)), weight)
    many = votes.items, votes.raters, votes.options
    repeated = Votes(votes.item[again], votes.rater[again], votes.choice[again], *many)
    weighted = replace(votes, weight=weight.astype(float))
    for method in (EQUAL, MAJORITY):
        one, other = (
            preference(of, lists, PreferenceSpec(draws=0), (method,)) for of in (weighted, repeated)
        )
        assert one.shares[method].value == pytest.approx(other.shares[method].value)
    assert pcch.fit_votes(weighted).r == pytest.approx(pcch.fit_votes(votes).r)
    given = PreferenceSpec(), PCCH, np.full((1, votes.items, votes.options), 0.25), np.ones((1, votes.items))
    one, other = (
        np.bincount(of.rater, vote_influence(of, lists, *given, np.ones(votes.raters)))
        for of in (weighted, repeated)
    )
    np.testing.assert_allclose(one, other)


def test_weights_of_votes_by_hand():
    """Two of three say the first, with weights 1 and 1 against 4; the second item all say the second."""
    votes = Votes(
        np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1]), np.array([0, 0, 1, 1, 1]), 2, 3, 2,
        np.array([1.0, 1.0, 4.0, 1.0, 2.0]),
    )  # fmt: skip
    found = preference(votes, Lists(0, 1), PreferenceSpec(draws=0), (EQUAL, MAJORITY)).shares
    assert found[EQUAL].value == pytest.approx((2 / 6 + 0) / 2)
    assert found[MAJORITY].value == 0


@pytest.mark.parametrize("weight", [[0.0, 1.0], [1.0], [np.nan, 1.0]])
def test_weights_of_votes_are_checked(weight):
    two = np.array([0, 1])
    with pytest.raises(InputError, match="weight"):
        Votes(two, two, two, 2, 2, 2, np.array(weight))


def test_the_papers_table_of_neither_half_by_half():
    # 60% first, 20% both, 20% neither: lists have .6 and 0 before they are divided by their sum
    votes = votes_of([[0, 0, 0, 2, 3]], 4)
    assert preference_shares(votes, FOUR, QUIET, (EQUAL,))[EQUAL] == pytest.approx([1.0])


# laws


@given(some.integers(0, 10_000), some.sampled_from([2, 4]), some.integers(0, 3))
def test_exchanging_the_systems_gives_the_rest_to_one(seed, options, dropped):
    votes = study(seed, options=options)
    lists = TWO if options == 2 else FOUR
    spec = PreferenceSpec(dropped=dropped, draws=60, seed=seed)
    one, other = (preference(each, lists, spec, CLOSED) for each in (votes, swapped(votes)))
    for method in CLOSED:
        a, b = one.shares[method], second_list_share(other.shares[method])
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9, nan_ok=True)


@given(some.integers(0, 10_000), some.sampled_from([2, 4]))
def test_intervals_hold_their_estimates_and_stay_shares(seed, options):
    found = preference(
        study(seed, options=options), TWO if options == 2 else FOUR, PreferenceSpec(2, draws=40), CLOSED
    )
    for estimate in found.shares.values():
        if estimate.defined and not isnan(estimate.low):
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@settings(max_examples=20, deadline=None)
@given(some.integers(0, 10_000))
def test_dropping_nobody_is_equal_weights_in_every_draw(seed):
    votes = study(seed)
    for weights in crossed_bootstrap_counts(votes.raters, votes.items, 50, seed):
        found = preference_shares(votes, FOUR, PreferenceSpec(), (EQUAL, DROPPED), *weights)
        np.testing.assert_allclose(found[EQUAL], found[DROPPED], atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(some.lists(some.integers(0, 1), min_size=2, max_size=12), some.integers(2, 5))
def test_raters_who_are_alike_make_all_methods_agree(answers, raters):
    votes = votes_of(np.repeat(np.array(answers)[:, None], raters, axis=1), 2)
    found = preference_shares(votes, TWO, PreferenceSpec(dropped=1, min_votes=1), CLOSED)
    for method in CLOSED:
        assert found[method] == pytest.approx([1 - np.mean(answers)]), method


def test_raters_who_are_alike_make_glad_agree():
    votes = votes_of(np.repeat(np.array([0, 0, 1, 0])[:, None], 6, axis=1), 2)
    assert preference_shares(votes, TWO, QUIET, (GLAD,))[GLAD] == pytest.approx([0.75], abs=0.02)


@settings(max_examples=20, deadline=None)
@given(some.integers(0, 10_000), some.integers(0, 10_000))
def test_the_order_of_votes_does_not_matter(seed, shuffle):
    votes = study(seed)
    order = np.random.default_rng(shuffle).permutation(len(votes))
    mixed = Votes(
        votes.item[order], votes.rater[order], votes.choice[order], votes.items, votes.raters, votes.options
    )
    for method, share in preference_shares(votes, FOUR, PreferenceSpec(1), CLOSED).items():
        np.testing.assert_allclose(
            share, preference_shares(mixed, FOUR, PreferenceSpec(1), CLOSED)[method], atol=1e-12
        )


def test_an_item_without_votes_changes_nothing():
    votes = study(3)
    wider = Votes(votes.item, votes.rater, votes.choice, votes.items + 2, votes.raters, votes.options)
    for method, share in preference_shares(votes, FOUR, PreferenceSpec(1), CLOSED).items():
        np.testing.assert_allclose(
            share, preference_shares(wider, FOUR, PreferenceSpec(1), CLOSED)[method], atol=1e-12
        )


# draws


def materialised(votes, rater_weight, item_weight):
    """The rows that a draw holds: (item copy, rater, choice), a rater's votes as often as the rater was drawn."""
    rows = []
    for item, rater, choice in zip(
        votes.item.tolist(), votes.rater.tolist(), votes.choice.tolist(), strict=True
    ):
        for copy in range(int(item_weight[item])):
            rows += [((item, copy), rater, choice)] * int(rater_weight[rater])
    return rows


def fitted(votes, lists, min_votes, rater_weight, item_weight):
    """One draw by the one-draw function: the first list's share, and each rater's r_w."""
    rows = materialised(votes, rater_weight, item_weight)
    item, rater, choice = ([row[at] for row in rows] for at in range(3))
    names = [f"{a}-{b}" for a, b in item]
    found = pcch.fit(rater, names, choice, list(range(votes.options)), min_votes)
    share = found.prv_of_lists(lists.first, lists.second, lists.both, lists.neither)[lists.first]
    return share, dict(found.r)


def equal_by_loop(rows, options, lists, weight_of=lambda rater: 1.0):
    """Share of the first list with everyone's votes weighed and all items alike."""
    by_item = {}
    for item, rater, choice in rows:
        by_item.setdefault(item, []).append((weight_of(rater), choice))
    values = [
        np.bincount([c for _, c in part], [w for w, _ in part], options) / sum(w for w, _ in part)
        for part in by_item.values()
    ]
    prv = np.mean(values, axis=0)
    extra = (prv[lists.both] - prv[lists.neither]) / 2 if lists.both is not None else 0.0
    a, b = prv[lists.first] + extra, prv[lists.second] + extra
    return a / (a + b) if min(a, b) >= 0 and a + b > 0 else nan


def majority_by_loop(rows, lists):
    by_item = {}
    for item, _, choice in rows:
        by_item.setdefault(item, []).append(choice)
    won = [
        0.5 + 0.5 * np.sign(part.count(lists.first) - part.count(lists.second)) for part in by_item.values()
    ]
    return float(np.mean(won))


@pytest.mark.parametrize(("options", "seed"), [(2, 0), (4, 1), (4, 2)])
def test_draws_are_those_of_a_loop_over_single_fits(options, seed):
    votes, lists = study(seed, options=options), TWO if options == 2 else FOUR
    assert_draws_are_those_of_a_loop(votes, lists, PreferenceSpec(dropped=2), 40)


def test_draws_on_the_sample_are_those_of_a_loop_over_single_fits():
    votes, *_ = sample()
    assert_draws_are_those_of_a_loop(votes, FOUR, PreferenceSpec(dropped=4), 40)


def assert_draws_are_those_of_a_loop(votes, lists, spec, draws):
    for rater_weight, item_weight in crossed_bootstrap_counts(votes.raters, votes.items, draws, 5):
        found = preference_shares(votes, lists, spec, CLOSED, rater_weight, item_weight)
        for at in range(len(rater_weight)):
            rows = materialised(votes, rater_weight[at], item_weight[at])
            if not rows:
                assert all(isnan(found[method][at]) for method in CLOSED)
                continue
            share, r = fitted(votes, lists, spec.min_votes, rater_weight[at], item_weight[at])
            assert found[PCCH][at] == pytest.approx(share, abs=1e-12, nan_ok=True)
            assert found[EQUAL][at] == pytest.approx(
                equal_by_loop(rows, votes.options, lists), abs=1e-12, nan_ok=True
            )
            assert found[MAJORITY][at] == pytest.approx(majority_by_loop(rows, lists), abs=1e-12)
            copies = [
                (r.get(rater, 0.0), rater, copy)
                for rater in range(votes.raters)
                for copy in range(int(rater_weight[at, rater]))
            ]
            gone = [rater for _, rater, _ in sorted(copies)[: spec.dropped]]
            left = rater_weight[at].copy()
            for rater in gone:
                left[rater] -= 1
            rest = materialised(votes, left, item_weight[at])
            expected = equal_by_loop(rest, votes.options, lists) if rest else nan
            assert found[DROPPED][at] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_everyone_once_is_the_estimate():
    votes = study(7)
    once = preference_shares(
        votes, FOUR, PreferenceSpec(1), METHODS, np.ones((1, votes.raters)), np.ones((1, votes.items))
    )
    for method, share in preference_shares(votes, FOUR, PreferenceSpec(1), METHODS).items():
        np.testing.assert_allclose(share, once[method], atol=1e-6)


def test_known_reliabilities_change_nothing():
    votes = study(4)
    spec = PreferenceSpec(dropped=2, draws=80, seed=3)
    known = bootstrap_reliabilities(votes, spec)
    assert known.shape == (80, votes.raters)
    afresh, quick = (preference(votes, FOUR, spec, CLOSED, reliability=r) for r in (None, known))
    assert afresh.shares == quick.shares


def test_progress_is_reported_to_its_end():
    told = []
    preference(study(0), FOUR, PreferenceSpec(draws=50), METHODS, on_progress=told.append)
    assert told[-1] == 1
    assert told == sorted(told)


def test_the_same_seed_draws_the_same():
    votes = study(0)
    one, same, other = (
        preference(votes, FOUR, PreferenceSpec(draws=50, seed=seed), (PCCH,)).shares[PCCH]
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_slots_keep_their_raters_in_every_draw():
    votes = votes_of(np.zeros((5, 4), dtype=int) + np.array([0, 1, 0, 0]), 2)  # all items alike
    persons, slots = (
        preference(votes, TWO, PreferenceSpec(draws=100), (EQUAL,), raters_are_persons=yes)
        for yes in (True, False)
    )
    assert slots.resampled == "items"
    assert slots.shares[EQUAL].low == pytest.approx(slots.shares[EQUAL].high)
    assert persons.shares[EQUAL].low < persons.shares[EQUAL].high


# the sample's planted truth


@pytest.mark.parametrize("design", ["2-choice", "4-choice"])
def test_the_planted_winner_wins_by_all_methods(design):
    votes, *_ = sample(design=design)
    found = preference(votes, TWO if design[0] == "2" else FOUR, PreferenceSpec(4, draws=200))
    assert list(found.shares) == list(METHODS)
    for method, estimate in found.shares.items():
        assert estimate.value < 0.5, method
        assert estimate.n == 24
    assert found.shares[PCCH].high < 0.5
    assert found.shares[PCCH].value < found.shares[EQUAL].value  # PCC-H tells systems further apart
    who = sample(design=design)[3]
    assert {"worker 04", "worker 07"} <= {str(who[rater]) for rater in found.left_out}  # who look least


# designs


def as_design(votes, lists, items=None, raters=None):
    return Design(
        votes,
        lists,
        np.arange(votes.items) if items is None else items,
        np.arange(votes.raters) if raters is None else raters,
    )


def test_a_design_does_not_differ_from_itself():
    votes = study(2)
    found = compare_designs(*[as_design(votes, FOUR)] * 2, PreferenceSpec(1, draws=50), CLOSED)
    for estimate in found.values():
        assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)


def test_differences_are_those_of_the_shares_and_turn_with_the_order():
    (two, _, items, raters), (four, *_) = sample(design="2-choice"), sample(design="4-choice")
    a, b = as_design(two, TWO, items, raters), as_design(four, FOUR, items, raters)
    spec = PreferenceSpec(4, draws=100)
    there, back = compare_designs(a, b, spec, CLOSED), compare_designs(b, a, spec, CLOSED)
    for method in CLOSED:
        one = there[method]
        expected = (
            preference_shares(two, TWO, spec, CLOSED)[method]
            - preference_shares(four, FOUR, spec, CLOSED)[method]
        )
        assert one.value == pytest.approx(float(expected[0]))
        assert -1 <= one.low <= one.value <= one.high <= 1
        other = back[method]
        assert (-other.value, -other.high, -other.low) == pytest.approx((one.value, one.low, one.high))


def test_what_designs_share_narrows_their_difference():
    (two, _, items, raters), (four, *_) = sample(design="2-choice"), sample(design="4-choice")
    spec = PreferenceSpec(draws=400)
    mine = as_design(two, TWO, items, raters)
    together = compare_designs(mine, as_design(four, FOUR, items, raters), spec, (EQUAL,))[EQUAL]
    apart = compare_designs(
        mine, as_design(four, FOUR, np.char.add(items, "x"), np.char.add(raters, "x")), spec, (EQUAL,)
    )[EQUAL]
    assert together.value == apart.value
    assert together.high - together.low < apart.high - apart.low


# position and difficulty


def test_position_bias_is_the_share_of_what_stood_first():
    votes = votes_of([[0, 1, 2], [1, 1, 3], [0, 0, 0]], 4)
    shown = np.array([True, True, True, False, False, False, True, True, True])
    found = position_bias(votes, FOUR, shown)
    assert found.n == 7
    assert found.value == pytest.approx(6 / 7)  # all but rater 1 on item 0
    assert found.low <= found.value <= found.high
    mirrored = position_bias(votes, FOUR, ~shown)
    assert mirrored.value == pytest.approx(1 / 7)
    none = position_bias(votes_of([[3, 3]], 4), FOUR, np.array([True, True]))
    assert isnan(none.value)
    assert none.reason


def test_difficulty_is_the_entropy_of_the_relevance():
    votes = votes_of([[0, 0, 0], [0, 1, 1], [1, 1, -1]], 2)
    found = difficulty(votes, 3)
    assert found.chosen.tolist() == [[3, 0], [1, 2], [0, 2]]
    assert found.entropy[0] == pytest.approx(0)
    assert found.weight[0] == pytest.approx(1)
    assert found.weight[2] == 0  # two votes
    assert found.entropy[2] == pytest.approx(0)


# undefined


def test_most_say_neither():
    found = preference(votes_of(np.full((4, 3), 3), 4), FOUR, PreferenceSpec(draws=20), CLOSED)
    for method in (EQUAL, DROPPED, WEIGHTED, PCCH):
        estimate = found.shares[method]
        assert isnan(estimate.value)
        assert isnan(estimate.low)
        assert estimate.reason == "most judgments say neither"
    assert found.shares[MAJORITY].value == 0.5  # every item is tied


def test_neither_may_leave_one_list_with_less_than_nothing():
    votes = votes_of([[0, 0, 0, 0, 0, 0, 0, 3, 3, 2]], 4)  # the second list: 0 + .05 - .1
    estimate = preference(votes, FOUR, QUIET, (EQUAL,)).shares[EQUAL]
    assert isnan(estimate.value)
    assert estimate.reason == "most judgments say neither where one of the lists is concerned"


def test_no_votes_at_all():
    empty = np.zeros(0, dtype=np.int64)
    found = preference(Votes(empty, empty, empty, 0, 0, 2), TWO, PreferenceSpec(draws=20), CLOSED)
    assert {e.reason for e in found.shares.values()} == {"there are no votes"}
    assert found.votes == found.items == 0


def test_one_rater_and_one_item_have_no_interval():
    found = preference(votes_of([[0]], 2), TWO, PreferenceSpec(draws=20), CLOSED)
    assert found.resampled == ""
    assert found.draws == 0
    for estimate in found.shares.values():
        assert estimate.value == 1
        assert isnan(estimate.low)


def test_one_rater_leaves_chance_over_items():
    of_items = preference(votes_of([[0], [1], [0], [0]], 2), TWO, PreferenceSpec(draws=100), CLOSED)
    assert of_items.resampled == "items"
    assert of_items.flagged == (0,)
    assert of_items.below_minimum == 4
    assert of_items.equally_weighted == 4
    assert of_items.no_item_weights
    assert of_items.shares[PCCH].value == pytest.approx(0.75)


def test_a_rater_who_always_says_the_same_is_flagged_and_nobody_else():
    votes, *_ = sample()
    choice = np.where(votes.rater == 3, 0, votes.choice)
    same = Votes(votes.item, votes.rater, choice, votes.items, votes.raters, votes.options)
    assert preference(same, FOUR, QUIET, CLOSED).flagged == (3,)


@pytest.mark.parametrize(
    "wrong", [{"dropped": -1}, {"min_votes": 0}, {"draws": -1}, {"level": 1.0}, {"level": 0.0}]
)
def test_a_spec_out_of_range_is_reported(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        PreferenceSpec(**wrong)


def test_not_everyone_can_be_dropped():
    with pytest.raises(InputError, match=r"`dropped`.*6 raters.*got 6"):
        preference_shares(study(0), FOUR, PreferenceSpec(dropped=6))


# the interval


def test_the_width_is_that_of_both_variances_and_the_middle_of_the_draws_is_the_estimate():
    drawn = np.random.default_rng(0).beta(30, 10, 4000)
    value = float(np.sin(ANGLE.forward(drawn).mean()) ** 2)
    low, high = share_interval(value, drawn, 10**6, NO_VARIANCE, 0.95)
    assert (low, high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=2e-3)
    variance = item_variance_from_samples(drawn, 10**6).variance
    wide = share_interval(value, drawn, 10**6, VarianceEstimate(3 * variance, 0.0), 0.95)
    assert np.diff(ANGLE.forward(np.array(wide))) == pytest.approx(
        2 * np.diff(ANGLE.forward(np.array([low, high]))), rel=0.02
    )


def test_alike_draws_leave_wilsons_interval_or_what_raters_carry():
    assert share_interval(1.0, np.full(100, 1.0), 20, NO_VARIANCE, 0.95).low == pytest.approx(
        20 / (20 + 1.959964**2)
    )
    assert share_interval(1.0, np.full(100, 1.0), 20, NO_VARIANCE, 0.95).high == 1
    low, high = share_interval(0.75, np.full(100, 0.75), 20, VarianceEstimate(0.01, 0.01**2 / 9), 0.95)
    assert 0.5 < low < 0.65 < 0.9 < high < 1
    assert np.isnan(share_interval(0.5, np.full(100, nan), 20, NO_VARIANCE, 0.95)).all()


def test_an_interval_is_made_of_draws_of_items_and_the_votes_parts():
    votes, spec = study(5), PreferenceSpec(draws=200, seed=4)
    found = preference(votes, FOUR, spec, (EQUAL,)).shares[EQUAL]
    (relevance, weight) = relevance_and_weights(votes, FOUR, spec, (EQUAL,))[EQUAL]
    parts = vote_influence(votes, FOUR, spec, EQUAL, relevance, weight, np.zeros(votes.raters))
    drawn = np.concatenate(
        [
            preference_shares(votes, FOUR, spec, (EQUAL,), np.ones((len(items), votes.raters)), items)[EQUAL]
            for _, items in crossed_bootstrap_counts(votes.raters, votes.items, 200, 4)
        ]
    )
    ends = share_interval(
        found.value, drawn, votes.items, rater_variance(parts, votes.rater, votes.raters), 0.95
    )
    np.testing.assert_allclose((found.low, found.high), ends)


def test_items_to_tell_shrink_the_interval_to_one_half():
    assert items_for_clear_preference(Estimate(0.6, 0.4, 0.75), 30) == pytest.approx(120)
    assert items_for_clear_preference(Estimate(0.4, 0.25, 0.6), 30) == pytest.approx(120)
    assert items_for_clear_preference(Estimate(0.5, 0.4, 0.6), 30) == np.inf


def test_one_item_has_no_interval():
    one = preference(votes_of([[0, 1, 0, 0]], 2), TWO, PreferenceSpec(draws=50), CLOSED)
    assert one.resampled == ""
    assert all(isnan(estimate.low) for estimate in one.shares.values())


def test_the_second_lists_share_is_the_rest():
    second = second_list_share(Estimate(0.8, 0.7, 0.95, 24))
    assert (second.value, second.low, second.high, second.n) == pytest.approx((0.2, 0.05, 0.3, 24))
