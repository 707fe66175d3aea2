"""Precision of a planned study, and the size that a wanted precision needs."""

from dataclasses import replace
from math import inf, isnan

import numpy as np
import pytest

from analysis.planning import icc_half_width, mos_half_width, preference_half_width, system_half_width
from analysis.values.estimate import Estimate
from features.blocks import Status, last_stage
from features.planning.precision import (
    AGREEMENT,
    CORRELATION,
    MOS,
    OF_OTHERS,
    SHARE,
    SYSTEM,
    PrecisionSpec,
    of_mos,
    of_reliability,
    of_system,
    precision_finding,
    precision_stages,
    precision_table,
)
from tests.features.planning.plans import STUDY, line_of, typed, unsure
from tests.features.studies import said

SPEC = PrecisionSpec(MOS, typed(), items=40, raters=24, per_item=8, wanted=0.3, reliability=0.4)


def test_ratings_of_an_item_vary_by_all_but_the_item() -> None:
    """Residual .3 and raters by items .1, raters .2 and their slopes .1: the SD is the root of .7."""
    found = last_stage(precision_stages(STUDY, SPEC))
    degrees = 0.7**2 / (0.3**2 / 23 + 0.4**2 / (40 * 8 - 40 - 24 + 1))
    assert found.here.value == pytest.approx(float(mos_half_width(8, 0.7**0.5, degrees=degrees)))
    assert found.half(int(found.needed), 8) <= 0.3 < found.half(int(found.needed) - 1, 8)
    finding = precision_finding(found)
    assert f"±\u00a0{found.here.value:.2f}" in said(finding)
    assert f"for ±\u00a00.3: {int(found.needed)} ratings of an item" in line_of(finding.evidence)
    assert list(found.curves()) == [8]
    assert precision_table(found, found.curves()).frame.columns.tolist() == [
        "Ratings of the item",
        "Half-width",
    ]


def test_a_system_is_known_no_better_than_its_raters_allow() -> None:
    found = last_stage(precision_stages(STUDY, replace(SPEC, what=SYSTEM)))
    assert found.here.value == pytest.approx(system_half_width(24, 40, 0.4, 0.3, 0.3, 8))
    few = last_stage(precision_stages(STUDY, replace(SPEC, what=SYSTEM, raters=4, per_item=4)))
    assert few.needed == inf
    assert "no number of items alone" in line_of(precision_finding(few).evidence)
    rows = precision_table(found, found.curves()).frame
    assert rows["Ratings per item"].iloc[0] == 8
    four = rows[rows["Ratings per item"] == 4]
    assert dict(zip(four["Items"], four["Half-width"], strict=True))[40] == found.half(40, 4)


def test_correlation_agreement_and_share_have_their_formulas() -> None:
    rho = of_reliability(replace(SPEC, what=CORRELATION, limit=0.9))
    assert rho.expected == pytest.approx(0.9 * (0.4 * 8 / (1 + 7 * 0.4)) ** 0.5)
    icc = of_reliability(replace(SPEC, what=AGREEMENT))
    assert icc.here.value == icc_half_width(0.4, 8, 40)
    votes = last_stage(
        precision_stages(STUDY, replace(SPEC, what=SHARE, share=0.5, item_sd=0.0, items=100, per_item=10))
    )
    assert votes.here.value == preference_half_width(0.5, 100, 10, 0.0)


def test_agreement_for_other_raters_depends_on_how_many_there_are() -> None:
    spec = replace(SPEC, what=OF_OTHERS)
    found = of_reliability(spec, severity=Estimate(0.3))
    assert found.here.value == icc_half_width(0.4, 8, 40, all_raters=24, severity=0.3)
    assert found.here.value > of_reliability(replace(spec, what=AGREEMENT)).here.value
    assert isnan(found.here.low)
    open_ = of_reliability(spec, (0.3, 0.5), Estimate(0.3, 0.1, 0.8)).here
    ends = [
        icc_half_width(float(r), 8, 40, all_raters=24, severity=s)
        for s in (0.1, 0.3, 0.8)
        for r in np.linspace(0.3, 0.5, 9)
    ]
    assert (open_.low, open_.high) == pytest.approx((min(ends), max(ends)))


def test_two_raters_compare_items_by_the_residual_alone() -> None:
    found = last_stage(precision_stages(STUDY, replace(SPEC, raters=2, per_item=2)))
    assert found.here.value == pytest.approx(float(mos_half_width(2, 0.4**0.5, degrees=39)))
    assert found.compares_only
    assert (
        found.here.value < last_stage(precision_stages(STUDY, replace(SPEC, raters=3, per_item=3))).here.value
    )


def test_one_rating_has_no_interval() -> None:
    found = last_stage(precision_stages(STUDY, replace(SPEC, items=2, raters=2, per_item=1)))
    assert isnan(found.here.value)
    assert precision_finding(found).status is Status.NOT_ENOUGH_DATA


@pytest.mark.parametrize("what", [MOS, SYSTEM])
def test_a_pilot_leaves_widths_open_as_far_as_its_variances_are(what: str) -> None:
    """All variances a quarter, or four times as large: half-widths are half, or twice, as wide."""
    spec = replace(SPEC, what=what)
    found = of_mos(unsure(), spec) if what == MOS else of_system(unsure(), spec)
    here = found.here
    assert (here.low, here.high) == pytest.approx((here.value / 2, 2 * here.value))
    assert f"95% CI {here.low:.2f}–{here.high:.2f}" in line_of(precision_finding(found).evidence)
    assert all(e.low < e.value < e.high for e in found.curves()[8][1])
    wanted = {here.value: Status.UNCERTAIN, here.value / 3: Status.CLEAR, 3 * here.value: Status.CLEAR}
    for half, status in wanted.items():
        assert precision_finding(replace(found, spec=replace(spec, wanted=half))).status is status


def test_an_unsure_reliability_makes_an_unsure_width() -> None:
    """Bonett's width is largest between the ends: the range holds it, and both ends' widths."""
    here = of_reliability(replace(SPEC, what=AGREEMENT), (0.1, 0.7)).here
    ends = [icc_half_width(end, 8, 40) for end in (0.1, 0.7)]
    assert here.low == pytest.approx(min(ends))
    assert here.high == pytest.approx(max(icc_half_width(end, 8, 40) for end in np.linspace(0.1, 0.7, 9)))
    rho = of_reliability(replace(SPEC, what=CORRELATION), (0.2, 0.6)).here
    assert rho.low < rho.value < rho.high
