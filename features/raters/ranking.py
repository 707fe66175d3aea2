"""Raters ranked by their agreement, as figures and tables of all questions have them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan, nan

from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.correlation.two_columns import Correlation
from analysis.values.estimate import Estimate
from analysis.workers.worker_agreement import correlate_known_with_r
from features.plotting.panels import LEGEND_ON_TOP, at_top_right, remark, vertical_line
from features.plotting.series import (
    Dot,
    Point,
    axis_range,
    dots,
    point_chart,
    point_trace,
    row_chart,
    span_of,
    values_and_ends,
)
from features.plotting.theme import (
    GROUP_COLOURS,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    estimate_in_table,
    group_colour,
    point_marker,
    share,
    shorten,
)
from features.raters.typical_rater_findings import ABOVE, BELOW, ComparedRaters, verdicts

CHANCE = "not beyond chance"
"""Mark of a rater whose interval holds 0."""


@dataclass(frozen=True)
class RankedRater:
    """One rater: agreement with the others or itself, its verdict among all raters, and agreement with what is known.

    `p` is adjusted, NaN where the rater was not tested; `mark` is the word that a figure shows it with.
    """

    name: str
    group: str
    figure: Estimate
    verdict: str = ""
    p: float = nan
    mark: str = ""
    known: Estimate | None = None


@dataclass(frozen=True)
class KnownAnswers:
    """Known values that raters are compared with: in a sentence, on an axis, and whether agreement is a share."""

    name: str
    axis: str
    is_share: bool


@dataclass(frozen=True, eq=False)
class RaterRanking:
    """Raters in the order of `in_order`; those with fewer than `fewest` units are not drawn.

    `title` names their figure on an axis, `typical` is the typical rater's, NaN where nobody could be compared.
    """

    raters: Sequence[RankedRater]
    compared: ComparedRaters
    title: str
    fewest: int = FEWEST_UNITS
    known: KnownAnswers | None = None

    @property
    def typical(self) -> float:
        tests = self.compared.compared
        return nan if tests.reason else self.compared.statistic.value(tests.typical)

    @property
    def is_lone(self) -> bool:
        """True where there is one rater, with nobody to agree with."""
        return len(self.raters) == 1 and not self.raters[0].figure.defined

    @property
    def with_enough(self) -> list[RankedRater]:
        """Raters with enough units whose figure is defined."""
        return [one for one in self.raters if one.figure.defined and one.figure.n >= self.fewest]

    @property
    def drawn(self) -> list[RankedRater]:
        """The same, the lowest first; all with a figure where that leaves no two to compare."""
        enough = self.with_enough
        if len(enough) < 2:
            enough = [one for one in self.raters if one.figure.defined]
        return sorted(enough, key=lambda one: one.figure.value)

    def correlate_with_known(self) -> tuple[Correlation, Correlation]:
        """Return Pearson's and Spearman's correlation over raters of both agreements."""
        both = self.with_enough
        return correlate_known_with_r(
            [one.figure.value for one in both], [one.known.value if one.known else nan for one in both]
        )


def sort_places(figures: Sequence[Estimate]) -> list[int]:
    """Return places of raters: the lowest figure first, then those with few units, then undefined ones."""

    def place(at: int) -> tuple[bool, bool, float]:
        figure = figures[at]
        return not figure.defined, figure.n < FEWEST_UNITS, figure.value if figure.defined else 0.0

    return sorted(range(len(figures)), key=place)


def rank_raters(
    compared: ComparedRaters,
    groups: Sequence[str],
    known: Sequence[Estimate] | None = None,
    among: Sequence[ComparedRaters] = (),
    marks_chance: bool = False,
) -> list[RankedRater]:
    """Return the raters compared on one measure, in order.

    `groups` and `known` are in the order of `compared`; p values are adjusted over the measures `among` which it is.
    `marks_chance` marks those not beyond chance before those named.
    """
    found = verdicts(among or [compared])[compared.measure]
    raters = []
    for at in sort_places(compared.figures):
        name, figure = compared.names[at], compared.figures[at]
        verdict, p = found.get(name, ("", nan))
        mark = CHANCE if marks_chance and figure.low <= 0 else verdict
        raters.append(
            RankedRater(name, groups[at], figure, verdict, p, mark, None if known is None else known[at])
        )
    return raters


LOWEST, LOWEST_ON_CARD, HIGHEST = 27, 7, 3
"""Raters drawn at both ends of many."""
FEWEST_CUT = 5
"""Further raters that are all drawn: a remark on so few would take as much room."""
MOST_POINTS = 2000
"""Raters in the scatter; of more, those with most items."""
MARKS = {"": "circle", BELOW: "diamond", ABOVE: "square", CHANCE: "x"}
"""Symbols of marks, which are named in words at the first rater that has them."""
_WHISKERED = 30
"""Raters up to which the scatter has their intervals."""


def rater_dots(
    ranking: RaterRanking, groups: Sequence[str], excluded: Collection[str], look: Look
) -> PlotlyFigure:
    """Draw a row per rater, the lowest on top, both ends of many, excluded raters hollow."""
    every, lowest = ranking.drawn, LOWEST_ON_CARD if look.on_card else LOWEST
    cut = len(every) > lowest + HIGHEST + FEWEST_CUT
    shown = [*every[:lowest], *every[-HIGHEST:]] if cut else every
    rows = [at + (cut and at >= lowest) for at in range(len(shown))]
    names = [one.name for one in shown]
    if cut:
        names.insert(lowest, "")
    row = 24 if len(names) <= 12 and not look.on_card else 17 if len(names) <= 20 else 14
    of_groups = list(dict.fromkeys(one.group for one in shown))
    marks = [mark for mark in MARKS if any(one.mark == mark for one in shown)]
    traces: list[PlotlyFigure] = []
    placed = list(zip(rows, shown, strict=True))
    for group, mark in product(of_groups, marks):
        chosen = [(at, one) for at, one in placed if (one.group, one.mark) == (group, mark)]
        if chosen:
            color = group_colour(group, groups)
            symbols = [MARKS[mark] + ("-open" if one.name in excluded else "") for _, one in chosen]
            marker = {"symbol": symbols, "line": {"width": 1.5, "color": color}}
            drawn = [Dot(at, one.figure, _hover(one, excluded)) for at, one in chosen]
            name = escape(group) if len(of_groups) > 1 else ""
            is_first = all(trace["name"] != name for trace in traces)
            traces.append(dots(drawn, color, 8, marker, 1.3, name=name, showlegend=is_first))
    low, high = axis_range([0.0, *values_and_ends(one.figure for one in shown)], 0.04, 0.1)
    annotations = [
        _mark_name(mark, next((at, one) for at, one in placed if one.mark == mark), (low + high) / 2, look)
        for mark in marks
        if mark
    ]
    if cut:
        missing = f"{count(len(every) - len(shown))} of {count(len(every))}"
        between = f"{lowest} lowest above, {HIGHEST} highest below, {missing} raters not drawn"
        if look.narrow or look.on_card:
            between = f"{lowest} lowest, {HIGHEST} highest, {missing} not drawn"
        annotations.append(
            remark(between, look, x=0.5, y=lowest, yref="y", yanchor="middle", bgcolor=look.ground)
        )
    shapes = [vertical_line(0, look.faint, layer="below")]
    if not isnan(ranking.typical):
        shapes.append(vertical_line(ranking.typical, look.ink, dash="dash", layer="below"))
        mark_name = f"typical rater {decimal(ranking.typical)}"
        annotations.append(at_top_right(mark_name, look, x=ranking.typical, xref="x", xshift=-4))
    about = " (lowest on top)"
    if look.on_card and ranking.compared.measure:
        about = f", {shorten(ranking.compared.measure, 30)}"
    made = row_chart(
        names,
        traces,
        {"title": f"{ranking.title}{about}", "range": [low, high]},
        look,
        row=row,
        remark="" if shown else "no rater has a figure",
        annotations=annotations,
        hovermode="closest",
        shapes=shapes,
    )
    if len(of_groups) > 1:
        above = 70 if look.narrow or look.on_card else 48  # a legend of two lines
        height = made["layout"]["height"] + above - made["layout"]["margin"]["t"]
        made["layout"] |= {"showlegend": True, "legend": LEGEND_ON_TOP, "height": height}
        made["layout"]["margin"] |= {"t": above}
    return made


def _mark_name(mark: str, placed: tuple[int, RankedRater], middle: float, look: Look) -> PlotlyFigure:
    """Return the words of a mark next to a rater's whisker, on the side with more room."""
    row, one = placed
    ends = values_and_ends([one.figure])
    is_left = one.figure.value < middle
    place: PlotlyFigure = {
        "x": max(ends) if is_left else min(ends),
        "y": row,
        "xref": "x",
        "yref": "y",
        "xanchor": "left" if is_left else "right",
        "xshift": 8 if is_left else -8,
    }
    return remark(mark, look, bgcolor=look.ground, borderpad=0, **place)


