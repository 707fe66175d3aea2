"""Systems by scores and by comparisons of pairs: both scales, their correlation, and where they differ."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from analysis.correlation.two_columns import spearman
from analysis.systems.scale_intervals import chance_estimates
from analysis.values.estimate import Estimate, Flags, Floats
from data.dataset import Dataset
from features.assessments import is_pairs
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Table,
    clear_if,
    confidence_interval,
    last_stage,
    method_of,
    too_few,
)
from features.plotting.series import Point, axis_range, point_chart, point_trace, span_of
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    Look,
    NumberFormat,
    PlotlyFigure,
    count,
    decimal,
    escape,
    estimate_in_table,
    shorten,
)
from features.program import computed_by
from features.study import Scenario, Study, open_study
from features.systems.scale_results import ScaleSpec, SystemsOnScale, scale_stages, usable
from features.systems.scores_results import RankedSystems, ScoresSpec, ranking_stages
from features.words import Column, counted, estimate_columns, listed, table_of

FEWEST = 4
"""Systems on both scales from which on their correlation has an interval."""
MOST_NAMED = 30
"""Systems whose names are drawn."""
TITLE = "Scores and comparisons"


@dataclass(frozen=True, eq=False)
class TwoScales:
    """Systems on both scales, the best by scores first.

    `scores` and `chances` (S,) with intervals; a lower score is better where `lowest_first`. `ahead` (S, S) is 1 where
    the row is better than the column by scores, -1 where worse, and `clear` where that is clear for all pairs at once;
    `won` and `clear_won` say the same of the comparisons. `left_out` are systems on one scale only,
    and `write_score` writes scores.
    """

    names: tuple[str, ...]
    scores: tuple[Estimate, ...]
    chances: tuple[Estimate, ...]
    lowest_first: bool
    ahead: Floats
    clear: Flags
    won: Floats
    clear_won: Flags
    left_out: tuple[str, ...]
    write_score: NumberFormat = decimal

    @property
    def correlation(self) -> Estimate:
        """Spearman's rho of both, positive where the better system by scores wins more often."""
        scores = np.array([each.value for each in self.scores]) * (-1 if self.lowest_first else 1)
        return spearman(scores, [each.value for each in self.chances]).estimate

    @property
    def differing(self) -> list[tuple[int, int]]:
        """Pairs that both scales order differently, the better one by scores first."""
        first, second = np.nonzero((self.ahead > 0) & (self.won < 0))
        return list(zip(first.tolist(), second.tolist(), strict=True))

    @property
    def contradicting(self) -> list[tuple[int, int]]:
        """Pairs that both scales clearly order differently."""
        return [pair for pair in self.differing if self.clear[pair] and self.clear_won[pair]]


def compare_scales(study: Study, scenario: Scenario, spec: ScoresSpec, joined: Dataset) -> TwoScales:
    """Place the systems of a study by its scores and by the comparisons of another data set.

    Parameters
    ----------
    study : study of ratings with systems
    scenario : raters of the scores to exclude, `Scenario()` for none
    spec : measure, and how scores and intervals are made
    joined : data set of choices between systems of the same names
    """
    ranked = last_stage(ranking_stages(study, scenario, spec))
    pairs = open_study(joined)
    scale = last_stage(scale_stages(pairs, ScaleSpec())) if is_pairs(pairs) else None
    found = _both_scales(ranked, scale, spec.ranks_lowest_first)
    return replace(found, write_score=ranked.write_score)


def _both_scales(ranked: RankedSystems, found: SystemsOnScale | None, lowest_first: bool) -> TwoScales:
    by_scores = ranked.ranked_names
    scale = None if found is None else found.scale
    on = [] if scale is None else [str(scale.systems[at]) for at in scale.places]
    names = tuple(name for name in by_scores if name in on)
    rows = [by_scores.index(name) for name in names]
    left_out = tuple(sorted({*by_scores} ^ {*on}))
    here = np.ix_(rows, rows)
    differences, pairs = ranked.ranking.pairs, len(names)
    values = np.array([ranked.ranking.scores[at].value for at in rows])
    ahead = np.sign(values[:, None] - values[None]) * (-1 if lowest_first else 1)
    none = np.zeros((pairs, pairs), dtype=np.bool_)
    if scale is None or found is None:
        return TwoScales(names, (), (), lowest_first, ahead, none, ahead, none, left_out)
    clear = none if differences is None or differences.reason else differences.is_different[here]
    places = [int(np.flatnonzero(scale.systems == name)[0]) for name in names]
    strength, drawn = scale.strength[places], usable(found.intervals)
    each = chance_estimates(scale, drawn)
    above = none if drawn is None else drawn.above[np.ix_(places, places)]
    return TwoScales(
        names,
        tuple(ranked.ranking.scores[at] for at in rows),
        tuple(each[at] for at in places),
        lowest_first,
        ahead,
        clear,
        np.sign(strength[:, None] - strength[None]),
        above | above.T,
        left_out,
    )


