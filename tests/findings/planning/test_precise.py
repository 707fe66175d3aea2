"""How precisely a planned study tells a figure, and what a wanted precision takes."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from analysis.planning import Pilot, icc_half_width, mos_half_width, system_half_width
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.planning.basis import Basis, typed
from findings.planning.precise import (
    Size,
    curves,
    finding,
    of_agreement,
    of_agreement_of_others,
    of_correlation,
    of_mos,
    of_share,
    of_system,
    table,
)
from tests.findings.planning.test_apart import VARIANCES
from tests.findings.studies import said

SIZE = Size(items=40, raters=24, each=8, wanted=0.3)
BASIS = typed(VARIANCES, 4.0)


def test_ratings_of_an_item_vary_by_all_but_the_item() -> None:
    """Residual .3 and raters by items .1, raters .2 and their slopes .1: the SD is the root of .7."""
    one = of_mos(BASIS, SIZE)
    degrees = 0.7**2 / (0.3**2 / 23 + 0.4**2 / (40 * 8 - 40 - 24 + 1))
    assert one.here == pytest.approx(float(mos_half_width(8, 0.7**0.5, degrees=degrees)))
    assert one.half(int(one.needed), 8) <= 0.3 < one.half(int(one.needed) - 1, 8)
    told = [said(sentence) for sentence in finding(one)]
    assert "With <b>8 ratings of an item</b>, an item's MOS is known to about <b>±\u00a00.59</b>" in told[0]
    assert f"it takes <b>{int(one.needed)} ratings of an item</b>" in told[1]
    drawn = curves(one, (4, 8), 60)
    assert list(drawn) == [8]
    assert table(one, drawn)[0].columns.tolist() == ["Ratings of the item", "Half of the interval"]


def test_a_system_is_known_no_better_than_its_raters_allow() -> None:
    one = of_system(BASIS, SIZE)
    assert one.here == pytest.approx(system_half_width(24, 40, 0.4, 0.3, 0.3, 8))
    few = of_system(BASIS, Size(40, 4, 4, 0.3))
    assert "No number of items alone is enough" in said(finding(few)[1])
    drawn = curves(one, (4, 8), 60)
    assert set(drawn) == {4, 8}
    rows = table(one, drawn)[0]
    assert rows["Ratings per item"].drop_duplicates().tolist() == [8, 4]
    assert dict(zip(rows["Items"], rows["Half of the interval"], strict=True))[40] == one.half(40, 4)


def test_correlation_agreement_and_share_say_what_is_expected() -> None:
    rho = of_correlation(0.9, 0.4, SIZE)
    assert "of about 0.83 is known to about" in said(
        finding(rho)[0]
    )  # .9 times the root of .4 * 8 / (1 + 7 * .4)
    icc = of_agreement(0.4, SIZE)
    assert icc.here == icc_half_width(0.4, 8, 40)
    assert "for other items and these raters" in said(finding(icc)[0])
    votes = of_share(0.5, 0.0, Size(100, 1, 10, 0.05))
    assert "±\u00a00.03</b>" in said(finding(votes)[0])


def test_agreement_for_other_raters_says_of_how_many() -> None:
    one = of_agreement_of_others(0.4, Estimate(0.3), SIZE)
    assert one.here == icc_half_width(0.4, 8, 40, all_raters=24, severity=0.3) > of_agreement(0.4, SIZE).here
    told = said(finding(one)[0])
    assert "With <b>40 items, each rated by 8 of 24 raters</b>, agreement" in told
    assert "for other items and other raters, of whom all rate about as much" in told
    assert isnan(one.left_open.low)
    open_ = of_agreement_of_others(0.4, Estimate(0.3, 0.1, 0.8), SIZE, (0.3, 0.5)).left_open
    ends = [
        icc_half_width(float(r), 8, 40, all_raters=24, severity=s)
        for s in (0.1, 0.3, 0.8)
        for r in np.linspace(0.3, 0.5, 9)
    ]
    assert (open_.low, open_.high) == pytest.approx((min(ends), max(ends)))


def test_two_raters_compare_items_by_the_residual_alone() -> None:
    one = of_mos(BASIS, Size(40, 2, 2, 0.3))
    assert one.here == pytest.approx(float(mos_half_width(2, 0.4**0.5, degrees=39)))
    assert one.here < of_mos(BASIS, Size(40, 3, 3, 0.3)).here
    assert "compared with other items by the same raters" in said(finding(one)[0])


def test_one_rating_has_no_interval() -> None:
    one = of_mos(BASIS, Size(2, 2, 1, 0.3))
    assert isnan(one.here)
    assert one.highest is None
    assert "has no interval" in said(finding(one)[0])


def test_a_pilot_leaves_widths_open_as_far_as_its_variances_are() -> None:
    """All variances a quarter, or four times as large: half-widths are half, or twice, as wide."""
    drawn = {name: np.repeat([value / 4, 4 * value], 100) for name, value in VARIANCES.items()}
    basis = Basis(Pilot(VARIANCES, drawn, 0.95), "", 4.0)
    for one in (of_mos(basis, SIZE), of_system(basis, SIZE)):
        open_ = one.left_open
        assert (open_.value, open_.low, open_.high) == pytest.approx((one.here, one.here / 2, 2 * one.here))
        assert f", as far as the pilot knows ±\u00a0{open_.low:.2f} to {open_.high:.2f} (95 %," in said(
            finding(one)[0]
        )
        (chosen,) = (found for k, (_, found) in curves(one, (4, 8), 60).items() if k == 8)
        assert all(e.low < e.value < e.high for e in chosen)
    assert isnan(of_mos(BASIS, SIZE).left_open.low)


def test_an_unsure_reliability_makes_an_unsure_width() -> None:
    """Bonett's width is largest between the ends: the range holds it, and both ends' widths."""
    one = of_agreement(0.4, SIZE, (0.1, 0.7))
    open_ = one.left_open
    ends = [icc_half_width(end, 8, 40) for end in (0.1, 0.7)]
    assert open_.low == pytest.approx(min(ends))
    assert open_.high >= max(*ends, one.here)
    assert open_.high == pytest.approx(max(icc_half_width(end, 8, 40) for end in np.linspace(0.1, 0.7, 9)))
    rho = of_correlation(0.9, 0.4, SIZE, (0.2, 0.6)).left_open
    assert rho.low < rho.value < rho.high
    assert isnan(of_agreement(0.4, SIZE).left_open.low)


def test_a_width_is_uncertain_where_the_pilot_leaves_open_whether_it_is_narrow_enough() -> None:
    drawn = {name: np.repeat([value / 4, 4 * value], 100) for name, value in VARIANCES.items()}
    basis = Basis(Pilot(VARIANCES, drawn, 0.95), "", 4.0)
    here = of_mos(basis, SIZE).here
    for wanted, status in ((here, Status.UNCERTAIN), (here / 3, Status.CLEAR), (3 * here, Status.CLEAR)):
        told = finding(of_mos(basis, replace(SIZE, wanted=wanted)))
        assert {one.status for one in told} == {status}
    assert finding(of_mos(BASIS, SIZE))[0].status is Status.CLEAR
    assert finding(of_mos(BASIS, Size(2, 2, 1, 0.3)))[0].status is Status.NOT_ENOUGH_DATA
