"""Tables as pages show them: sortable by the unrounded numbers, written with the digits they deserve."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from charts.parts.numbers import UNDEFINED, count

_ROW = 33
MOST_ROWS = 2000
"""Rows that a page shows; a browser is slow with more, and nobody reads them. Downloads have all."""


def show_table(
    table: pd.DataFrame,
    written: Mapping[str, Callable[[float], str]],
    alt: str,
    most: int = 20,
    key: str | None = None,
) -> list[int]:
    """A table whose columns named in `written` are shown through that function; nothing passes Markdown.

    `most` rows are seen at once; the rest scrolls, up to `MOST_ROWS`. With a `key` rows can be ticked; the
    places of the ticked rows come back.
    """
    if len(table) > MOST_ROWS:
        with st.container():
            st.caption(f"The first {count(MOST_ROWS)} of {count(len(table))} rows; the download has all.")
            return show_table(table.head(MOST_ROWS), written, alt, most, key)
    written_there: dict[Any, Any] = {column: write for column, write in written.items() if column in table}
    show = partial(
        st.dataframe,
        table.style.format(written_there),
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        placeholder=UNDEFINED,
        alt=alt,
    )
    if key is None:
        show()
        return []
    ticked: Any = show(key=key, on_select="rerun", selection_mode="multi-row")
    return list(ticked["selection"]["rows"])
