"""The alternative annotator test against a slow loop, by hand, and on simulated nulls."""

from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.replacement.alternative_annotator import _Comparison, _LeaveOneOutAdvantage, benjamini_yekutieli
from analysis.replacement.reference_means import pair_with_candidate
from analysis.standing_in import AlternativeAnnotator, alternative_annotator_test
from analysis.values.estimate import InputError

Rows = list[tuple[Any, Any, Any]]


def slow(
    rows: Rows, candidate: dict[Any, Any], score: str, epsilon: float, fewest: int
) -> dict[Any, tuple[float, ...]]:
    """By tested rater: share of items on which the candidate does at least as well, p, items."""
    by_item: dict[Any, dict[Any, Any]] = {}
    for rater, item, value in rows:
        by_item.setdefault(item, {})[rater] = value
    table = {item: given for item, given in by_item.items() if item in candidate and len(given) >= 2}

    def aligned(x: Any, others: list[Any]) -> float:
        if score == "accuracy":
            return sum(x == other for other in others) / len(others)
        return -sqrt(sum((x - other) ** 2 for other in others) / len(others))

    told = {}
    for rater in sorted({rater for rater, _, _ in rows}):
        wins, differences = [], []
        for item, given in table.items():
            if rater not in given:
                continue
            others = [value for who, value in given.items() if who != rater]
            f, h = aligned(candidate[item], others), aligned(given[rater], others)
            tie = abs(f - h) <= 1e-9
            wins.append(f > h or tie)
            differences.append(int(h > f or tie) - int(f > h or tie))
        if len(wins) < fewest:
            continue
        if len(set(differences)) == 1:
            p = 0.0 if differences[0] < epsilon else 1.0
        else:
            p = float(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        told[rater] = (float(np.mean(wins)), p, len(wins))
    return told


def drawn(seed: int, labels: bool) -> tuple[Rows, dict[Any, Any]]:
    rng = np.random.default_rng(seed)
    there = np.argwhere(rng.random((7, 60)) < rng.uniform(0.4, 0.8))
    answer = "abcd" if labels else [1.0, 1.5, 2.0, 3.0, 10 / 3]
    rows = [(f"r{rater}", f"i{item}", answer[rng.integers(len(answer))]) for rater, item in there]
    candidate = {f"i{item}": answer[rng.integers(len(answer))] for item in range(60) if rng.random() < 0.9}
    return rows, candidate


def asked(rows: Rows, candidate: dict[Any, Any], **given: Any) -> AlternativeAnnotator:
    return alternative_annotator_test(*map(list, zip(*rows, strict=True)), candidate, **given)


@pytest.mark.parametrize("score", ["accuracy", "negative rmse"])
@pytest.mark.parametrize("seed", range(5))
def test_it_equals_a_slow_loop_on_incomplete_data(seed: int, score: Any) -> None:
    rows, candidate = drawn(seed, score == "accuracy")
    expected = slow(rows, candidate, score, 0.2, 25)
    found = asked(rows, candidate, score=score, fewest=25)
    assert found.raters.tolist() == list(expected)
    each = np.array(list(expected.values())).reshape(-1, 3)
    np.testing.assert_allclose(found.advantages, each[:, 0], atol=1e-12)
    np.testing.assert_allclose(found.p, each[:, 1], atol=1e-12)
    assert found.items.tolist() == each[:, 2].tolist()
    assert set(found.skipped) == {rater for rater, _, _ in rows} - set(expected)
    assert found.advantage.value == pytest.approx(each[:, 0].mean())
    fallen = stats.false_discovery_control(each[:, 1], method="by") <= 0.05
    assert found.replaced.tolist() == fallen.tolist()
    assert found.winning_rate == pytest.approx(fallen.mean())
    assert found.advantage.low <= found.advantage.value <= found.advantage.high


@pytest.mark.parametrize("score", ["accuracy", "negative rmse"])
def test_what_is_left_without_an_item_a_rater_or_a_rating_is_what_the_rest_gives(score: Any) -> None:
    rows, candidate = drawn(9, score == "accuracy")

    def advantage(kept: Rows) -> float:
        return float(np.mean([one[0] for one in slow(kept, candidate, score, 0.2, 1).values()]))

    answers = pair_with_candidate(*map(list, zip(*rows, strict=True)), candidate, score == "negative rmse")
    out = _LeaveOneOutAdvantage(answers, _Comparison(answers, score), np.ones(7, dtype=bool))
    assert out.value == pytest.approx(advantage(rows))
    _, of_raters, of_ratings = out.leave_one_out_values()
    for at, rater in enumerate(answers.raters.tolist()):
        assert of_raters[at] == pytest.approx(advantage([row for row in rows if row[0] != rater]))
    items = sorted({item for _, item, _ in rows if item in candidate})
    shared = [item for item in items if sum(row[1] == item for row in rows) > 1]
    for at in range(0, len(answers.item), 7):
        gone = answers.raters[answers.rater[at]], shared[answers.item[at]]
        assert of_ratings[at] == pytest.approx(advantage([row for row in rows if row[:2] != gone]))
    without_items = out.leave_one_out_values()[0]
    for at, item in enumerate(shared[:10]):
        assert without_items[at] == pytest.approx(advantage([row for row in rows if row[1] != item]))


def test_by_hand() -> None:
    """Raters a, b, c on three items; the candidate sides with b and c, then errs, then ties with all.

    Rater a: item 1 the candidate agrees with both, a with none: W_f 1, W_h 0; item 2: 0, 1; item 3: 1, 1. So the
    differences are -1, 1, 0 with mean 0 and SD 1: t = (0 - .2) / (1 / sqrt 3), 2 degrees.
    """
    rows = [
        *zip("abc", [1, 1, 1], ["no", "yes", "yes"], strict=True),
        *zip("abc", [2, 2, 2], ["yes", "yes", "yes"], strict=True),
        *zip("abc", [3, 3, 3], ["no", "no", "no"], strict=True),
    ]
    found = asked(rows, {1: "yes", 2: "no", 3: "no"}, fewest=3)
    assert found.advantages[0] == pytest.approx(2 / 3)
    assert found.p[0] == pytest.approx(stats.t.cdf(-0.2 * sqrt(3), 2))
    # b on item 1: a says no, c says yes; the candidate, who says as b, ties
    assert found.advantages[1] == pytest.approx(2 / 3)
    assert not found.passes


def test_differences_that_are_all_equal_refute_where_they_lie_below_epsilon() -> None:
    rows = [(rater, item, 1.0) for rater in "abc" for item in range(5)]
    same = asked(rows, dict.fromkeys(range(5), 1.0), score="negative rmse", fewest=5)
    assert same.p.tolist() == [0, 0, 0]
    assert (same.winning_rate, same.passes, same.advantage.value) == (1.0, True, 1.0)
    assert (
        same.advantage.reason == "leaving out any item or rater changes nothing, so that there is no interval"
    )
    assert asked(rows, dict.fromkeys(range(5), 1.0), epsilon=0.0, fewest=5).p.tolist() == [1, 1, 1]
    off = asked(rows, dict.fromkeys(range(5), 2.0), score="negative rmse", fewest=5)
    assert (off.winning_rate, off.passes) == (0.0, False)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_ties_are_relative_to_the_scale(scale: float) -> None:
    rows, candidate = drawn(2, False)
    scaled = tuple((rater, item, value * scale) for rater, item, value in rows)
    one = asked(rows, candidate, score="negative rmse")
    other = asked(scaled, {item: value * scale for item, value in candidate.items()}, score="negative rmse")
    assert other.advantages.tolist() == one.advantages.tolist()


def test_who_is_skipped_still_counts_among_the_others() -> None:
    rows = [(rater, item, "x") for rater in "ab" for item in range(4)] + [("c", 0, "y")]
    found = asked(rows, {0: "y", 1: "x", 2: "x", 3: "x"}, fewest=4)
    assert found.skipped == {"c": 1}
    # on item 0 rater a agrees with b of {b, c}, the candidate with c: a tie
    assert found.advantages.tolist() == [1.0, 1.0]


def test_items_without_a_candidate_or_with_one_rater_are_counted() -> None:
    rows = [(rater, item, 1) for rater in "ab" for item in range(3)] + [("a", 3, 1)]
    found = asked(rows, {0: 1, 1: None, 3: 1, 9: 1}, fewest=2)
    assert (found.without_candidate, found.alone) == (2, 1)
    assert found.reason == "no rater has 2 items that another rater and the candidate have, too"
    assert isnan(found.winning_rate)
    assert not found.passes
    assert isnan(found.advantage.value)


def test_two_raters_have_an_advantage_without_an_interval() -> None:
    rows = [(rater, item, item % 2 if rater == "a" else item % 3 % 2) for rater in "ab" for item in range(8)]
    found = asked(rows, dict.fromkeys(range(8), 1), fewest=8)
    assert isnan(found.advantage.low)
    assert found.advantage.reason.startswith("without one of the raters nothing is left to compare")


def test_several_answers_of_a_rater_are_their_mean_or_the_commonest() -> None:
    rows = [("a", 1, 1.0), ("a", 1, 2.0), ("b", 1, 3.0)]
    assert pair_with_candidate(*map(list, zip(*rows, strict=True)), {1: 2.0}, True).value.tolist() == [
        1.5,
        3.0,
    ]
    labels = [("a", 1, "x"), ("a", 1, "y"), ("a", 1, "y"), ("b", 1, "x")]
    found = pair_with_candidate(*map(list, zip(*labels, strict=True)), {1: "y"}, False)
    assert (found.value.tolist(), found.candidate.tolist()) == ([1, 0], [1, 1])


def test_numbers_and_words_for_the_same_label_meet() -> None:
    rows = [(rater, item, 1) for rater in "abc" for item in range(4)]
    for one in (1, 1.0, np.int64(1), "1"):
        assert asked(rows, dict.fromkeys(range(4), one), fewest=4).winning_rate == 1.0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"score": "kappa"}, "`score` must be one of accuracy, negative rmse"),
        ({"epsilon": 2}, "`epsilon` must be between -1 and 1"),
        ({"q": 0}, "`q` must be between 0 and 1"),
        ({"fewest": 1}, "`fewest` must be 2 or more"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        asked([("a", 1, 1), ("b", 1, 1)], {1: 1}, **given)


def test_words_have_no_rmse() -> None:
    for rows, candidate in (([("a", 1, "x"), ("b", 1, "y")], {1: 1}), ([("a", 1, 1), ("b", 1, 1)], {1: "x"})):
        with pytest.raises(InputError, match="must hold numbers"):
            asked(rows, candidate, score="negative rmse")
    with pytest.raises(InputError, match="equally long"):
        alternative_annotator_test(["a"], [1, 2], [1, 2], {})


def test_no_answers_at_all_are_no_crash() -> None:
    assert isnan(alternative_annotator_test([], [], [], {}).winning_rate)
    assert isnan(alternative_annotator_test([], [], [], {}, score="negative rmse").winning_rate)


def test_what_falls_is_what_scipy_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = rng.random(rng.integers(1, 12)) ** 4
        assert (
            benjamini_yekutieli(p, 0.1).tolist()
            == (stats.false_discovery_control(p, method="by") <= 0.1).tolist()
        )


def answering(rng: np.random.Generator, accuracy: float) -> AlternativeAnnotator:
    """60 items, 5 raters who give one of two labels rightly in 8 of 10 cases, and a candidate."""
    truth = rng.integers(0, 2, 60)
    given = np.where(rng.random((5, 60)) < 0.8, truth, 1 - truth)
    own = np.where(rng.random(60) < accuracy, truth, 1 - truth)
    rater, item = np.indices(given.shape)
    return alternative_annotator_test(
        rater.ravel(), item.ravel(), given.ravel(), dict(enumerate(own.tolist()))
    )


def test_a_good_candidate_passes_and_a_guess_does_not() -> None:
    rng = np.random.default_rng(3)
    good = [answering(rng, 0.95).passes for _ in range(40)]
    guessing = [answering(rng, 0.5).passes for _ in range(40)]
    assert np.mean(good) > 0.9
    assert np.mean(guessing) == 0


@pytest.mark.slow
def test_a_rater_is_replaced_wrongly_in_at_most_5_of_100_studies() -> None:
    """At the accuracy where W_h - W_f has a mean of epsilon: p below .05 as often as it says."""
    rng = np.random.default_rng(5)
    low, high = 0.4, 0.8
    for _ in range(12):
        middle = (low + high) / 2
        rate = np.mean([slow_mean(answering_rows(rng, middle)) for _ in range(300)])
        low, high = (middle, high) if rate > 0.2 else (low, middle)
    rejected = np.mean([answering(rng, low).p < 0.05 for _ in range(2000)])
    assert 0.03 < rejected < 0.07


def answering_rows(rng: np.random.Generator, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, 2, 60)
    return (
        np.where(rng.random((5, 60)) < 0.8, truth, 1 - truth),
        np.where(rng.random(60) < accuracy, truth, 1 - truth),
    )


def slow_mean(study: tuple[np.ndarray, np.ndarray]) -> float:
    """The mean of W_h - W_f over items and raters."""
    given, own = study
    told = []
    for j in range(len(given)):
        others = np.delete(given, j, axis=0)
        f, h = (others == own).mean(axis=0), (others == given[j]).mean(axis=0)
        told.append(((h >= f).astype(int) - (f >= h).astype(int)).mean())
    return float(np.mean(told))
