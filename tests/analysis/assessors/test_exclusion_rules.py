"""Rules that find whom to leave out, and the same rules in draws of raters and topics."""

from typing import Any

import numpy as np
import pytest

from analysis.agreement.reliability import rater_reliability
from analysis.assessors.consistency import Assessments, consistency_on_texts
from analysis.assessors.exclusion import MOST_WORK, ExclusionRule, ExclusionSpec, exclusion, intervals
from analysis.assessors.exclusion_intervals import draw_intervals
from analysis.pairs.system_table import build_cells
from analysis.screening.observer_rejection import bt500, p913
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings

CARELESS = 6
KINDS: tuple[Any, ...] = (
    "lowest on texts", "below on texts", "lowest with others", "below with others", "BT.500", "P.913"
)  # fmt: skip


def study(raters: int = 7, systems: int = 5, topics: int = 4) -> Assessments:
    """Everyone judges everything; the last rater carelessly. The first two systems have identical texts."""
    rng = np.random.default_rng(4)
    system, topic, rater = (axis.ravel() for axis in np.indices((systems, topics, raters)))
    noise = np.where(rater == CARELESS, 3.0, 0.4)
    score = 3 + 0.6 * system + 0.3 * topic + noise * rng.normal(size=len(system))
    n = len(system)
    text = np.where(system < 2, topic, -1)
    nothing = np.full(n, -1)
    item = system * topics + topic
    return Assessments(
        "m", item, rater, score, np.arange(n) + 0.0, np.full(n, np.nan), system, topic, nothing, nothing, text
    )


def rows(of: Assessments, at: Any) -> Assessments:
    fields = ("item", "rater", "score", "order", "seconds", "system", "topic", "condition", "split", "text")
    return Assessments("m", *(getattr(of, name)[at] for name in fields))


def test_each_rule_finds_what_its_method_says() -> None:
    of = study()
    ratings = Ratings(of.item, of.rater, of.score)
    own = [e.value for e in consistency_on_texts(of.rater, of.text, of.score, None, BootstrapSpec(0)).alpha]
    others = rater_reliability(ratings).correlation
    assert ExclusionRule("lowest on texts", 2).find_raters(of).tolist() == np.argsort(own)[:2].tolist()
    assert (
        ExclusionRule("below with others", limit=0.8).find_raters(of).tolist()
        == np.flatnonzero(others < 0.8).tolist()
    )
    assert ExclusionRule("lowest with others").find_raters(of).tolist() == [CARELESS]
    assert set(ExclusionRule("BT.500", divisor="n").find_raters(of)) == set(
        np.flatnonzero(bt500(ratings, "n").rejected)
    )
    assert set(ExclusionRule("P.913").find_raters(of)) == set(
        np.flatnonzero(p913(ratings, of.system).rejected)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_draw_of_everything_once_finds_the_same(kind: Any) -> None:
    of, rule = study(), ExclusionRule(kind)
    table = build_cells(*of.ranking)
    stays = rule.sample_filter(of, table, excluded_by_hand=(2,))
    everyone = stays(np.ones(7, dtype=np.int64), np.ones(4, dtype=np.int64))
    assert np.flatnonzero(~everyone).tolist() == sorted({2, *rule.find_raters(of).tolist()})


@pytest.mark.parametrize("kind", KINDS)
def test_a_draw_equals_the_rule_on_ratings_written_out(kind: Any) -> None:
    """Topics that are drawn twice have other items and texts; raters drawn twice keep their name."""
    of, rule = study(), ExclusionRule(kind, how_many=2, limit=0.9)
    raters, topics = np.array([0, 2, 1, 1, 0, 1, 2]), np.array([2, 0, 1, 1])
    written = []
    for copy in range(2):
        for again in range(1 if kind.endswith("texts") else 2):
            kept = (raters[of.rater] > again) & (topics[of.topic] > copy)
            part = rows(of, kept)
            written.append((part, 1000 * copy))
    parts = {
        name: np.concatenate(
            [getattr(part, name) + (shift if name in ("item", "text") else 0) for part, shift in written]
        )
        for name in (
            "item",
            "rater",
            "score",
            "order",
            "seconds",
            "system",
            "topic",
            "condition",
            "split",
            "text",
        )
    }
    spelled = Assessments("m", **parts)
    no_text = spelled.text % 1000 == 999
    spelled.text[no_text] = -1
    stays = rule.sample_filter(of, build_cells(*of.ranking))(raters, topics)
    assert set(np.flatnonzero(~stays)) == set(rule.find_raters(spelled).tolist())


def test_a_rule_that_always_finds_the_same_changes_no_interval() -> None:
    of = study()
    table, keep = build_cells(*of.ranking), np.arange(7) != CARELESS
    values = np.zeros(5), np.zeros(5)
    fixed, ruled = (
        draw_intervals(table, keep, "plain", BootstrapSpec(40), values, rule=rule)
        for rule in (None, lambda raters, topics: keep)
    )
    np.testing.assert_allclose(ruled.after_low, fixed.after_low)
    np.testing.assert_allclose(ruled.difference_high, fixed.difference_high)
    assert fixed.exclusion_shares is None
    assert ruled.exclusion_shares is not None
    assert ruled.exclusion_shares == dict.fromkeys(range(CARELESS), 0) | {CARELESS: 1}


def test_the_rule_is_applied_anew_in_every_draw_and_tells_how_often_it_finds_whom() -> None:
    of, rule = study(), ExclusionRule("lowest with others")
    spec = ExclusionSpec(draws=60)
    found = exclusion(*of.ranking, rule.find_raters(of), spec)
    anew = intervals(*of.ranking, found, spec, rule=(rule, of, (1,)))
    assert anew.exclusion_shares is not None
    assert anew.exclusion_shares[CARELESS] == 1  # always the worst of those drawn
    assert anew.exclusion_shares[1] == 1  # by hand
    # where the careless one is not drawn, somebody else is the worst
    assert 0 < max(anew.exclusion_shares[rater] for rater in (0, 2, 3, 4, 5)) < 1
    assert intervals(*of.ranking, found, spec).exclusion_shares is None


@pytest.mark.parametrize("method", ["plain", "additive"])
def test_intervals_are_the_same_whether_empty_places_are_multiplied_or_looked_over(
    method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = study()
    of = rows(of, np.random.default_rng(8).permutation(len(of))[:90])
    rule = ExclusionRule("lowest with others")
    spec = ExclusionSpec(method, draws=60)
    both = []
    for most_empty in (0, 1000):
        monkeypatch.setattr("analysis.assessors.exclusion_intervals.DENSE_RATIO", most_empty)
        found = exclusion(*of.ranking, rule.find_raters(of), spec)
        both.append(
            [intervals(*of.ranking, found, spec, rule=of_rule) for of_rule in (None, (rule, of, (1,)))]
        )
    for one, other in zip(*both, strict=True):
        for name in ("before_low", "before_high", "after_low", "after_high", "difference_low"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)
        np.testing.assert_allclose(one.pairs_after.low, other.pairs_after.low, rtol=1e-12)
        assert one.exclusion_shares == other.exclusion_shares


def test_too_much_work_keeps_those_who_went_away() -> None:
    assert ExclusionRule("BT.500").is_too_slow(MOST_WORK, 2)
    assert ExclusionRule("P.913").is_too_slow(MOST_WORK // 4, 1)
    assert not ExclusionRule("lowest with others").is_too_slow(2000, 1000)
