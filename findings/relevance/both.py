"""Agreement with gold and with one's own judgment of the full text, and the pictures of both."""

from functools import partial

from analysis.relevance.side_by_side import SideBySide, side_by_side
from analysis.values.estimate import BootstrapSpec
from charts.relevance.speed import TRADEOFF_HEIGHT, Tradeoff, tradeoff
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.plotting.theme import Look
from features.results import at_once, with_intervals
from features.study import Study
from findings.relevance.agreement import figure_of, sides
from findings.relevance.rows import Rows
from findings.relevance.surrogates import LDC, Surrogates

_LABEL = "Intervals"


def both_at_once(study: Study, rows: Rows) -> SideBySide:
    """Both agreements without intervals, shared with other panels."""
    return at_once(study, _LABEL, partial(side_by_side, rows.judged, rows.full_text), rows.full_text)


def both_with_intervals(study: Study, rows: Rows, bootstrap: BootstrapSpec) -> SideBySide | None:
    """The same with intervals; None while stopped."""
    compute = partial(side_by_side, rows.judged, rows.full_text)
    return with_intervals(study, _LABEL, compute, bootstrap, rows.full_text)


def agreement_dots(surrogates: Surrogates, both: SideBySide, figure: str, look: Look) -> Figure:
    """Either agreement of each surrogate."""
    series = [
        Series(name, [figure_of(side[at], figure) for at in surrogates.there]) for name, side in sides(both)
    ]
    return series_dots(
        [surrogates.names[at] for at in surrogates.there],
        series,
        figure,
        look,
        shares=not figure.startswith("Kappa"),
        height=TRADEOFF_HEIGHT,
    )


def speed_figure(surrogates: Surrogates, both: SideBySide, look: Look) -> Figure | None:
    """What each summary loses by either agreement for the seconds that it saves; None where nobody knows."""
    series = []
    for name, _ in sides(both):
        lost = both.ldc_lost if name == LDC else both.prediction_lost
        points = [
            Tradeoff(surrogates.names[at], both.seconds_saved[at], lost[at])
            for at in surrogates.summaries
            if both.seconds_saved[at].defined and lost[at].defined
        ]
        if points:
            series.append((name, points))
    return tradeoff(series, surrogates.full_text_name, look) if series else None
