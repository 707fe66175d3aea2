"""Workers: who agrees with the others, from the most to the least, and whether that is who knows the answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from analysis.values.estimate import Estimate
from analysis.workers.worker_ranking import best_first
from features.plotting.figure import Figure
from features.plotting.numbers import count, decimal, interval, share
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import SHUFFLE_GREY, Look, axis, escape, layout, rimmed, shorten
from features.plotting.whiskers import Dot, chart, dots, ends, error_bars, span
from features.raters.naming_findings import ABOVE, BELOW

MOST_DRAWN = 40
"""Workers in the ranking; of more, as many of the highest as of the lowest."""
MOST_POINTS = 2000
_WIDE, _NARROW = (640, 320), (280, 320)
"""Pixels of the plot, about."""
_LETTER, _HIGH = 6.5, 14
"""Pixels of a letter and of a line of names."""
"""Workers in the scatter; of more, those with most items."""
AGREES, CHANCE = "#0072B2", "#D55E00"
_NAMED = 12
"""Up to this many workers each has its name in the scatter."""
_WHISKERED = 30
"""Up to this many workers have their intervals in the scatter; of more, in the hovers only."""
_TALL, _LOW = 17, 12
"""Height of a row in pixels, of few workers and of many."""


@dataclass(frozen=True)
class Worker:
    """One worker: name, agreement with the others, with known answers where there are any, and the verdict of the
    comparison with the typical rater, "" for none."""

    name: str
    r: Estimate
    known: Estimate | None = None
    verdict: str = ""


def ranking(workers: Sequence[Worker], title: str, look: Look) -> Figure:
    """Agreement with the others as dots with whiskers, the highest lower end on top.

    Workers whose figure is not distinguished from chance are open diamonds; filled ones are clearly below the typical
    rater, squares above. Of more than 40, the 20 highest and the 20
    lowest are drawn. Who has no figure is not drawn.
    """
    ranked = [workers[at] for at in best_first([w.r for w in workers]) if workers[at].r.defined]
    left_out = max(len(ranked) - MOST_DRAWN, 0)
    half = MOST_DRAWN // 2
    drawn = ranked[:half] + ranked[-half:] if left_out else ranked
    places = [at + (1 if left_out and at >= half else 0) for at in range(len(drawn))]
    rows = len(drawn) + (1 if left_out else 0)
    small = len(drawn) > 25
    annotations = []
    if left_out:
        annotations = [
            _remark(f"… {count(left_out)} between …", look, x=0.5, y=half, yref="y", yanchor="middle")
        ]
    elif not drawn:
        annotations = [_remark("nobody has a figure", look, x=0.5, y=0.5, yanchor="middle")]
    series = (
        ("Agrees with the others", AGREES, "circle"),
        ("Not distinguished from chance", SHUFFLE_GREY, "diamond-open"),
        ("Clearly below the typical rater", CHANCE, "diamond"),
        ("Clearly above the typical rater", "#009E73", "square"),
    )
    kinds = [{BELOW: 2, ABOVE: 3}.get(worker.verdict, 1 if _chance(worker.r) else 0) for worker in drawn]
    told = [
        [Dot(y, w.r, _hover(w)) for w, y, kind in zip(drawn, places, kinds, strict=True) if kind == at]
        for at in range(len(series))
    ]
    traces = [
        dots(
            of,
            colour,
            size=8,
            marker={"symbol": symbol, "line": {"width": 1.5, "color": colour}},
            thickness=1.2,
            name=name,
        )
        for (name, colour, symbol), of in zip(series, told, strict=True)
        if of
    ]
    return chart(
        [shorten(worker.name, 16) for worker in drawn],
        traces,
        {"title": title, "range": _span([worker.r for worker in drawn]), "nticks": 6},
        {"tickvals": places, "range": [max(rows, 1) - 0.4, -0.6]}
        | ({"tickfont": {"size": 9.5, "color": look.faint}} if small else {}),
        look,
        margin=(8, 14, 12 if len(traces) == 1 else 34, 46),
        height=96 + (_LOW if small else _TALL) * max(rows, 4),
        hovermode="closest",
        shapes=[_line(look, x0=0, x1=0, y0=0, y1=1, yref="paper")],
        **({"annotations": annotations} if annotations else {}),
        **({"showlegend": True, "legend": LEGEND_ON_TOP} if len(traces) > 1 else {}),
    )


def scatter(
    workers: Sequence[Worker],
    r_title: str,
    known_title: str,
    pearson: Estimate,
    spearman: Estimate,
    look: Look,
    shares: bool = True,
) -> Figure:
    """Each worker at (agreement with the others, agreement with known answers), the correlation written in it.

    `shares` says that agreement with known answers is a share; otherwise it is a correlation, too.
    """
    both = [
        (worker, worker.known)
        for worker in workers
        if worker.r.defined and worker.known is not None and worker.known.defined
    ]
    drawn = sorted(both, key=lambda pair: -pair[0].r.n)[:MOST_POINTS]
    whiskers = len(drawn) <= _WHISKERED
    made = layout(look, height=420, hovermode="closest")
    made["margin"] = {"l": 60, "r": 14, "t": 52, "b": 54}
    made["xaxis"] = axis(look, r_title, range=_span([w.r for w, _ in drawn], whiskers), nticks=6)
    made["yaxis"] = axis(look, known_title, range=_span([e for _, e in drawn], whiskers), nticks=6)
    if shares:
        made["yaxis"]["tickformat"] = ".0%"
    told = [
        f"r = {decimal(pearson.value)}",
        f"ρ = {decimal(spearman.value)} ({interval(spearman)})",
        f"{count(pearson.n)} workers",
    ]
    if len(drawn) < len(both):
        told.append(f"{count(len(drawn))} drawn, with most items")
    made["annotations"] = [_remark(f"{told[0]}, {told[1]}<br>{', '.join(told[2:])}", look, x=1, y=1)]
    x, y = [worker.r.value for worker, _ in drawn], [e.value for _, e in drawn]
    points: Figure = {
        "type": "scatter",
        "mode": "markers+text" if len(drawn) <= _NAMED else "markers",
        "x": x,
        "y": y,
        "marker": rimmed(AGREES, 8, many=len(drawn) > 100),
        "hovertext": [_hover(worker, shares) for worker, _ in drawn],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
    if len(drawn) <= _NAMED:
        names, sides = [worker.name for worker, _ in drawn], _sides(x, y)
        spans = [axis["range"][1] - axis["range"][0] for axis in (made["xaxis"], made["yaxis"])]
        room = _with_room(names, x, y, sides, spans, _NARROW if look.narrow else _WIDE)
        points["text"] = [shorten(name, 10) if free else "" for name, free in zip(names, room, strict=True)]
        points["textposition"] = sides
        points["textfont"] = {"size": 11, "color": look.ink}
    if whiskers:
        points["error_x"] = error_bars([worker.r for worker, _ in drawn], SHUFFLE_GREY, 0.7)
        points["error_y"] = error_bars([e for _, e in drawn], SHUFFLE_GREY, 0.7)
    return {"data": [points] if drawn else [], "layout": made}


def _chance(r: Estimate) -> bool:
    """Whether a figure cannot be told from 0; before intervals are drawn, whether it is 0 or less."""
    return (r.value if isnan(r.low) else r.low) <= 0


def _hover(worker: Worker, shares: bool = True) -> str:
    told = [escape(worker.name), f"r = {decimal(worker.r.value, 3)} ({interval(worker.r, 3)})"]
    if worker.known is not None and worker.known.defined:
        e = worker.known
        value = share(e.value, 1) if shares else decimal(e.value, 3)
        told.append(f"known answers: {value} of {count(e.n)}" if shares else f"reference: r = {value}")
    return "<br>".join([*told, f"{count(worker.r.n)} items shared"])


def _sides(x: Sequence[float], y: Sequence[float]) -> list[str]:
    """Where each name stands: away from the nearest other point."""
    wide, tall = (max(max(ends) - min(ends), 1e-9) if ends else 1.0 for ends in (x, y))
    sides = []
    for at in range(len(x)):
        apart = [
            ((x[other] - x[at]) / wide, (y[other] - y[at]) / tall) for other in range(len(x)) if other != at
        ]
        across, up = min(apart, key=lambda d: d[0] ** 2 + d[1] ** 2, default=(0.0, -1.0))
        sides.append(f"{'bottom' if up > 0 else 'top'} {'left' if across > 0 else 'right'}")
    return sides


def _with_room(
    names: Sequence[str],
    x: Sequence[float],
    y: Sequence[float],
    sides: Sequence[str],
    spans: Sequence[float],
    size: tuple[int, int],
) -> list[bool]:
    """Which names stand free of each other's, one after the other; the rest are told on hover."""
    taken: list[tuple[float, float, float, float]] = []
    room = []
    for name, across, up, side in zip(names, x, y, sides, strict=True):
        wide = _LETTER * min(len(name), 10)
        left = across / spans[0] * size[0] - (wide if side.endswith("left") else 0)
        low = up / spans[1] * size[1] - (_HIGH if side.startswith("bottom") else 0)
        box = left, left + wide, low, low + _HIGH
        free = all(
            box[0] >= other[1] or box[1] <= other[0] or box[2] >= other[3] or box[3] <= other[2]
            for other in taken
        )
        room.append(free)
        if free:
            taken.append(box)
    return room


def _span(estimates: Sequence[Estimate], whiskers: bool = True) -> list[float]:
    """A range with some margin around all figures, their intervals and 0."""
    inside = ends(estimates) if whiskers else [e.value for e in estimates]
    return list(span([0.0, *inside], 0.05, least=0.1))


def _line(look: Look, **place: Any) -> Figure:
    return {"type": "line", "layer": "below", "line": {"color": look.faint, "width": 1}, **place}


def _remark(text: str, look: Look, **place: Any) -> Figure:
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center" if place["x"] == 0.5 else "right",
        "yanchor": "bottom",
        "align": "right",
        "showarrow": False,
        "font": {"size": 11.5, "color": look.faint},
    } | place
