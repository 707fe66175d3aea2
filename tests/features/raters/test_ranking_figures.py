"""Dots of raters and the scatter against known answers: what is drawn is what was found, text from a study is inert."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from features.plotting.theme import GROUP_COLOURS, Look, group_colour
from features.raters.ranking import (
    CHANCE,
    HIGHEST,
    LOWEST,
    MOST_POINTS,
    KnownAnswers,
    RankedRater,
    RaterRanking,
    known_scatter,
    rater_dots,
    sort_places,
)
from features.raters.typical_rater_findings import ABOVE, BELOW
from tests.features.raters_of_studies import compared

LOOK = Look()
GROUPS = ("crowd", "lab")
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
EXPERT = KnownAnswers("the expert", "e_w", is_share=True)


def ranking(raters: Sequence[RankedRater], **more: Any) -> RaterRanking:
    tests = compared([one.name for one in raters], [one.figure for one in raters])
    return RaterRanking(raters, tests, "r", **more)


def raters(n: int, items: int = 20) -> list[RankedRater]:
    """Raters r00, r01, … with agreements from 0 up, and half of it with known answers."""
    return [
        RankedRater(
            f"r{at:03}",
            "crowd",
            Estimate(at / n, at / n - 0.1, at / n + 0.1, items),
            known=Estimate(0.5 + at / n / 2, 0.3, 1.0, 15),
        )
        for at in range(n)
    ]


def drawn(figure: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Places of the dots, by the rater in their hover."""
    return {
        text.split("<br>")[0]: (x, y)
        for trace in figure["data"]
        for text, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)
    }


def test_the_lowest_estimate_is_on_top_whatever_the_width_of_its_interval() -> None:
    wide = RankedRater("wide", "crowd", Estimate(0.6, -0.9, 0.95, 12))
    narrow = RankedRater("narrow", "crowd", Estimate(0.5, 0.45, 0.55, 400))
    figure = rater_dots(ranking([wide, narrow]), GROUPS, (), LOOK)
    go.Figure(figure)
    assert figure["layout"]["yaxis"]["ticktext"] == ["narrow", "wide"]
    assert figure["layout"]["yaxis"]["range"][0] > figure["layout"]["yaxis"]["range"][1]
    (trace,) = figure["data"]
    assert trace["error_x"]["arrayminus"] == pytest.approx([0.05, 1.5])
    assert "lowest on top" in figure["layout"]["xaxis"]["title"]["text"]


def test_a_rater_has_its_groups_color() -> None:
    both = [RankedRater(group, group, Estimate(0.5, n=20)) for group in GROUPS]
    figure = rater_dots(ranking(both), GROUPS, (), LOOK)
    colors = {trace["name"]: trace["marker"]["color"] for trace in figure["data"]}
    assert colors == {group: group_colour(group, GROUPS) for group in GROUPS}
    assert colors["crowd"] != colors["lab"] == GROUP_COLOURS[0]


def test_marked_raters_have_their_own_symbol_with_its_name_and_excluded_ones_are_hollow() -> None:
    marks = ["", BELOW, ABOVE, CHANCE]
    marked = [replace(one, mark=mark) for one, mark in zip(raters(4), marks, strict=True)]
    figure = rater_dots(ranking(marked), GROUPS, {"r001"}, LOOK)
    symbols = [trace["marker"]["symbol"] for trace in figure["data"]]
    assert len({symbol[0].removesuffix("-open") for symbol in symbols}) == 4
    assert [symbol for (symbol,) in symbols if symbol.endswith("-open")] == ["diamond-open"]
    named = {note["y"]: note["text"] for note in figure["layout"]["annotations"] if note["text"] in marks}
    order = [one.mark for one in sorted(marked, key=lambda one: one.figure.value)]
    assert named == {row: mark for row, mark in enumerate(order) if mark}
    assert not figure["layout"]["showlegend"]


def test_both_ends_of_many_raters_are_counted_and_have_a_gap_between_them() -> None:
    figure = rater_dots(ranking(raters(100)), GROUPS, (), LOOK)
    places = {name: y for name, (_, y) in drawn(figure).items()}
    assert len(places) == LOWEST + HIGHEST
    assert places["r000"] == 0
    assert places["r026"] == LOWEST - 1
    assert places["r097"] == LOWEST + 1
    words = json.dumps(figure["layout"]["annotations"], ensure_ascii=False)
    assert "70 of 100 raters not drawn" in words
    assert "27 lowest above, 3 highest below" in words


def test_no_few_raters_are_left_out_of_a_card() -> None:
    card = replace(LOOK, on_card=True)
    assert len(drawn(rater_dots(ranking(raters(12)), GROUPS, (), card))) == 12
    assert len(drawn(rater_dots(ranking(raters(20)), GROUPS, (), card))) == 10


