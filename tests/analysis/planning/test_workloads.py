"""Workloads of raters: their effective number and shares of the items."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.planning import effective_raters
from analysis.planning.workloads import interpolate_loads, item_shares, round_loads, summarize_workloads
from analysis.values.estimate import InputError

LOADS = st.lists(st.floats(0.1, 30), min_size=4, max_size=12)


def test_equal_loads_are_worth_their_number_and_unequal_ones_less() -> None:
    assert effective_raters([5, 5, 5, 5]) == 4
    assert effective_raters([6, 2]) == 64 / 40
    assert isnan(effective_raters([0, 0]))
    with pytest.raises(InputError, match="`loads` must be 0 or more"):
        effective_raters([1, -1])


@given(LOADS, st.integers(1, 4))
def test_shares_add_up_and_nobody_rates_an_item_twice(loads: list[float], per_item: int) -> None:
    share = item_shares(np.array(loads), per_item)
    assert share.sum() == pytest.approx(per_item)
    assert (share <= 1 + 1e-12).all()
    assert (share > 0).all()
    free = share < 1 - 1e-9
    rate = share[free] / np.array(loads)[free]
    assert rate == pytest.approx(rate[:1].repeat(len(rate)))


@given(LOADS)
def test_loads_of_as_many_raters_are_the_same_and_of_more_spread_alike(loads: list[float]) -> None:
    given_loads = sorted(loads, reverse=True)
    assert interpolate_loads(given_loads, len(loads)).tolist() == pytest.approx(given_loads)
    more = interpolate_loads(given_loads, 5 * len(loads))
    assert (np.diff(more) <= 1e-12).all()
    assert (more[0], more[-1]) == (given_loads[0], given_loads[-1])


@given(LOADS, st.integers(1, 3), st.sampled_from([1, 2]), st.integers(1, 40))
def test_worth_and_busiest_of_groups_are_those_of_whole_items(
    loads: list[float], per_item: int, groups: int, items: int
) -> None:
    every = sorted(loads * groups, reverse=True)
    found = summarize_workloads(tuple(every), len(every), groups, per_item, items)
    shares = [item_shares(np.array(every[group::groups]), per_item) for group in range(groups)]
    rated = [round_loads(share, items) for share in shares]
    assert found.raters == pytest.approx(effective_raters(np.concatenate(rated)))
    assert found.busiest == pytest.approx(max(one.max() for one in rated) / (items * per_item))
    for share, one in zip(shares, rated, strict=True):
        assert one.sum() == items * per_item
        assert (np.abs(one - share * items) < 1 + 1e-6).all()
        assert one.max() <= items


def test_raters_of_fewer_items_than_raters_are_worth_those_who_rate() -> None:
    """10 raters with equal loads of whom 4 items have one each: 4 rate; of shares, as in a study not yet whole, all."""
    equal = (1.0,) * 10
    assert summarize_workloads(equal, 10, 1, 1, 4).raters == pytest.approx(4)
    assert summarize_workloads(equal, 10, 1, 1, 4.5).raters == pytest.approx(10)
