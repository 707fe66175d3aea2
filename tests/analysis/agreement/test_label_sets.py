"""Agreement of sets of labels: MASI distances, and alpha by set and label compared with slow versions and nltk."""

from collections.abc import Iterator
from itertools import permutations
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics import jaccard_distance
from nltk.metrics import masi_distance as nltk_masi_distance
from nltk.metrics.agreement import AnnotationTask

from analysis.agreement import krippendorff_alpha, label_sets, masi_distance
from analysis.agreement.label_sets import (
    LabelSets,
    _leave_one_out_z,
    distance_sums,
    label_alphas,
    set_agreement,
    set_alpha,
    set_distances,
)
from analysis.systems.set_accuracy import set_agreement_with_others
from analysis.values.estimate import InputError
from analysis.values.ratings import coded

SETS = st.frozensets(st.sampled_from("abcde"), max_size=5)
GIVEN = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), SETS), min_size=2, max_size=25)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("ab", "a", 2 / 3), ("ab", "ac", 8 / 9), ("ab", "cd", 1), ("", "", 0), ("", "a", 1)],
)
def test_printed_distances(a: str, b: str, distance: float) -> None:
    assert masi_distance(a, b) == pytest.approx(distance)


@given(SETS, SETS)
def test_it_is_symmetric_and_0_only_for_equal_sets(a: frozenset[str], b: frozenset[str]) -> None:
    assert masi_distance(a, b) == masi_distance(b, a)
    assert 0 <= masi_distance(a, b) <= 1
    assert (masi_distance(a, b) == 0) == (a == b)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return 1 - len(a & b) / len(a | b) if a | b else 0.0


def sets_of(rows: list[tuple[int, int, frozenset[str]]]) -> LabelSets:
    once = {(item, rater): one for item, rater, one in rows}
    items, raters = (np.array([key[at] for key in once]) for at in (0, 1))
    return LabelSets.of_names(items, raters, [tuple(sorted(one)) for one in once.values()])


def slow_alpha(rows: list[tuple[int, int, frozenset[str]]], distance) -> float:
    """Alpha from all pairs of values, as Krippendorff writes it."""
    once = {(item, rater): one for item, rater, one in rows}
    units: dict[int, list[frozenset[str]]] = {}
    for (item, _), one in once.items():
        units.setdefault(item, []).append(one)
    units = {item: sets for item, sets in units.items() if len(sets) > 1}
    every = [one for sets in units.values() for one in sets]
    n = len(every)
    if not n:
        return float("nan")
    observed = sum(
        sum(distance(a, b) for a, b in permutations(sets, 2)) / (len(sets) - 1) for sets in units.values()
    )
    expected = sum(distance(a, b) for a, b in permutations(every, 2)) / (n - 1)
    return 1 - observed / expected if expected else float("nan")


@given(GIVEN)
def test_alpha_is_that_of_all_pairs(rows: list[tuple[int, int, frozenset[str]]]) -> None:
    sets = sets_of(rows)
    for name, distance in (("MASI", masi_distance), ("Jaccard", jaccard)):
        assert set_alpha(sets, name).value == pytest.approx(slow_alpha(rows, distance), nan_ok=True)


@given(st.lists(SETS, min_size=1, max_size=8, unique=True))
def test_distances_of_sets_are_those_of_pairs(sets: list[frozenset[str]]) -> None:
    member = np.array([[label in one for label in "abcde"] for one in sets])
    for name, distance in (("MASI", masi_distance), ("Jaccard", jaccard)):
        expected = [[distance(a, b) for b in sets] for a in sets]
        assert set_distances(member, name) == pytest.approx(np.array(expected))


def many(
    seed: int, items: int = 60, raters: int = 7, empty: bool = True
) -> Iterator[tuple[int, int, frozenset[str]]]:
    rng = np.random.default_rng(seed)
    for item in range(items):
        true = rng.random(5) < [0.5, 0.3, 0.2, 0.1, 0.05]
        for rater in rng.choice(raters, rng.integers(2, raters + 1), replace=False).tolist():
            flipped = rng.random(5) < 0.12
            one = frozenset(np.array([*"abcde"])[true ^ flipped].tolist())
            if empty or one:
                yield item, rater, one


