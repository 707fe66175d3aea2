"""The figures' shared look: fixed group colours, inert text, no way out of the page."""

import json

import plotly.graph_objects as go
from hypothesis import given
from hypothesis import strategies as st

from charts.parts.export import html
from charts.parts.theme import CONFIG, Look, axis, escape, group_colour, layout, shorten


def test_a_group_keeps_its_colour_whatever_its_role() -> None:
    groups = ["crowd", "lab", "experts"]
    assert [group_colour(g, groups) for g in groups] == ["#0072B2", "#E69F00", "#009E73"]
    assert group_colour("lab", groups) == group_colour("lab", tuple(groups))


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
    figure = go.Figure({"data": [], "layout": layout(Look(dark=True), xaxis=axis(Look(), "Rating (1–5)"))})
    assert figure.layout.xaxis.title.text == "Rating (1–5)"


def test_exported_figure_calls_no_server_and_offers_no_upload() -> None:
    page = html({"data": [{"type": "bar", "x": [1], "y": [2]}], "layout": layout(Look())}, Look())
    assert '"displaylogo": false' in page
    assert '"showSendToCloud": false' in page
    assert '<script src="http' not in page
    assert json.dumps(CONFIG)
