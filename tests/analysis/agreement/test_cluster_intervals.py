"""Agreement of items that belong to topics, or to systems and topics: the slow procedure and the rules for few."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from analysis.agreement.alpha import interval_alpha, krippendorff_alpha
from analysis.agreement.ratio_intervals import FEW_ITEMS
from analysis.values.estimate import Estimate, InputError

Reference = Callable[[str], ModuleType]


def crossed(seed: int, systems: int, topics: int, raters: int = 3) -> tuple[Any, Any, Any]:
    """Scores (systems x topics, raters), and the system and topic of each item."""
    rng = np.random.default_rng(seed)
    system, topic = (part.ravel() for part in np.indices((systems, topics)))
    quality = rng.normal(0, 0.6, systems)[system] + rng.normal(0, 0.8, topics)[topic]
    score = (
        3 + (quality + rng.normal(0, 0.5, len(system)))[:, None] + rng.normal(0, 0.8, (len(system), raters))
    )
    return np.clip(np.rint(score), 1, 5), system, topic


def alpha(score: Any, **clusters: Any) -> Estimate:
    item, _ = (part.ravel() for part in np.indices(score.shape))
    per_rating = {name: np.asarray(of)[item] for name, of in clusters.items()}
    return krippendorff_alpha(item, score.ravel(), **per_rating)


@pytest.mark.parametrize(("systems", "topics"), [(5, 9), (8, 6), (12, 20)])
@pytest.mark.parametrize("seed", range(3))
def test_over_systems_and_topics_it_is_the_slow_procedure(
    reference: Reference, seed: int, systems: int, topics: int
) -> None:
    score, system, topic = crossed(seed, systems, topics)
    slow = reference("reliability")
    expected = reference("clusters").two_way(slow.item_sums(score), system, topic)
    found = alpha(score, system=system, topic=topic)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"]), abs=1e-8
    )


@pytest.mark.parametrize("topics", [8, 10, 25])
def test_over_topics_it_is_the_slow_procedure(reference: Reference, topics: int) -> None:
    score, _, topic = crossed(topics, 4, topics)
    slow = reference("reliability")
    expected = reference("clusters").one_way(slow.item_sums(score), topic)
    found = alpha(score, topic=topic)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"]), abs=1e-8
    )
    assert bool(found.warning) == (topics < 10)
    assert found.n == 4 * topics


def test_fewer_than_five_systems_leave_an_interval_over_topics() -> None:
    score, system, topic = crossed(3, 4, 30)
    assert alpha(score, system=system, topic=topic) == alpha(score, topic=topic)


def test_items_that_share_nothing_are_items() -> None:
    score, _, _ = crossed(4, 5, 10)
    assert alpha(score, topic=np.arange(50)) == alpha(score)


def test_items_with_one_rating_keep_topics_in_line() -> None:
    score, _, topic = crossed(5, 3, 12)
    unpaired = np.random.default_rng(0).permutation(36)[:10]
    item = np.concatenate([np.repeat(np.arange(36), 3), 36 + np.arange(10)])
    value = np.concatenate([score.ravel(), np.arange(10) % 5 + 1.0])
    of_item = np.concatenate([topic, topic[unpaired]])
    found = krippendorff_alpha(item, value, topic=of_item[item])
    assert found == alpha(score, topic=topic)
    sums = [np.bincount(item, value**power) for power in (0, 1, 2)]
    by_sums = interval_alpha(*sums, topic=of_item)
    assert (by_sums.low, by_sums.high) == pytest.approx((found.low, found.high), abs=1e-9)


def test_one_topic_does_not_stand_for_items() -> None:
    score, _, _ = crossed(6, 1, FEW_ITEMS)
    assert alpha(score, topic=np.zeros(FEW_ITEMS)) == alpha(score)


def test_few_topics_have_no_interval() -> None:
    score, _, topic = crossed(7, 10, 3)
    found = alpha(score, topic=topic)
    assert np.isnan(found.low)
    assert "3 topics" in found.reason
    assert found.warning


def test_without_disagreement_clusters_have_no_interval() -> None:
    score, system, topic = crossed(8, 6, 8)
    agreed = alpha(np.repeat(score[:, :1], 3, axis=1), system=system, topic=topic)
    assert (agreed.value, agreed.reason) == (1, "no disagreement on 48 items")
    assert not alpha(np.full_like(score, 4), system=system, topic=topic).defined


def test_topics_that_are_alike_within_widen_the_interval() -> None:
    rng = np.random.default_rng(9)
    topic = np.repeat(np.arange(20), 10)
    score = rng.normal(0, 1.5, 20)[topic][:, None] + rng.normal(0, 0.5, (200, 3))
    narrow, wide = alpha(score), alpha(score, topic=topic)
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)


def test_ids_of_clusters_need_one_entry_per_value() -> None:
    with pytest.raises(InputError, match="`topic` needs one id per"):
        krippendorff_alpha([1, 1], [1, 2], topic=[1])
    with pytest.raises(InputError, match="`system` needs one id per"):
        interval_alpha([2, 2], [1, 2], [1, 4], system=[1])
