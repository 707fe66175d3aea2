"""Metric scatter: what is drawn is what was found, and text from a study is inert."""

import json

import numpy as np
import plotly.graph_objects as go

from analysis.assessors.automatic_metrics import MetricScores, metric_agreement
from analysis.values.estimate import BootstrapSpec
from features.metrics.results import Metric, MetricResult, MetricSpec
from features.metrics.section import MOST_POINTS, scatter
from features.plotting.theme import Look

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> <a href="javascript:1">$x$'


def found(*measures, without=(), systems=5, name=None, metric="rouge2"):
    rng = np.random.default_rng(systems)
    system, topic = np.repeat(np.arange(systems), 4), np.tile(np.arange(4), systems)
    quality = rng.normal(0, 1, systems)[system]
    agreement = metric_agreement(
        MetricScores(
            quality + rng.normal(0, 0.3, len(system)),
            np.arange(len(system)),
            system,
            topic,
            np.where(system == 0, 0, topic % 2),
            quality + rng.normal(0, 0.3, len(system)),
        ),
        without,
        bootstrap=BootstrapSpec(draws=0),
    )
    names = np.array([name or f"system {at}" for at in agreement.systems])
    of_each, ranked = dict.fromkeys(measures, agreement), dict.fromkeys(measures, names)
    return MetricResult(MetricSpec(Metric(metric, "items", metric)), of_each, ranked, "systems")


def named(figure, name):
    return [trace for trace in figure["data"] if trace["name"] == name]


def test_every_system_stands_at_its_metric_and_score():
    one = found("Pyramid", "Readability")
    figure = scatter(one, ["Pyramid", "Readability"], LOOK)
    go.Figure(figure)
    dots, _ = named(figure, "Everyone")
    assert dots["x"] == one.agreements["Pyramid"].metric_before.tolist()
    assert dots["y"] == one.agreements["Pyramid"].human_before.tolist()
    assert len(figure["data"]) == 2
    assert not figure["layout"]["showlegend"]
    marked = scatter(one, ["Pyramid"], LOOK, "#E69F00")
    assert marked["data"][0]["marker"]["color"] != dots["marker"]["color"], "the color of the group"
    assert marked["layout"]["xaxis"]["nticks"] > figure["layout"]["xaxis"]["nticks"], (
        "of one there is more room"
    )


def test_an_exclusion_is_hollow_and_lost_systems_are_marked():
    one = found("Pyramid", without=[0])  # system 0 was judged by rater 0 only
    agreement = one.agreements["Pyramid"]
    figure = scatter(one, ["Pyramid"], LOOK)
    go.Figure(figure)
    (after,) = named(figure, "Without them")
    assert after["marker"]["symbol"] == "circle-open"
    assert after["y"] == agreement.human_after[1:].tolist()
    (lost,) = named(figure, "No ratings left")
    assert lost["y"] == [agreement.human_before[0]]
    (moves,) = named(figure, "Move")
    assert moves["x"][:3] == [agreement.metric_before[1], agreement.metric_after[1], None]
    assert figure["layout"]["showlegend"]


def test_many_systems_are_thinned():
    (dots,) = scatter(found("m", systems=MOST_POINTS + 1), ["m"], LOOK)["data"]
    assert len(dots["x"]) <= MOST_POINTS


def test_names_from_a_study_are_inert():
    text = json.dumps(scatter(found(BAD, without=[0], name=BAD, metric=BAD), [BAD], LOOK))
    assert "<img" not in text
    assert "<a " not in text
    assert "$" not in text
