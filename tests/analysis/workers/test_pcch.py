"""PCC-H against an example worked by hand, loops over the equations, laws, and bad input."""

import csv
from collections import defaultdict
from fractions import Fraction
from math import fsum, isnan, log, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from analysis.values.estimate import InputError
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch, pcch_reliability

# --- by hand ---------------------------------------------------------------------------------------------

ITEMS = ["q1", "q2", "q3", "q4"]


def table(*choices):
    """One word of choices per worker, one choice per item: (rater, item, choice)."""
    given = [(w, q, a) for w, word in enumerate(choices, 1) for q, a in zip(ITEMS, word.split(), strict=True)]
    return tuple(zip(*given, strict=True))


def entropy(p, options):
    """Entropy of p and 1 - p, to base `options`."""
    return -(p * log(p) + (1 - p) * log(1 - p)) / log(options)


# Two options. X = 1 for "a" (for "b" X and Y are 1 less these, so that its correlations are the same):
#      q1 q2 q3 q4   Y: mean of the others
# w1   1  1  0  0    1  1/2  0   1     means 1/2, 5/8; Sxy = 3/2 - 5/4 = 1/4; Sxx = 1; Syy = 9/4 - 25/16 = 11/16
# w2   1  1  0  1    1  1/2  0  1/2    means 3/4, 1/2; Sxy = 2 - 3/2 = 1/2; Sxx = 3/4; Syy = 3/2 - 1 = 1/2
# w3   1  0  0  1    1   1   0  1/2    means 1/2, 5/8; Sxy = 3/2 - 5/4 = 1/4; Sxx = 1; Syy = 9/4 - 25/16 = 11/16
# r1 = (1/4) / sqrt(11/16) = 1 / sqrt(11) = r3; r2 = (1/2) / sqrt(3/8) = sqrt(2/3)
# RV: q1 all to a, q3 all to b; q2 p = r3 / (r1 + r2 + r3) to b; q4 r1 / (…) = p to b as well
TWO = table("a a b b", "a a b a", "a b b a")


def test_two_options_by_hand():
    found = pcch.fit(*TWO, ["a", "b"])
    r1, r2 = 1 / sqrt(11), sqrt(2 / 3)
    p = r1 / (2 * r1 + r2)
    w = 1 - entropy(p, 2)
    prv = {"a": (1 + 2 * w * (1 - p)) / (2 + 2 * w), "b": (1 + 2 * w * p) / (2 + 2 * w)}
    assert found.r == pytest.approx({1: r1, 2: r2, 3: r1}, abs=1e-14)
    assert found.weight == found.r
    assert found.relevance["q2"] == pytest.approx({"a": 1 - p, "b": p})
    assert found.relevance["q4"] == pytest.approx({"a": 1 - p, "b": p})
    assert found.relevance["q1"] == {"a": 1, "b": 0}
    assert found.item_weight == pytest.approx({"q1": 1, "q2": w, "q3": 1, "q4": w})
    assert found.prv == pytest.approx(prv)
    assert found.prv_of_lists("a", "b") == pytest.approx(prv)
    assert found.prv["a"] == pytest.approx(0.558, abs=5e-4)
    assert (found.undefined, found.equally_weighted, found.below_min_votes) == ((), (), 0)
    assert not found.has_equal_item_weights
    assert found.undefined_reason("a", "b") == ""


# Four options; h is "both", n "neither". Choices: w1 a a b n, w2 a a b h, w3 a h b n.
#      X of a     Y of a
# w1   1 1 0 0    1 1/2 0 0   means 1/2, 3/8; Sxy = 3/2 - 3/4 = 3/4; Sxx = 1; Syy = 5/4 - 9/16 = 11/16: 3 / sqrt(11)
# w2   1 1 0 0    1 1/2 0 0   the same
# w3   1 0 0 0    1  1  0 0   means 1/4, 1/2; Sxy = 1 - 1/2 = 1/2; Sxx = 3/4; Syy = 1: 1 / sqrt(3)
# b: all chose it for q3 and nowhere else: 1, 1, 1
# both: w1 never chose it; w2 0 0 0 1 against 0 1/2 0 0: Sxy = -1/8, Sxx = 3/4, Syy = 3/16: -1/3; w3 the same: -1/3
# neither: w1 and w3 0 0 0 1 against 0 0 0 1/2: 1; w2 never chose it
FOUR = table("a a b n", "a a b h", "a h b n")


