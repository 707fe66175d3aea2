"""Sentences of a page, and what it tells of errors."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from types import MappingProxyType
from zlib import crc32

import streamlit as st

from analysis.values.estimate import InputError
from analysis.values.names import shorten
from data.errors import DataError
from features.blocks import Text
from features.glossary import Term, in_sentence
from features.words import LONGEST_TOLD, shown

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


def say(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    """A sentence: `template` is ours and may hold <b>, values are escaped text; `say(*sentence)` says a Sentence.

    Its terms explain themselves on hover, and by a press on them.
    """
    text = _filled(_with_terms(template), {**sentence_values, **values})
    st.html(f'<p style="margin:0;font-size:1.05rem;line-height:1.5">{text}</p>')


def say_headline(sentence: Text, status: str, is_main: bool = True) -> None:
    """Show a finding's headline and the word for its status; smaller where it is not the main one."""
    template, values = sentence
    text = _filled(_with_terms(template), values)
    chip = f' <span style="{_STATUS}">{escape(status)}</span>' if status else ""
    size = "1.3rem" if is_main else "1.05rem"
    st.html(f'<p style="margin:0;font-size:{size};font-weight:600;line-height:1.35">{text}{chip}</p>')


def note(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    """A remark in smaller, quieter type."""
    st.html(
        f'<p style="margin:0;font-size:.9rem;opacity:.8">{_filled(template, {**sentence_values, **values})}</p>'
    )


def warn(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    """What the reader should know before trusting a figure: amber, with a sign."""
    st.html(
        '<p role="status" style="margin:0;font-size:.95rem;color:light-dark(#8A4700,#F0B35A)">'
        f'<span aria-hidden="true">&#9651;&#8201;</span>{_filled(template, {**sentence_values, **values})}</p>'
    )


def fail(message: str) -> None:
    """What stops the user, in the error's own words as a sentence: red, with a sign."""
    message = shorten(message, LONGEST_TOLD)
    sentence = message[:1].upper() + message[1:] + ("" if message.endswith((".", "!", "?")) else ".")
    st.html(
        '<p role="alert" style="margin:0;line-height:1.5;color:light-dark(#B3261E,#FF8A80)">'
        f'<span aria-hidden="true">&#10005;&#8201;</span>{escape(sentence)}</p>'
    )


def cells(values: Iterable[str], bold: bool = False) -> None:
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


def small_table(columns: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> None:
    """A few rows of an uploaded table, long cells cut; it scrolls inside itself where it is too wide."""
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


def terms(explained: Sequence[Term]) -> None:
    """Terms with what they mean, one below the other."""
    if explained:
        listed = "".join(
            f'<dt><b>{term.plain}</b></dt><dd style="margin:0 0 .5rem">{term.told}</dd>' for term in explained
        )
        st.html(
            f'<dl style="margin:0;padding:0;font-size:.9rem;line-height:1.4;max-width:32rem">{listed}</dl>'
        )


def _with_terms(template: str) -> str:
    """The template with each term as a button that opens its explanation: HTML alone, so that nothing else runs."""
    parts, told, after = [], [], 0
    for number, (at, end, term) in enumerate(in_sentence(template)):
        place = f"term-{crc32(template.encode()):x}-{number}"
        words = escape(f"{term.plain}: {term.told}")
        parts.append(
            f'{template[after:at]}<button type="button" popovertarget="{place}" title="{words}" '
            f'style="{_TERM}">{template[at:end]}</button>'
        )
        told.append(f'<span popover id="{place}" style="{_TOLD}">{words}</span>')
        after = end
    return "".join([*parts, template[after:], *told])


def _filled(template: str, values: Mapping[str, object]) -> str:
    return template.format_map({name: escape(value) for name, value in shown(values).items()})


_log = logging.getLogger("raterscope.store")


@contextmanager
def told_in_words() -> Iterator[None]:
    """Show the errors that a user can cause as their own sentence, and stops the page there."""
    try:
        yield
    except InputError as error:
        fail(str(error))
        st.stop()
    except DataError as error:
        tell(error)
        st.stop()


def tell(error: DataError) -> None:
    """Show an error as visitors may read it; what is the operator's goes to the log."""
    fail(error.for_visitors())
    if error.instead:
        _log.warning("a visitor was told that the store fails", extra={"fields": {"reason": str(error)}})
