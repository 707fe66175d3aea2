"""Drawing a figure on the page: never restyled, with the one configuration, and with words for who cannot see it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import streamlit as st

from analysis.values.names import LONGEST_SHOWN, shorten
from features.plotting.ready import Ready
from features.plotting.theme import CONFIG, NARROW_CONFIG, Look
from ui.progress import check_interrupt

NARROW_COOKIE = "raterscope_narrow"
"""Written by `server/static/window_width.js`."""
_instead: ContextVar[Look | None] = ContextVar("look of another place than the page", default=None)
DRAWING = 0.35
"""Seconds that a browser takes to draw the main picture, about."""
LOOK = 0.02
"""Seconds between two looks, meanwhile, whether the visitor has clicked: the next step begins when this run ends."""
LONGEST_ALT = 2 * LONGEST_SHOWN
"""Characters of what a picture or table shows in words, which may name two groups."""


def draw(place: Any, figure: dict[str, Any], *, key: str, alt: str) -> None:
    """Draws a figure in a place of the page (`st` itself, a column, an `st.empty`)."""
    place.plotly_chart(Ready(figure), theme=None, config=_config(), key=key, alt=shorten(alt, LONGEST_ALT))


def clicked(place: Any, figure: dict[str, Any], *, key: str, alt: str) -> list[Any]:
    """Draws a figure whose points can be clicked; the `customdata` of the one that was, if any."""
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
    """Draws a figure; a click on a point calls `then` with its `customdata` before the page runs again, once."""

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


def wait_for_paint(picture: str) -> None:
    """Waits while the browser draws a picture that it has not shown before; the rest of the page follows then.

    What is computed and sent meanwhile would only hold the picture up.
    """
    if st.session_state.get("drawn picture") != picture:
        until = time.monotonic() + DRAWING
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LOOK))
            check_interrupt()
        st.session_state["drawn picture"] = picture