def test_alpha_agrees_with_nltk_up_to_its_rounding() -> None:
    rows = list(many(0, empty=False))  # nltk divides by the labels of two empty sets
    for name, distance, digits in (
        ("Jaccard", jaccard_distance, 1e-9),
        ("MASI", nltk_masi_distance, 0.005),
    ):
        task = AnnotationTask([(f"r{w}", f"i{i}", one) for i, w, one in rows], distance)
        assert set_alpha(sets_of(rows), name).value == pytest.approx(task.alpha(), abs=digits)


def test_one_label_each_is_nominal_alpha_with_its_interval() -> None:
    rng = np.random.default_rng(1)
    item, rater = np.repeat(np.arange(40), 4), np.tile(np.arange(4), 40)
    label = np.where(rng.random(160) < 0.7, np.repeat(rng.integers(0, 3, 40), 4), rng.integers(0, 3, 160))
    sets = LabelSets.of_names(item, rater, [(str(one),) for one in label])
    expected = krippendorff_alpha(item, label, "nominal")
    for distance in ("MASI", "Jaccard"):
        found = set_alpha(sets, distance)
        assert (found.value, found.low, found.high, found.n) == pytest.approx(
            (expected.value, expected.low, expected.high, expected.n)
        )


def test_labels_have_the_nominal_alpha_of_chosen_and_not() -> None:
    rows = list(many(2))
    sets = sets_of(rows)
    for at, label in enumerate(sets.labels):
        item = [item for item, _, _ in rows]
        expected = krippendorff_alpha(item, [label in one for *_, one in rows], "nominal")
        found = label_alphas(sets.paired, "these raters")[at]
        assert (found.value, found.low, found.high) == pytest.approx(
            (expected.value, expected.low, expected.high)
        )


def test_without_raters_and_sets_the_interval_is_that_of_alpha_computed_anew() -> None:
    """The changes behind the interval for raters like these are those of leaving out each rater and each set."""
    rows = list(many(3, items=12, raters=4))
    sets = sets_of(rows).paired
    between = set_distances(sets.member)
    sums, reach = distance_sums(sets.item, sets.given, between)
    by_rater, by_cell = _leave_one_out_z(sets.item, sets.rater, sets.given, between, sums, reach)

    def left(kept: np.ndarray) -> float:
        return float(np.arctanh(set_alpha(sets.select(kept)).value))

    assert by_rater == pytest.approx([left(sets.rater != w) for w in range(4)])
    at = np.arange(len(sets))
    assert by_cell == pytest.approx([left(at != one) for one in at])


def of_topics(
    seed: int, topics: int = 14, per_topic: int = 3, raters: int = 4
) -> tuple[LabelSets, np.ndarray]:
    """Return sets of items whose topic makes labels likely, by raters who see most items, and the topic of items."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(topics), per_topic)
    share = rng.random((topics, 3))
    item, rater = np.nonzero(rng.random((len(topic), raters)) < 0.8)
    sets = [tuple(np.array(list("abc"))[rng.random(3) < share[topic[at]]]) for at in item]
    return LabelSets.of_names(item, rater, sets), topic


def test_without_topics_and_cells_the_interval_is_that_of_alpha_computed_anew() -> None:
    sets, topic = of_topics(1)
    pairs = sets.paired
    (items, item), rater = coded(pairs.item), coded(pairs.rater)[1]
    kept = np.unique(pairs.given)
    between, given = set_distances(pairs.member[kept]), np.searchsorted(kept, pairs.given)
    sums, reach = distance_sums(item, given, between)
    unit = coded(topic[items])[1]
    by_rater, by_cell = _leave_one_out_z(item, rater, given, between, sums, reach, unit)
    cell = coded(unit[item] * (rater.max() + 1) + rater)[1]
    for left, code in ((by_rater, rater), (by_cell, cell)):
        slow = [np.arctanh(set_alpha(pairs.select(code != one)).value) for one in range(code.max() + 1)]
        assert left == pytest.approx(slow)


def test_topics_of_one_item_each_are_items_and_shared_topics_are_not() -> None:
    sets, topic = of_topics(2)
    for scope in ("these raters", "raters like these"):
        plain = set_agreement(sets, scope)
        alone = set_agreement(sets, scope, topic={at: at for at in range(len(topic))})
        assert (alone.masi, alone.labels, alone.by_clusters) == (plain.masi, plain.labels, False)
        shared = set_agreement(sets, scope, topic=dict(enumerate(topic.tolist())))
        assert shared.by_clusters
        assert shared.masi.value == pytest.approx(plain.masi.value)
        if scope == "these raters":
            assert shared.masi.high - shared.masi.low > plain.masi.high - plain.masi.low


def test_a_label_has_the_interval_of_alpha_over_the_same_topics() -> None:
    sets, topic = of_topics(3)
    known = dict(enumerate(topic.tolist()))
    found = set_agreement(sets, "these raters", topic=known, system={at: at % 6 for at in known})
    pairs = sets.paired
    for label, column in zip(found.labels, pairs.has_label.T, strict=True):
        one = krippendorff_alpha(
            pairs.item, column, "nominal", system=pairs.item % 6, topic=topic[pairs.item]
        )
        assert (label.low, label.high) == pytest.approx((one.low, one.high))


def test_raters_like_these_have_no_narrower_interval() -> None:
    sets = sets_of(list(many(4)))
    these, others = (set_agreement(sets, scope) for scope in ("these raters", "raters like these"))
    for one, other in zip(
        (these.masi, these.jaccard, *these.labels), (others.masi, others.jaccard, *others.labels), strict=True
    ):
        assert other.value == one.value
        assert other.low <= one.low <= one.value <= one.high <= other.high


def slow_agreement(sets: LabelSets, rater: int) -> float:
    """1 - O / E of a rater with the others from all pairs of the rater's items."""
    between = set_distances(sets.member)
    own = {int(i): int(s) for i, w, s in zip(sets.item, sets.rater, sets.given, strict=True) if w == rater}
    others = {
        i: [
            int(s) for j, w, s in zip(sets.item, sets.rater, sets.given, strict=True) if j == i and w != rater
        ]
        for i in own
    }
    own = {i: s for i, s in own.items() if others[i]}
    apart = np.array([[np.mean([between[s, o] for o in others[j]]) for j in own] for s in own.values()])
    return float(1 - np.mean(np.diag(apart)) / np.mean(apart))


