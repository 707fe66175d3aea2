"""What a table's cells show, on its way to the page beside the numbers by which the table is sorted.

Streamlit takes such texts from a Styler of pandas, which makes them cell by cell, and copies them twice: 6 ms for 9
rows of 9 columns, four fifths of what a table costs a step. Ours are made already, and are written as they are. And a
Styler has a new random name each time, with which a table that has not changed would be sent, and drawn, again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from streamlit.dataframe_util import convert_pandas_df_to_arrow_bytes
from streamlit.elements import arrow
from streamlit.elements.lib.pandas_styler_utils import marshall_styler

_TEXTS = "raterscope_texts"
"""Where a Styler of ours holds them."""


def with_texts(table: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Any:
    """The table for `st.dataframe`, with the text of each cell, column by column."""
    styler = table.reset_index(drop=True).style
    setattr(styler, _TEXTS, texts)
    return styler


def _marshall(proto: Any, styler: Any, default_uuid: str) -> None:
    """In place of Streamlit's own, for Stylers of ours."""
    texts: Mapping[str, Sequence[str]] | None = getattr(styler, _TEXTS, None)
    if texts is None:
        marshall_styler(proto, styler, default_uuid)
        return
    shown = pd.DataFrame(dict(texts), styler.data.index, dtype=object)
    proto.styler.uuid = default_uuid
    proto.styler.display_values = convert_pandas_df_to_arrow_bytes(shown)


arrow.marshall_styler = _marshall  # type: ignore[attr-defined]
