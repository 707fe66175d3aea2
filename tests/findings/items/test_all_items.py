"""What is said of all items: none named on too little, the surest named with its interval."""

import numpy as np
import pytest

from analysis.items.disagreement import Disagreement
from analysis.items.discrimination import Discrimination
from features.blocks import Status
from findings.items.all_items import AllItems, broken_finding, disagreement_finding, few_columns, table
from tests.findings.studies import said

nan = np.nan
NAMES = np.array(["a", "b", "c"])
ITEMS = np.arange(3)


def items(p: list[float], of_r: list[float], r: list[float] | None = None) -> AllItems:
    ones = np.ones(3)
    spread = Disagreement(
        ITEMS,
        np.array([9, 12, 4]),
        3 * ones,
        np.array([1.0, 2.0, 2.5]),
        0.8 * ones,
        3 * ones,
        ones,
        np.array(p),
    )
    corr = np.array(r or [-0.2, 0.1, nan])
    broken = Discrimination(ITEMS, np.array([20, 21, 4]), corr, corr - 0.1, corr + 0.1, np.array(of_r))
    return AllItems(ITEMS, spread, broken)


def test_nothing_is_named_on_too_little_or_by_chance() -> None:
    few = items([0.001, nan, nan], [nan, nan, nan])
    assert "cannot be told: it takes two items with 5 ratings each" in said(
        disagreement_finding(few.spread, NAMES, "x")
    )
    assert "cannot be told: it takes 10 raters" in said(broken_finding(few, NAMES))
    chance = items([0.05, 0.4, nan], [0.05, 0.2, nan])
    assert said(disagreement_finding(chance.spread, NAMES, "x")).startswith(
        "On no item of x do raters disagree"
    )
    assert said(broken_finding(chance, NAMES)).startswith("None of 2 items looks broken")


def test_the_surest_item_is_named_with_its_interval() -> None:
    found = items([0.04, 0.001, nan], [0.5, 0.01, nan], [0.1, -0.7, nan])
    assert said(disagreement_finding(found.spread, NAMES, "x")) == (
        "On <b>2 of 2 items</b> raters disagree about x more than on the others; the surest is <b>b</b>: SD 2.00 "
        "(0.80 to 3.00; 12 ratings) against 1.00."
    )
    told = said(broken_finding(found, NAMES))
    assert "<b>1 of 2 items</b> may be broken; the surest is <b>b</b>" in told
    assert "rate it lower than their other ratings foretell (r = −0.70, −0.80 to −0.60, 21 raters)" in told
    assert "rate it higher" in said(
        broken_finding(items([1, 1, nan], [1, 0.01, nan], [0.1, 0.7, nan]), NAMES)
    )


@pytest.mark.parametrize(("broken_first", "order"), [(False, "bac"), (True, "abc")])
def test_the_table_has_every_item_with_what_stands_out_first(broken_first: bool, order: str) -> None:
    rows, written = table(items([0.04, 0.001, nan], [0.01, 0.2, nan]), NAMES, broken_first)
    assert "".join(rows["Item"]) == order
    assert [NAMES[place] for place in rows.index] == list(order)
    assert written["SD of its ratings"][-1] == "2.50 (0.80 to 3.00)"
    assert set(few_columns(broken_first)) <= set(rows)


def test_no_item_that_stands_out_is_uncertain_and_too_few_ratings_not_enough() -> None:
    few, chance = items([0.001, nan, nan], [nan, nan, nan]), items([0.05, 0.4, nan], [0.05, 0.2, nan])
    found = items([0.04, 0.001, nan], [0.5, 0.01, nan])
    statuses = (Status.NOT_ENOUGH_DATA, Status.UNCERTAIN, Status.CLEAR)
    assert (
        tuple(disagreement_finding(of.spread, NAMES, "x").status for of in (few, chance, found)) == statuses
    )
    assert tuple(broken_finding(of, NAMES).status for of in (few, chance, found)) == statuses