def known_scatter(
    ranking: RaterRanking, known: KnownAnswers, groups: Sequence[str], look: Look
) -> PlotlyFigure:
    """Draw each rater at its agreement with the others and with what is known, the correlation written in it."""
    pearson, spearman = (one.estimate for one in ranking.correlate_with_known())
    both = [(one, one.known) for one in ranking.with_enough if one.known is not None and one.known.defined]
    drawn = sorted(both, key=lambda pair: -pair[0].figure.n)[:MOST_POINTS]
    points = [Point(one.name, one.figure, e, _hover(one, (), known)) for one, e in drawn]
    if len(drawn) > _WHISKERED:
        points = [replace(one, x=Estimate(one.x.value), y=Estimate(one.y.value)) for one in points]
    color = group_colour(drawn[0][0].group if drawn else "", groups)
    marker = point_marker(color, 8, many=len(drawn) > 100)
    trace = point_trace(points, "", GROUP_COLOURS.index(color), look, False, **marker, symbol="circle")
    x, y = (list(axis_range([0.0, *values], 0.05, least=0.1)) for values in span_of(points))
    rho = estimate_in_table(spearman)
    remark_text = f"r = {decimal(pearson.value)}, ρ = {rho}, {count(pearson.n)} raters"
    if len(drawn) < len(both):
        remark_text += f"<br>{count(len(drawn))} drawn, with most items"
    percent = {"tickformat": ".0%"} if known.is_share else {}
    x_axis, y_axis = {"title": ranking.title, "range": x}, {"title": known.axis, "range": y, **percent}
    return point_chart([trace], x_axis, y_axis, remark_text, look)


def _hover(rater: RankedRater, excluded: Collection[str], known: KnownAnswers | None = None) -> str:
    e = rater.figure
    lines = [escape(rater.name) + (" (excluded)" if rater.name in excluded else "")]
    lines.append(f"{estimate_in_table(e, THREE_DIGITS)}, n = {count(e.n)}")
    if rater.verdict:
        lines.append(f"{rater.verdict} the typical rater")
    if known is not None and rater.known is not None:
        of = rater.known
        value = f"{share(of.value, 1)} of {count(of.n)}" if known.is_share else decimal(of.value, 3)
        lines.append(f"{escape(known.name)}: {value}")
    return "<br>".join(lines)