def test_four_options_by_hand():
    found = pcch.fit(*FOUR, ["a", "b", "h", "n"])
    r1 = (3 / sqrt(11) + 1 + 1) / 3
    r2 = (3 / sqrt(11) + 1 - 1 / 3) / 3
    r3 = (1 / sqrt(3) + 1 - 1 / 3 + 1) / 4
    of_2, of_4 = r3 / (r1 + r2 + r3), r2 / (r1 + r2 + r3)
    w2, w4 = 1 - entropy(of_2, 4), 1 - entropy(of_4, 4)
    total = 2 + w2 + w4
    a, b = (1 + w2 * (1 - of_2)) / total, 1 / total
    both, neither = (w2 * of_2 + w4 * of_4) / total, w4 * (1 - of_4) / total
    first, second = a + both / 2 - neither / 2, b + both / 2 - neither / 2
    assert found.r == pytest.approx({1: r1, 2: r2, 3: r3}, abs=1e-14)
    assert found.relevance["q2"] == pytest.approx({"a": 1 - of_2, "b": 0, "h": of_2, "n": 0})
    assert found.relevance["q4"] == pytest.approx({"a": 0, "b": 0, "h": of_4, "n": 1 - of_4})
    assert found.item_weight == pytest.approx({"q1": 1, "q2": w2, "q3": 1, "q4": w4})
    assert found.prv == pytest.approx({"a": a, "b": b, "h": both, "n": neither})
    assert found.prv_of_lists("a", "b", "h", "n") == pytest.approx(
        {"a": first / (first + second), "b": second / (first + second)}
    )
    assert found.prv_of_lists("a", "b", "h", "n")["a"] == pytest.approx(0.5916, abs=5e-5)


# --- loops over the equations ----------------------------------------------------------------------------


def slow_correlation(x, y):
    """Pearson's of exact fractions; None where a side is constant."""
    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    x, y = ([value - Fraction(sum(values), len(values)) for value in values] for values in (x, y))
    product = sum(a * b for a, b in zip(x, y, strict=True))
    return float(product) / sqrt(sum(a * a for a in x) * sum(b * b for b in y))


def slow_batch_r(given, worker, options, raters, items):
    """Eq. 1 over its number of options, with raters and items written out as often as drawn: (r or None, votes)."""
    on_item = defaultdict(list)
    for rater, item, choice in given:
        on_item[item] += [(rater, choice)] * raters[rater]
    own, compared = [], []
    for rater, item, choice in given:
        others = [other for by, other in on_item[item] if by != worker]
        if rater == worker and others:
            own += [choice] * items[item]
            compared += [others] * items[item]
    found = []
    for option in range(options):
        x = [int(choice == option) for choice in own]
        y = [Fraction(others.count(option), len(others)) for others in compared]
        found.append(slow_correlation(x, y))
    found = [value for value in found if value is not None]
    return (sum(found) / len(found) if found else None), len(own)


def slow_r(given, worker, options, raters=None, items=None, poll=None):
    raters = raters or defaultdict(lambda: 1)
    items = items or defaultdict(lambda: 1)
    poll = poll or defaultdict(int)
    parts = [
        slow_batch_r([vote for vote in given if poll[vote[1]] == part], worker, options, raters, items)
        for part in sorted({poll[item] for _, item, _ in given})
    ]
    parts = [(r, n) for r, n in parts if r is not None]
    return sum(r * n for r, n in parts) / sum(n for _, n in parts) if parts else None


