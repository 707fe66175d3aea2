"""Raters ranked by their agreement, as figures and tables of all questions have them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, nan

from analysis.assessors.typical_rater import FEWEST_UNITS
from analysis.correlation.two_columns import Correlation
from analysis.values.estimate import Estimate
from analysis.workers.worker_agreement import correlate_known_with_r
from features.plotting.panels import LEGEND_ON_TOP, at_top_right, remark, vertical_line
from features.plotting.series import Dot, axis_range, dots, error_bars, row_chart, values_and_ends
from features.plotting.theme import (
    Look,
    PlotlyFigure,
    count,
    decimal,
    decimal_with_interval,
    escape,
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
        """Figure of the typical rater."""
        tests = self.compared.compared
        return nan if tests.reason else self.compared.statistic.value(tests.typical)

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
MARKS = {
    "": ("circle", "Other raters"),
    BELOW: ("diamond", "Clearly below the typical rater"),
    ABOVE: ("square", "Clearly above the typical rater"),
    CHANCE: ("x", "Not beyond chance"),
}
"""Symbol and words in the legend."""
_NAMED, _WHISKERED = 12, 30
"""Raters up to which the scatter has their names, and their intervals."""
_WIDE, _NARROW = (640, 320), (280, 320)
"""Pixels of the scatter, about."""
_LETTER, _HIGH, _DOT = 6.5, 14, 4
"""Pixels of a letter, of a line of names, and of half a dot."""


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
    traces = []
    placed = list(zip(rows, shown, strict=True))
    for group, mark in product(of_groups, marks):
        chosen = [(at, one) for at, one in placed if (one.group, one.mark) == (group, mark)]
        if chosen:
            color, (symbol, mark_name) = group_colour(group, groups), MARKS[mark]
            symbols = [symbol + ("-open" if one.name in excluded else "") for _, one in chosen]
            marker = {"symbol": symbols, "line": {"width": 1.5, "color": color}}
            words = [escape(group)] if len(of_groups) > 1 else []
            words += [mark_name] if len(marks) > 1 else []
            drawn = [Dot(at, one.figure, _hover(one, excluded)) for at, one in chosen]
            traces.append(dots(drawn, color, 8, marker, 1.3, name=": ".join(words)))
    annotations = []
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
        place: PlotlyFigure = {"x": ranking.typical, "xref": "x", "y": 0 if look.narrow else 1, "xshift": -4}
        annotations.append(remark(mark_name, look, xanchor="right", yanchor="bottom", **place))
    about = " (lowest on top)"
    if look.on_card and ranking.compared.measure:
        about = f", {shorten(ranking.compared.measure, 30)}"
    low, high = axis_range([0.0, *values_and_ends(one.figure for one in shown)], 0.04, 0.1)
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
    if len(traces) > 1:
        height = made["layout"]["height"] + 22
        made["layout"] |= {"showlegend": True, "legend": LEGEND_ON_TOP, "height": height}
        made["layout"]["margin"] |= {"t": 48}
    return made


def known_scatter(
    ranking: RaterRanking, known: KnownAnswers, groups: Sequence[str], look: Look
) -> PlotlyFigure:
    """Draw each rater at its agreement with the others and with what is known, the correlation written in it."""
    pearson, spearman = (one.estimate for one in ranking.correlate_with_known())
    both = [(one, one.known) for one in ranking.with_enough if one.known is not None and one.known.defined]
    drawn = sorted(both, key=lambda pair: -pair[0].figure.n)[:MOST_POINTS]
    whiskers = len(drawn) <= _WHISKERED
    made = look.layout(height=420, hovermode="closest", margin={"l": 60, "r": 14, "t": 52, "b": 54})
    agreement, of_known = [one.figure for one, _ in drawn], [e for _, e in drawn]
    percent = {"tickformat": ".0%"} if known.is_share else {}
    made["xaxis"] = look.axis(ranking.title, range=_span(agreement, whiskers), nticks=6)
    made["yaxis"] = look.axis(known.axis, range=_span(of_known, whiskers), nticks=6, **percent)
    remark_text = f"r = {decimal(pearson.value)}, ρ = {decimal_with_interval(spearman)}"
    remark_text += f"<br>{count(pearson.n)} raters"
    if len(drawn) < len(both):
        remark_text += f", {count(len(drawn))} drawn, with most items"
    made["annotations"] = [at_top_right(remark_text, look, align="right")]
    if not drawn:
        return {"data": [], "layout": made}
    points: PlotlyFigure = {
        "type": "scatter",
        "mode": "markers",
        "x": [e.value for e in agreement],
        "y": [e.value for e in of_known],
        "marker": point_marker(group_colour(drawn[0][0].group, groups), 8, many=len(drawn) > 100),
        "hovertext": [_hover(one, (), known) for one, _ in drawn],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
    if len(drawn) <= _NAMED:
        spans = [made[of]["range"][1] - made[of]["range"][0] for of in ("xaxis", "yaxis")]
        scale = [size / of for size, of in zip(_NARROW if look.narrow else _WIDE, spans, strict=True)]
        places = [
            (e.value * scale[0], of.value * scale[1]) for e, of in zip(agreement, of_known, strict=True)
        ]
        text, sides = _names_with_room([one.name for one, _ in drawn], places)
        font = {"size": 11, "color": look.ink}
        points |= {"mode": "markers+text", "text": text, "textposition": sides, "textfont": font}
    if whiskers:
        points["error_x"] = error_bars(agreement, look.faint, 0.7)
        points["error_y"] = error_bars(of_known, look.faint, 0.7)
    return {"data": [points], "layout": made}


def _names_with_room(
    names: Sequence[str], places: Sequence[tuple[float, float]]
) -> tuple[list[str], list[str]]:
    """Return the names at places in pixels, "" for those without room, and the side of the dot that each stands on."""
    shown, sides, taken = [], [], list[tuple[float, float, float]]()
    dots = [(across - _DOT, up - _HIGH / 2, 2 * _DOT) for across, up in places]
    for at, (name, (across, up)) in enumerate(zip(names, places, strict=True)):
        wide = _LETTER * min(len(name), 10)
        lows = {"top": up + _DOT, "bottom": up - _DOT - _HIGH}
        boxes = {
            f"{side} {end}": (across - wide * (end == "left"), lows[side], wide)
            for side, end in (("top", "right"), ("bottom", "left"), ("bottom", "right"), ("top", "left"))
        }
        others = [*taken, *dots[:at], *dots[at + 1 :]]
        free = [side for side, box in boxes.items() if not any(_overlap(box, other) for other in others)]
        shown.append(shorten(name, 10) if free else "")
        sides.append(free[0] if free else "top right")
        taken += [boxes[side] for side in free[:1]]
    return shown, sides


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    """Return True where two names, each (left, low, width), overlap."""
    return one[0] < other[0] + other[2] and other[0] < one[0] + one[2] and abs(one[1] - other[1]) < _HIGH


def _hover(rater: RankedRater, excluded: Collection[str], known: KnownAnswers | None = None) -> str:
    e = rater.figure
    lines = [escape(rater.name) + (" (excluded)" if rater.name in excluded else "")]
    lines.append(f"{decimal_with_interval(e, 3)}, n = {count(e.n)}")
    if rater.verdict:
        lines.append(f"{rater.verdict} the typical rater")
    if known is not None and rater.known is not None:
        of = rater.known
        value = f"{share(of.value, 1)} of {count(of.n)}" if known.is_share else decimal(of.value, 3)
        lines.append(f"{escape(known.name)}: {value}")
    return "<br>".join(lines)


def _span(estimates: Sequence[Estimate], whiskers: bool) -> list[float]:
    """Return a range around all figures, their intervals and 0."""
    inside = values_and_ends(estimates) if whiskers else [e.value for e in estimates]
    return list(axis_range([0.0, *inside], 0.05, least=0.1))
