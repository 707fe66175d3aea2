"""Figures per measure and group: a row per measure, or per group where there is one measure."""

from analysis.values.estimate import Estimate
from features.plotting.series import Series, dots_by_group, label_two, series_dots
from features.plotting.theme import Look, group_colour

GROUPS = ("amt", "lab", "web")


def test_one_measure_has_a_row_per_group_in_the_groups_colours() -> None:
    cells = [("focus", group, Estimate(at / 10, n=9)) for at, group in enumerate(GROUPS)]
    figure = dots_by_group(cells, GROUPS, "r", Look())
    assert figure["layout"]["yaxis"]["ticktext"] == list(GROUPS)
    assert [(t["x"], t["y"], t["marker"]["color"]) for t in figure["data"]] == [
        ([at / 10], [at], group_colour(group, GROUPS)) for at, group in enumerate(GROUPS)
    ]
    assert not figure["layout"]["showlegend"]


def test_several_measures_have_a_row_each_with_room_only_for_who_rated_it() -> None:
    cells = [
        ("focus", "amt", Estimate(0.1)),
        ("focus", "web", Estimate(0.3)),
        ("grammar", "web", Estimate(0.4)),
    ]
    figure = dots_by_group(cells, GROUPS, "r", Look())
    assert figure["layout"]["yaxis"]["ticktext"] == ["focus", "grammar"]
    amt, web = figure["data"]
    assert web["marker"]["color"] == group_colour("web", GROUPS)
    assert amt["y"][0] < 0 < web["y"][0]
    assert web["y"][1] == 1
    assert figure["layout"]["showlegend"]


def test_two_series_are_named_at_their_first_dots_and_three_keep_the_legend():
    def drawn(number):
        series = [Series(f"s{at}", [Estimate(at / 10, n=5), Estimate(0.5, n=5)]) for at in range(number)]
        return label_two(series_dots(["a", "b"], series, "r", Look(), shares=False), Look())["layout"]

    told = [(note["text"], note["x"], note["yshift"]) for note in drawn(2)["annotations"]]
    assert told == [("s0", 0.0, 12), ("s1", 0.1, -12)]
    assert not drawn(2)["showlegend"]
    assert drawn(3)["showlegend"]
