"""Stopping a running study: its precision, and the gain from further ratings."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from analysis.agreement.agreement_summary import agreement_summary, clip_interval_at_zero
from analysis.agreement.intraclass import one_way_intervals, spearman_brown
from analysis.agreement.reliability import one_way
from analysis.items.rating_spread import rating_spread
from analysis.planning import mos_half_width
from analysis.ratings import Ratings
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.planning.power_results import Prices
from features.planning.stopping import (
    SoFar,
    further_table,
    stopping_finding,
)
from tests.features.planning.plans import line_of
from tests.features.studies import said

PRICES = Prices(0.5)


def so_far_of(ratings: Ratings, half: float, reliability: float = 0.8) -> SoFar:
    """Return what is known of these ratings."""
    return SoFar(
        "focus",
        one_way(ratings),
        one_way_intervals(ratings),
        rating_spread(ratings),
        agreement_summary(ratings),
        half,
        reliability,
    )


def so_far(half: float, reliability: float = 0.8, spread: float = 1.0) -> SoFar:
    """30 items of 6 ratings each; an SD of 1 within items."""
    rng = np.random.default_rng(4)
    item, rater = (each.ravel() for each in np.indices((30, 6)))
    score = spread * rng.standard_normal(30)[item] + rng.standard_normal(180)
    return so_far_of(Ratings(item, rater, score), half, reliability)


def test_too_few_ratings_tell_how_many_are_needed_and_what_they_cost() -> None:
    one = so_far(0.5)
    variance, degrees = one.spread.level_variance
    sd = variance**0.5
    needed = int(one.for_half)
    assert float(mos_half_width(needed, sd, degrees=degrees)) <= 0.5
    assert float(mos_half_width(needed - 1, sd, degrees=degrees)) > 0.5
    finding = stopping_finding(one)
    assert f"{needed} ratings" in said(finding)
    now = float(mos_half_width(6, sd, degrees=degrees))
    assert line_of(finding.evidence).startswith(f"Now 6 per item · ±\u00a0{now:.2f} (")
    single = one.agreement.one.value
    assert one.reliability_now.value == pytest.approx(6 * single / (1 + 5 * single))
    assert one.reliability_now.low < one.reliability_now.value < one.reliability_now.high
    bought = further_table(one, PRICES).frame.set_index("Ratings per item")
    assert bought.loc[6, ["More ratings", "Price"]].tolist() == [0, 0]
    assert bought.loc[7, ["More ratings", "Price"]].tolist() == [30, 15]
    assert bought.loc[12, "Half-width"] == pytest.approx(float(mos_half_width(12, sd, degrees=degrees)))
    assert "Price" not in further_table(one, Prices()).frame
    x, _ = one.curves()[0]
    assert {6} <= set(x)
    assert x[-1] >= needed


def test_no_reliability_is_far_below_0() -> None:
    """With 3 ratings a single one's interval may reach -.4, which Spearman-Brown makes -6."""
    one = so_far(0.5)
    icc = Estimate(0.4, -0.4, 0.9, 30)
    mean = clip_interval_at_zero(spearman_brown(icc, 3.0))
    few = replace(one, agreement=replace(one.agreement, one=icc, mean=mean, per_item=3.0))
    assert few.reliability_now.low == 0
    assert "reliability 0.67 (0.00–0.96)" in line_of(stopping_finding(few).evidence)


def test_enough_is_enough() -> None:
    one = so_far(2.0, 0.5)
    assert said(stopping_finding(one)).startswith("The ratings so far reach")
    assert one.enough_at <= 6
    assert stopping_finding(so_far(2.0, 0.1)).status is Status.CLEAR
    assert stopping_finding(so_far(0.1)).status is Status.CLEAR


def test_items_that_do_not_differ_never_get_reliable_means() -> None:
    one = so_far(0.5, spread=0.0)
    assert one.agreement.one.value <= 0
    assert one.enough_at == inf
    assert stopping_finding(one).status is Status.UNCERTAIN
    assert said(stopping_finding(one)).startswith("No number of ratings")


def test_single_ratings_tell_nothing() -> None:
    single = so_far_of(Ratings(np.arange(5), np.zeros(5), np.arange(5.0)), 0.5)
    assert not single.defined
    assert stopping_finding(single).status is Status.NOT_ENOUGH_DATA


def test_unequally_many_ratings_are_counted_by_their_mean_as_on_other_pages() -> None:
    """Every other one of 30 items has three ratings, and the others have two."""
    rng = np.random.default_rng(4)
    pairs = [(item, rater) for item in range(30) for rater in range(3) if item % 2 or rater < 2]
    item, rater = np.array(pairs).T
    score = rng.normal(0, 1, 30)[item] + rng.normal(0, 1, len(pairs))
    one = so_far_of(Ratings(item, rater, score), 0.1)
    assert one.ratings == 2.5 == one.agreement.per_item
    assert one.reliability_now == one.agreement.mean, "as on Repetitions and Agreement"
    assert line_of(stopping_finding(one).evidence).startswith("Now 2.5 per item on average")
    table = further_table(one, PRICES).frame
    assert table.loc[0, ["Ratings per item", "Reliability", "More ratings"]].tolist() == [
        2.5,
        one.agreement.mean.value,
        0,
    ]
    assert table.loc[1, ["Ratings per item", "More ratings"]].tolist() == [3, 15]
    assert one.curves()[0][0].count(2.5) == 1
