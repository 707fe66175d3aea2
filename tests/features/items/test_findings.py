"""Findings on items: none named on too little, the clearest one named with its interval, and the order of the list."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.items.disagreement import Disagreement, Discrimination
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.items.results import ItemList, ItemRatings, ItemsSpec, Order, without_search
from features.items.section import (
    can_stand_out,
    disagreement_finding,
    faults_finding,
    item_finding,
    item_points,
    items_table,
    rater_finding,
    shown_note,
)
from features.plotting.theme import Look, group_colour
from tests.features.studies import said
from tests.findings_rules import check_findings

nan = np.nan
NAMES = np.array(["a", "b", "c"])
ITEMS = np.arange(3)


def items(
    p: list[float],
    of_r: list[float],
    r: list[float] | None = None,
    order: Order = "disagreement",
    **shown: float,
) -> ItemList:
    ones = np.ones(3)
    sd = np.array([1.0, 2.0, 2.5])
    spread = Disagreement(
        ITEMS, np.array([9, 12, 4]), np.array([2.0, 3.0, 4.0]), sd, 0.8 * ones, 3 * ones, ones, np.array(p)
    )
    corr = np.array(r or [-0.2, 0.1, nan])
    faults = Discrimination(ITEMS, np.array([20, 21, 4]), corr, corr - 0.1, corr + 0.1, np.array(of_r))
    return ItemList(ItemsSpec("x", order, **shown), NAMES, spread, faults, were_searched=True)


FEW = items([0.001, nan, nan], [nan, nan, nan])
CHANCE = items([0.05, 0.4, nan], [0.05, 0.2, nan])
FOUND = items([0.04, 0.001, nan], [0.5, 0.01, nan], [0.1, -0.7, nan])


def test_nothing_is_named_on_too_little_or_by_chance() -> None:
    assert [one(FEW).status for one in (disagreement_finding, faults_finding)] == [Status.NOT_ENOUGH_DATA] * 2
    assert disagreement_finding(FEW).headline[1]["least"] == 2
    assert faults_finding(FEW).headline[1]["least"] == 10
    for found in (disagreement_finding(CHANCE), faults_finding(CHANCE)):
        assert found.status is Status.UNCERTAIN
        assert "out" not in found.headline[1]
        assert said(found).startswith("No item ")
        assert "adjusted for 2 tests" in found.evidence[1].values()


def test_the_clearest_item_is_named_with_its_interval() -> None:
    told = disagreement_finding(FOUND)
    assert (told.headline[1]["out"], told.headline[1]["items"]) == (2, "2")
    assert {"Most clearly b: SD 2.00", "95% CI 0.80–3.00", "12 ratings"} <= set(told.evidence[1].values())
    told = faults_finding(FOUND)
    assert (told.headline[1]["out"], told.status) == (1, Status.CLEAR)
    check_findings([disagreement_finding(FOUND), told, faults_finding(CHANCE), faults_finding(FEW)])
    assert {"Most clearly b: r = −0.70", "95% CI −0.80 to −0.60", "21 raters"} <= set(
        told.evidence[1].values()
    )
    for r, way in ((-0.7, "lower"), (0.7, "higher")):
        told = faults_finding(items([1, 1, nan], [1, 0.01, nan], [0.1, r, nan]))
        assert f"consistent raters rate it {way} than predicted" in told.evidence[1].values()


def test_before_the_search_nothing_is_said_of_faults_unless_none_could_be_found() -> None:
    before = ItemList(ItemsSpec("x"), NAMES, FOUND.spread, without_search(3))
    assert faults_finding(before).status is Status.NOT_APPLICABLE
    few = replace(before, spread=replace(before.spread, ratings=np.array([9, 2, 3])))
    found = faults_finding(few)
    assert found.status is Status.NOT_ENOUGH_DATA
    assert found.headline[1] == {"least": 10, "most": "at most 9"}
    assert not before.is_faulty.any()
    assert before.figures["b"][:2] == (3.0, 2.0)
    assert np.isnan(before.figures["b"][2])


def test_what_is_missing_for_a_comparison_is_what_the_items_have_least_of() -> None:
    untested = items([nan] * 3, [nan] * 3)

    def missing(*ratings: int) -> dict[str, object]:
        spread = replace(untested.spread, ratings=np.array(ratings))
        return dict(disagreement_finding(replace(untested, spread=spread)).headline[1])

    assert missing(3, 3, 2).items() >= {"there": "at most 3 ratings per item", "least": 5}.items()
    assert missing(3, 1, 5).items() >= {"there": "1 item with 5 ratings", "least": 2}.items()


def test_items_whose_ratings_never_differ_are_enough_for_an_answer() -> None:
    assert disagreement_finding(items([nan] * 3, [nan] * 3)).status is Status.CLEAR


def test_items_without_an_interval_are_sorted_by_their_sd() -> None:
    found = items([nan, nan, nan], [nan, nan, nan], order="disagreement")
    few = replace(found, spread=replace(found.spread, low=np.full(3, nan)))
    assert [NAMES[place] for place in few.rows] == ["c", "b", "a"]


@pytest.mark.parametrize(("order", "names"), [("disagreement", "bac"), ("faults", "abc")])
def test_the_table_has_every_item_with_what_stands_out_first(order: Order, names: str) -> None:
    found = items([0.04, 0.001, nan], [0.01, 0.2, nan], order=order)
    table = items_table(found)
    assert "".join(table.frame["Item"]) == names
    assert [NAMES[place] for place in found.rows] == list(names)
    assert table.formats["SD of its ratings"][-1] == "2.50 (0.80 to 3.00)"
    assert set(table.columns_at_first_sight) < set(table.frame)
    decides = "p of r (Holm)" if order == "faults" else "p of disagreement (Holm)"
    assert decides in table.columns_at_first_sight


def test_items_outside_the_mos_asked_for_are_not_shown() -> None:
    found = items([0.04, 0.001, nan], [0.5, 0.01, nan], mos_from=2.5, mos_below=4.0)
    assert items_table(found).frame["Item"].tolist() == ["b"]
    (note,) = shown_note(found)
    assert note.text[1]["some"] == "1"
    assert list(shown_note(FOUND)) == []
    figure = item_points(found, "all ratings", (), Look())
    assert [trace["customdata"] for trace in figure["data"]] == [[1]]


def test_items_that_stand_out_are_named_in_the_figure_where_they_are_few() -> None:
    figure = item_points(FOUND, "all ratings", (), Look())
    assert {"a", "b", "Diamonds: 2 of 3 items"} == {one["text"] for one in figure["layout"]["annotations"]}
    by_symbol = {trace["marker"]["symbol"]: trace["customdata"] for trace in figure["data"]}
    assert by_symbol == {"circle": [2], "diamond": [0, 1]}


def test_an_item_can_only_stand_out_where_it_is_tested() -> None:
    assert can_stand_out(CHANCE)
    assert not can_stand_out(items([nan] * 3, [nan] * 3))


def ratings_of(scores: list[float], cells: list[tuple[str, str, Estimate]]) -> ItemRatings:
    rows = {
        "score": np.array(scores),
        "rater": np.arange(len(scores)).astype(str),
        "item": np.array(["i"] * len(scores)),
        "group": np.array(["crowd"] * len(scores)),
        "measure": np.array(["x"] * len(scores)),
    }
    about = {"system": np.array(["A"]), "topic": [], "condition": [], "split": []}
    return ItemRatings("i", rows, about, cells)


def test_an_item_has_a_mos_from_five_ratings_of_one_measure_on() -> None:
    mos = Estimate(3.5, 3.0, 4.0, 6)
    told = item_finding(ratings_of([3] * 6, [("x", "lab", Estimate(3.0)), ("x", "crowd", mos)]), "crowd")
    assert (told.headline[1]["mos"], told.headline[1]["group"]) == ("3.50", "crowd")
    assert {"95% CI 3.00–4.00", "6 ratings", "system A"} <= set(told.evidence[1].values())
    for cells in ([("x", "crowd", Estimate(3.5, n=4))], [("x", "crowd", mos), ("y", "crowd", mos)]):
        told = item_finding(ratings_of([3] * 4, cells), "crowd")
        assert told.headline[1]["ratings"] == "4 ratings"
    assert item_finding(ratings_of([], []), "crowd").status is Status.NOT_ENOUGH_DATA


def test_a_rater_without_ratings_is_not_found() -> None:
    assert rater_finding("r", ratings_of([], []).rows).status is Status.NOT_ENOUGH_DATA
    assert rater_finding("r", ratings_of([1, 2], []).rows).headline[1]["ratings"] == "2 ratings"


@pytest.mark.parametrize(("groups", "title"), [(("lab", "crowd"), "MOS by crowd"), (("crowd",), "MOS")])
def test_items_have_the_color_of_the_group_that_rated_them(groups: tuple[str, ...], title: str) -> None:
    figure = item_points(FOUND, "crowd", groups, Look())
    assert figure["data"][0]["marker"]["color"] == group_colour("crowd", groups)
    assert figure["layout"]["xaxis"]["title"]["text"] == title
