"""Figures of groups compared: every item is drawn where it lies, rows are sorted, and text from a study is inert."""

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.comparison.comparison import OrderSummary
from analysis.values.estimate import Estimate
from features.comparison.figures import (
    MOST_POINTS,
    correlation_matrix,
    difference_of,
    differences,
    level_dots,
    order_dots,
    scatter,
)
from features.comparison.results import MOST_NAMED, Compared, ItemMos
from features.plotting.series import dots_by_group
from features.plotting.theme import Look, PlotlyFigure, group_colour
from tests.features.comparison.test_findings import HIGHER, LOWER, of
from tests.features.comparison.test_findings import compared as compared_levels

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def panel(n: int = 30, name: str = "focus", shift: float = 0.4) -> ItemMos:
    rng = np.random.default_rng(n)
    reference = rng.uniform(1.5, 4.5, n)
    candidate = reference + shift + rng.normal(0, 0.2, n)
    names = np.array([f"item {i}" for i in range(n)]) if n <= MOST_NAMED else np.empty(0, dtype=str)
    return ItemMos(
        name,
        candidate,
        reference,
        names,
        Estimate(0.9, 0.8, 0.95, n),
        Estimate(shift, shift - 0.1, shift + 0.1, n),
        (Estimate(shift - 0.4, shift - 0.5, shift - 0.3), Estimate(shift + 0.4, shift + 0.3, shift + 0.5)),
    )


def points(figure: dict) -> list[dict]:
    return [trace for trace in figure["data"] if trace.get("mode") == "markers"]


@pytest.mark.parametrize("draw", [scatter, differences])
def test_pictures_are_valid_plotly_and_hold_every_item(draw):
    panels = [panel(30, "focus"), panel(12, "grammar")]
    figure = draw(panels, "crowd", "lab", group_colour("crowd", ["lab", "crowd"]), LOOK)
    go.Figure(figure)
    assert [len(trace["x"]) for trace in points(figure)] == [30, 12]


def test_scatter_has_reference_across_candidate_up_and_the_identity_line():
    one = replace(panel(), codes=np.arange(30)[::-1])
    figure = scatter([one], "crowd", "lab", "#0072B2", LOOK)
    (dots,) = points(figure)
    assert dots["customdata"] == list(range(29, -1, -1))  # what a click gives
    assert dots["x"] == one.mos_reference.tolist()
    assert dots["y"] == one.mos_candidate.tolist()
    (line,) = (trace for trace in figure["data"] if trace.get("mode") == "lines")
    assert line["x"] == line["y"]


@pytest.mark.parametrize("draw", [scatter, differences])
def test_measures_on_different_scales_have_their_own_axes(draw):
    one = panel(name="focus")
    percent = panel(name="intelligibility")
    percent = replace(
        percent, mos_candidate=20 * percent.mos_candidate, mos_reference=20 * percent.mos_reference
    )
    alike, apart = (draw([one, two], "crowd", "lab", "#0072B2", LOOK)["layout"] for two in (one, percent))
    assert alike["yaxis2"]["matches"] == "y"
    assert "matches" not in apart["xaxis2"]
    assert "matches" not in apart["yaxis2"]
    assert apart["yaxis2"]["showticklabels"]


def test_measures_on_different_scales_fill_their_panels():
    """A metric from 0 to 1 is compared with ratings from 1 to 5 and with shares of content, from 0 to 1."""
    ratings = panel(name="readability")
    metric = (ratings.mos_reference - 1) / 5
    shares = replace(ratings, measure="content", mos_candidate=metric**2, mos_reference=metric)
    rated = replace(ratings, mos_reference=metric)
    layout = scatter([rated, shares], "all", "rouge", "#0072B2", LOOK, by_column=True)["layout"]
    assert "matches" not in layout["yaxis2"]
    assert layout["xaxis2"]["matches"] == "x"
    percent = replace(
        ratings, mos_candidate=20 * ratings.mos_candidate, mos_reference=20 * ratings.mos_reference
    )
    layout = scatter([ratings, percent], "crowd", "lab", "#0072B2", LOOK)["layout"]
    low, high = layout["yaxis"]["range"]
    assert layout["xaxis"]["range"] == [low, high]
    assert layout["xaxis2"]["range"] == layout["yaxis2"]["range"] == pytest.approx([20 * low, 20 * high])


def test_bland_altman_has_bias_limits_and_their_intervals():
    one = panel()
    figure = differences([one], "crowd", "lab", "#0072B2", LOOK)
    (dots,) = points(figure)
    np.testing.assert_allclose(dots["y"], one.mos_candidate - one.mos_reference)
    np.testing.assert_allclose(dots["x"], (one.mos_candidate + one.mos_reference) / 2)
    lines = {round(shape["y0"], 6) for shape in figure["layout"]["shapes"] if shape["type"] == "line"}
    assert lines == {0.0, 0.4, 0.8}
    bands = [shape for shape in figure["layout"]["shapes"] if shape["type"] == "rect"]
    assert sorted(round(band["y0"], 6) for band in bands) == [-0.1, 0.3, 0.7]


def test_many_items_become_a_density_that_counts_them_all():
    figure = scatter([panel(MOST_NAMED + 1)], "crowd", "lab", "#0072B2", LOOK)
    (density,) = (trace for trace in figure["data"] if trace["type"] == "heatmap")
    assert sum(cell or 0 for row in density["z"] for cell in row) == MOST_NAMED + 1
    assert len(json.dumps(figure)) < 60_000


