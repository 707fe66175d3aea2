"""Sections of "Ranking systems": the blocks that its page shows and its report prints."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np

from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Note, card_of, in_stages, method_of
from features.exclusion import count_ratings
from features.plotting.panels import text_trace
from features.plotting.series import Dot, axis_range, circle_markers, dots, row_chart, values_and_ends
from features.plotting.theme import (
    Look,
    PlotlyFigure,
    by_group,
    count,
    escape,
    estimate_in_table,
    group_colour,
    shorten,
)
from features.program import computed_by
from features.study import Scenario, Study
from features.systems import scores_findings as findings
from features.systems import scores_results as results
from features.systems.scores_findings import letters_are_readable, rank_with_interval
from features.systems.scores_results import RankedSystems, ScoresSpec

MOST_DRAWN, MOST_ON_CARD = 60, 12
"""Systems in the picture; of more, the first."""
_HEIGHT, _HEIGHT_ON_CARD, _ROW, _LOW_ROW = 560, 220, 26, 11
"""Height of all rows together, on a page and on a card, and the highest and lowest row, in pixels."""


def score_dots(
    ranked: RankedSystems, measure: str, group: str, groups: Sequence[str], look: Look
) -> PlotlyFigure:
    """Draw a row per system with its score by a group.

    Hollow dots without whiskers are the scores by everyone, where raters are excluded.
    """
    ranking, names = ranked.ranking, ranked.names
    shown = range(min(len(ranking), MOST_ON_CARD if look.on_card else MOST_DRAWN))
    height = _HEIGHT_ON_CARD if look.on_card else _HEIGHT
    row = min(max(height // max(len(shown), 1), _LOW_ROW), _ROW)
    scores = [ranking.scores[at] for at in shown]
    everyone, systems = ranked.by_everyone, ranking.systems[: len(shown)].tolist()
    before = {} if everyone is None else dict(zip(everyone.systems.tolist(), everyone.scores, strict=True))
    before = {at: Estimate(before[one].value) for at, one in enumerate(systems) if one in before}
    low, high = _score_axis(scores, before.values(), ranked.rating_range)
    size, with_letters = 9 if row > 18 else 7, letters_are_readable(ranking)
    hollow = circle_markers(look.faint, [True] * len(before))
    by_everyone = [Dot(at, score, "") for at, score in before.items()]
    found = [Dot(at, score, _hover(ranked, at)) for at, score in enumerate(scores)]
    traces = [
        dots(by_everyone, look.faint, size, hollow, hoverinfo="skip") | {"hovertemplate": None},
        dots(found, group_colour(group, groups), size, thickness=1.6),
    ]
    if with_letters:
        letters = [(high, at, ranking.letters[at]) for at in shown]
        traces.append(text_trace(letters, look.faint, 12 if row > 14 else 9.5, "middle right"))
    return row_chart(
        [str(names[ranking.systems[at]]) for at in shown],
        [trace for trace in traces if trace["x"]],
        {"title": by_group(shorten(measure, 40), group, groups), "range": [low, high]},
        look,
        row=row,
        remark=f"the first {len(shown)} of {count(len(ranking))} systems"
        if len(shown) < len(ranking)
        else "same letter: may be equal"
        if with_letters
        else "",
        right=14 + 8 * max(map(len, ranking.letters)) if with_letters else 14,
    )


def _score_axis(
    scores: Sequence[Estimate], before: Collection[Estimate], rating_range: tuple[float, float]
) -> tuple[float, float]:
    """Return the axis range for scores and their intervals, no wider than the lowest and highest rating that occur."""
    inside = [*values_and_ends(scores), *values_and_ends(before)]
    low, high = axis_range(inside, 0.04, 1e-9 if np.ptp(inside or [0.0]) > 0 else 2.0)
    values = [score.value for score in [*scores, *before]]
    lowest, highest = (
        axis_range([*rating_range, *values], 0.02) if np.isfinite(rating_range).all() else (low, high)
    )
    return max(low, lowest), min(high, highest)


def _hover(ranked: RankedSystems, at: int) -> str:
    ranking, score = ranked.ranking, ranked.ranking.scores[at]
    name, rank = escape(ranked.names[ranking.systems[at]]), rank_with_interval(ranking, at)
    text = f"{name}<br>{estimate_in_table(score, ranked.write_score)}<br>rank {rank}"
    if ranking.has_comparisons:
        text += f"<br>may be equal to {count(ranking.possibly_equal[at])} others"
    elif isnan(score.low) and ranking.reason:
        text += f"<br>no interval: {escape(ranking.reason)}"
    return f"{text}<br>{count(score.n)} ratings"


MOST_RATINGS_OF_CARD = 10_000_000
"""Ratings up to which the overview's card has intervals, which read each rating."""


@computed_by(
    results.ranking_stages,
    "results = {'scores': found.scores, 'letters': found.letters, 'ranking': found.ranking}",
)
def scores_section(study: Study, scenario: Scenario, spec: ScoresSpec) -> Iterator[Block]:
    """Yield the ranking of systems by their scores: first without intervals, unless these are there already."""
    if not results.has_systems(study, spec.measure):
        yield findings.missing_systems(study.candidate, spec.measure)
        return
    stages = results.ranking_stages(study, scenario, spec)
    yield from in_stages(stages, partial(_ranking_blocks, study, scenario, spec))
    bootstrap = spec.bootstrap
    yield method_of("systems", "scores", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)


def _ranking_blocks(
    study: Study, scenario: Scenario, spec: ScoresSpec, ranked: RankedSystems
) -> Iterator[Block]:
    if ranked.by_everyone is not None:
        yield findings.exclusion_finding(ranked, scenario)
    yield findings.ranking_finding(ranked, spec)
    if not len(ranked.ranking):
        return
    caption = (
        "Score of each system by {measure} with its 95% CI, the first on top. Systems that share a letter do not "
        "clearly differ. Intervals that reach beyond all ratings are cut at the axis."
    )
    draw = partial(score_dots, ranked, spec.measure, study.candidate, study.groups)
    yield Figure("systems", (caption, {"measure": spec.measure}), draw)
    yield findings.ranking_table(ranked, spec)
    yield from findings.ranking_notes(ranked)
    if ranked.ranking.has_comparisons:
        yield findings.pairs_table(ranked)


def scores_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    """Yield the ranking by the first measure for the overview; without intervals where there are many ratings."""
    spec = ScoresSpec(study.measures[0])
    is_ranked = results.has_systems(study, spec.measure)
    ratings = int(count_ratings(study, spec.measure, Scenario()).sum()) if is_ranked else 0
    is_tested = ratings <= MOST_RATINGS_OF_CARD
    if not is_tested:
        spec = replace(spec, bootstrap=BootstrapSpec(draws=0))
    yield from card_of(scores_section(study, scenario, spec), is_tested)
    if not is_tested:
        text = "Open the page for intervals: they read each of {ratings} ratings."
        yield Note((text, {"ratings": count(ratings)}))
