"""The filters: which ratings every page looks at, by system, condition, topic, item and time.

Chosen in the sidebar beside whom to leave out, and bound to the address. A column of few short names is chosen from;
names of thousands do not fit into an address, so of more a text is looked for.
"""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np
import streamlit as st

from data.dataset import Dataset, Filter
from data.kinds.definitions import KINDS
from data.queries.parts import compared
from data.queries.views import columns_to_filter
from features.notices import COLUMNS, LONGEST_NAME, names_on_offer, none_passes, some_only
from features.plotting.numbers import count
from features.results import query
from features.study import Study
from ui.words import say, warn

TIMES = ("since", "until")


def choose_filters(study: Study) -> Study:
    """Draws the sidebar's filters and returns the study of what passes them; where nothing does, all of it."""
    dataset, kind = study.whole, KINDS[study.whole.kind]
    _forget_other_studies_filters(dataset)
    of = int(query(dataset, "overview")["rows"][0])
    with st.sidebar:
        resting = st.empty()
        head = st.session_state.get("filters head", "")
        with st.expander(f"Only some of the {kind.rows}{head}", key="filters fold", type="compact"):
            filters = (
                *(one for column in columns_to_filter(dataset) for one in _of_column(dataset, column)),
                *_of_time(dataset),
            )
    # only now: a run that is interrupted earlier leaves the last data set's filters in the browser
    st.session_state["filters of"] = dataset.id
    view = dataset.keeping(filters)
    kept = int(query(view, "overview")["rows"][0])
    st.session_state["filters chosen"] = filters, kept, of, kind.rows
    told = f": {count(kept)} of {count(of)}" if filters else ""
    if told != head:
        st.session_state["filters head"] = told
        st.rerun()  # the head was drawn before what it says was known
    if study.measures:
        cells = query(view, "cells")
        shown = cells["ratings"][np.isin(cells["measure"], study.measures)].sum()
        resting.caption(f"The figures rest on up to {count(shown)} ratings.")
    return replace(study, whole=view, dataset=view) if kept else study


def say_filters() -> None:
    """Says on which part of the data set a page rests, with a way back to all; the page ends here if on nothing."""
    filters, kept, of, rows = st.session_state["filters chosen"]
    place = st.container()  # without filters, too: rows of controls that move lose their tie to the address
    if not filters:
        return
    with place.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            warn(*(some_only(filters, kept, of, rows))) if kept else say(*none_passes(filters, rows))
        st.button(
            f"All {rows}",
            key="no filters",
            on_click=_take_back,
            type="tertiary",
            icon=":material/filter_alt_off:",
        )
    if not kept:
        st.stop()


def _of_column(dataset: Dataset, column: str) -> list[Filter]:
    called, key = COLUMNS[column], column.removesuffix("_id")
    names = names_on_offer(dataset, column)
    if names is not None:
        chosen = st.multiselect(
            called,
            names,
            key=f"only_{key}",
            bind="query-params",
            placeholder="All",
            help="Comparisons of these systems with each other; of one alone, with any other."
            if compared(dataset, column)
            else None,
        )
        return [Filter(column, tuple(name for name in names if name in chosen))] if chosen else []
    text = st.text_input(
        f"{called} with this in its name",
        key=f"with_{key}",
        bind="query-params",
        max_chars=LONGEST_NAME,
        placeholder="All",
        help="In small or capital letters.",
    )
    return [Filter(column, text=text)] if text else []


def _of_time(dataset: Dataset) -> list[Filter]:
    span = query(dataset, "time_span")
    if not span["first"][0] < span["last"][0]:
        return []
    first, last = (
        datetime.fromtimestamp(span[end][0], UTC).replace(tzinfo=None) for end in ("first", "last")
    )
    moment: dict[str, Any] = {
        "value": None,
        "min_value": datetime.combine(first, time.min),
        "max_value": datetime.combine(last, time(23, 59)),
        "format": "YYYY-MM-DD",
        "step": timedelta(minutes=1),
    }
    since = st.datetime_input("From", key="since", bind="query-params", **moment)
    until = st.datetime_input("Until", key="until", bind="query-params", **moment)
    return [Filter("rated_at", since=since, until=until)] if since or until else []


def _forget_other_studies_filters(dataset: Dataset) -> None:
    if st.session_state.get("filters of", dataset.id) != dataset.id:
        _take_back()


def _take_back() -> None:
    for column in COLUMNS:
        key = column.removesuffix("_id")
        st.session_state[f"only_{key}"] = []
        st.session_state[f"with_{key}"] = ""
    for end in TIMES:
        st.session_state[end] = None
