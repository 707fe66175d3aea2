"""Tables as pages show them: sortable by the unrounded numbers, written with the digits they deserve, their terms
explained at their heads, and all that can be done with them behind one button."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count as count_from
from itertools import cycle
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler
from streamlit.errors import StreamlitDuplicateElementKey

from analysis.values.names import LONGEST_SHOWN, distinct_label, shorten
from features.glossary import explained, in_head
from features.plotting.numbers import UNDEFINED, count
from features.results import use_session
from features.tables import DASH, WHY, Shown, Written, cells, why_dashes
from features.words import Sentence
from ui.downloads import ALL_COLUMNS, all_are_asked_for, columns_shown, files_place, offer_rows
from ui.pictures import LONGEST_ALT
from ui.progress import PAGE
from ui.words import note, terms

_ROW = 33
_LETTER, _EDGES = 7, 24
"""Pixels that a letter takes in a cell, and what stands beside them."""
MOST_ROWS = 2000
"""Rows that a page shows; a browser is slow with more, and nobody reads them. Downloads have all."""
LONGEST_KEPT = 10_000
"""Characters of a cell that a visit keeps for the table's files: it lasts minutes longer than its page."""
MOST_CELLS = 250_000
"""Cells that a page shows: pandas formats up to 262,144 of a table (`styler.render.max_elements`)."""


def show_table(
    table: pd.DataFrame,
    written: Mapping[str, Written],
    alt: str,
    most: int = 20,
    key: str | None = None,
    first: Sequence[str] = (),
    notes: Iterable[Sentence] = (),
    full: Callable[[], pd.DataFrame] | None = None,
) -> list[int]:
    """A table whose columns named in `written` are shown as that says; nothing passes Markdown.

    `most` rows are seen at once; the rest scrolls, up to `MOST_ROWS`. With a `key` rows can be ticked; the
    places of the ticked rows come back. Where `first` names columns, the others appear on a click. A button below
    explains the columns and gives the table as shown, with its `notes`, and unrounded (`full` where that is
    more); without rows nothing is shown. What its column `WHY` says of dashes stands below.
    """
    if not len(table):
        return []
    table, written, first = _with_short_heads(_cut(table, LONGEST_KEPT), written, first)
    table = table.replace(UNDEFINED, DASH)
    with st.container(gap="xsmall"):
        columns = columns_shown((table, written), first)
        seen = table if columns is None else table[columns]
        most_rows = min(MOST_ROWS, MOST_CELLS // max(len(seen.columns), 1))
        if len(table) > most_rows:
            st.caption(f"The first {count(most_rows)} of {count(len(table))} rows; the download has all.")
        ticked = _shown(seen.head(most_rows), written, alt, most, key)
        with ExitStack() as row:
            if 0 < sum(column in table for column in first) < len(table.columns.drop(WHY, errors="ignore")):
                row.enter_context(st.container(horizontal=True, gap="small", vertical_alignment="center"))
                all_columns(len(table.columns))
            files, named = files_place(alt, "content")
            with files:
                _columns_and_files(named, (table, written), seen.columns, alt, first, notes, full)
        for sentence in why_dashes((table, written), [str(column) for column in seen]):
            note(*sentence)
        return ticked


def _with_short_heads(
    table: pd.DataFrame, written: Mapping[str, Written], first: Sequence[str]
) -> tuple[pd.DataFrame, Mapping[str, Written], Sequence[str]]:
    """Cut the columns' names, which may be those of raters or labels."""
    if all(len(str(column)) <= LONGEST_SHOWN for column in table):
        return table, written, first
    return (
        table.rename(columns=distinct_label),
        {distinct_label(name): write for name, write in written.items()},
        [distinct_label(name) for name in first],
    )


@st.fragment
@use_session(PAGE)
def _columns_and_files(
    named: str,
    shown: Shown,
    seen: Iterable[object],
    alt: str,
    first: Sequence[str],
    notes: Iterable[Sentence],
    full: Callable[[], pd.DataFrame] | None,
) -> None:
    """A popover that is filled once it is open: opening it runs nothing else, and a closed one costs next to none."""
    popover = st.popover("Columns and files", type="tertiary", key=f"open {named}", on_change="rerun")
    if popover.open:
        with popover:
            offer_rows(shown, alt, named, first, notes, full)
            terms(list(dict.fromkeys(term for column in seen for term in in_head(str(column)))))


def all_columns(of: int | None = None) -> bool:
    """A button that shows all columns (so many) of the page's tables, or the few again; whether all are shown."""
    whole = all_are_asked_for()
    label = "Fewer columns" if whole else "All columns" if of is None else f"All {of} columns"
    for number in count_from(1):  # a page may have several such tables, or the same in each of its stages
        with suppress(StreamlitDuplicateElementKey):
            st.button(label, type="tertiary", key=f"{ALL_COLUMNS} {number}", on_click=_turn)
            break
    return whole


def _turn() -> None:
    if ALL_COLUMNS in st.query_params:
        del st.query_params[ALL_COLUMNS]
    else:
        st.query_params[ALL_COLUMNS] = "true"


def _shown(
    table: pd.DataFrame, written: Mapping[str, Written], alt: str, most: int, key: str | None
) -> list[int]:
    texts = {str(column): _texts(table[column], written.get(str(column))) for column in table}
    show = partial(
        st.dataframe,
        styled(_cut(table), texts),
        hide_index=True,
        row_height=_ROW,
        height=min(len(table) + 1, most) * _ROW + 2,
        width="stretch",
        column_config={
            str(column): st.column_config.Column(
                help=explained(str(column)) or None,
                width=_width(written.get(str(column)), texts[str(column)]),
            )
            for column in table
            if explained(str(column)) or _width(written.get(str(column)), texts[str(column)])
        },
        placeholder=DASH,
        alt=shorten(alt, LONGEST_ALT),
    )
    if key is None:
        show()
        return []
    ticked: Any = show(key=key, on_select="rerun", selection_mode="multi-row")
    return list(ticked["selection"]["rows"])


def _cut(table: pd.DataFrame, width: int = LONGEST_SHOWN) -> pd.DataFrame:
    """Cut what its cells hold besides numbers."""
    names = {
        str(column): [shorten(value, width) if isinstance(value, str) else value for value in values]
        for column, values in table.select_dtypes(["object", "string"]).items()
        if any(isinstance(value, str) and len(value) > width for value in values)
    }
    return table.assign(**names) if names else table


def styled(table: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Styler:
    """Return the table with the text of each of its cells, by which `st.dataframe` shows but does not sort it.

    pandas formats the cells of a column once each, from the first row to the last. A Styler without a `uuid` gets a
    random one, with which a table that has not changed would be sent and drawn again.
    """
    styler = Styler(table.reset_index(drop=True), uuid="raterscope")
    in_order = {column: cycle(texts[str(column)]) for column in table}
    return styler.format({column: _next_of(cells_left) for column, cells_left in in_order.items()})


def _next_of(texts: Iterator[str]) -> Callable[[object], str]:
    return lambda _: next(texts)


def _texts(column: "pd.Series[Any]", write: Written | None) -> list[str]:
    """Of its cells; a browser shows a box to tick in place of yes and no."""
    return [str(value) for value in column] if column.dtype == bool else cells(column, write)


def _width(written: Written | None, texts: Sequence[str]) -> int | None:
    """Of a column whose cells have texts of their own: a browser would measure the numbers behind them, and cut the
    texts off."""
    if written is None or callable(written):
        return None
    return _EDGES + _LETTER * max(map(len, texts), default=0)
