"""A crowd's labels: shares and confusions counted by hand, kappa as Cohen's where nothing ties."""

import numpy as np
import pytest

from analysis.agreement.kappas import cohen_kappa
from analysis.systems.label_accuracy import class_shares, compare_crowd_with_known
from analysis.values.votes import Votes


def votes_of(*items: str, options: str = "abc") -> Votes:
    """An item for each word, a vote for each letter, by a rater of its place."""
    given = [
        (item, rater, options.index(one)) for item, word in enumerate(items) for rater, one in enumerate(word)
    ]
    item, rater, choice = np.array(given).T
    return Votes(item, rater, choice, len(items), int(rater.max()) + 1, len(options))


def test_shares_and_confusions_are_those_counted_by_hand() -> None:
    found = class_shares(votes_of("aab", "bb", "c"))
    assert [one.value for one in found.share] == pytest.approx([2 / 9, 4 / 9, 1 / 3])
    assert found.share[0].low < 2 / 9 < found.share[0].high
    # of aab: each of three votes meets two others, each pair counts a half; of bb one vote meets one
    assert found.coincidences.tolist() == [[1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    assert found.most_confused == (0, 1, 0.5)
    assert found.votes.tolist() == [2, 3, 1]
    assert found.order == [1, 2, 0]
    np.testing.assert_allclose(found.confusion_shares, [[0.5, 0.5, 0], [1 / 3, 2 / 3, 0], [np.nan] * 3])
    other, often = found.most_confused_with
    assert other.tolist()[:2] == [1, 0]
    np.testing.assert_allclose(often, [0.5, 1 / 3, np.nan])


def test_where_no_two_differ_nothing_is_confused_and_one_item_has_no_interval() -> None:
    assert class_shares(votes_of("aa", "bb")).most_confused is None
    assert np.isnan(class_shares(votes_of("ab")).share[0].low)


def test_without_ties_kappa_is_cohens_with_its_interval() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 40)
    words = ["".join("abc"[g if rng.random() < 0.6 else rng.integers(0, 3)] for _ in range(3)) for g in gold]
    clear = [at for at, word in enumerate(words) if len(set(word)) < 3]
    most = [max("abc", key=words[at].count) for at in clear]
    found = compare_crowd_with_known(votes_of(*(words[at] for at in clear)), gold[clear])
    cohen = cohen_kappa(["abc"[at] for at in gold[clear]], most)
    for ours, theirs in ((found.kappa.value, cohen.value), (found.kappa.low, cohen.low)):
        assert ours == pytest.approx(theirs)
    assert found.ties == 0


def test_a_tie_counts_its_part_and_unknown_items_count_nothing() -> None:
    found = compare_crowd_with_known(votes_of("ab", "bb", "aa", "cc"), [0, 1, 0, -1])
    assert found.accuracy == pytest.approx(2.5 / 3)
    assert found.confusion.tolist() == [[1.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    assert (found.items, found.ties) == (3, 1)
    # agreed 2.5 of 3; by chance (2 x 1.5 + 1 x 1.5) of 9
    assert found.kappa.value == pytest.approx((2.5 / 3 - 0.5) / 0.5)


def test_without_known_answers_or_with_one_class_kappa_is_undefined() -> None:
    assert not compare_crowd_with_known(votes_of("ab", "bb"), [-1, -1]).kappa.defined
    same = compare_crowd_with_known(votes_of("aa", "aa"), [0, 0])
    assert (same.accuracy, same.kappa.defined) == (1.0, False)
