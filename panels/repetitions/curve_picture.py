"""The picture of repetitions of ratings: the curves of each measure, with the fitted one and its knee."""

from collections.abc import Sequence

import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from charts.parts.figure import Figure
from charts.parts.panels import MOST
from charts.parts.theme import group_colour
from charts.repetitions.curves import repetitions
from findings.study import Study
from panels.parts.controls import measures_on_show
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.repetitions.rating_curves import curves_key
from panels.repetitions.settings import Settings


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Figure:
    """Draws the curves of the measures on show, and returns the figure for the download."""
    shown = measures_on_show(study.measures, MOST)
    figure = curves_figure(study, [one for one in fitted if one.measure in shown], chosen.correlation)
    draw(
        st,
        figure,
        key="curves",
        alt="Correlation against the number of ratings per item, one panel per measure, with fitted curve and knee",
    )
    let_it_be_drawn(curves_key(study, "picture", chosen.spec, chosen.sensitivity, tuple(shown)))
    return figure


def curves_figure(study: Study, fitted: Sequence[FittedCurves], correlation: str) -> Figure:
    """The curves in the candidate's colour."""
    return repetitions(fitted, correlation, group_colour(study.candidate, study.groups), look())
