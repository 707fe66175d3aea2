"""Scores of systems as dots with whiskers, the first on top; systems that share a letter do not clearly differ."""

from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.systems.system_ranking import SystemRanking
from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import texts
from features.plotting.numbers import count, decimal_with_interval
from features.plotting.theme import GROUP_COLOURS, Look, escape, shorten
from features.plotting.whiskers import Dot, dots, ends, outlined, row_chart, span
from features.systems.scores_findings import letters_are_readable, rank_with_interval
from features.systems.scores_results import RankedSystems

MOST_DRAWN = 60
"""Systems in the picture; of more, the first."""
_HEIGHT, _ROW, _LOW_ROW = 560, 26, 11
"""Of all rows together, and between what heights a row lies, in pixels."""


def score_dots(ranked: RankedSystems, measure: str, look: Look) -> PlotlyFigure:
    """Draw a row per system; hollow dots without whiskers are the scores by everyone, where raters are excluded."""
    ranking, names = ranked.ranking, ranked.names
    shown = range(min(len(ranking), MOST_DRAWN))
    row = min(max(_HEIGHT // max(len(shown), 1), _LOW_ROW), _ROW)
    scores = [ranking.scores[at] for at in shown]
    before = {at: one for at, one in _before(ranking, ranked.by_everyone).items() if at in shown}
    inside = [*ends(scores), *ends(before.values())]
    low, high = span(inside, 0.04, 1e-9 if np.ptp(inside or [0.0]) > 0 else 2.0)
    size, with_letters = 9 if row > 18 else 7, letters_are_readable(ranking)
    hollow = outlined(look.faint, [True] * len(before))
    by_everyone = [Dot(at, score, "") for at, score in before.items()]
    found = [Dot(at, score, _hover(ranking, names, at)) for at, score in enumerate(scores)]
    traces = [
        dots(by_everyone, look.faint, size, hollow, hoverinfo="skip") | {"hovertemplate": None},
        dots(found, GROUP_COLOURS[0], size, thickness=1.6),
    ]
    if with_letters:
        letters = [(high, at, ranking.letters[at]) for at in shown]
        traces.append(texts(letters, look.faint, 12 if row > 14 else 9.5, "middle right"))
    is_cut = len(shown) < len(ranking)
    return row_chart(
        [str(names[ranking.systems[at]]) for at in shown],
        [trace for trace in traces if trace["x"]],
        {"title": shorten(measure, 40), "range": [low, high]},
        look,
        row=row,
        remark=f"the first {len(shown)} of {count(len(ranking))} systems" if is_cut else "",
        right=14 + 8 * max(map(len, ranking.letters)) if with_letters else 14,
    )


def _before(ranking: SystemRanking, everyone: SystemRanking | None) -> dict[int, Estimate]:
    """Scores by everyone, by the row of their system."""
    if everyone is None:
        return {}
    by_system = dict(zip(everyone.systems.tolist(), everyone.scores, strict=True))
    return {
        at: Estimate(by_system[system].value)
        for at, system in enumerate(ranking.systems.tolist())
        if system in by_system
    }


def _hover(ranking: SystemRanking, names: NDArray[np.str_], at: int) -> str:
    score = ranking.scores[at]
    name, rank = escape(names[ranking.systems[at]]), rank_with_interval(ranking, at)
    told = f"{name}<br>{decimal_with_interval(score)}<br>rank {rank}"
    if ranking.compared:
        told += f"<br>may be equal to {count(ranking.not_told_apart[at])} others"
    elif isnan(score.low) and ranking.reason:
        told += f"<br>no interval: {escape(ranking.reason)}"
    return f"{told}<br>{count(score.n)} ratings"
