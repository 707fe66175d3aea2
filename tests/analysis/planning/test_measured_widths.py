"""Planned half-widths against those measured on 300 simulated studies of the design, by what the pages compute."""

from collections.abc import Callable
from functools import partial
from math import sqrt

import numpy as np
import pytest

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.intraclass import one_way_intervals
from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.correlation.two_columns import pearson, spearman
from analysis.items.rating_spread import item_mean
from analysis.planning import (
    correlation_interval,
    icc_half_width,
    mos_half_width,
    preference_half_width,
    system_half_width,
)
from analysis.ratings import Ratings
from analysis.systems.label_accuracy import class_shares
from analysis.values.estimate import Estimate
from analysis.values.votes import Votes

STUDIES = 300
RATER, ITEM, REST = 0.16, 0.36, 0.49
"""Variances of a rating."""
RELIABILITY = ITEM / (RATER + ITEM + REST)
DESIGNS = [(24, 60, 8), (40, 40, 4), (12, 100, 12)]
"""Raters, items, ratings per item."""


def half(of: Estimate) -> float:
    return (of.high - of.low) / 2


def measured(study: Callable[[np.random.Generator], float], studies: int = STUDIES) -> float:
    """The mean half-width of so many studies."""
    rng = np.random.default_rng(11)
    return float(np.mean([study(rng) for _ in range(studies)]))


def rated(
    rng: np.random.Generator, raters: int, items: int, each: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Items and raters dealt in turn, and scores."""
    item, rater = np.repeat(np.arange(items), each), np.arange(items * each) % raters
    noise = sqrt(REST) * rng.standard_normal(items * each)
    of_raters, of_items = sqrt(RATER) * rng.standard_normal(raters), sqrt(ITEM) * rng.standard_normal(items)
    return item, rater, of_raters[rater] + of_items[item] + noise


def mos(rng: np.random.Generator, each: int) -> float:
    return half(item_mean(sqrt(RATER + REST) * rng.standard_normal(each), np.arange(each)))


def of_two_systems(rng: np.random.Generator, raters: int, topics: int) -> float:
    """Everybody rates both systems' answers to every topic; slopes of raters and topics as the plan has them."""
    system, topic, rater = (one.ravel() for one in np.indices((2, topics, raters)))
    sign = 2 * system - 1
    score = sqrt(REST) * rng.standard_normal(len(system))
    for code, many, variance, slope in ((rater, raters, 0.1, 0.06), (topic, topics, 0.2, 0.16)):
        score += sqrt(variance) * rng.standard_normal(many)[code]
        score += sign * sqrt(slope) * rng.standard_normal(many)[code]
    spec = ExclusionSpec(draws=200, random=0, seed=int(rng.integers(1 << 30)))
    found = intervals(
        system, topic, rater, score, exclusion(system, topic, rater, score, spec=spec), spec=spec
    )
    return float((found.before_high - found.before_low).mean() / 2)


def alpha(rng: np.random.Generator, raters: int, items: int, each: int) -> float:
    item, _, score = rated(rng, raters, items, each)
    return half(krippendorff_alpha(item, score))


def reliability(rng: np.random.Generator, raters: int, items: int, each: int) -> float:
    return half(one_way_intervals(Ratings(*rated(rng, raters, items, each)), raters_are_persons=False).icc)


def reliability_for_others(rng: np.random.Generator, raters: int, items: int, each: int) -> float:
    """Items get their raters in changing company, as a template deals them out."""
    item = np.repeat(np.arange(items), each)
    rater = np.concatenate([rng.permutation(raters)[:each] for _ in range(items)])
    score = sqrt(ITEM) * rng.standard_normal(items)[item] + sqrt(RATER) * rng.standard_normal(raters)[rater]
    score += sqrt(REST) * rng.standard_normal(len(item))
    return half(one_way_intervals(Ratings(item, rater, score)).icc)


def correlation(rng: np.random.Generator, figure: str, limit: float, items: int, each: int) -> float:
    """Items' means by fixed raters, whose severities shift all alike, with a reference."""
    truth = rng.standard_normal(items)
    reference = limit * truth + sqrt(1 - limit**2) * rng.standard_normal(items)
    noise = sqrt((1 - RELIABILITY) / RELIABILITY / each) * rng.standard_normal(items)
    return half((pearson if figure == "pearson" else spearman)(truth + noise, reference).estimate)


def preference(rng: np.random.Generator, share: float, sd: float, items: int, votes: int) -> float:
    both = share * (1 - share) / sd**2 - 1
    own = rng.beta(both * share, both * (1 - share), items)
    choice = (rng.random((items, votes)) < own[:, None]).astype(np.int64).ravel()
    item, rater = (one.ravel() for one in np.indices((items, votes)))
    return half(class_shares(Votes(item, rater, choice, items, votes, 2)).share[1])


@pytest.mark.parametrize("each", [4, 8, 24])
def test_of_a_mos(each: int) -> None:
    planned = mos_half_width(each, sqrt(RATER + REST))
    assert measured(partial(mos, each=each), 2000) == pytest.approx(float(planned), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "topics"), [(16, 24), (24, 40)])
def test_of_a_systems_mean(raters: int, topics: int) -> None:
    planned = system_half_width(raters, topics, REST, 0.16, 0.36)
    assert measured(partial(of_two_systems, raters=raters, topics=topics)) == pytest.approx(planned, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "items", "each"), DESIGNS)
def test_of_alpha_and_of_the_icc_of_these_raters(raters: int, items: int, each: int) -> None:
    """Intervals of both are the hull of three, and up to a fifth wider than the plan, as the page says."""
    planned = icc_half_width(RELIABILITY, each, items)
    for figure in (alpha, reliability):
        assert 1 < measured(partial(figure, raters=raters, items=items, each=each)) / planned < 1.2


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "items", "each"), [*DESIGNS, (8, 40, 8), (24, 200, 3)])
def test_of_the_icc_of_other_raters(raters: int, items: int, each: int) -> None:
    planned = icc_half_width(RELIABILITY, each, items, all_raters=raters, severity=RATER / (RATER + REST))
    found = measured(partial(reliability_for_others, raters=raters, items=items, each=each))
    assert found == pytest.approx(planned, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.9, 0.6])
@pytest.mark.parametrize("figure", ["spearman", "pearson"])
@pytest.mark.parametrize(("raters", "items", "each"), DESIGNS)
def test_of_a_correlation_with_fixed_raters(
    figure: str, limit: float, raters: int, items: int, each: int
) -> None:
    planned = correlation_interval(limit, (1 - RELIABILITY) / RELIABILITY, each, items, figure)  # type: ignore[arg-type]
    found = measured(partial(correlation, figure=figure, limit=limit, items=items, each=each))
    assert found == pytest.approx(half(planned), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("share", "sd"), [(0.6, 0.1), (0.5, 0.2), (0.8, 0.1)])
@pytest.mark.parametrize(("raters", "items", "each"), DESIGNS)
def test_of_a_share_of_votes(share: float, sd: float, raters: int, items: int, each: int) -> None:
    planned = preference_half_width(share, items, each, sd)
    found = measured(partial(preference, share=share, sd=sd, items=items, votes=each))
    assert found == pytest.approx(planned, rel=0.1)
