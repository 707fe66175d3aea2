"""Manual less automatic Pyramid score of each assessor, as in Figure 1 of Owczarzak et al. 2012."""

from collections.abc import Collection, Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right
from features.plotting.numbers import count, decimal, interval
from features.plotting.theme import GROUP_COLOURS, Look, escape, shorten
from features.plotting.whiskers import Dot, chart, dots, outlined

MOST_RATERS = 40
"""Assessors in one picture; of more, the lowest."""
_ROW = 24
_COLOUR = GROUP_COLOURS[0]


def differences(rows: Sequence[tuple[str, Estimate]], look: Look, left_out: Collection[str] = ()) -> Figure:
    """One dot with its interval per assessor, the lowest at the bottom, those left out hollow."""
    shown = sorted(rows, key=lambda row: row[1].value)[:MOST_RATERS]
    drawn = [Dot(at, e, _hover(name, e, name in left_out)) for at, (name, e) in enumerate(shown)]
    hollow = [name in left_out for name, _ in shown]
    told = f"the lowest {len(shown)} of {count(len(rows))} assessors"
    return chart(
        [shorten(name, 26) for name, _ in shown],
        [dots(drawn, _COLOUR, 9, outlined(_COLOUR, hollow))],
        {
            "title": "mP − aP: manual less automatic Pyramid score",
            "zeroline": True,
            "zerolinecolor": look.faint,
        },
        {"range": [-0.6, max(len(shown), 1) - 0.4]},
        look,
        (10, 16, 24, 46),
        height=90 + _ROW * max(len(shown), 4),
        **({"annotations": [at_top_right(told, look)]} if len(shown) < len(rows) else {}),
    )


def _hover(name: str, estimate: Estimate, is_left_out: bool) -> str:
    return (
        f"{escape(name)}{' (left out)' if is_left_out else ''}<br>{decimal(estimate.value, 3)} "
        f"({interval(estimate, 3)}), {count(estimate.n)} topics"
    )
