"""Downloads of a page: tables as shown or with all digits, and figures.

A file is made when the browser asks for it, which may be long after its button was drawn: then it is asked again who
asks, and whether the keys of the address still lead to what they did.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from itertools import count as count_from
from typing import BinaryIO, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitDuplicateElementKey
from streamlit.runtime.scriptrunner import get_script_run_ctx

from data.errors import DataError, NotFound
from data.export import csv_bytes, json_bytes, parquet_bytes
from features import printing
from features.notices import caption
from features.plotting.export import ONE_COLUMN, TWO_COLUMNS, html, look_of, spec
from features.plotting.theme import PlotlyFigure, count
from features.printing import excel
from features.study import Study
from features.words import WHY, Printed, Sentence, Shown, printed
from server.session_guard import current_download
from ui.elements import current_look, store, use_look

KEYS = ("d", "pyramid", "metrics", "pairs")
"""Parameters of the address that hold a reader's key."""
_WORD = re.compile(r"[^\W_]+")
BUTTON = (
    "font:inherit;font-size:.875rem;color:inherit;background:none;cursor:pointer;min-height:2.5rem;"
    "padding:.25rem .75rem;"
    "border:1px solid light-dark(rgba(49,51,63,.2),rgba(250,250,250,.2));border-radius:.5rem"
)
"""As Streamlit's own buttons look."""
_LABEL = 160
"""Pixels of the word before a row of buttons."""
MOST_TO_COPY = 500
"""Rows that a page holds a second time as text."""
ALL_COLUMNS = "all_columns"
"""In the address while the tables of a page show all their columns."""
Table = tuple[Shown, str]
"""A table that a page shows, and what it shows in words."""
WIDTHS = {
    f"One column ({ONE_COLUMN:g} mm)": ONE_COLUMN,
    f"Two columns ({TWO_COLUMNS:g} mm)": TWO_COLUMNS,
}
"""Millimeters of a paper's columns."""
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
GONE = (
    "The link to this data set was revoked or has ended, or the data set is gone, so nothing of it can be downloaded. "
    "Reload the page."
)


def show_downloads(
    name: str,
    tables: Sequence[Table],
    figure: Callable[[], PlotlyFigure] | Mapping[str, Callable[[], PlotlyFigure]] | None = None,
    *,
    first: Sequence[str] = (),
    notes: Iterable[Sentence] = (),
    methods: Sequence[str] = (),
) -> None:
    """Draw the fold with the page's tables, as shown and unrounded, and its figures; files are made on request.

    The tables show the columns `first` until all are asked for, with the `notes` and `methods` below. `figure` draws
    for the look that `look()` gives.
    """
    fold = st.expander("Download", on_change="rerun", key=f"download_{name}")
    if not fold.open:
        return
    notes = [*notes]
    with fold:
        for at, (shown, what) in enumerate(tables):
            named = name if at == 0 else _named(what)
            all_notes: list[Sentence | str] = [*notes, *methods]
            st.html(f'<p style="margin:0;font-size:.9rem">{escape(_caption(what)())}</p>')
            place, of = place_for_files(named)
            with place:
                show_table_files(shown, what, of, first, all_notes, named)
        figures = {name: figure} if callable(figure) else figure or {}
        for of, draw in figures.items():
            _show_figure_files(of, draw)


def _show_figure_files(name: str, figure: Callable[[], PlotlyFigure]) -> None:
    """The page's figure for print, saved by `server/static/figures.js`, and as HTML."""
    shown, shown_on = figure(), current_look()
    with _row("Figure for print"):
        wide = st.segmented_control(
            "Width of the figure",
            list(WIDTHS),
            default=next(iter(WIDTHS)),
            required=True,
            key=f"width {name}",
            label_visibility="collapsed",
        )
        with use_look(look_of(WIDTHS[wide])):
            drawn = spec(figure(), WIDTHS[wide])
        held = {"data-figure": drawn, "data-millimetres": f"{WIDTHS[wide]:g}", "data-named": file_name(name)}
        buttons = "".join(
            f'<button type="button" style="{BUTTON}" data-saves="{form.lower()}">{form}</button>'
            for form in ("SVG", "PNG")
        )
        frame = " ".join(f'{attribute}="{escape(value)}"' for attribute, value in held.items())
        st.html(f'<div style="display:flex;gap:.5rem" {frame}>{buttons}</div>', width="content")
    with _row("Figure as on the page"):
        offer_download(
            "HTML",
            lambda: html(shown, shown_on),
            f"{file_name(name)}.html",
            "text/html",
            keys=reader_keys_in_address(),
        )


def place_for_files(
    what: str, width: Literal["stretch", "content"] = "stretch"
) -> tuple[DeltaGenerator, str]:
    """A place for the files of a table, and its name: the same table may stand on a page twice, as in the stages of a
    panel."""
    for number in count_from(1):
        with suppress(StreamlitDuplicateElementKey):
            named = f"files of {_named(what)} {number}"
            return st.container(key=named, gap="xsmall", width=width), named
    raise AssertionError  # numbers do not end


