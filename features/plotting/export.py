"""A figure as a separate file, for sending around: it needs no server and calls none."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from shutil import which
from typing import Any, Literal

import plotly.io
import plotly.io.json
import plotly.offline

from features.plotting.theme import CONFIG, Look, PlotlyFigure

ONE_COLUMN, TWO_COLUMNS = 85.0, 180.0
"""Millimetres; what most journals call single and double column lies within a few of them."""
DOTS_PER_INCH = 300
SMALLER = 0.85
"""Ratio to a figure on a page, whose letters of 11 to 14 pixels are then 7 to 9 points."""
LETTERS = 11, 14
"""Pixels of the smallest and the largest."""
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Fonts of which every machine has one, or one of the same widths."""
_PIXELS_PER_MM = 96 / 25.4
_FOR_THE_MOUSE = {
    "hovertemplate",
    "hovertext",
    "hoverlabel",
    "customdata",
    "hovermode",
    "clickmode",
    "dragmode",
}
_LIGHT = {getattr(Look(dark=True), ink): getattr(Look(), ink) for ink in ("ink", "faint", "grid", "ground")}


def look_of(width_mm: float) -> Look:
    """Return the look of a figure of that width: light, and in one column as on a phone."""
    return Look(narrow=width_mm < (ONE_COLUMN + TWO_COLUMNS) / 2)


def for_paper(figure: PlotlyFigure, width_mm: float) -> PlotlyFigure:
    """The figure with the size in pixels to draw it at, on white, in light colours, with nothing for the mouse."""
    made: PlotlyFigure = _on_paper(figure)
    layout = made["layout"]
    width = round(width_mm * _PIXELS_PER_MM / SMALLER)
    return {
        "data": made["data"],
        "layout": {
            **layout,
            "width": width,
            "height": layout.get("height") or round(0.75 * width),
            "autosize": False,
            "paper_bgcolor": Look().ground,
            "plot_bgcolor": Look().ground,
            "font": {**layout.get("font", {}), "family": FONT},
        },
    }


def _on_paper(part: Any, key: str = "") -> Any:
    if isinstance(part, dict):
        return {name: _on_paper(one, name) for name, one in part.items() if name not in _FOR_THE_MOUSE} | (
            {"size": min(max(part["size"], LETTERS[0]), LETTERS[1])}
            if key.endswith("font") and isinstance(part.get("size"), int | float)
            else {}
        )
    if isinstance(part, list | tuple):
        return [_on_paper(one, key) for one in part]
    return _LIGHT.get(part, part) if isinstance(part, str) else part


def dots_per_pixel() -> float:
    """Return how many dots a printed picture has for each pixel that the figure is drawn at."""
    return SMALLER * DOTS_PER_INCH / 96


Format = Literal["svg", "png", "pdf"]
NO_KALEIDO = (
    "Figures as SVG, PNG or PDF need the package kaleido: pip install -r requirements-optional.txt. As HTML they need "
    "nothing."
)
NO_BROWSER = (
    "Figures as SVG, PNG or PDF are drawn by a Chromium, and kaleido finds none (Debian: apt-get install "
    "chromium-headless-shell). As HTML they need nothing."
)
_WITHOUT_WINDOWS = "chromium-headless-shell"
"""A Chromium that kaleido does not look for; it looks for others itself."""
_RESOLUTION = bytes.fromhex("00000009 70485973 00002e23 00002e23 01 78a53f76")
"""The chunk of a PNG that says 300 dots per inch."""
_HEADER_OF_PNG = 33
"""Bytes before the place where that chunk belongs."""


class NotDrawn(Exception):
    """Error with the reason, as a sentence, why there is no picture."""


def html(figure: PlotlyFigure, look: Look, script: bool | str = True) -> str:
    """Return an HTML page with the figure, on the ground color of `look`.

    It holds plotly.js; with the `script` "directory" it finds it in the file plotly.min.js of the same folder.
    """
    layout = {**figure.get("layout", {}), "paper_bgcolor": look.ground}
    drawn = {"data": figure["data"], "layout": layout}
    page: str = plotly.io.to_html(drawn, config=CONFIG, include_plotlyjs=script, validate=False)
    return page


def plotly_js() -> str:
    text: str = plotly.offline.get_plotlyjs()
    return text


def spec(figure: PlotlyFigure, width_mm: float) -> str:
    """The figure for a column of a paper as JSON, for the script that draws it in the visitor's browser."""
    text: str = plotly.io.json.to_json_plotly(for_paper(figure, width_mm))
    return text


Draw = Callable[[PlotlyFigure, float, Format], bytes]


@contextmanager
def one_chromium() -> Iterator[Draw]:
    """Start a Chromium of this machine for all figures that are asked of it, in its own thread, so that whoever
    runs a loop of asyncio may ask, too.

    What it yields takes a figure, the width of the printed picture in millimeters and a format, and returns it:
    SVG and PDF at that size, PNG with 300 dots per inch.

    Raises
    ------
    NotDrawn
        where kaleido or a Chromium is missing, with what to install.
    """
    try:
        from choreographer.errors import BrowserFailedError, ChromeNotFoundError
        from kaleido import Kaleido
    except ImportError:
        raise NotDrawn(NO_KALEIDO) from None
    with closing(asyncio.new_event_loop()) as loop, ThreadPoolExecutor(1) as apart:

        def wait_for(work: Coroutine[Any, Any, Any]) -> Any:
            return apart.submit(loop.run_until_complete, work).result()

        def draw(figure: PlotlyFigure, width_mm: float, format: Format) -> bytes:
            made = for_paper(figure, width_mm)
            size = {name: made["layout"][name] for name in ("width", "height")}
            scale = dots_per_pixel() if format == "png" else SMALLER
            return _printable(
                wait_for(chromium.calc_fig(made, opts={"format": format, "scale": scale, **size})),
                width_mm,
                format,
            )

        try:
            chromium = Kaleido(path=which(_WITHOUT_WINDOWS))
            wait_for(chromium.__aenter__())
        except (ChromeNotFoundError, BrowserFailedError):
            raise NotDrawn(NO_BROWSER) from None
        try:
            yield draw
        finally:
            wait_for(_end_chromium(chromium))


async def _end_chromium(chromium: Any) -> None:
    """End Chromium and its watching tasks, which would outlive their event loop."""
    await chromium.__aexit__(None, None, None)
    watching = asyncio.all_tasks() - {asyncio.current_task()}
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)


def _printable(drawn: bytes, width_mm: float, format: Format) -> bytes:
    """The picture with its size on paper in it."""
    if format == "svg":
        return in_millimetres(drawn.decode("utf-8"), width_mm).encode("utf-8")
    if format == "png":
        return drawn[:_HEADER_OF_PNG] + _RESOLUTION + drawn[_HEADER_OF_PNG:]
    return drawn


def in_millimetres(svg: str, width_mm: float) -> str:
    """A drawing of so many pixels as one of a width on paper.

    >>> in_millimetres('<svg class="x" width="10" height="5" viewBox="0 0 10 5"><g width="1"/></svg>', 85)
    '<svg class="x" width="85mm" height="42.5mm" viewBox="0 0 10 5"><g width="1"/></svg>'
    """
    tag = svg[: svg.index(">")]
    _, _, width, height = map(float, re.findall(r'viewBox="([^"]*)"', tag)[0].split())
    sized = re.sub(r' width="[^"]*"', f' width="{width_mm:g}mm"', tag)
    sized = re.sub(r' height="[^"]*"', f' height="{width_mm * height / width:.4g}mm"', sized)
    return sized + svg[len(tag) :]
