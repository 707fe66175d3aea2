"""Manual minus automatic Pyramid score of each rater, as in Figure 1 of Owczarzak et al. 2012."""

from collections.abc import Collection, Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import upright
from features.plotting.numbers import count, decimal, interval
from features.plotting.theme import GROUP_COLOURS, Look, escape
from features.plotting.whiskers import Dot, dots, outlined, row_chart

MOST_RATERS = 40
"""Raters in one figure; of more, the lowest."""
_ROW = 26
_COLOR = GROUP_COLOURS[0]


def difference_dots(
    rows: Sequence[tuple[str, Estimate]], look: Look, excluded: Collection[str] = ()
) -> PlotlyFigure:
    """Draw a dot with its interval per rater, in the order of the rows; excluded raters are hollow."""
    shown = rows[:MOST_RATERS]
    drawn = [Dot(at, e, _hover(name, e, name in excluded)) for at, (name, e) in enumerate(shown)]
    hollow = [name in excluded for name, _ in shown]
    remark = f"the lowest {len(shown)} of {count(len(rows))} raters" if len(shown) < len(rows) else ""
    return row_chart(
        [name for name, _ in shown],
        [dots(drawn, _COLOR, 9, outlined(_COLOR, hollow))],
        {"title": "mP − aP: manual minus automatic Pyramid score"},
        look,
        row=_ROW,
        remark=remark,
        shapes=[upright(0, look.faint)],
    )


def _hover(name: str, estimate: Estimate, is_excluded: bool) -> str:
    return (
        f"{escape(name)}{' (excluded)' if is_excluded else ''}<br>{decimal(estimate.value, 3)} "
        f"({interval(estimate, 3)}), {count(estimate.n)} topics"
    )