def slow_rest(given, r, options, min_votes):
    """Eqs. 2, 4, 5 and 6 from all r_w: RV and W by item, PRV."""
    relevance, weight = {}, {}
    for item in {item for _, item, _ in given}:
        votes = [(max(r[rater], 0), choice) for rater, at, choice in given if at == item]
        if fsum(trust for trust, _ in votes) == 0:
            votes = [(1, choice) for _, choice in votes]
        total = fsum(trust for trust, _ in votes)
        shares = [fsum(t for t, choice in votes if choice == option) / total for option in range(options)]
        relevance[item] = shares
        entropy = -sum(share * log(share, max(options, 2)) for share in shares if share > 0)
        weight[item] = 1 - entropy if len(votes) >= min_votes and entropy < 1 - 1e-12 else 0
    if not any(weight.values()):
        judged = {item: sum(at == item for _, at, _ in given) for item in weight}
        enough = [item for item in weight if judged[item] >= min_votes] or list(weight)
        weight = {item: int(item in enough) for item in weight}
    total = fsum(weight.values())
    prv = [
        fsum(weight[item] * relevance[item][option] for item in weight) / total for option in range(options)
    ]
    return relevance, weight, prv


def slow_share(prv, lists):
    both = 0 if lists.both is None else prv[lists.both]
    neither = 0 if lists.neither is None else prv[lists.neither]
    first, second = (prv[option] + both / 2 - neither / 2 for option in (lists.first, lists.second))
    if min(first, second) < -1e-12 or first + second < 1e-12:
        return nan
    return max(first, 0) / (max(first, 0) + max(second, 0))


RATERS, MOST_ITEMS = 4, 5


@some.composite
def choices(draw, least=1):
    """(votes as (rater, item, option), number of options); a rater may judge an item several times."""
    options = draw(some.integers(1, 4))
    vote = some.tuples(
        some.integers(0, RATERS - 1), some.integers(0, MOST_ITEMS - 1), some.integers(0, options - 1)
    )
    return draw(some.lists(vote, min_size=least, max_size=24)), options


@some.composite
def complete(draw):
    """The same where everybody judged everything once."""
    options = draw(some.integers(1, 4))
    places = [(rater, item) for rater in range(RATERS) for item in range(MOST_ITEMS)]
    answers = draw(some.tuples(*[some.integers(0, options - 1)] * len(places)))
    return [(*place, answer) for place, answer in zip(places, answers, strict=True)], options


def votes_of(given, options):
    rater, item, choice = np.array(given, dtype=np.int64).reshape(-1, 3).T
    return Votes(item, rater, choice, MOST_ITEMS, RATERS, options)


def fitted(given, options, min_votes=3):
    columns = zip(*given, strict=True) if given else ([], [], [])
    return pcch.fit(*(list(column) for column in columns), range(options), min_votes)


LISTS = Lists(0, 1, 2, 3)


@given(choices() | complete(), some.integers(1, 4))
def test_a_fit_equals_loops_over_the_equations(drawn, min_votes):
    given, options = drawn
    found = fitted(given, options, min_votes)
    slow = {rater: slow_r(given, rater, options) for rater in found.r}
    assert set(found.undefined) == {rater for rater, value in slow.items() if value is None}
    slow = {rater: value or 0.0 for rater, value in slow.items()}
    assert found.r == pytest.approx(slow, abs=1e-12)
    slow = {rater: value * (abs(value) > 1e-12) for rater, value in slow.items()}  # rounding is no trust
    relevance, weight, prv = slow_rest(given, slow, options, min_votes)
    for item, shares in relevance.items():
        assert list(found.relevance[item].values()) == pytest.approx(shares, abs=1e-12)
    assert found.item_weight == pytest.approx(weight, abs=1e-11)
    assert list(found.prv.values()) == pytest.approx(prv, abs=1e-9)
    if options == 4:
        share = found.prv_of_lists(0, 1, 2, 3)[0]
        assert share == pytest.approx(slow_share(prv, LISTS), abs=1e-6, nan_ok=True)
        assert bool(found.undefined_reason(0, 1, 2, 3)) == isnan(share)


