"""Several figures side by side with their intervals, a row per name and in it a dot per series."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import at_top_right, level, remark, upright
from features.plotting.numbers import count, decimal, share
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look, escape, shorten
from features.plotting.whiskers import Dot, chart, dots, ends, span

MOST_ROWS = 30
"""Names drawn one below the other; the first ones of more."""
_ROW, _SERIES = 16, 15
"""Height in pixels of a row without, and for each of its series."""


@dataclass(frozen=True)
class Series:
    """One figure of all rows, such as one kind of agreement of all surrogates, or the figures of one group.

    Without a colour and a symbol of its own a series has those of its place. None: the row is of other series only.
    """

    name: str
    estimates: Sequence[Estimate | None]
    colour: str = ""
    symbol: str = ""

    @property
    def defined(self) -> bool:
        """True where it has a figure in any row."""
        return any(e is not None and e.defined for e in self.estimates)


def series_dots(
    names: Sequence[str],
    series: Sequence[Series],
    title: str,
    look: Look,
    shares: bool = True,
    letters: Sequence[str] = (),
    guide: float | None = None,
    height: int = 0,
) -> PlotlyFigure:
    """One row per name, in each a dot with whiskers per series; `letters` stand at the right of their rows.

    `shares` are written in percent, other figures as they are; `guide` is a dotted upright line; `height` at least,
    so that the picture is level with its neighbour.
    """
    rows = min(len(names), MOST_ROWS)
    in_row = [[at for at, one in enumerate(series) if one.estimates[row] is not None] for row in range(rows)]
    beside = max((len(of) for of in in_row), default=0)
    on_top = beside > 1
    own = 100 + 26 * on_top + (_ROW + _SERIES * max(beside, 1)) * max(rows, 2)
    drawn = [e for one in series for e in one.estimates[:rows] if e is not None and e.defined]
    low, high = around([*ends(drawn), *([] if guide is None else [guide])])
    annotations = [_beside(letter, look, y=row) for row, letter in enumerate(letters[:rows]) if letter]
    if not drawn:
        annotations.append(remark("nothing is defined", look, x=0.5, y=0.5))
    elif rows < len(names):
        annotations.append(at_top_right(f"the first {rows} of {count(len(names))}", look))
    shapes = [level(row + 0.5, look.grid) for row in range(rows - 1)]
    if guide is not None:
        shapes.append(upright(guide, look.faint, layer="between"))
    write: Callable[[float], str] = partial(share, digits=1) if shares else partial(decimal, digits=3)
    return chart(
        [shorten(name, 18 if look.narrow else 26) for name in names[:rows]],
        [
            _of_series(names, one, at, in_row, write)
            for at, one in enumerate(series)
            if any(e is not None and e.defined for e in one.estimates[:rows])
        ],
        {
            "title": title,
            "range": [max(low, -1.02), min(high, 1.02)] if shares else [low, high],
            "nticks": 7,
            **({"tickformat": ".0%"} if shares else {}),
        },
        {"range": [max(rows, 1) - 0.45, -0.55], "tickfont": {"color": look.ink, "size": 12.5}},
        look,
        (8, 16 + 14 * any(letters), 40 if on_top else 14, 48),
        height=max(own, height),
        hovermode="closest",
        shapes=shapes,
        annotations=annotations,
        **({"showlegend": True, "legend": LEGEND_ON_TOP} if on_top else {}),
    )


def _of_series(
    names: Sequence[str], one: Series, at: int, in_row: Sequence[list[int]], write: Callable[[float], str]
) -> PlotlyFigure:
    colour = one.colour or GROUP_COLOURS[at % len(GROUP_COLOURS)]
    symbol = one.symbol or GROUP_SYMBOLS[at % len(GROUP_SYMBOLS)]
    known = [
        (row + (of.index(at) - (len(of) - 1) / 2) * 0.7 / len(of), names[row], e)
        for row, of in enumerate(in_row)
        if (e := one.estimates[row]) is not None and e.defined
    ]
    return dots(
        [Dot(place, e, hover(name, one.name, e, write)) for place, name, e in known],
        colour,
        9,
        {"symbol": symbol, "line": {"width": 1.5, "color": colour}},
        name=escape(one.name),
        cliponaxis=False,
    )


def hover(name: str, what: str, e: Estimate, write: Callable[[float], str]) -> str:
    """A figure with its interval, under its name."""
    return f"{escape(name)}<br>{escape(what)}: {with_ends(e, write)}"


def with_ends(e: Estimate, write: Callable[[float], str]) -> str:
    """A figure with its interval, both as `write` writes them."""
    between = "" if isnan(e.low) else f" ({write(e.low)} to {write(e.high)})"
    return f"{write(e.value)}{between}"


def around(inside: Sequence[float], room: float = 0.06) -> tuple[float, float]:
    """The axis of all figures and their intervals, with some room at both ends."""
    return span(inside, room, least=0.02 * max([1.0, *(abs(end) for end in inside)]))


def _beside(letter: str, look: Look, y: float) -> PlotlyFigure:
    return {
        "text": f"<b>{escape(letter)}</b>",
        "xref": "paper",
        "x": 1,
        "y": y,
        "xanchor": "left",
        "xshift": 6,
        "showarrow": False,
        "font": {"size": 13, "color": look.ink},
    }
