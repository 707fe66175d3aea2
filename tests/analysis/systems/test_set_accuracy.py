"""The crowd's sets of labels, and sets compared with known ones, by hand and by slow versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement import LabelSets
from analysis.systems.set_accuracy import crowd_sets, known_set_similarities, label_shares, set_accuracy
from analysis.values.estimate import InputError

TABLES = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=n, max_size=n)
)


def of_three_raters() -> LabelSets:
    sets = [("a",), ("a", "b"), ("b",), (), ("c",), (), ("a",), ("b",)]
    return LabelSets.of_names([0, 0, 0, 1, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1], sets)


def test_the_majority_is_more_than_half_and_ties_are_left_out() -> None:
    found = crowd_sets(of_three_raters())
    assert found.member.tolist() == [[True, True, False], [False] * 3, [False] * 3]
    assert found.tied.tolist() == [[False] * 3, [False] * 3, [True, True, False]]
    assert found.share[0].tolist() == pytest.approx([2 / 3, 2 / 3, 0])


def test_shares_are_means_over_items() -> None:
    assert [one.value for one in label_shares(of_three_raters())] == pytest.approx(
        [(2 / 3 + 1 / 2) / 3, (2 / 3 + 1 / 2) / 3, 1 / 9]
    )


def test_dawid_skene_trusts_raters_who_are_right() -> None:
    """Three raters are right, four guess: the majority is often wrong where Dawid-Skene is not."""
    rng = np.random.default_rng(0)
    true = rng.random((200, 2)) < [0.5, 0.3]
    item, rater = np.repeat(np.arange(200), 7), np.tile(np.arange(7), 200)
    right = true[item] ^ (rng.random((1400, 2)) < 0.03)
    chosen = np.where((rater < 3)[:, None], right, rng.random((1400, 2)) < 0.5)
    sets = LabelSets.of_names(item, rater, [tuple(np.array([*"ab"])[row].tolist()) for row in chosen])
    wrong = {
        method: (crowd_sets(sets, method).member != true).mean() for method in ("majority", "Dawid-Skene")
    }
    assert wrong["Dawid-Skene"] < 0.02 < wrong["majority"]


@given(TABLES, st.randoms())
def test_figures_are_those_of_counting(table: list[list[bool]], random) -> None:
    known = [[random.random() < 0.5 for _ in row] for row in table]
    found = set_accuracy(table, known)
    n = len(table)
    assert found.exact.value == pytest.approx(sum(a == b for a, b in zip(table, known, strict=True)) / n)
    index = []
    for a, b in zip(table, known, strict=True):
        both, either = (
            sum(x and y for x, y in zip(a, b, strict=True)),
            sum(x or y for x, y in zip(a, b, strict=True)),
        )
        index.append(both / either if either else 1.0)
    assert found.jaccard.value == pytest.approx(np.mean(index))
    for label in range(3):
        pairs = [(a[label], b[label]) for a, b in zip(table, known, strict=True)]
        tp, fp, fn = (pairs.count(one) for one in ((True, True), (True, False), (False, True)))
        expected = (tp / (tp + fp) if tp + fp else np.nan, tp / (tp + fn) if tp + fn else np.nan)
        figures = found.precision[label], found.recall[label], found.f1[label]
        assert [one.value for one in figures] == pytest.approx(
            [*expected, 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else np.nan], nan_ok=True
        )
        for one in figures:
            assert one.reason if np.isnan(one.value) else one.low <= one.value <= one.high


def test_each_set_is_compared_with_its_items_known_one() -> None:
    known = np.array([[True, False, False], [True, True, False]])
    place, similar = known_set_similarities(of_three_raters(), known, np.array([0, 2]))
    assert place.tolist() == [0, 1, 2, 6, 7]
    assert similar.tolist() == pytest.approx([1, 0.5, 0, 0.5, 0.5])


def test_tables_of_other_shapes_and_methods_are_refused() -> None:
    with pytest.raises(InputError, match="one shape"):
        set_accuracy([[True]], [[True, False]])
    with pytest.raises(InputError, match="majority"):
        crowd_sets(of_three_raters(), "mode")  # type: ignore[arg-type]


@given(TABLES.filter(lambda table: len(table) > 1), st.integers(2, 4), st.randoms())
def test_copies_of_items_in_one_cluster_tell_no_more_than_the_items(
    table: list[list[bool]], copies: int, random
) -> None:
    known = [[random.random() < 0.5 for _ in row] for row in table]
    once = set_accuracy(table, known, clusters=(np.arange(len(table)),))
    of_item = np.repeat(np.arange(len(table)), copies)
    again = set_accuracy(np.array(table)[of_item], np.array(known)[of_item], clusters=(of_item,))
    for one, other in ((once.jaccard, again.jaccard), (once.exact, again.exact)):
        assert other.value == pytest.approx(one.value)
    equal = np.array(table) == np.array(known)
    if 0 < equal.all(axis=1).mean() < 1:  # otherwise the number of trials counts, not the variance
        assert (again.exact.low, again.exact.high) == pytest.approx((once.exact.low, once.exact.high))
    plain = set_accuracy(table, known)
    ends = [(one.jaccard.low, one.jaccard.high) for one in (once, plain)]
    assert ends[0] == pytest.approx(ends[1]), "clusters of one item each are items"