def test_a_raters_agreement_is_that_of_all_pairs_and_changes_as_items_go() -> None:
    sets = sets_of(list(many(5, items=15, raters=4)))
    found = set_agreement_with_others(sets)
    assert np.tanh(found.z) == pytest.approx([slow_agreement(sets, w) for w in range(4)])
    for unit, rater, change in list(zip(found.unit, found.rater, found.change, strict=True))[:10]:
        left = slow_agreement(sets.select(sets.item != unit), rater)
        assert np.tanh(found.z[rater] + change) == pytest.approx(left)


def test_equal_sets_and_single_ones_are_undefined_with_a_reason() -> None:
    equal = LabelSets.of_names([1, 1, 2, 2], [1, 2, 1, 2], [()] * 4)
    single = LabelSets.of_names([1, 2], [1, 1], [("a",), ("b",)])
    for sets in (equal, single):
        found = set_agreement(sets)
        assert isnan(found.masi.value)
        assert found.masi.reason
    assert np.isnan(set_agreement_with_others(equal).z).all()


def test_two_sets_of_a_rater_on_an_item_are_refused() -> None:
    with pytest.raises(InputError, match="one set"):
        LabelSets.of_names([1, 1], [1, 1], [("a",), ("b",)])


def test_of_too_many_sets_some_items_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha of items drawn at random is close to that of all."""
    monkeypatch.setattr(label_sets, "MOST_SETS", 1000)
    rng = np.random.default_rng(6)
    item, rater = np.repeat(np.arange(1000), 2), np.tile([0, 1], 1000)
    true = rng.random((1000, 14)) < 0.3
    chosen = true[item] ^ (rng.random((2000, 14)) < 0.05)
    names = np.array([*"abcdefghijklmn"])
    sets = LabelSets.of_names(item, rater, [tuple(names[row].tolist()) for row in chosen])
    assert len(sets.member) > 1000 >= len(np.unique(sets.comparable.given))
    expected = 1 - np.mean(set_distances_of(chosen[::2], chosen[1::2])) / np.mean(
        set_distances_of(chosen[:-3:2], chosen[3::2])
    )
    found = set_alpha(sets)
    assert found.value == pytest.approx(expected, abs=0.03)
    assert found.n < 1000


def set_distances_of(first: np.ndarray, second: np.ndarray) -> list[float]:
    return [
        masi_distance(np.flatnonzero(a).tolist(), np.flatnonzero(b).tolist())
        for a, b in zip(first, second, strict=True)
    ]
