"""The first look at agreement: which figures it holds, for which raters, and what raters add to intervals."""

from typing import Any

import numpy as np
import pytest

from analysis.agreement.agreement_summary import (
    AgreementSummary,
    agreement_summary,
    alpha_over_raters,
    transfer_interval,
)
from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.cluster_intervals import Clusters
from analysis.agreement.intraclass import icc
from analysis.agreement.reliability import one_way
from analysis.values.estimate import SCOPES, InputError
from analysis.values.ratings import Ratings


def study(items: int, raters: int, per_item: int = 0, seed: int = 3, severity: float = 0.3) -> Ratings:
    """Ratings of items by all raters, or by some of them."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((items, raters)), axis=1)[:, : per_item or raters]
    score = (
        rng.normal(3, 1, items)[:, None] + rng.normal(0, severity, raters)[who] + rng.normal(0, 1, who.shape)
    )
    return Ratings(np.repeat(np.arange(items), who.shape[1]), who.ravel(), score.ravel())


def test_crossed_raters_have_icc_c_and_others_icc_1() -> None:
    crossed, some = study(30, 4), study(30, 9, 4)
    assert agreement_summary(crossed).form == "ICC(C,1)"
    assert agreement_summary(crossed).one.value == pytest.approx(icc(crossed).consistency.value, abs=1e-12)
    assert agreement_summary(some).form == "ICC(1,1)"
    assert agreement_summary(some).one.value == pytest.approx(one_way(some).icc, abs=1e-12)


def test_the_scope_changes_intervals_and_no_figure() -> None:
    for ratings in (study(40, 8, severity=0.8), study(40, 10, 5, severity=0.8)):
        these, others = (agreement_summary(ratings, scope) for scope in ("these raters", "raters like these"))
        for name in ("alpha", "one", "mean"):
            narrow, wide = getattr(these, name), getattr(others, name)
            assert narrow.value == pytest.approx(wide.value, abs=1e-12)
            assert wide.low < wide.value < wide.high
            assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.parametrize(
    ("raters", "scope"), [(2, "these raters"), (5, "these raters"), (6, "raters like these")]
)
def test_raters_like_these_are_the_default_from_six_on(raters: int, scope: str) -> None:
    found = agreement_summary(study(20, raters))
    assert (found.scope, found.raters) == (scope, raters)
    assert agreement_summary(study(20, raters), raters_are_persons=False).scope == "these raters"


def test_two_raters_say_nothing_about_raters_like_these_and_something_about_themselves() -> None:
    """150 items rated by both: no figure is missing for these raters."""
    both = study(150, 2)
    these, others = agreement_summary(both), agreement_summary(both, "raters like these")
    for name in ("alpha", "one", "mean"):
        assert getattr(these, name).low < getattr(these, name).value < getattr(these, name).high
        assert not getattr(these, name).warning
        assert np.isnan(getattr(others, name).low)
        assert "2 raters" in getattr(others, name).reason


def test_three_to_five_raters_are_rough_for_raters_like_these() -> None:
    rough = {
        raters: agreement_summary(study(30, raters), "raters like these").is_rough for raters in (3, 5, 6)
    }
    assert rough == {3: True, 5: True, 6: False}
    assert not agreement_summary(study(30, 3)).is_rough


def test_repeats_of_a_rater_count_once() -> None:
    once = study(25, 3)
    twice = Ratings(
        np.concatenate([once.item, once.item[:20]]),
        np.concatenate([once.rater, once.rater[:20]]),
        np.concatenate([once.score + np.where(np.arange(75) < 20, 0.5, 0), once.score[:20] - 0.5]),
    )
    expected, found = agreement_summary(once), agreement_summary(twice)
    for name in ("alpha", "one", "mean"):
        a, b = getattr(expected, name), getattr(found, name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9)


def test_the_mean_of_ratings_follows_by_spearman_brown_from_the_harmonic_mean() -> None:
    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(30), np.tile([2, 4, 4], 10))
    rater = np.concatenate([np.arange(n) for n in np.tile([2, 4, 4], 10)])
    found = agreement_summary(Ratings(item, rater, rng.normal(size=30)[item] + rng.normal(size=len(item))))
    k, one = 3.0, found.one  # 30 / (10 / 2 + 20 / 4)
    assert found.k == pytest.approx(k)
    assert [found.mean.value, found.mean.high] == pytest.approx(
        [k * r / (1 + (k - 1) * r) for r in (one.value, one.high)]
    )


def test_no_reliability_of_a_mean_is_shown_below_nothing() -> None:
    item, rater = (part.ravel() for part in np.indices((12, 3)))
    found = agreement_summary(Ratings(item, rater, np.random.default_rng(4).normal(size=36) + 0.3 * item % 2))
    assert found.one.low < 0
    assert found.mean.low >= min(0.0, found.mean.value)


@pytest.mark.parametrize("ratings", [Ratings([], [], []), Ratings([1, 2, 3], [1, 1, 1], [1, 2, 3])])
@pytest.mark.parametrize("scope", ["these raters", "raters like these"])
def test_without_pairs_everything_is_undefined_with_a_reason(ratings: Ratings, scope: Any) -> None:
    found = agreement_summary(ratings, scope)
    for name in ("alpha", "one", "mean"):
        assert not getattr(found, name).defined
        assert getattr(found, name).reason


def test_raters_who_agree_on_everything_have_no_interval_in_either_scope() -> None:
    item, rater = (part.ravel() for part in np.indices((40, 7)))
    for scope in ("these raters", "raters like these"):
        found = agreement_summary(Ratings(item, rater, item % 4 + 1.0), scope)
        assert (found.alpha.value, found.one.value) == (1, 1)
        for one in (found.alpha, found.one, found.mean):
            assert np.isnan(one.low)
            assert "no disagreement on 40 items" in one.reason
        equal = agreement_summary(Ratings(item, rater, np.full(280, 0.1)), scope)
        assert not equal.alpha.defined
        assert not equal.one.defined


def test_systems_and_topics_of_items_by_three_raters_widen_the_interval() -> None:
    rng = np.random.default_rng(1)
    system, topic = (part.ravel() for part in np.indices((16, 30)))
    quality = rng.normal(0, 0.8, 16)[system] + rng.normal(0, 0.5, 30)[topic] + rng.normal(0, 0.3, 480)
    score = np.clip(np.rint(3 + quality[:, None] + rng.normal(0, 0.6, (480, 3))), 1, 5)
    item, rater = (part.ravel() for part in np.indices(score.shape))
    ratings = Ratings(item, rater, score.ravel())
    of_items = agreement_summary(ratings)
    of_both = agreement_summary(
        ratings, system=dict(enumerate(system.tolist())), topic=dict(enumerate(topic.tolist()))
    )
    assert of_both.scope == "these raters"
    for name in ("alpha", "one"):
        narrow, wide = getattr(of_items, name), getattr(of_both, name)
        assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
        assert not wide.warning
    alpha = krippendorff_alpha(item, score.ravel(), system=system[item], topic=topic[item])
    assert (of_both.alpha.low, of_both.alpha.high) == pytest.approx((alpha.low, alpha.high), abs=1e-9)


def test_alpha_over_raters_leaves_out_raters_items_and_ratings() -> None:
    """Both ways of clustering and their cells, by doing alpha again."""
    ratings = study(9, 4, 3, seed=2)
    item, rater, score = ratings.item, ratings.rater, ratings.score
    found = alpha_over_raters(item, rater, score)

    def z(keep: Any) -> float:
        return float(np.arctanh(krippendorff_alpha(item[keep], score[keep]).value))

    def variance(left: list[float]) -> float:
        z_left = np.array(left)
        return (len(left) - 1) / len(left) * float(((z_left - z_left.mean()) ** 2).sum())

    of_raters = [z(rater != one) for one in range(4)]
    of_items = [z(item != one) for one in range(9)]
    of_cells = [z(np.arange(len(item)) != one) for one in range(len(item))]
    parts = variance(of_raters), variance(of_items), variance(of_cells)
    whole = z(np.ones(len(item), dtype=bool))
    half = 3.182446305284263 * np.sqrt(
        max(parts[0] + parts[1] - parts[2], *parts)
    )  # t of 3 degrees of freedom
    corrected = whole + 3 * (whole - np.mean(of_raters))
    these = krippendorff_alpha(item, score)
    low, high = np.tanh([min(whole, corrected) - half, max(whole, corrected) + half])
    assert (found.low, found.high) == pytest.approx((min(low, these.low), max(high, these.high)), abs=1e-9)


def test_with_other_raters_topics_are_left_out_instead_of_items() -> None:
    rng = np.random.default_rng(5)
    topic = np.repeat(np.arange(12), 6)
    score = rng.normal(0, 1.5, 12)[topic][:, None] + rng.normal(0, 0.5, (72, 8))
    item, rater = (part.ravel() for part in np.indices(score.shape))
    of_items, of_topics = (
        alpha_over_raters(item, rater, score.ravel(), clusters)
        for clusters in (Clusters(), Clusters(topic=topic))
    )
    assert of_topics.value == pytest.approx(of_items.value, abs=1e-12)
    assert of_topics.high - of_topics.low > of_items.high - of_items.low


def test_intervals_of_an_icc_for_raters_like_these_hold_the_two_way_ones() -> None:
    some, crossed = study(40, 10, 5), study(40, 8)
    for ratings, expected in ((some, icc(some).one_way), (crossed, icc(crossed).consistency)):
        these, found = (agreement_summary(ratings, scope).one for scope in SCOPES)
        assert (found.low, found.high) == pytest.approx(
            (min(expected.low, these.low), max(expected.high, these.high))
        )


def test_an_unknown_scope_is_an_error() -> None:
    with pytest.raises(InputError, match="`scope` must be one of"):
        agreement_summary(study(5, 2), "everyone")  # type: ignore[arg-type]


def test_summaries_of_the_same_ratings_are_equal() -> None:
    first: AgreementSummary = agreement_summary(study(20, 3))
    assert first == agreement_summary(study(20, 3))


def test_some_of_many_items_have_the_interval_of_all_for_raters_like_these() -> None:
    rng = np.random.default_rng(4)
    score = rng.normal(3, 1, 4000)[:, None] + rng.normal(0, 0.4, 12) + rng.normal(0, 1, (4000, 12))
    item, rater = (part.ravel() for part in np.indices(score.shape))
    these = krippendorff_alpha(item, score.ravel())
    whole = alpha_over_raters(item, rater, score.ravel(), alpha=these)
    drawn = np.sort(rng.choice(4000, 1000, replace=False))
    item, rater = (part.ravel() for part in np.indices((1000, 12)))
    some = alpha_over_raters(item, rater, score[drawn].ravel())
    found = transfer_interval(these, some)
    assert (found.value, found.n) == (these.value, 4000)
    width = whole.high - whole.low
    assert width > 2 * (these.high - these.low)
    assert found.low == pytest.approx(whole.low, abs=0.1 * width)
    assert found.high == pytest.approx(whole.high, abs=0.1 * width)
    assert found.low <= these.low <= these.high <= found.high
