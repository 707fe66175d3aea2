"""Figures of "Replacing raters": advantage by candidate, measure or price, and corrected scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.replacement.corrected_scores import CorrectedScore
from analysis.values.estimate import Estimate
from features.plotting.panels import level, remark
from features.plotting.series import MOST_ROWS, Series, around, ends, error_bars, hover, series_dots
from features.plotting.theme import (
    EN_SPACE,
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
    axis,
    group_colour,
    group_symbol,
    layout,
    money,
    share,
    shorten,
)

TITLE = "Advantage: share of items on which the candidate does at least as well as a rater"
HALF = 0.5
"""Advantage of a candidate that does as well as a rater."""


@dataclass(frozen=True)
class Drawn:
    """Candidate to draw: hollow where it does not pass; `price` of one rating is NaN where none is known."""

    name: str
    advantage: Estimate
    passes: bool
    price: float = float("nan")


def advantage_dots(drawn: Sequence[Drawn], groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw a row per candidate, with a dotted line where it does as well as a rater."""
    series = [
        Series(
            one.name,
            [one.advantage if row == at else None for row in range(len(drawn))],
            _colour(one, at, groups),
            _symbol(one, at, groups),
        )
        for at, one in enumerate(drawn)
    ]
    return _labeled([one.name for one in drawn], series, drawn, look)


def advantage_by_measure(
    drawn: Mapping[str, Sequence[Drawn]], groups: Sequence[str], look: Look
) -> PlotlyFigure:
    """Draw a row per measure, in it a dot per candidate, with a dotted line where one does as well as a rater."""
    names = list(dict.fromkeys(one.name for row in drawn.values() for one in row))
    series = []
    for at, name in enumerate(names):
        in_rows = [next((one for one in row if one.name == name), None) for row in drawn.values()]
        for passes in (True, False):
            there = [
                one if one and one.passes == passes and one.advantage.defined else None for one in in_rows
            ]
            if (first := next(filter(None, there), None)) is not None:
                series.append(
                    Series(
                        name if passes else f"{name}: not shown",
                        [None if one is None else one.advantage for one in there],
                        _colour(first, at, groups),
                        _symbol(first, at, groups),
                    )
                )
    alone = [next((one for one in row if one.name == names[0]), None) for row in drawn.values()]
    return _labeled(list(drawn), series, alone if len(names) == 1 else [], look)


def _labeled(
    rows: Sequence[str], series: Sequence[Series], labeled: Sequence[Drawn | None], look: Look
) -> PlotlyFigure:
    """Draw the series, with the verdict at each dot where there is one per row, and the name of the guide."""
    made = series_dots(rows, series, "Advantage" if look.narrow or look.on_card else TITLE, look, guide=HALF)
    at_line: PlotlyFigure = {"x": HALF, "xref": "x", "y": 1, "yanchor": "bottom", "xanchor": "center"}
    made["layout"]["annotations"].append(remark("as good as a rater", look, **at_line))
    made["layout"]["margin"]["t"] = max(made["layout"]["margin"]["t"], 24)
    for row, one in enumerate(labeled[:MOST_ROWS]):
        if one is not None and one.advantage.defined:
            verdict = "can replace" if one.passes else "not shown"
            place: PlotlyFigure = {"x": one.advantage.value, "xref": "x", "y": row, "yref": "y", "yshift": 14}
            made["layout"]["annotations"].append(remark(verdict, look, **place))
    return made


def against_price(drawn: Sequence[Drawn], groups: Sequence[str], currency: str, look: Look) -> PlotlyFigure:
    """Draw the advantage over the price of one rating, for candidates with both; names are at the points."""
    known = [(at, one) for at, one in enumerate(drawn) if one.advantage.defined and not isnan(one.price)]
    low, high = around([*ends([one.advantage for _, one in known]), HALF])
    left, right = around([0.0, *(one.price for _, one in known)], 0.12)
    traces = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [one.price],
            "y": [one.advantage.value],
            "text": [f"{EN_SPACE}{shorten(one.name, 18 if look.narrow else 26)}{EN_SPACE}"],
            "textposition": "middle right" if one.price < (left + right) / 2 else "middle left",
            "textfont": {"size": 12.5, "color": look.ink},
            "marker": {
                "size": 10,
                "color": _colour(one, at, groups),
                "symbol": _symbol(one, at, groups),
                "line": {"width": 1.5, "color": _colour(one, at, groups)},
            },
            "error_y": error_bars([one.advantage], _colour(one, at, groups)),
            "hovertext": [
                f"{hover(one.name, 'Advantage', one.advantage, lambda value: share(value, 1))}<br>"
                f"{shorten(money(one.price, currency))} a rating"
            ],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "cliponaxis": False,
        }
        for at, one in known
    ]
    at_line: PlotlyFigure = {"x": 1, "xanchor": "right", "y": HALF, "yref": "y", "yanchor": "bottom"}
    made = layout(
        look,
        height=380,
        hovermode="closest",
        shapes=[level(HALF, look.faint, dash="dot")],
        annotations=[remark("as good as a rater", look, **at_line)],
    )
    return {
        "data": traces,
        "layout": made
        | {
            "xaxis": axis(
                look, f"Price of one rating, {shorten(currency, 8)}", range=[max(left, -0.05 * right), right]
            ),
            "yaxis": axis(look, "Advantage", range=[max(low, -0.02), min(high, 1.02)], tickformat=".0%"),
        },
    }


def _colour(one: Drawn, at: int, groups: Sequence[str]) -> str:
    return (
        group_colour(one.name, groups) if one.name in groups else GROUP_COLOURS[(at + 2) % len(GROUP_COLOURS)]
    )


def _symbol(one: Drawn, at: int, groups: Sequence[str]) -> str:
    symbol = (
        group_symbol(one.name, groups) if one.name in groups else GROUP_SYMBOLS[(at + 2) % len(GROUP_SYMBOLS)]
    )
    return symbol if one.passes else f"{symbol}-open"


def corrected_dots(scores: Mapping[str, CorrectedScore], look: Look) -> PlotlyFigure:
    """Draw a row per system, in it the score from the reference alone and the corrected score."""
    each = list(scores.values())
    series = [
        Series("Reference alone", [one.reference for one in each], GROUP_COLOURS[0], GROUP_SYMBOLS[0]),
        Series("Corrected", [one.tuned for one in each], GROUP_COLOURS[2], GROUP_SYMBOLS[2]),
    ]
    return series_dots(list(scores), series, "Score", look, shares=False)
