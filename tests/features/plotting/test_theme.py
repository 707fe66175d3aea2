"""The figures' shared look: fixed group colours, inert text, no way out of the page."""

import json
import re
import tomllib
from inspect import getsource
from pathlib import Path

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.plotting.export import html
from features.plotting.theme import (
    CONFIG,
    GROUP_COLOURS,
    SHUFFLE_GREY,
    Look,
    escape,
    group_colour,
    group_dash,
    group_symbol,
    shorten,
)
from server.static_files import PAGE_STYLE
from ui import elements

ROOT = Path(__file__).resolve().parents[3]


def luminance(colour: str) -> float:
    """Relative luminance of a `#rrggbb` colour (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)  # WCAG's well-known near miss


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_points_and_text_are_seen_on_their_ground(look: Look) -> None:
    assert all(contrast(colour, look.ground) >= 3 for colour in (*GROUP_COLOURS, SHUFFLE_GREY))
    assert all(contrast(colour, look.ground) >= 4.5 for colour in (look.ink, look.faint))
    for light_and_dark in re.findall(r"light-dark\((#\w{6}),(#\w{6})\)", getsource(elements)):
        text = light_and_dark[look.dark]
        assert contrast(text, look.ground) >= 4.5 or text in ("#FFFFFF", "#1B1F24")  # grounds of their own


def test_a_group_keeps_its_colour_whatever_its_role() -> None:
    groups = ["one", "two", "three"]
    assert [group_colour(g, groups) for g in groups] == list(GROUP_COLOURS[:3])
    assert group_colour("one", groups) == group_colour("one", tuple(groups))


def test_groups_of_the_same_name_look_the_same_in_every_study() -> None:
    studies = (["crowd", "lab"], ["lab", "crowd"], ["other", "Crowd_mturk_en", "lab 2"], ["crowd"])
    for groups in studies:
        for group in groups:
            if "lab" in group:
                assert group_colour(group, groups) == GROUP_COLOURS[0]
                assert group_symbol(group, groups) == "circle"
            elif group != "other":
                assert (group_colour(group, groups), group_dash(group, groups)) == (GROUP_COLOURS[1], "dash")
    assert group_colour("other", studies[2]) == GROUP_COLOURS[2]


@given(st.lists(st.text(alphabet="labcrowdexpert 1", max_size=8), unique=True, min_size=1, max_size=6))
def test_no_two_of_six_groups_look_alike(groups: list[str]) -> None:
    assert len({group_colour(group, groups) for group in groups}) == len(groups)


def test_a_label_is_no_laboratory() -> None:
    assert group_colour("label", ["crowd", "label"]) == GROUP_COLOURS[0]
    assert group_colour("labels", ["labels", "lab"]) == GROUP_COLOURS[1]


@given(st.text())
def test_escaped_text_holds_no_tag_and_no_formula(text: str) -> None:
    for shown in (escape(text), shorten(text, 10)):
        assert "<" not in shown
        assert ">" not in shown
        assert "$" not in shown


def test_shortened_text_shows_that_it_was_cut() -> None:
    assert shorten("structure and coherence", 12) == "structure a…"
    assert shorten("focus", 12) == "focus"


def test_layout_and_axes_are_valid_plotly() -> None:
    figure = go.Figure({"data": [], "layout": Look(dark=True).layout(xaxis=Look().axis("Rating (1–5)"))})
    assert figure.layout.xaxis.title.text == "Rating (1–5)"


def test_exported_figure_calls_no_server_and_offers_no_upload() -> None:
    page = html({"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": Look().layout()}, Look())
    assert '"displaylogo": false' in page
    assert '"showSendToCloud": false' in page
    assert '<script src="http' not in page
    assert json.dumps(CONFIG)


THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_controls_are_seen_in_both_themes(scheme: str) -> None:
    colours = THEME[scheme]
    [filled] = set(re.findall(r"background-color:(#\w{6})", PAGE_STYLE))
    assert contrast("#FFFFFF", filled) >= 4.5
    for ground in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(filled, ground) >= 3  # primary buttons and chosen options
        assert (
            contrast(colours["primaryColor"], ground) >= 4.5
        )  # the value of a slider; its rail, focus rings, tabs
        assert contrast(colours["linkColor"], ground) >= 4.5
        assert contrast(colours["textColor"], ground) >= 4.5
