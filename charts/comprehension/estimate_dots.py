"""Figures by name as dots with whiskers and their number."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right, upright
from features.plotting.numbers import decimal, decimal_with_interval, share, share_with_interval
from features.plotting.short_names import told_apart
from features.plotting.theme import GROUP_COLOURS, Look, escape
from features.plotting.whiskers import Dot, chart, dots, ends

_ROW = 42


def estimate_dots(
    rows: Sequence[tuple[str, Estimate]],
    title: str,
    look: Look,
    line: tuple[float, str] | None = None,
    shares: bool = False,
) -> Figure:
    """Figures by name as dots with whiskers and their number; an upright `line` with its name to hold them against."""
    known = [(name, e) for name, e in rows if e.defined]
    inside = [*ends(e for _, e in known), *([0.0, line[0]] if line else [0.0])]
    low, high = min(inside), max([1.0, *inside])
    marks: Figure = {}
    if line:
        side = "right" if line[0] > (low + high) / 2 else "left"
        marks["shapes"] = [upright(line[0], look.ink, 1.3, xref="x")]
        marks["annotations"] = [at_top_right(line[1], look, 12, x=line[0], xref="x", xanchor=side)]
    drawn = dots(
        [Dot(at, e, f"{escape(name)}<br>{_written(e, shares)}") for at, (name, e) in enumerate(known)],
        GROUP_COLOURS[0],
        8,
        thickness=1.3,
        written=[share(e.value) if shares else decimal(e.value) for _, e in known],
        ink=look.ink,
        cliponaxis=False,
    )
    return chart(
        told_apart([name for name, _ in known], 18),
        [drawn] if known else [],
        {
            "title": title,
            "range": [low - 0.03 * (high - low), high + 0.06 * (high - low)],
            "nticks": 6,
            **({"tickformat": ".0%"} if shares else {}),
        },
        {
            "tickfont": {"color": look.ink, "size": 12.5},
            "range": [max(len(known), 2) - 0.5, -0.6],
            "fixedrange": True,
        },
        look,
        (10, 22, 26 if line else 8, 46),
        height=70 + _ROW * max(len(known), 2),
        hovermode="closest",
        **marks,
    )


def _written(e: Estimate, shares: bool) -> str:
    return share_with_interval(e, 1) if shares else decimal_with_interval(e, 3)