@given(choices() | complete(), some.data())
def test_reliabilities_of_draws_equal_loops_over_repeated_raters_and_items(drawn, data):
    given, options = drawn
    often = some.integers(0, 3)
    raters = data.draw(some.lists(some.tuples(*[often] * RATERS), min_size=1, max_size=3))
    items = data.draw(
        some.lists(some.tuples(*[often] * MOST_ITEMS), min_size=len(raters), max_size=len(raters))
    )
    weights = [np.array(raters, dtype=np.float64), np.array(items, dtype=np.float64)]
    once = data.draw(some.sampled_from(["neither", "raters", "items"]))
    if once == "raters":
        raters, weights[0] = [(1,) * RATERS] * len(items), None
    elif once == "items":
        items, weights[1] = [(1,) * MOST_ITEMS] * len(raters), None
    poll = data.draw(some.none() | some.tuples(*[some.integers(0, 2)] * MOST_ITEMS))
    codes = None if poll is None else np.array(poll)

    votes = votes_of(given, options)
    free = pcch_reliability.correlations(votes, *weights, codes)
    found = pcch_reliability.reliabilities(votes, *weights, codes)
    for draw, (u, v) in enumerate(zip(raters, items, strict=True)):
        for rater in range(RATERS):
            slow = slow_r(given, rater, options, u, v, poll)
            expected = nan if slow is None else slow
            assert free[draw, rater] == pytest.approx(expected, abs=1e-9, nan_ok=True)
            expected = slow if slow is not None and u[rater] else 0.0
            assert found[draw, rater] == pytest.approx(expected, abs=1e-9)


@given(choices(), some.data())
def test_what_follows_in_draws_equals_each_draw_alone(drawn, data):
    given, options = drawn
    votes = votes_of(given, options)
    often = some.tuples(*[some.integers(0, 2)] * RATERS)
    raters = np.array(data.draw(some.lists(often, min_size=1, max_size=3)), dtype=np.float64)
    weight = raters * data.draw(some.sampled_from([0.0, 0.25, 1.0]))
    together, equal = pcch_reliability.relevance(votes, weight, raters)
    counted = np.array(
        [np.bincount(votes.item, raters[b][votes.rater], MOST_ITEMS) for b in range(len(raters))]
    )
    of_items = pcch_reliability.item_weights(together, counted, 3)
    prv = pcch_reliability.weighted_share(together, of_items)
    for b in range(len(raters)):
        alone, equal_alone = pcch_reliability.relevance(votes, weight[[b]], raters[[b]])
        np.testing.assert_allclose(together[b], alone[0], atol=1e-14)
        np.testing.assert_array_equal(equal[b], equal_alone[0])
        np.testing.assert_array_equal(np.isnan(together[b, :, 0]), counted[b] == 0)
        one = pcch_reliability.item_weights(alone, counted[[b]], 3)
        np.testing.assert_allclose(of_items[b], one[0], atol=1e-14)
        np.testing.assert_allclose(prv[b], pcch_reliability.weighted_share(alone, one)[0], atol=1e-14)


# --- laws ------------------------------------------------------------------------------------------------


@given(choices(), some.randoms(use_true_random=False))
def test_other_names_and_another_order_change_nothing(drawn, random):
    given, options = drawn
    raters, items, labels = list("wxyz"), list("56789"), list("dcba")[:options]
    for names in (raters, items, labels):
        random.shuffle(names)
    renamed = [(raters[rater], items[item], labels[choice]) for rater, item, choice in given]
    random.shuffle(renamed)
    before, after = fitted(given, options), pcch.fit(*zip(*renamed, strict=True), labels)
    assert {raters[rater]: r for rater, r in before.r.items()} == pytest.approx(after.r, abs=1e-12)
    assert {labels[option]: v for option, v in before.prv.items()} == pytest.approx(after.prv, abs=1e-9)
    assert {items[item]: v for item, v in before.item_weight.items()} == pytest.approx(
        after.item_weight, abs=1e-9
    )


@given(choices(), some.integers(0, RATERS - 1), some.integers(0, 3))
def test_an_item_that_nobody_else_judged_changes_no_r(drawn, rater, choice):
    given, options = drawn
    before = fitted([*given, (rater, 98, 0)], options)
    assert fitted([*given, (rater, 98, 0), (rater, 99, choice % options)], options).r == before.r


@given(choices())
def test_figures_lie_within_their_ranges_and_shares_sum_to_1(drawn):
    found = fitted(*drawn)
    assert all(-1 <= r <= 1 for r in found.r.values())
    assert all(0 <= w <= 1 for w in found.item_weight.values())
    assert sum(found.prv.values()) == pytest.approx(1, abs=1e-12)
    for shares in found.relevance.values():
        assert sum(shares.values()) == pytest.approx(1, abs=1e-12)