def test_all_panels_together_draw_few_enough_points_for_a_browser_and_keep_those_that_lie_apart():
    one = panel(MOST_NAMED)
    far = replace(one, mos_candidate=np.append(one.mos_candidate[1:], 9.0), codes=np.arange(MOST_NAMED))
    figure = scatter([far, far, far], "crowd", "lab", "#0072B2", LOOK)
    assert 3 < sum(len(trace["x"]) for trace in points(figure)) <= MOST_POINTS
    for dots in points(figure):
        assert MOST_NAMED - 1 in dots["customdata"]  # a click leads to it
        assert 9.0 in dots["y"]
    densities = [trace for trace in figure["data"] if trace["type"] == "heatmap"]
    assert [sum(cell or 0 for row in of["z"] for cell in row) for of in densities] == [MOST_NAMED] * 3
    assert [len(dots["x"]) for dots in points(scatter([panel(1000)] * 3, "a", "b", "#0072B2", LOOK))] == [
        1000
    ] * 3


def test_text_from_a_study_is_inert_in_every_picture():
    one = panel(5, BAD)
    one = ItemMos(
        BAD,
        one.mos_candidate,
        one.mos_reference,
        np.array([BAD] * 5),
        one.spearman,
        one.mean_difference,
        one.limits,
    )
    for figure in (
        scatter([one], BAD, BAD, "#0072B2", LOOK),
        differences([one], BAD, BAD, "#0072B2", LOOK),
        dots_by_group([(BAD, BAD, one.spearman)], [BAD], "ρ", LOOK),
    ):
        text = json.dumps(figure)
        assert "<img" not in text
        assert "<a " not in text
        assert "$x" not in text


def test_undefined_figures_and_no_items_draw_without_a_crash():
    nothing = Estimate(float("nan"), reason="no items")
    none = ItemMos(
        "focus", np.empty(0), np.empty(0), np.empty(0, dtype=str), nothing, nothing, (nothing, nothing)
    )
    for draw in (scatter, differences):
        assert "NaN" not in json.dumps(draw([none], "crowd", "lab", "#0072B2", LOOK))
    go.Figure(dots_by_group([("focus", "a", nothing)], ["a"], "ρ", LOOK))


def test_differences_of_nothing_are_no_picture_of_thousandths() -> None:
    mos = np.array([1.0, 3.0, 5.0])
    same = ItemMos(
        "focus", mos, mos + 1e-9, np.array(list("abc")), Estimate(1.0), Estimate(0.0), (Estimate(0.0),) * 2
    )
    low, high = differences([same], "crowd", "lab", "#0072B2", LOOK)["layout"]["yaxis"]["range"]
    assert -0.5 < low < -0.1 < 0.1 < high < 0.5


def test_a_scatter_of_one_scale_is_square() -> None:
    mos = np.array([1.0, 3.0, 5.0])
    one = ItemMos(
        "focus", mos, mos, np.array(list("abc")), Estimate(1.0), Estimate(0.0), (Estimate(0.0),) * 2
    )
    layout = scatter([one, one], "crowd", "lab", "#0072B2", LOOK)["layout"]
    assert layout["yaxis"]["scaleanchor"] == "x"
    assert layout["yaxis2"]["scaleanchor"] == "x2"


def by_group(*rho: tuple[str, float], shift: float = 0.0) -> dict[str, Compared]:
    """Two groups' correlations by measure."""
    orders = [OrderSummary(Estimate(value), "strong", 12) for _, value in rho]
    others = [replace(one, spearman=Estimate(one.spearman.value + shift)) for one in orders]
    names = [name for name, _ in rho]
    return {"amt": Compared("amt", "lab", names, orders), "web": Compared("web", "lab", names, others)}


def test_rows_of_dots_are_sorted_by_their_value() -> None:
    drawn = order_dots(
        by_group(("focus", 0.2), ("style", 0.9), ("clarity", 0.5)), ("amt", "web", "lab"), LOOK
    )
    assert list(drawn["layout"]["yaxis"]["ticktext"]) == ["style", "clarity", "focus"]
    assert drawn["data"][0]["x"] == [0.9, 0.5, 0.2]
    one = order_dots(by_group(("focus", 0.2), shift=0.3), ("amt", "web", "lab"), LOOK)
    assert list(one["layout"]["yaxis"]["ticktext"]) == ["web", "amt"]


def texts_of(drawn: PlotlyFigure | None) -> set[str]:
    assert drawn is not None
    return {note["text"] for note in drawn["layout"]["annotations"]}


def test_levels_that_no_test_finds_are_hollow_and_the_number_of_the_finding_is_written() -> None:
    different, same = compared_levels(HIGHER, LOWER), compared_levels(LOWER, LOWER)
    drawn = level_dots({"crowd": of(same, different)}, ("crowd", "lab"), LOOK)
    assert drawn is not None
    (trace,) = drawn["data"]
    assert trace["x"] == [1.0, 0.0]
    solid, hollow = trace["marker"]["symbol"]
    assert hollow == f"{solid}-open"
    assert {"1.00", "hollow: not significant after Holm"} <= texts_of(drawn)
    alone = level_dots({"crowd": of(same)}, ("crowd", "lab"), LOOK)
    assert "hollow: not significant" in texts_of(alone), "of one test nothing is adjusted"
    metric = replace(different, same_scale=False)
    assert not difference_of(metric).defined


def test_the_matrix_is_symmetric_and_has_no_value_on_its_diagonal() -> None:
    rho = {("a", "b"): Estimate(0.5), ("b", "c"): Estimate(-0.25)}
    drawn = correlation_matrix(["a", "b", "c"], rho, "focus", LOOK)
    go.Figure(drawn)
    heat, _, numbers = drawn["data"]
    assert heat["z"] == [[None, 0.5, None], [0.5, None, -0.25], [None, -0.25, None]]
    assert (heat["zmin"], heat["zmax"]) == (-1, 1)
    assert heat["customdata"][2][1] == [2, 1]
    assert len(numbers["x"]) == 4
