"""Figures as they are sent: drawn once by the browser, and nothing of them lost."""

import json

import plotly.io

from features.plotting.panels import PreparedFigure, page_figure
from features.plotting.theme import Look


def figure(y: float, **more: object) -> dict:
    return {"data": [{"type": "scatter", "x": [1, 2], "y": [y, 2.5]}], "layout": Look().layout(**more)}


def test_the_same_data_have_the_same_revision_and_others_another():
    one, same, other = (page_figure(figure(y))["layout"]["datarevision"] for y in (1.0, 1.0, 1.5))
    assert one == same != other


def test_data_are_the_same_whichever_of_their_parts_are_one_object():
    part = [1.5, "a name".upper()]
    once, twice = (
        {"data": [{"x": first, "y": second}], "layout": {}}
        for first, second in ((part, part), (part, [1.5, "A NAME"]))
    )
    assert page_figure(once) == page_figure(twice)


def test_only_an_empty_template_stays_behind():
    given = figure(1.0, height=300)
    sent = json.loads(plotly.io.to_json(PreparedFigure(given), validate=False))
    assert "template" in given["layout"]
    assert "datarevision" not in given["layout"]
    assert sent["data"] == given["data"]
    expected = {name: part for name, part in given["layout"].items() if name != "template"}
    assert sent["layout"].pop("datarevision") > 0
    assert sent["layout"] == expected
    own = {"layout": {"font": {"size": 20}}}
    assert page_figure(figure(1.0, template=own))["layout"]["template"] == own
