"""Elements of a page: sentences, errors in words, small tables, figures, progress of long work, and the store."""

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from types import MappingProxyType
from typing import Any
from urllib.parse import quote
from zlib import crc32

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis.values.estimate import LONGEST_SHOWN, InputError, shorten
from data.errors import DataError
from data.store.shared import SHARED_STORE
from data.store.store import Store
from features.blocks import Text
from features.cache import Stopped
from features.plotting.panels import PreparedFigure
from features.plotting.theme import CONFIG, NARROW_CONFIG, Look
from features.study import Session
from features.words import LONGEST_TOLD, Term, in_sentence, shown

NOTHING: Mapping[str, object] = MappingProxyType({})
_TERM = (
    "font:inherit;color:inherit;background:none;border:0;padding:0;cursor:help;text-decoration:underline dotted;"
    "text-underline-offset:.2em"
)
_TOLD = (
    "position-area:bottom span-right;margin:.25rem 0;max-width:min(24rem,90vw);padding:.6rem .8rem;font-size:.9rem;"
    "font-weight:400;line-height:1.4;border:1px solid #8A9099;border-radius:.5rem;color:inherit;"
    "background:light-dark(#FFFFFF,#1B1F24)"
)
"""Below the term, where the browser knows how to stand there."""


_STATUS = (
    "display:inline-block;vertical-align:middle;margin-left:.4rem;padding:.05rem .5rem;font-size:.8rem;"
    "font-weight:400;line-height:1.4;border:1px solid #8A9099;border-radius:1rem"
)
"""As a small label."""


def show_sentence(
    template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object
) -> None:
    """Show a sentence: `template` may hold <b>, values are escaped text; its terms explain themselves."""
    text = _filled(_with_terms(template), {**sentence_values, **values})
    st.html(f'<p style="margin:0;font-size:1.05rem;line-height:1.5">{text}</p>')


def show_headline(sentence: Text, status: str, is_main: bool = True) -> None:
    """Show a finding's headline and the word for its status; smaller where it is not the main one."""
    template, values = sentence
    text = _filled(_with_terms(template), values)
    chip = f' <span style="{_STATUS}">{escape(status)}</span>' if status else ""
    size = "1.3rem" if is_main else "1.05rem"
    st.html(f'<p style="margin:0;font-size:{size};font-weight:600;line-height:1.35">{text}{chip}</p>')