@given(some.lists(some.tuples(*[some.integers(0, 3)] * RATERS), min_size=1, max_size=8))
def test_swapping_the_lists_swaps_their_shares(answers):
    """Leave "both" and "neither" unchanged."""
    swap = {0: 1, 1: 0, 2: 2, 3: 3}
    given = [(rater, item, a) for item, row in enumerate(answers) for rater, a in enumerate(row)]
    swapped = [(rater, item, swap[a]) for rater, item, a in given]
    shares, others = (fitted(votes, 4).prv_of_lists(0, 1, 2, 3) for votes in (given, swapped))
    assert shares[0] == pytest.approx(others[1], abs=1e-6, nan_ok=True)
    assert sum(shares.values()) == pytest.approx(1, nan_ok=True) or isnan(shares[0])


@pytest.mark.parametrize("options", [2, 3, 4])
def test_perfect_agreement_gives_r_of_1(options):
    found = fitted([(rater, item, item % options) for rater in range(5) for item in range(7)], options)
    assert list(found.r.values()) == pytest.approx([1] * 5, abs=1e-14)
    assert set(found.item_weight.values()) == {1}
    assert found.prv == pytest.approx(
        {a: sum(q % options == a for q in range(7)) / 7 for a in range(options)}
    )


def test_copies_of_a_rater_do_not_agree_with_themselves():
    """Two raters who contradict each other, one drawn three times: neither gains by it."""
    votes = votes_of([(0, q, q % 2) for q in range(4)] + [(1, q, (q + 1) % 2) for q in range(4)], 2)
    found = pcch_reliability.reliabilities(votes, np.array([[3.0, 1.0, 0.0, 0.0]]), np.ones((1, MOST_ITEMS)))
    np.testing.assert_allclose(found, [[-1, -1, 0, 0]], atol=1e-15)


def test_what_others_say_alike_in_thirds_is_constant():
    """Sums of 1/3, 1/7, … round; Y is constant all the same, and r undefined, not noise."""
    for others in range(2, 30):
        given = [(0, q, q % 2) for q in range(50)]
        given += [(w, q, int(w <= 1)) for q in range(50) for w in range(1, others + 1)]
        found = fitted(given, 2)
        assert 0 in found.undefined
        assert found.r[0] == 0


@pytest.mark.parametrize("others", [5, 7, 9])
@pytest.mark.parametrize("more", [[], [(99, 99, 0)]], ids=["complete", "not complete"])
def test_a_correlation_of_0_weighs_exactly_nothing(others, more):
    """X is 1 0 0 and Y 3/5 2/5 4/5, …: the mean of Y is the same where X is 1 and where it is 0."""
    given = list(more)
    for item, (own, many) in enumerate([(1, 3), (0, 2), (0, 4)]):
        given += [(0, item, own)] + [(w, item, int(w <= many)) for w in range(1, others + 1)]
    found = fitted(given, 2)
    assert found.r[0] == 0
    assert 0 not in found.undefined


# --- bad input -------------------------------------------------------------------------------------------


def test_a_worker_who_always_chooses_the_same_is_undefined_and_weighs_nothing():
    found = pcch.fit(*table("a a b b", "a b b b", "a a a a"), ["a", "b"])
    assert found.undefined == (3,)
    assert found.weight[3] == found.r[3] == 0
    assert found.r[1] > 0
    assert found.relevance["q3"] == {"a": 0, "b": 1}


def test_a_worker_against_the_others_weighs_nothing_and_keeps_its_r():
    found = pcch.fit(*table("a a b b", "a a b b", "b b a a"), ["a", "b"])
    assert found.r == pytest.approx({1: 0, 2: 0, 3: -1}, abs=1e-15)
    assert found.weight[3] == 0
    assert found.undefined == (1, 2)


