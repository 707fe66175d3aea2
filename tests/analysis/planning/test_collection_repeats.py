"""Tests of repeated judgments of one rater: the model of alpha, the choice of topics, and the promise."""

import numpy as np
import pytest

from analysis.agreement.alpha import interval_alpha
from analysis.planning.collection import STRATEGIES, Strategy
from analysis.planning.collection_items import OwnRepeats
from analysis.values.estimate import Codes, Floats, InputError

ITEMS, TOPICS = 120, 12
TOPIC = np.arange(ITEMS) % TOPICS


class Rater:
    """A rater with scores around items' levels, whose first topics are spread more widely."""

    def __init__(self, seed: int, wide: float = 1.0, noise: float = 0.7, repeats: int = 24) -> None:
        self.rng = np.random.default_rng(seed)
        self.noise = noise
        self.levels = np.where(TOPIC < TOPICS // 2, wide, 1.0) * self.rng.normal(0, 1, ITEMS)
        score = self.scores(np.arange(ITEMS))
        self.counts, self.totals, self.squares = np.ones(ITEMS), score, score**2
        self.judge(self.rng.choice(ITEMS, repeats, replace=False))

    def scores(self, items: Codes) -> Floats:
        return np.asarray(self.levels[items] + self.noise * self.rng.standard_normal(len(items)))

    def judge(self, items: Codes) -> None:
        score = self.scores(items)
        self.counts, self.totals, self.squares = (
            np.bincount(items, more, ITEMS) + so_far
            for so_far, more in ((self.counts, None), (self.totals, score), (self.squares, score**2))
        )

    @property
    def own(self) -> OwnRepeats:
        return OwnRepeats(self.counts, self.totals, self.squares, TOPIC)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_topics_are_judged_again_one_after_the_other_and_no_item_a_third_time(strategy: Strategy) -> None:
    rater = Rater(1)
    items = rater.own.collect(40, strategy)
    assert len(items) == len(set(items.tolist())) == 40
    assert (rater.counts[items] == 1).all()
    blocks = TOPIC[items]
    assert (np.diff(blocks) != 0).sum() == len(set(blocks.tolist())) - 1
    assert len(rater.own.collect(1000, strategy)) == ITEMS - 24


def test_targeted_topics_are_those_of_wide_spread() -> None:
    rater = Rater(2, wide=3.0)
    assert (TOPIC[rater.own.collect(40)] < TOPICS // 2).mean() > 0.9
    assert (TOPIC[rater.own.collect(40, "as before")] < TOPICS // 2).mean() < 0.9


def test_targeted_repeats_leave_a_narrower_interval_and_a_higher_alpha_than_even_ones() -> None:
    """15 raters, by the interval that is found after 40 repeats; both promises say so."""
    found: dict[Strategy, list[tuple[float, float, float]]] = {"evenly": [], "targeted": []}
    for seed in range(15):
        for strategy, of in found.items():
            rater = Rater(seed, wide=2.0)
            items = rater.own.collect(40, strategy)
            half, _ = rater.own.simulate_alpha(items, draws=20)
            rater.judge(items)
            alpha = rater.own.alpha
            of.append(((alpha.high - alpha.low) / 2, alpha.value, half.value))
    even, targeted = (np.mean(found[one], axis=0) for one in ("evenly", "targeted"))
    assert targeted[0] < even[0]
    assert targeted[1] > even[1]
    assert targeted[2] < even[2]


def test_what_may_be_found_holds_what_is_found() -> None:
    """100 raters, 40 repeats of topics as they come: 95% intervals."""
    hits = 0
    for seed in range(100):
        rater = Rater(seed)
        items = rater.own.collect(40, "as before", seed)
        promise, _ = rater.own.simulate_alpha(items, 40, seed)
        rater.judge(items)
        alpha = rater.own.alpha
        hits += promise.low <= (alpha.high - alpha.low) / 2 <= promise.high
    assert 0.9 <= hits / 100 <= 1


def test_alpha_is_that_of_the_repeated_items() -> None:
    rater = Rater(3)
    kept = rater.counts > 1
    alone = interval_alpha(rater.counts[kept], rater.totals[kept], rater.squares[kept])
    assert rater.own.alpha.value == pytest.approx(alone.value)
    assert rater.own.repeated == 24


def test_a_promise_on_a_scale_keeps_to_its_points() -> None:
    """Scores of 1 to 5: the expected alpha is that of rounded scores, lower than that of unrounded ones."""
    score = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 12)
    counts, totals, squares = np.ones(60), score.copy(), score**2
    again = np.r_[score[:10] + np.tile([0, 1, 0, -1, 0], 2)]
    counts[:10], totals[:10], squares[:10] = 2, totals[:10] + again, squares[:10] + again**2
    topic = np.arange(60)
    own, free = (OwnRepeats(counts, totals, squares, topic, step) for step in (1.0, 0.0))
    items = own.collect(30, "evenly")
    assert own.simulate_alpha(items, 60)[1].value != free.simulate_alpha(items, 60)[1].value


def test_without_differences_or_repeats_nothing_is_promised() -> None:
    ones, score = np.ones(8), np.arange(8.0)
    nobody = OwnRepeats(ones, score, score**2, np.arange(8))
    assert np.isnan(nobody.simulate_alpha(np.array([1]))[0].value)
    with pytest.raises(InputError, match="judged twice"):
        nobody.collect(3)
    same = OwnRepeats(2 * ones, 2 * score, 2 * score**2, np.arange(8))
    assert same.simulate_alpha(np.array([], dtype=np.int64))[0].reason
    assert not len(same.collect(3, "evenly"))
    with pytest.raises(InputError, match="0 or more"):
        nobody.collect(-1, "evenly")
