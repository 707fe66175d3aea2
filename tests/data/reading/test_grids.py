"""Names of columns that are a full grid of two things, and what names look like."""

import pytest

from data.kinds.likely_names import look_like_items, look_like_measures, look_like_raters
from data.reading.wide_layouts import grids_of


@pytest.mark.parametrize(
    ("names", "first", "second"),
    [
        (
            ["Anna_fluency", "Anna_adequacy", "Ben_fluency", "Ben_adequacy"],
            ("Anna", "Ben"),
            ("fluency", "adequacy"),
        ),
        (["q/R1", "q/R2", "n/R1", "n/R2"], ("q", "n"), ("R1", "R2")),
        (
            [f"Please rate Clip {clip} [{what}]" for clip in (1, 2) for what in ("Naturalness", "Quality")],
            ("Please rate Clip 1", "Please rate Clip 2"),
            ("Naturalness", "Quality"),
        ),
        (["w_01_a", "w_01_b", "w_02_a", "w_02_b"], ("w_01", "w_02"), ("a", "b")),
    ],
)
def test_names_are_split_into_a_full_grid(
    names: list[str], first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    grid = grids_of(names)[0]
    assert (grid.first, grid.second) == (first, second)


@pytest.mark.parametrize(
    "names", [["a_1", "a_2", "b_1"], ["rater 1", "rater 2", "rater 3"], ["x", "y"], ["a_1", "a_1"]]
)
def test_names_that_are_no_full_grid_are_not_split(names: list[str]) -> None:
    assert grids_of(names) == []


@pytest.mark.parametrize(
    ("names", "looks"),
    [
        (["rater 1", "rater 2"], look_like_raters),
        (["ann@example.org", "ben@example.org"], look_like_raters),
        (["Anna", "Chloé", "Jean-Luc"], look_like_raters),
        (["clip_01.wav", "clip_02.wav"], look_like_items),
        (["Please rate the first summary", "Please rate the second one"], look_like_items),
        (["fluency", "Overall quality"], look_like_measures),
    ],
)
def test_names_look_like_one_thing_alone(names: list[str], looks: object) -> None:
    for judge in (look_like_raters, look_like_items, look_like_measures):
        assert (judge(names) >= 0.6) == (judge is looks), judge.__name__


def test_letters_with_a_number_may_be_anything() -> None:
    assert 0.5 < look_like_raters(["A1", "A2"]) < 0.6
    assert look_like_raters(["B1", "B2"]) == 0.0