def test_raters_with_few_items_are_not_drawn_unless_too_few_remain() -> None:
    few = raters(5, items=4)
    assert len(drawn(rater_dots(ranking([*raters(3), *few]), GROUPS, (), LOOK))) == 3
    assert len(drawn(rater_dots(ranking(few), GROUPS, (), LOOK))) == 5


def test_the_typical_rater_is_a_named_line() -> None:
    of_typical = rater_dots(ranking(raters(20)), GROUPS, (), LOOK)["layout"]
    assert any("typical rater" in one["text"] for one in of_typical["annotations"])
    assert ranking(raters(20)).typical in [shape["x0"] for shape in of_typical["shapes"]]
    few = rater_dots(ranking(raters(2)), GROUPS, (), LOOK)["layout"]
    assert [shape["x0"] for shape in few["shapes"]] == [0]


def test_nobody_with_a_figure_is_a_valid_empty_picture() -> None:
    none = [RankedRater("a", "crowd", Estimate(nan, reason="always chose the same option"))]
    for every in (none, []):
        figure = rater_dots(ranking(every), GROUPS, (), LOOK)
        go.Figure(figure)
        assert figure["data"] == []
        assert "no rater" in figure["layout"]["annotations"][0]["text"]


def test_tables_and_figures_have_one_order() -> None:
    figures = [
        Estimate(0.9, n=5),
        Estimate(nan),
        Estimate(0.4, n=50),
        Estimate(0.2, n=50),
        Estimate(0.1, n=5),
    ]
    assert sort_places(figures) == [3, 2, 4, 0, 1]


def test_the_scatter_names_raters_in_hovers_and_writes_its_correlation() -> None:
    known = ranking(raters(10), known=EXPERT)
    figure = known_scatter(known, EXPERT, GROUPS, LOOK)
    go.Figure(figure)
    (points,) = figure["data"]
    named = [hover.split("<br>")[0] for hover in points["hovertext"]]
    by_name = dict(zip(named, zip(points["x"], points["y"], strict=True), strict=True))
    assert by_name["r004"] == (0.4, 0.7)
    rho = known.correlate_with_known()[1].estimate
    assert rho.value == pytest.approx(1.0)
    assert "ρ = 1.00" in figure["layout"]["annotations"][0]["text"]
    assert "10 raters" in figure["layout"]["annotations"][0]["text"]
    assert {"error_x", "error_y"} <= set(points)
    assert "85.0% of 15" in " ".join(points["hovertext"])
    assert points["marker"]["line"]["color"] == group_colour("crowd", GROUPS)


def test_the_scatter_of_many_names_nobody_and_draws_those_with_most_items() -> None:
    many = raters(MOST_POINTS + 5)
    many[3] = replace(many[3], name="few", figure=Estimate(0.5, n=11))
    (points,) = known_scatter(ranking(many, known=EXPERT), EXPERT, GROUPS, LOOK)["data"]
    assert len(points["x"]) == MOST_POINTS
    assert "text" not in points
    assert not any("few" in hover for hover in points["hovertext"])


def test_raters_without_one_of_the_figures_are_not_in_the_scatter() -> None:
    none, some = Estimate(nan), Estimate(0.5, n=20)
    lacking = [
        RankedRater("x", "", none, known=some),
        RankedRater("y", "", some, known=none),
        RankedRater("z", "", some),
    ]
    (points,) = known_scatter(ranking([*raters(4), *lacking]), EXPERT, GROUPS, LOOK)["data"]
    assert len(points["x"]) == 4
    assert known_scatter(ranking(lacking), EXPERT, GROUPS, LOOK)["data"] == []


def test_a_scatter_of_correlations_is_not_written_as_shares() -> None:
    lab = KnownAnswers("lab", "r", is_share=False)
    figure = known_scatter(ranking(raters(5)), lab, GROUPS, LOOK)
    assert "tickformat" not in figure["layout"]["yaxis"]
    assert "%" not in "".join(figure["data"][0]["hovertext"])


@pytest.mark.parametrize("dark", [False, True])
def test_names_are_inert(dark: bool) -> None:
    bad = [replace(one, name=BAD, group=BAD) for one in raters(5)]
    for figure in (
        rater_dots(ranking(bad), (BAD,), (), Look(dark)),
        known_scatter(ranking(bad), KnownAnswers(BAD, "e", is_share=True), (BAD,), Look(dark)),
    ):
        go.Figure(figure)
        text = json.dumps(figure)
        assert not any(part in text for part in ("<img", "<a ", "$x"))