def show_note(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    st.html(
        f'<p style="margin:0;font-size:.9rem;opacity:.8">{_filled(template, {**sentence_values, **values})}</p>'
    )


def show_warning(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    st.html(
        '<p role="status" style="margin:0;font-size:.95rem;color:light-dark(#8A4700,#F0B35A)">'
        f'<span aria-hidden="true">&#9651;&#8194;</span>{_filled(template, {**sentence_values, **values})}</p>'
    )


def show_error(message: str) -> None:
    message = shorten(message, LONGEST_TOLD)
    sentence = message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?")) else ".")
    st.html(
        '<p role="alert" style="margin:0;line-height:1.5;color:light-dark(#B3261E,#FF8A80)">'
        f'<span aria-hidden="true">&#10005;&#8194;</span>{escape(sentence)}</p>'
    )


def show_cells(values: Iterable[str], bold: bool = False) -> None:
    """Cells of an uploaded table, one below the other, cut where their column ends; an empty one is a thin space."""
    style = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.85rem;line-height:1.5"
    weight = ";font-weight:600" if bold else ";opacity:.8"
    shown_values = map(shorten, values)
    st.html(
        "".join(
            f'<div style="{style}{weight}" title="{escape(value)}">{escape(value) or "&#8201;"}</div>'
            for value in shown_values
        )
    )


def show_small_table(columns: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> None:
    """Show a few rows of an uploaded table, long cells cut; it scrolls inside itself."""
    cell = (
        "padding:.15rem .9rem .15rem 0;text-align:left;max-width:16rem;overflow:hidden;text-overflow:ellipsis"
    )
    head = "".join(f'<th scope="col" style="{cell};font-weight:600">{escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<td style="{cell}">{escape(shorten(text))}</td>' for text in row) + "</tr>"
        for row in rows
    )
    st.html(
        f'<div style="overflow-x:auto" tabindex="0" role="region" aria-label="{escape(label)}">'
        '<table style="border-collapse:collapse;font-size:.85rem;line-height:1.5;white-space:nowrap">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def show_terms(explained: Sequence[Term]) -> None:
    if explained:
        listed = "".join(
            f'<dt><b>{term.plain}</b></dt><dd style="margin:0 0 .5rem">{term.told}</dd>' for term in explained
        )
        st.html(
            f'<dl style="margin:0;padding:0;font-size:.9rem;line-height:1.4;max-width:32rem">{listed}</dl>'
        )


def _with_terms(template: str) -> str:
    """Return the template with each term as a button that opens its explanation, without scripts."""
    parts, explained, after = [], [], 0
    for number, (at, end, term) in enumerate(in_sentence(template)):
        place = f"term-{crc32(template.encode()):x}-{number}"
        words = escape(f"{term.plain}: {term.told}")
        parts.append(
            f'{template[after:at]}<button type="button" popovertarget="{place}" title="{words}" '
            f'style="{_TERM}">{template[at:end]}</button>'
        )
        explained.append(f'<span popover id="{place}" style="{_TOLD}">{words}</span>')
        after = end
    return "".join([*parts, template[after:], *explained])


_UNBROKEN = re.compile(r"(?:[^\s<>]{1,12} = (?:<b>)?[^\s<>]{1,12}(?:</b>)?|[(−\d.%]+–[−\d.%)]+)(?![^<>]*>)")
"""An equation or an interval outside tags, such as "ρ = <b>0.61</b>" and "(0.36–0.78)"."""


def _filled(template: str, values: Mapping[str, object]) -> str:
    """Return the sentence with its values escaped; no line ends inside an equation or an interval."""
    text = template.format_map({name: escape(value) for name, value in shown(values).items()})
    return _UNBROKEN.sub(r'<span style="white-space:nowrap">\g<0></span>', text)


_log = logging.getLogger("raterscope.store")


@contextmanager
def show_user_errors() -> Iterator[None]:
    """Show errors that a user can cause as a sentence, and stop the page."""
    try:
        yield
    except InputError as error:
        show_error(str(error))
        st.stop()
    except DataError as error:
        show_exception(error)
        st.stop()


def show_exception(error: DataError) -> None:
    """Show an error in words for visitors, and log what concerns the operator."""
    show_error(error.visitor_message())
    if error.instead:
        _log.warning("a visitor was told that the store fails", extra={"fields": {"reason": str(error)}})


NARROW_COOKIE = "raterscope_narrow"
"""Written by `server/static/window_width.js`."""
_instead: ContextVar[Look | None] = ContextVar("look of another place than the page", default=None)
LONGEST_ALT = 2 * LONGEST_SHOWN
"""Characters of what a picture or table shows in words, which may name two groups."""


def show_figure(place: Any, figure: dict[str, Any], *, key: str, alt: str, **selection: Any) -> Any:
    """Draw a figure in a place of the page (`st` itself, a column, an `st.empty`); return its event.

    `selection` are arguments of `st.plotly_chart` for a figure whose points can be clicked.
    """
    alt, config = shorten(alt, LONGEST_ALT), NARROW_CONFIG if current_look().narrow else CONFIG
    return place.plotly_chart(
        PreparedFigure(figure), theme=None, config=config, key=key, alt=alt, **selection
    )


def clicked_data(event: Any) -> list[Any]:
    return [point["customdata"] for point in event["selection"]["points"] if "customdata" in point]


def current_look() -> Look:
    """Return the look of the page now: light or dark, and whether the window is narrow or a phone's."""
    if (other := _instead.get()) is not None:
        return other
    phone = "Mobi" in st.context.headers.get("User-Agent", "")
    narrow = phone or st.context.cookies.get(NARROW_COOKIE) == "1"
    return Look(dark=st.context.theme.type == "dark", narrow=narrow)


@contextmanager
def use_look(other: Look) -> Iterator[None]:
    """Draw with another look inside the `with` block, such as that of a sheet of paper."""
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


PATIENCE = 0.5
"""Seconds before a progress line appears: what is sent while the browser draws delays it."""
PACE = 0.5
"""Seconds between two words of a progress line: at each the browser looks through the whole page."""


def check_interrupt() -> None:
    """End this run of the script here if the visitor has clicked, stopped it or left; send nothing."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        "d" in st.session_state  # noqa: B015 - Streamlit looks for clicks whenever the state is read


@contextmanager
def show_progress(key: str, label: str) -> Iterator[Callable[[float, str], object]]:
    """Show long work on the page, with buttons to stop and resume it.

    Streamlit interrupts a script only inside its own calls: a click takes effect in the callback that this yields.
    """
    place = st.empty()  # always, so that what follows keeps its place
    line = _ProgressLine(place, label, key)
    try:
        yield line.show
    except Exception:  # another exception than Streamlit's: nothing goes on any more
        if not line.is_stopped:
            place.empty()
        raise
    if line.is_used:
        place.empty()


PAGE = Session(show_progress=show_progress, check_interrupt=check_interrupt)
"""The session of a page's run."""


class _ProgressLine:
    """A progress bar with a Stop button that appears only when the work turns out to be long."""

    def __init__(self, place: DeltaGenerator, label: str, key: str) -> None:
        self._place, self._label, self._key = place, label, key
        self._stopped = f"stopped:{label}"
        self._of_work = (
            f"{label} {crc32(key.encode('utf-8', 'surrogatepass')):x}"  # a run may work twice at one label
        )
        self._next = time.monotonic() + PATIENCE
        self._moving: tuple[float, float] | None = None
        self._bar: DeltaGenerator | None = None
        self.is_used = self.is_stopped = False

    def show(self, done: float, words: str) -> None:
        """Show progress, or raise where the visitor has stopped this work or clicked."""
        if not self.is_used:
            self._check_stopped()
        self.is_used = True
        now = time.monotonic()
        if now < self._next:
            check_interrupt()
            return
        self._next = now + PACE
        done = min(max(done, 0.0), 1.0)
        words += self._left(done)
        if self._bar is not None:
            self._bar.progress(done, text=words)
            return
        with self._place.container(horizontal=True, vertical_alignment="center"):
            self._bar = st.progress(done, text=words)
            st.button(
                "Stop",
                key=f"stop:{self._of_work}",
                on_click=st.session_state.__setitem__,
                args=(self._stopped, self._key),
            )

    def _check_stopped(self) -> None:
        if not _is_stopped(self._stopped, self._key):
            return
        self.is_stopped = True
        with self._place.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{self._label}: stopped.")
            st.button(
                "Compute it",
                key=f"resume:{self._of_work}",
                on_click=st.session_state.pop,
                args=(self._stopped, None),
            )
        raise Stopped(self._label)

    def _left(self, done: float) -> str:
        """Return the remaining time at the speed so far; time in the queue does not count."""
        now = time.monotonic()
        if self._moving is None:
            if done > 0:
                self._moving = now, done
            return ""
        since, first = self._moving
        return describe_time_left(now - since, done - first, 1 - done)


def describe_time_left(seconds: float, done: float, left: float) -> str:
    """Return the remaining time of long work in words, from the share done in `seconds`; "" while it is a guess."""
    if seconds < 1 or done < 0.03:
        return ""
    rest = seconds * left / done
    if rest < 4:
        return ", a few seconds left"
    return (
        f", about {5 * round(rest / 5) or 5} s left" if rest < 90 else f", about {round(rest / 60)} min left"
    )


def _is_stopped(stopped: str, key: str) -> bool:
    return st.session_state.get(stopped) == key


def store() -> Store:
    """Return the store with the built-in studies in it; those alone where it cannot be opened."""
    if SHARED_STORE.is_ready:
        return SHARED_STORE.get()
    with st.spinner("Opening the database"):
        return SHARED_STORE.get()


def warn_samples_only() -> None:
    because = SHARED_STORE.failure
    if because is not None:
        show_warning("{why} The samples can be looked at meanwhile.", why=because.visitor_message())
