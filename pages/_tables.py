"""Tables as pages show them: sortable by the unrounded numbers, written with the digits they deserve."""

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from charts.numbers import UNDEFINED

_ROW = 33


def show_table(
    table: pd.DataFrame,
    written: Mapping[str, Callable[[float], str]],
    alt: str,
    most: int = 20,
    key: str | None = None,
) -> list[int]:
    """A table whose columns named in `written` are shown through that function; nothing passes Markdown.

    `most` rows are seen at once; the rest scrolls. With a `key` rows can be ticked; the places of the ticked
    rows come back.
    """
    styled = table.style.format({column: write for column, write in written.items() if column in table})
    shown = st.dataframe(
        styled,
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        placeholder=UNDEFINED,
        alt=alt,
        **({"key": key, "on_select": "rerun", "selection_mode": "multi-row"} if key else {}),
    )
    return shown["selection"]["rows"] if key else []
