"""Whether a running study is enough: by its precision, with what more ratings would buy."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.one_way_intervals import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.items.rating_spread import rating_spread
from analysis.planning import StudyCosts, mos_half_width
from analysis.ratings import Ratings
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.planning.apart import Prices
from findings.planning.enough import SoFar, at_a_glance, curve, finding, more_table, table
from tests.findings.studies import said

PRICES = Prices(StudyCosts(0.5), "€", 15.0)


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


def test_too_few_ratings_say_how_many_more_and_what_they_cost() -> None:
    one = so_far(0.5)
    variance, degrees = one.spread.of_level
    sd = variance**0.5
    told = [said(sentence) for sentence in finding(one, PRICES)]
    assert f"±\u00a0{float(mos_half_width(6, sd, degrees=degrees)):.2f}" in told[0]
    needed = int(one.for_half)
    assert float(mos_half_width(needed, sd, degrees=degrees)) <= 0.5
    assert float(mos_half_width(needed - 1, sd, degrees=degrees)) > 0.5
    single = one.agreement.one.value
    assert one.reliability_now.value == pytest.approx(6 * single / (1 + 5 * single))
    assert one.reliability_now.low < one.reliability_now.value < one.reliability_now.high
    more = int(one.enough_at) - 6
    assert "<b>Not yet</b>" in told[1]
    assert f"{more} more for each item: {30 * more} ratings for {15 * more:.2f} €" in told[1]
    bought = more_table(one, PRICES)[0].set_index("Ratings per item")
    assert bought.loc[6, ["More ratings", "Price"]].tolist() == [0, 0]
    assert bought.loc[7, ["More ratings", "Price"]].tolist() == [30, 15]
    assert bought.loc[12, "Half of the interval"] == pytest.approx(
        float(mos_half_width(12, sd, degrees=degrees))
    )
    x, _ = curve(one)[0]
    assert {6, needed} <= {*x, needed}
    assert x[-1] >= needed


def test_no_reliability_is_said_to_be_far_below_0() -> None:
    """With 3 ratings a single one's interval may reach -.4, which Spearman-Brown makes -6."""
    one = so_far(0.5)
    icc = Estimate(0.4, -0.4, 0.9, 30)
    few = replace(
        one,
        agreement=replace(one.agreement, one=icc),
        found=replace(one.found, ratings_per_item=3.0),
    )
    assert few.reliability_now.low == 0
    assert "a reliability of <b>0.67 (0.00 to 0.96)</b>" in said(finding(few, PRICES)[0])


def test_enough_is_enough() -> None:
    one = so_far(2.0, 0.5)
    assert "<b>That is enough</b>" in said(finding(one, PRICES)[1])
    rows, written = table([one])
    assert rows["Enough at"].iloc[0] <= 6
    assert callable(written["Enough at"])


def test_items_that_do_not_differ_never_get_reliable_means() -> None:
    one = so_far(0.5, spread=0.0)
    assert one.agreement.one.value <= 0
    assert one.enough_at == inf
    assert "no number of ratings" in said(finding(one, PRICES)[1])
    alone = Ratings(np.arange(5), np.zeros(5), np.arange(5.0))
    single = SoFar(
        "focus",
        one_way(alone),
        one_way_intervals(alone),
        rating_spread(alone),
        agreement_summary(alone),
        0.5,
        0.8,
    )
    assert "cannot be told" in said(finding(single, PRICES)[0])


def test_enough_is_clear_where_intervals_say_so_and_nothing_is_known_of_single_ratings() -> None:
    assert [told.status for told in finding(so_far(2.0, 0.1), PRICES)] == [Status.CLEAR, Status.CLEAR]
    assert finding(so_far(0.1), PRICES)[1].status is Status.CLEAR
    alike = so_far(0.5, spread=0.0)
    assert [told.status for told in finding(alike, PRICES)] == [Status.UNCERTAIN, Status.UNCERTAIN]
    alone = Ratings(np.arange(5), np.zeros(5), np.arange(5.0))
    single = SoFar(
        "focus",
        one_way(alone),
        one_way_intervals(alone),
        rating_spread(alone),
        agreement_summary(alone),
        0.5,
        0.8,
    )
    assert at_a_glance(single).status is Status.NOT_ENOUGH_DATA
    assert at_a_glance(so_far(0.5)).status is finding(so_far(0.5), PRICES)[0].status
