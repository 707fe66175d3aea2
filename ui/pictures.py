"""Drawing a figure on the page: never restyled, with the one configuration, and with words for who cannot see it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote

import streamlit as st

from analysis.values.names import LONGEST_SHOWN, shorten
from features.plotting.marks import Ready
from features.plotting.theme import CONFIG, NARROW_CONFIG, Look

NARROW_COOKIE = "raterscope_narrow"
"""Written by `server/static/window_width.js`."""
_instead: ContextVar[Look | None] = ContextVar("look of another place than the page", default=None)
LONGEST_ALT = 2 * LONGEST_SHOWN
"""Characters of what a picture or table shows in words, which may name two groups."""


def draw(place: Any, figure: dict[str, Any], *, key: str, alt: str) -> None:
    """Draw a figure in a place of the page (`st` itself, a column, an `st.empty`)."""
    place.plotly_chart(Ready(figure), theme=None, config=_config(), key=key, alt=shorten(alt, LONGEST_ALT))


def clicked(place: Any, figure: dict[str, Any], *, key: str, alt: str) -> list[Any]:
    """Draw a figure whose points can be clicked; the `customdata` of the one that was, if any."""
    event: Any = place.plotly_chart(
        Ready(figure),
        theme=None,
        config=_config(),
        key=key,
        alt=shorten(alt, LONGEST_ALT),
        on_select="rerun",
        selection_mode="points",
    )
    return [point["customdata"] for point in event["selection"]["points"] if "customdata" in point]


def on_click(place: Any, figure: dict[str, Any], then: Callable[[Any], None], *, key: str, alt: str) -> None:
    """Draw a figure; a click on a point calls `then` with its `customdata` before the page runs again, once."""

    def clicked_now() -> None:
        points = st.session_state[key]["selection"]["points"]
        told = [point["customdata"] for point in points if "customdata" in point]
        if told:
            then(told[0])

    place.plotly_chart(
        Ready(figure),
        theme=None,
        config=_config(),
        key=key,
        alt=shorten(alt, LONGEST_ALT),
        on_select=clicked_now,
        selection_mode="points",
    )


def _config() -> dict[str, Any]:
    return NARROW_CONFIG if look().narrow else CONFIG


def look() -> Look:
    """Light or dark, as the visitor's browser shows the page now, and whether its window is narrow or a phone's."""
    if (other := _instead.get()) is not None:
        return other
    phone = "Mobi" in st.context.headers.get("User-Agent", "")
    narrow = phone or st.context.cookies.get(NARROW_COOKIE) == "1"
    return Look(dark=st.context.theme.type == "dark", narrow=narrow)


@contextmanager
def drawn_for(other: Look) -> Iterator[None]:
    """Has what is drawn here suit another place than the page, such as a sheet of paper."""
    before = _instead.set(other)
    try:
        yield
    finally:
        _instead.reset(before)


_MARK = """<rect width="32" height="32" rx="6" \
fill="#0072B2"/><path d="M6 26C8 12 14 9 27 8" fill="none" stroke="#fff" stroke-width="3" \
stroke-linecap="round"/><circle cx="13" cy="12.5" r="3.2" fill="#E69F00"/>"""
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 32">{drawn}</svg>'

_NAME = """<text x="42" y="23" font-family="Source Sans, Segoe UI, Helvetica, Arial, sans-serif" font-size="22" \
font-weight="600" fill="#2B87C5" textLength="114" lengthAdjust="spacingAndGlyphs">Raterscope</text>"""
"""In a colour that stands out from either theme's ground, and as wide as its place whatever font draws it."""

ICON = "data:image/svg+xml," + quote(_SVG.format(width=32, drawn=_MARK))
MARK_AND_NAME = "data:image/svg+xml," + quote(_SVG.format(width=160, drawn=_MARK + _NAME))
