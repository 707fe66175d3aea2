"""The grid of small pictures: pictures per row, and the space for titles."""

import pytest

from features.plotting.panels import grid, panel_title
from features.plotting.theme import Look

TITLES = [panel_title(name) for name in ("focus", "grammar", "clarity", "use", "quality")]


@pytest.mark.parametrize(("narrow", "beside"), [(False, 3), (True, 2)])
def test_a_phone_has_two_panels_beside_each_other(narrow: bool, beside: int) -> None:
    layout = grid(Look(narrow=narrow), TITLES, "ratings", "share").layout
    starts = {tuple(layout[f"xaxis{at}"]["domain"]) for at in ("", "2", "3", "4", "5")}
    assert len(starts) == beside
    assert all(0 <= low < high <= 1 for low, high in starts)


def test_a_single_panel_leaves_no_room_for_a_title() -> None:
    one, two = (grid(Look(), TITLES[:n], "ratings", "share").layout for n in (1, 2))
    assert one["margin"]["t"] < two["margin"]["t"]
    written = [{note["text"] for note in layout["annotations"]} for layout in (one, two)]
    assert "<b>focus</b>" not in written[0]
    assert "<b>focus</b>" in written[1]


def test_the_title_of_a_lone_square_stands_at_its_axis() -> None:
    """The square is narrower than its figure, whose edge may be far."""
    one, two = (grid(Look(), TITLES[:n], "lab", "crowd", square=True).layout for n in (1, 2))
    assert one["yaxis"]["title"]["text"] == "crowd"
    assert "crowd" not in {note["text"] for note in one["annotations"]}
    assert "crowd" in {note["text"] for note in two["annotations"]}