def visible_columns(shown: Shown, first: Sequence[str]) -> list[str] | None:
    """Return the columns of a table that a page shows: the `first` ones until all are asked for, None for all."""
    every = [str(column) for column in shown[0] if column != WHY]
    few = [column for column in first if column in every]
    columns = every if len(few) in (0, len(every)) or shows_all_columns() else few
    return None if len(columns) == len(shown[0].columns) else columns


def shows_all_columns() -> bool:
    return st.query_params.get(ALL_COLUMNS) == "true"


def _row(words: str) -> DeltaGenerator:
    """Return a row for buttons after a label, which stands above them on a phone."""
    if current_look().narrow:
        st.caption(words)
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    if not current_look().narrow:
        row.caption(words, width=_LABEL)
    return row


def _named(what: str) -> str:
    return "-".join(_WORD.findall(what.lower()))[:60].strip("-") or "table"


def file_name(of: str) -> str:
    """Return the name of a file, without its ending, that holds this figure or table of the open data set."""
    study: Study | None = st.session_state.get("study")
    return of if study is None else f"{_named(study.whole.name)}_{of}"


def _caption(what: str) -> Callable[[], str]:
    """Return the caption of a printed table, made only when the file is."""
    study: Study | None = st.session_state.get("study")
    return lambda: caption(what, study, {} if study is None else store().query(study.dataset, "overview"))


def show_table_files(
    shown: Shown,
    what: str,
    place: str,
    first: Sequence[str],
    notes: Sequence[Sentence | str] = (),
    name: str = "",
) -> None:
    """Offer a table that a page shows as text to copy and as files, called `name`; `what` says what it shows.

    `place` is the name of its `place_for_files`.
    """
    columns, name = visible_columns(shown, first), name or _named(what)
    above, table = _caption(what), shown[0]

    def give(label: str, make: Callable[[], bytes | str], ending: str, mime: str, of: str = name) -> None:
        file = f"{file_name(of)}.{ending}"
        offer_download(label, make, file, mime, f"{label} of {place}", keys=reader_keys_in_address())

    def text() -> Printed:
        return printed(shown, columns, notes)

    with _row("As shown"):
        _copy_button(shown, columns, what)
        give("CSV", lambda: printing.csv_bytes(text()), "csv", "text/csv")
        give("Excel", lambda: excel(shown, columns, above(), text().notes), "xlsx", _XLSX)
        give("Markdown", lambda: printing.markdown(text(), above()), "md", "text/markdown")
        give("LaTeX", lambda: printing.latex(text(), above(), f"tab:{name}"), "tex", "text/x-tex")
    with _row("Everything, unrounded"):
        of = f"{name}-unrounded"
        give("Unrounded CSV", lambda: csv_bytes(table), "csv", "text/csv", of)
        give("Parquet", lambda: parquet_bytes(table), "parquet", "application/vnd.apache.parquet", of)
        give("JSON", lambda: json_bytes(table), "json", "application/json", of)


def reader_keys_in_address() -> tuple[str, ...]:
    """The readers' keys that the address holds."""
    return tuple(str(st.query_params[parameter]) for parameter in KEYS if parameter in st.query_params)


def _copy_button(shown: Shown, columns: list[str] | None, what: str) -> None:
    """A button that copies the table as text for a spreadsheet (`server/static/copying.js`): the table's own toolbar
    knows no formulas."""
    table, written = shown
    few = table.head(MOST_TO_COPY)
    rows = (
        "all rows" if len(few) == len(table) else f"the first {count(len(few))} of {count(len(table))} rows"
    )
    text = (
        escape(printing.pasteable(printed((few, written), columns)))
        .replace("\t", "&#9;")
        .replace("\n", "&#10;")
    )
    label = escape(f"{what}: copies {rows}")
    st.html(
        f'<button type="button" title="{label}" style="{BUTTON}" data-copies="{text}">Copy</button>',
        width="content",
    )


def offer_download(
    label: str,
    make: Callable[[], bytes | str | BinaryIO],
    name: str,
    mime: str,
    key: str | None = None,
    help: str | None = None,
    keys: tuple[str, ...] = (),
) -> None:
    """A button for a file that `make` makes once it is asked for, while all `keys` lead somewhere.

    Where it raises `DataError`, the browser shows its sentence below the button.
    """
    context = get_script_run_ctx(suppress_warning=True)
    file = partial(_make_file, make, keys, context.session_id if context is not None else "")
    st.download_button(label, file, name, mime, key=key, help=help, on_click="ignore")


def _make_file(
    make: Callable[[], bytes | str | BinaryIO], keys: tuple[str, ...], visit: str
) -> bytes | str | BinaryIO:
    now = current_download()
    try:
        if (now is not None and now.visit != visit) or any(store().by_key(key) is None for key in keys):
            raise NotFound(GONE)
        return make()
    except DataError as error:
        if now is None:
            raise
        now.refusal = error.visitor_message()
        return b""
