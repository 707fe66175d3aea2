"""Figures per measure and group: a row per measure, or per group where there is one measure."""

from typing import Any

import pytest

from analysis.values.estimate import Estimate
from features.plotting.series import Series, dots_by_group, series_dots
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
    assert not figure["layout"]["showlegend"]


@pytest.mark.parametrize("look", [Look(), Look(narrow=True), Look(on_card=True)])
def test_up_to_six_series_are_named_at_their_whiskers_and_more_keep_the_legend(look: Look) -> None:
    def drawn(number: int, name: str = "s") -> dict[str, Any]:
        series = [
            Series(f"{name}{at}", [Estimate(at / 10, at / 10 - 0.1, at / 10 + 0.1, 5), Estimate(0.5, n=5)])
            for at in range(number)
        ]
        return series_dots(["a", "b"], series, "r", look, shares=False)["layout"]

    for number in (2, 3, 6):
        told = [(note["text"], note["x"]) for note in drawn(number)["annotations"]]
        assert [text for text, _ in told] == [f"s{at}" for at in range(number)]
        assert not drawn(number)["showlegend"]
    assert told[0] == ("s0", 0.1)
    assert told[5] in [("s5", 0.4), ("s5", 0.6)]
    assert drawn(7)["showlegend"]
    assert drawn(2, name="a name without room at its whiskers " * 5)["showlegend"]