def test_items_with_few_votes_never_carry_the_result():
    rater, item, choice = map(list, TWO)
    lone = pcch.fit([*rater, 1, 2], [*item, "q5", "q5"], [*choice, "b", "b"], ["a", "b"])
    assert lone.item_weight["q5"] == 0
    assert lone.below_min_votes == 1
    assert lone.relevance["q5"] == {"a": 0, "b": 1}
    before, after = (pcch.fit(*TWO, ["a", "b"], n) for n in (3, 4))
    assert not before.has_equal_item_weights
    assert after.has_equal_item_weights
    assert after.below_min_votes == 4
    assert set(after.item_weight.values()) == {1}


def test_items_with_one_vote_leave_r_undefined():
    found = pcch.fit([1, 2, 3], ["q1", "q2", "q3"], ["a", "b", "a"], ["a", "b"])
    assert found.undefined == (1, 2, 3)
    assert set(found.r.values()) == {0}
    assert found.equally_weighted == ("q1", "q2", "q3")
    assert found.below_min_votes == 3
    assert found.has_equal_item_weights
    assert found.prv == pytest.approx({"a": 2 / 3, "b": 1 / 3})


def test_an_option_that_nobody_chose_changes_no_r_and_has_no_share():
    found, without = pcch.fit(*TWO, ["a", "b", "c"]), pcch.fit(*TWO, ["a", "b"])
    assert found.r == without.r
    assert found.prv["c"] == 0
    assert found.item_weight["q2"] > without.item_weight["q2"]


def test_where_all_weights_are_0_votes_and_items_weigh_alike():
    """Two workers who contradict each other everywhere: r = -1, both weigh 0, nobody knows anything."""
    found = pcch.fit(*table("a a b b", "b b a a"), ["a", "b"], min_votes=2)
    assert found.r == pytest.approx({1: -1, 2: -1}, abs=1e-15)
    assert found.equally_weighted == tuple(ITEMS)
    assert found.has_equal_item_weights
    assert found.prv == {"a": 0.5, "b": 0.5}


def test_weights_of_0_on_one_item_only():
    rater, item, choice = map(list, table("a a b b", "a a b b", "a b b b", "a a a a"))
    found = pcch.fit([*rater, 4, 4, 4], [*item, "q5", "q5", "q5"], [*choice, "a", "b", "b"], ["a", "b"])
    assert found.undefined == (4,)
    assert found.equally_weighted == ("q5",)
    assert found.relevance["q5"] == pytest.approx({"a": 1 / 3, "b": 2 / 3})


def test_a_tie_of_everything():
    found = pcch.fit(*table(*["t t t t"] * 3), ["a", "b", "t"])
    assert found.undefined == (1, 2, 3)
    assert found.equally_weighted == tuple(ITEMS)
    assert found.item_weight == dict.fromkeys(ITEMS, 1.0)
    assert found.prv_of_lists("a", "b", both="t") == {"a": 0.5, "b": 0.5}


def test_where_most_say_neither_there_are_no_shares():
    found = pcch.fit(*table("n n n a", "n n n a", "n n b a"), ["a", "b", "n"])
    assert all(isnan(share) for share in found.prv_of_lists("a", "b", neither="n").values())
    assert found.undefined_reason("a", "b", neither="n") == "most judgments say neither"
    assert found.undefined_reason("a", "b") == ""


def test_a_list_of_exactly_0_is_no_negative_one():
    prv = np.array([[0.7 + 0.2, 0.1, 0.0, 0.2], [0.6, 0.1, 0.0, 0.2 + 0.1]])
    found = pcch_reliability.list_share(prv / prv.sum(axis=1, keepdims=True), LISTS)
    np.testing.assert_allclose(found, [1.0, nan])
    assert not found[0] > 1


def test_unknown_options_are_named():
    with pytest.raises(InputError, match=r"one of the options \['a', 'b'\], got 'h'"):
        pcch.fit(*FOUR, ["a", "b"])
    found = pcch.fit(*TWO, ["a", "b"])
    with pytest.raises(InputError, match="got 'both'"):
        found.prv_of_lists("a", "b", both="both")
    with pytest.raises(InputError, match="different options"):
        found.prv_of_lists("a", "a")
    with pytest.raises(InputError, match="each option once"):
        pcch.fit(*TWO, ["a", "b", "b"])


