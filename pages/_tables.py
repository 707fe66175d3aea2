"""Tables as pages show them: sortable by the unrounded numbers, written with the digits they deserve."""

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from charts.numbers import UNDEFINED

_ROW = 33


def show_table(
    table: pd.DataFrame, written: Mapping[str, Callable[[float], str]], alt: str, most: int = 20
) -> None:
    """A table whose columns named in `written` are shown through that function; nothing passes Markdown.

    `most` rows are seen at once; the rest scrolls.
    """
    styled = table.style.format({column: write for column, write in written.items() if column in table})
    st.dataframe(
        styled,
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        placeholder=UNDEFINED,
        alt=alt,
    )
