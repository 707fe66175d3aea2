"""Scores with a candidate's help beside those of the reference alone."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.plotting.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look


def corrected_dots(
    names: Sequence[str], alone: Sequence[Estimate], corrected: Sequence[Estimate], look: Look
) -> Figure:
    """A row per system, in it the reference alone and the corrected score."""
    series = [
        Series("Reference alone", alone, GROUP_COLOURS[0], GROUP_SYMBOLS[0]),
        Series("Corrected", corrected, GROUP_COLOURS[2], GROUP_SYMBOLS[2]),
    ]
    return series_dots(names, series, "Score", look, shares=False)
