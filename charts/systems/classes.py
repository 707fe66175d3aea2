"""Classes of labels: how common each is, and how far the crowd's label is the known answer, as dots with whiskers."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import count, decimal_with_interval, share_with_interval
from features.plotting.theme import GROUP_COLOURS, Look, escape, shorten
from features.plotting.whiskers import Dot, chart, dots, ends, span

MOST_ROWS = 30
"""Rows drawn; of more, the first."""
_ROW = 26


def class_dots(rows: Sequence[tuple[str, Estimate]], look: Look) -> Figure:
    """The share of each class, in the order given."""
    return _dots(rows, "Share of an item's votes", True, look)


def kappa_dots(rows: Sequence[tuple[str, Estimate]], look: Look) -> Figure:
    """Kappa of the crowd's label under each design or comparison."""
    return _dots(rows, "Kappa of the crowd's label with the known answer", False, look)


def _dots(rows: Sequence[tuple[str, Estimate]], title: str, percent: bool, look: Look) -> Figure:
    shown = [(name, estimate) for name, estimate in rows if estimate.defined][:MOST_ROWS]
    written = share_with_interval if percent else decimal_with_interval
    low, high = span([0.0, *ends(estimate for _, estimate in shown)], 0.04, 0.1)
    text = f"{len(shown)} of {count(len(rows))}"
    return chart(
        [shorten(name, 18) for name, _ in shown],
        [
            dots(
                [
                    Dot(at, one, f"{escape(name)}<br>{written(one)}<br>{count(one.n)} items")
                    for at, (name, one) in enumerate(shown)
                ],
                GROUP_COLOURS[0],
                9,
            )
        ],
        {"title": title, "range": [low, min(high, 1.02)], "nticks": 6}
        | ({"tickformat": ".0%"} if percent else {}),
        {
            "range": [max(len(shown), 1) - 0.4, -0.6],
            "tickfont": {"size": 12, "color": look.ink},
        },
        look,
        margin=(10, 14, 26, 46),
        height=90 + _ROW * max(len(shown), 3),
        annotations=[at_top_right(text, look)] if len(shown) < len(rows) else [],
    )