def test_other_bad_arguments_are_refused():
    with pytest.raises(InputError, match="equally long"):
        pcch.fit([1, 2], ["q"], ["a"], ["a", "b"])
    with pytest.raises(InputError, match="`min_votes` must be 1 or more, got 0"):
        pcch.fit(*TWO, ["a", "b"], min_votes=0)
    with pytest.raises(InputError, match="one code per item, 5, got 2"):
        pcch_reliability.undefined_reliability(votes_of([(0, 0, 0)], 2), np.array([0, 1]))


def test_no_votes():
    found = pcch.fit([], [], [], ["a", "b"])
    assert (found.r, found.relevance, found.item_weight) == ({}, {}, {})
    assert all(isnan(share) for share in found.prv_of_lists("a", "b").values())
    assert found.undefined_reason("a", "b") == "there are no votes"
    assert not found.has_equal_item_weights
    assert pcch.fit([], [], [], []).prv == {}
    nobody = Votes(*np.zeros((3, 0), dtype=np.int64), 3, 2, 2)
    assert pcch_reliability.undefined_reliability(nobody).tolist() == [True, True]
    assert pcch_reliability.reliabilities(nobody, np.ones((4, 2)), np.ones((4, 3))).shape == (4, 2)
    assert np.isnan(pcch_reliability.relevance(nobody, np.ones((4, 2)))[0]).all()


def test_one_worker_and_one_item():
    alone = pcch.fit([1] * 4, ITEMS, ["a", "a", "b", "a"], ["a", "b"])
    assert alone.undefined == (1,)
    assert alone.prv == {"a": 0.75, "b": 0.25}
    one = pcch.fit([1, 2, 3], ["q"] * 3, ["a", "a", "b"], ["a", "b"])
    assert one.undefined == (1, 2, 3)
    assert one.prv == pytest.approx({"a": 2 / 3, "b": 1 / 3})


# --- real choices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["choice2_sentiment_timed.csv", "choice4_website_gold.csv"])
def test_on_real_choices_r_equals_the_loops_and_tells_who_is_right(shared_data, name):
    with (shared_data / name).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rater, item, label = ([row[column] for row in rows] for column in ("rater", "item", "label"))
    labels = sorted(set(label))
    found = pcch.fit(rater, item, label, labels)

    given = list(zip(rater, item, map(labels.index, label), strict=True))
    of_rater, beside = defaultdict(list), defaultdict(list)
    for vote in given:
        of_rater[vote[0]].append(vote)
        beside[vote[1]].append(vote)
    for worker in sorted(of_rater)[:: len(of_rater) // 10]:
        seen = {judged for _, judged, _ in of_rater[worker]}
        slow = slow_r([vote for judged in seen for vote in beside[judged]], worker, len(labels))
        assert (slow is None) == (worker in found.undefined)
        assert found.r[worker] == pytest.approx(slow or 0.0, abs=1e-12)
    _, weight, prv = slow_rest_of(beside, found.r, len(labels))
    assert found.item_weight == pytest.approx(weight, abs=1e-9)
    assert list(found.prv.values()) == pytest.approx(prv, abs=1e-9)

    right = defaultdict(list)
    for row in rows:
        if row["gold"]:
            right[row["rater"]].append(row["label"] == row["gold"])
    often = [worker for worker in right if len(right[worker]) >= 10 and worker not in found.undefined]
    accuracy = [np.mean(right[worker]) for worker in often]
    assert stats.spearmanr([found.r[worker] for worker in often], accuracy).statistic > 0.5


def slow_rest_of(beside, r, options):
    """`slow_rest` with the votes of each item at hand."""
    relevance, weight = {}, {}
    for item, votes in beside.items():
        of_item, of_weight, _ = slow_rest(votes, r, options, 3)
        relevance[item] = of_item[item]
        alone = len(votes) < 3 or max(relevance[item]) == min(relevance[item])
        weight[item] = 0 if alone else of_weight[item]
    total = fsum(weight.values())
    return (
        relevance,
        weight,
        [fsum(weight[q] * relevance[q][option] for q in weight) / total for option in range(options)],
    )
