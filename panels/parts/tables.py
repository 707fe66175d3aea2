"""Tables as pages show them: sortable by the unrounded numbers, written with the digits they deserve."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from charts.parts.numbers import count
from findings.tables import Written
from panels.parts.downloads import offer_rows

_ROW = 33
DASH = "–"
"""In the cell of a number that could not be worked out; its reason stands beside the table."""
MOST_ROWS = 2000
"""Rows that a page shows; a browser is slow with more, and nobody reads them. Downloads have all."""


def show_table(
    table: pd.DataFrame,
    written: Mapping[str, Written],
    alt: str,
    most: int = 20,
    key: str | None = None,
) -> list[int]:
    """A table whose columns named in `written` are shown as that says; nothing passes Markdown.

    `most` rows are seen at once; the rest scrolls, up to `MOST_ROWS`. With a `key` rows can be ticked; the
    places of the ticked rows come back. Buttons below give all rows; without rows nothing is shown.
    """
    if not len(table):
        return []
    with st.container(gap="xsmall"):
        if len(table) > MOST_ROWS:
            st.caption(f"The first {count(MOST_ROWS)} of {count(len(table))} rows; the download has all.")
        ticked = _shown(table.head(MOST_ROWS), written, alt, most, key)
        offer_rows(table, alt)
    return ticked


def _shown(
    table: pd.DataFrame, written: Mapping[str, Written], alt: str, most: int, key: str | None
) -> list[int]:
    there: dict[Any, Any] = {column: write for column, write in written.items() if column in table}
    styled = table.style.format(
        {column: write for column, write in there.items() if callable(write)}, na_rep=DASH
    )
    for column, texts in there.items():
        if not callable(texts):
            for row, text in zip(table.index, texts, strict=False):
                styled = styled.format(partial(_text, text), na_rep=DASH, subset=([row], [column]))
    show = partial(
        st.dataframe,
        styled,
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        placeholder=DASH,
        alt=alt,
    )
    if key is None:
        show()
        return []
    ticked: Any = show(key=key, on_select="rerun", selection_mode="multi-row")
    return list(ticked["selection"]["rows"])


def _text(text: str, _: object) -> str:
    return text
