"""Contents of the figures of Repetitions."""

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.agreement.agreement_summary import AgreementSummary, agreement_summary
from analysis.agreement.intraclass import one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.repetitions import attenuation
from analysis.repetitions.attenuation import extrapolate
from analysis.repetitions.knee import FittedCurves, knee, knee_interval, knees_by_repetitions
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.resampled_ratings import resampled_curves
from analysis.repetitions.saturation import Curves, Saturation, fit, quantiles
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from features.plotting.theme import Look
from features.repetitions.figures import (
    knees_by_number,
    model_curves,
    named_curves,
    needed_dots,
    repetition_curves,
)
from features.repetitions.ratings_results import MeasureRules, Needed

INK = Look().ink


def rated(m=14, seed=0):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(30), m)
    score = np.clip(np.rint(3 + rng.normal(0, 0.8, 30)[item] + rng.normal(0, 0.9, len(item))), 1, 5)
    ratings = Ratings(item, np.tile(np.arange(m), 30), score)
    return ratings, {i: float(v) + rng.normal(0, 0.1) for i, v in enumerate(ratings.mos().means)}


def panel(shuffles=5, measure="focus", **spec):
    curves = simulate(*rated(), RepetitionSpec(shuffles=shuffles, **spec))
    saturation = fit(curves)
    return FittedCurves(
        measure, curves, saturation, knee(saturation.a, saturation.b, saturation.c, curves.repetitions)
    )


def named(figure):
    return [trace["name"] for trace in figure["data"]]


@pytest.mark.parametrize("shuffles", [0, 1, 5, 10, 11, 60])
def test_shuffles_are_single_lines_up_to_ten_and_a_band_beyond(shuffles):
    one = panel(shuffles)
    figure = repetition_curves([one], "Spearman's ρ", "#0072B2", Look())
    lines = [trace for trace in figure["data"] if trace["name"] == "Shuffles"]
    if shuffles <= 10:
        assert len(lines) == shuffles
        for line, curve in zip(lines, one.curves.shuffled, strict=True):
            np.testing.assert_allclose(line["y"], curve, atol=5e-5)
    else:
        assert named(figure) == ["Shuffles, 5–95%", "Shuffles, median", "Fitted", "Measured order"]
        band, median = figure["data"][:2]
        np.testing.assert_allclose(median["y"], np.median(one.curves.shuffled, axis=0), atol=5e-5)
        high, low = band["y"][:14], band["y"][:13:-1]
        np.testing.assert_allclose(high, np.quantile(one.curves.shuffled, 0.95, axis=0), atol=5e-5)
        np.testing.assert_allclose(low, np.quantile(one.curves.shuffled, 0.05, axis=0), atol=5e-5)


def test_a_single_number_of_ratings_is_a_point_of_each_order():
    one = panel(60, repetitions=1)
    figure = repetition_curves([one], "Spearman's ρ", "#0072B2", Look())
    modes = {trace["name"]: trace["mode"] for trace in figure["data"]}
    assert "markers" in modes["Shuffles, median"]
    assert "markers" in modes["Measured order"]


def test_the_fitted_curve_and_the_knee_are_drawn():
    one = panel()
    figure = repetition_curves([one], "Spearman's ρ", "#0072B2", Look())
    fitted = next(trace for trace in figure["data"] if trace["name"] == "Fitted")
    np.testing.assert_allclose(fitted["y"], one.saturation.at(fitted["x"]), atol=5e-5)
    assert fitted["line"]["color"] == INK
    assert [s["x0"] for s in figure["layout"]["shapes"] if "domain" not in s["xref"]] == [one.knee]
    assert f"knee <b>{one.knee}</b>" in [note["text"] for note in figure["layout"]["annotations"]]


def test_the_curves_band_is_drawn_where_it_is_given():
    one = panel()
    low, high = one.curves.measured - 0.3, one.curves.measured + 0.01
    figure = repetition_curves([one], "Spearman's ρ", "#0072B2", Look(), bands=[(low, high)])
    ends = [trace for trace in figure["data"] if trace["name"] == "95% CI"]
    for end, drawn in zip((low, high), ends, strict=True):
        np.testing.assert_allclose(drawn["y"], end, atol=5e-5)
    assert [end["showlegend"] for end in ends] == [True, False]
    assert figure["layout"]["yaxis"]["range"][0] <= low.min()


def test_votes_are_called_votes():
    figure = repetition_curves([panel()], "Share of items", "#0072B2", Look(), "votes")
    assert "Votes per item" in [note["text"] for note in figure["layout"]["annotations"]]
    assert all("votes" in trace["hovertemplate"] for trace in figure["data"])


def test_only_shares_of_votes_are_in_percent():
    votes, ratings = (
        repetition_curves([panel()], "y", "#0072B2", Look(), given) for given in ("votes", "ratings")
    )
    assert votes["layout"]["yaxis"]["tickformat"] == ".0%"
    assert "tickformat" not in ratings["layout"]["yaxis"]


def test_undefined_curves_leave_gaps_and_no_knee():
    curves = Curves(np.array([0.2, np.nan, 0.4]), np.full((20, 3), np.nan), np.full(3, 9), reason="…")
    nothing = Saturation(np.nan, np.nan, np.nan, np.nan, np.full(20, np.nan), 3, 2, "no saturation")
    figure = repetition_curves([FittedCurves("m", curves, nothing, None)], "ρ", "#0072B2", Look())
    measured = figure["data"][-1]
    assert measured["y"] == [0.2, None, 0.4]
    assert "Fitted" not in named(figure)
    assert figure["layout"]["shapes"] == []
    json.dumps(figure, allow_nan=False)


