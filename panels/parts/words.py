"""Sentences on a page. Names from uploads are escaped as HTML and never pass through Markdown,
which would render links, pictures, formulas and icons hidden in them."""

from collections.abc import Iterable, Mapping
from html import escape
from types import MappingProxyType

import streamlit as st

NOTHING: Mapping[str, object] = MappingProxyType({})


def say(template: str, sentence_values: Mapping[str, object] = NOTHING, /, **values: object) -> None:
    """A sentence: `template` is ours and may hold <b>, values are escaped text; `say(*sentence)` says a Sentence."""
    st.html(
        f'<p style="margin:0;font-size:1.05rem;line-height:1.5">{_filled(template, {**sentence_values, **values})}</p>'
    )


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
    """What stops the user, in the error's own words: red, with a sign."""
    st.html(
        '<p role="alert" style="margin:0;line-height:1.5;color:light-dark(#B3261E,#FF8A80)">'
        f'<span aria-hidden="true">&#10005;&#8201;</span>{escape(message)}</p>'
    )


def cells(values: Iterable[str], bold: bool = False) -> None:
    """Cells of an uploaded table, one below the other, cut where their column ends; an empty one is a thin space."""
    style = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.85rem;line-height:1.5"
    weight = ";font-weight:600" if bold else ";opacity:.8"
    st.html(
        "".join(
            f'<div style="{style}{weight}" title="{escape(value)}">{escape(value) or "&#8201;"}</div>'
            for value in values
        )
    )


def _filled(template: str, values: Mapping[str, object]) -> str:
    return template.format_map({name: escape(str(value)) for name, value in values.items()})
