"""The picture of systems' scores: a row for each, whiskers and letters as told, names as inert text."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking
from features.plotting.theme import group_colour
from features.systems.scores_results import RankedSystems
from features.systems.scores_section import MOST_DRAWN, score_dots
from tests.features.raters.drawn_studies import BAD, LOOK, names, study

BY = "crowd", ("lab", "crowd")


def ranking(systems: int = 4, gone: tuple[int, ...] = (), without: bool = False) -> SystemRanking:
    rows = study(systems)
    point = exclusion(*rows, gone)
    drawn = intervals(*rows, point, ExclusionSpec(draws=50))
    return system_ranking(point, drawn, np.full(systems, 12), without)


def ranked(of: SystemRanking, called: np.ndarray, everyone: SystemRanking | None = None) -> RankedSystems:
    return RankedSystems(of, everyone, called, exclusion(*study(4)), 3)


def test_rows_are_the_systems_from_the_first_down_with_whiskers_and_letters() -> None:
    found = ranking()
    figure = score_dots(ranked(found, names(4)), "focus", *BY, LOOK)
    go.Figure(figure)
    dots, letters = figure["data"]
    assert dots["x"] == [score.value for score in found.scores] == sorted(dots["x"], reverse=True)
    assert dots["error_x"]["array"][0] == found.scores[0].high - found.scores[0].value
    assert tuple(letters["text"]) == found.letters
    assert figure["layout"]["yaxis"]["ticktext"][0] == f"system {found.systems[0]}"
    assert dots["marker"]["color"] == group_colour(*BY)
    assert figure["layout"]["xaxis"]["title"]["text"] == "focus by crowd"


def test_the_axis_ends_with_the_scale_where_intervals_reach_beyond_it() -> None:
    found = ranking()
    inside = replace(ranked(found, names(4)), rating_range=(-10.0, 10.0))
    values = [score.value for score in found.scores]
    cut = replace(inside, rating_range=(min(values), max(values)))
    wide, narrow = (
        score_dots(each, "focus", *BY, LOOK)["layout"]["xaxis"]["range"] for each in (inside, cut)
    )
    whiskers = [end for score in found.scores for end in (score.low, score.high)]
    assert wide[0] < min(whiskers) < max(whiskers) < wide[1]
    assert wide[0] < narrow[0] < min(values) < max(values) < narrow[1] < wide[1]
    assert (
        score_dots(cut, "focus", *BY, LOOK)["data"][0]["error_x"]
        == (score_dots(inside, "focus", *BY, LOOK)["data"][0]["error_x"])
    )


def test_scores_by_everyone_stand_hollow_in_the_row_of_their_system() -> None:
    everyone, left = ranking(gone=(0,)), ranking(gone=(0,), without=True)
    before, dots, _ = score_dots(ranked(left, names(4), everyone), "focus", *BY, LOOK)["data"]
    by_system = dict(zip(everyone.systems.tolist(), everyone.scores, strict=True))
    assert before["x"] == [by_system[system].value for system in left.systems.tolist()]
    assert set(before["marker"]["symbol"]) == {"circle-open"}
    assert before["y"] == dots["y"]


def test_of_too_many_the_first_are_drawn_which_is_said() -> None:
    figure = score_dots(ranked(ranking(MOST_DRAWN + 5), names(MOST_DRAWN + 5)), "focus", *BY, LOOK)
    assert len(figure["data"][0]["x"]) == MOST_DRAWN
    assert figure["layout"]["annotations"][0]["text"] == "the first 60 of 65 systems"


def test_names_are_inert() -> None:
    figure = score_dots(ranked(ranking(), np.array([BAD] * 4)), BAD, *BY, LOOK)
    assert "<img" not in str(figure)
    assert "<a " not in str(figure)