@computed_by(
    compare_scales, "results = {'rho': found.correlation, 'differing': found.differing, 'scales': found}"
)
def scales_section(study: Study, scenario: Scenario, spec: ScoresSpec, joined: Dataset) -> Iterator[Block]:
    """Yield both scales: whether they agree, each system on both, and the pairs that they order differently."""
    found = compare_scales(study, scenario, spec, joined)
    yield Heading(TITLE)
    yield _finding(found, spec)
    if not found.names:
        return
    caption = (
        "Each system by its score on {measure} and by comparisons ({file}), with 95% CIs.",
        {"measure": spec.measure, "file": joined.name},
    )
    yield Figure("two-scales", caption, partial(two_scales_chart, found, spec.measure))
    yield _systems_table(found)
    if len(found.differing):
        yield _pairs_table(found)
    yield method_of("systems", "two_scales", ["bradley1952"])


def _finding(found: TwoScales, spec: ScoresSpec) -> Finding:
    systems = counted(len(found.names), "system") + " on both"
    values: dict[str, object] = {"measure": spec.measure}
    if len(found.names) < FEWEST:
        step = NextStep("Add data", "datasets.py")
        purpose = "compare scores and comparisons"
        return too_few(purpose, values, systems, FEWEST, next_step=step, name="two scales")
    rho, opposite, differing = found.correlation, found.contradicting, found.differing
    pairs = len(found.names) * (len(found.names) - 1) // 2
    line = (
        f"Spearman's ρ {decimal(rho.value)}" if rho.defined else rho.reason,
        confidence_interval(rho),
        f"{count(len(differing))} of {counted(pairs, 'pair')} ordered differently",
        f"{count(len(opposite))} clearly" if differing else "",
        systems,
        "for systems like these",
    )
    if opposite:
        first, second = (found.names[at] for at in opposite[0])
        values |= {"first": shorten(first), "second": shorten(second)}
        headline = "Scores and comparisons clearly disagree on {first} and {second}."
        return clear_if(True, headline, values, *line, name="two scales")
    settled = rho.defined and rho.excludes()
    headline = "Whether scores and comparisons rank systems alike is unclear."
    if settled:
        alike = "alike" if rho.value > 0 else "in opposite orders"
        headline = f"Scores and comparisons rank systems {alike}, ρ = <b>{{rho}}</b>."
        values["rho"] = decimal(rho.value)
    return clear_if(settled, headline, values, *line, name="two scales")


def _systems_table(found: TwoScales) -> Table:
    scores, wins = list(found.scores), list(found.chances)
    of_scores, *ends_of_scores = estimate_columns("Score", scores, found.write_score)
    of_wins, *ends_of_wins = estimate_columns("Chance to win", wins, PERCENT_ONE_DIGIT)
    caption = "Systems on both scales, the best by scores first."
    left = "" if not found.left_out else " On one scale only: {left}."
    return table_of(
        "both",
        (caption + left, {"left": listed(list(found.left_out), 6)}),
        [Column("System", list(found.names)), of_scores, of_wins, *ends_of_scores, *ends_of_wins],
    )


def _pairs_table(found: TwoScales) -> Table:
    pairs = sorted(found.differing, key=lambda pair: not (found.clear[pair] or found.clear_won[pair]))

    def told(clear: Flags) -> list[str]:
        return ["yes" if clear[pair] else "no" for pair in pairs]

    return table_of(
        "ordered-differently",
        "Pairs that scores and comparisons order differently.",
        [
            Column("Better by scores", [found.names[first] for first, _ in pairs]),
            Column("Wins more often", [found.names[second] for _, second in pairs]),
            Column("Clear by scores", told(found.clear)),
            Column("Clear by comparisons", told(found.clear_won)),
        ],
    )


def two_scales_chart(found: TwoScales, measure: str, look: Look) -> PlotlyFigure:
    """Draw a point per system with both intervals; those in most clear contradictions are a series of their own."""
    times = Counter(at for pair in found.contradicting for at in pair)
    opposite = {at for at in times if times[at] == max(times.values())}
    points = [
        Point(name, score, chance, _hover(found, name, score, chance))
        for name, score, chance in zip(found.names, found.scores, found.chances, strict=True)
    ]
    is_named = len(points) <= MOST_NAMED
    traces = [
        point_trace([point for at, point in enumerate(points) if at not in opposite], "", 0, look, is_named),
        point_trace([points[at] for at in sorted(opposite)], "most disagreement", 1, look, is_named),
    ]
    across, upwards = span_of(points)
    low, high = axis_range(across, 0.08, 1e-9)
    x = {"title": shorten(measure, 40), "range": [high, low] if found.lowest_first else [low, high]}
    low, high = axis_range(upwards, 0.08, 1e-9)
    y = {"title": "Chance to win", "range": [max(low, 0.0), min(high, 1.0)], "tickformat": ".0%"}
    return point_chart(traces, x, y, f"ρ = {decimal(found.correlation.value)}", look)


def _hover(found: TwoScales, name: str, score: Estimate, chance: Estimate) -> str:
    in_words = estimate_in_table(score, found.write_score)
    return f"{escape(name)}<br>score {in_words}<br>wins {estimate_in_table(chance, PERCENT_ONE_DIGIT)}"