def test_split_halves_are_carried_on_past_half():
    ratings, _ = rated()
    curves = simulate(ratings, None, RepetitionSpec(shuffles=5))
    beyond = extrapolate(curves, 15)
    figure = repetition_curves([FittedCurves("m", curves, fit(curves), None, beyond)], "ρ", "#0072B2", Look())
    dotted = next(trace for trace in figure["data"] if trace["line"].get("dash") == "dot")
    assert dotted["x"][0] == 7
    assert dotted["x"][-1] == 15
    np.testing.assert_allclose(dotted["y"], beyond.curve[6:], atol=5e-5)


def test_hostile_names_stay_text():
    figure = repetition_curves([panel(measure="<a href='x'>$m$</a>"), panel()], "ρ", "#0072B2", Look())
    written = json.dumps(figure)
    assert "<a" not in written
    assert "$m$" not in written


def test_quantiles_equal_numpys_where_values_are_missing():
    rows = np.random.default_rng(0).normal(size=(40, 6))
    rows[::3, 2] = np.nan
    rows[:, 4] = np.nan
    for share in (0.05, 0.5, 0.95):
        drawn = quantiles(rows, (share,))[0]
        expected = [np.nan if np.isnan(c).all() else np.nanquantile(c, share) for c in rows.T]
        np.testing.assert_allclose(drawn, expected)


def measured(curves, interval=None):
    ratings, _ = rated()
    fitted = FittedCurves("focus", curves, fit(curves), None)
    parts = one_way_intervals(ratings), agreement_summary(ratings)
    return MeasureRules(fitted, attenuation.fit(curves), one_way(ratings), (), interval, *parts)


def test_both_models_reach_twice_as_far_as_the_ratings():
    ratings, reference = rated()
    spec = RepetitionSpec(shuffles=20)
    curves = simulate(ratings, reference, spec)
    interval = knee_interval(curves, resampled_curves(ratings, reference, spec, BootstrapSpec(draws=10)))
    one = measured(curves, interval)
    figure = model_curves(one, curves.points.mean(axis=0), "ρ", "#0072B2", Look())
    assert named(figure) == ["95% CI", "Mean over orders", "Exponential", "Attenuation"]
    assert [len(trace["x"]) for trace in figure["data"]] == [28, 14, 28, 28]
    np.testing.assert_allclose(figure["data"][3]["y"], one.attenuation.at(np.arange(1, 29)), atol=5e-5)
    assert figure["layout"]["shapes"][1]["y0"] == one.attenuation.rho_inf
    json.dumps(figure, allow_nan=False)


def test_undefined_models_are_not_drawn():
    curves = Curves(np.array([0.5, 0.4, 0.3]), np.zeros((0, 3)), np.full(3, 9))
    one = measured(curves, knee_interval(curves, np.empty((0, 3))))
    falling = attenuation.fit(Curves(-curves.measured, np.zeros((0, 3)), np.full(3, 9)))
    figure = model_curves(replace(one, attenuation=falling), curves.measured, "ρ", "#0072B2", Look())
    assert named(figure) == ["Mean over orders"]


def needed(measure, ratings, low, high):
    one = Estimate(0.3, -0.1 if ratings is None else 0.2, 0.4, 50)
    found = Estimate(np.nan) if ratings is None else Estimate(ratings, low, high, 50)
    return Needed(measure, AgreementSummary(one, one, one, 24.0, 8, per_item=24.0), found)


def test_ratings_needed_are_sorted_and_the_ratings_collected_are_marked():
    rows = [needed("focus", 6, 4, 9), needed("style", None, 0, 0), needed("<b>", 19, 10, np.inf)]
    figure = needed_dots(rows, 0.8, "#0072B2", Look())
    (dots,) = figure["data"]
    assert dots["x"] == [19, 6]
    assert dots["error_x"]["arrayminus"] == [9, 2]
    assert figure["layout"]["yaxis"]["ticktext"] == ["&lt;b&gt;", "focus", "style"]
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [24]
    notes = {note["text"]: note for note in figure["layout"]["annotations"]}
    assert notes["collected: 24"]["x"] == pytest.approx(np.log10(24))
    assert notes["no number"]["y"] == 2
    json.dumps(figure, allow_nan=False)


def test_the_knee_against_m_marks_what_was_collected():
    curve = Saturation(0.54, 0.271, 0.33, 1, np.ones(0), 24, 24)
    figure = knees_by_number(knees_by_repetitions(curve, 48), 24, 8, Look())
    between, whole, here = figure["data"]
    assert whole["y"][23] == 8
    assert whole["y"][47] == 10
    assert whole["y"][0] is None
    assert (here["x"], here["y"]) == ([24], [8])
    assert len(between["x"]) == 48
    json.dumps(figure, allow_nan=False)


def test_aggregations_differ_by_more_than_colour():
    curves = {
        name: np.linspace(0.2, 0.8, 5) + at / 100 for at, name in enumerate(["mean", "median", "trimmed"])
    }
    figure = named_curves(curves, "ρ", Look())
    assert named(figure) == list(curves)
    assert len({trace["line"]["dash"] for trace in figure["data"]}) == 3
    assert len({trace["marker"]["symbol"] for trace in figure["data"]}) == 3
    np.testing.assert_allclose(figure["data"][1]["y"], curves["median"], atol=5e-5)
