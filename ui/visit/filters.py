"""The filters: which ratings every page looks at, by system, condition, topic, item and time.

Chosen in the sidebar beside whom to leave out, and bound to the address. A column of few short names is chosen from;
names of thousands do not fit into an address, so of more a text is looked for.
"""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from data.dataset import Dataset, Filter
from data.kinds.definitions import KINDS
from data.queries.parts import compared
from data.queries.views import columns_to_filter
from features.notices import COLUMNS, LONGEST_NAME, names_on_offer, none_passes, some_only
from features.plotting.numbers import count
from features.raters import exclusion_rules, rater_results
from features.raters.exclusion_rules import (
    BELOW_ALPHA,
    BELOW_OTHERS,
    BT500,
    CHECKS,
    DIVISORS,
    FAST,
    P913,
    WORST,
    WORST_UNITS,
)
from features.raters.rater_results import ranks_by_texts
from features.results import query
from features.study import Scenario, Study
from ui.controls import choose_one
from ui.visit.address import contributors_of, keep_contributors_in_address
from ui.visit.scenario import Rules
from ui.words import say, told_in_words, warn

TIMES = ("since", "until")


def choose_filters(study: Study) -> Study:
    """Draw the sidebar's filters and returns the study of what passes them; where nothing does, all of it."""
    dataset, kind = study.whole, KINDS[study.whole.kind]
    _forget_other_studies_filters(dataset)
    of = int(query(dataset, "overview")["rows"][0])
    with st.sidebar:
        resting = st.empty()
        head = st.session_state.get("filters head", "")
        with st.expander(f"Filter{head}", key="filters fold", type="compact"):
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
    """Say on which part of the data set a page rests, with a way back to all; the page ends here if on nothing."""
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


def rules_for_ratings(study: Study) -> Rules:
    """Every rule that the columns of the study allow."""
    pyramid = contributors_of(study)
    return {
        WORST: lambda: _worst(study),
        BELOW_ALPHA: lambda: _below_alpha(study),
        BELOW_OTHERS: lambda: _below_others(study),
        **({WORST_UNITS: partial(_worst_units, study, pyramid)} if pyramid is not None else {}),
        BT500: lambda: _bt500(study),
        P913: lambda: _p913(study),
        **({CHECKS: lambda: _failed_checks(study)} if study.whole.has("check") else {}),
        **({FAST: lambda: _too_fast(study)} if study.whole.has("seconds") else {}),
    }


def speed_limit() -> int:
    """The slider of the rule on speed, in percent of the usual time."""
    return st.slider(
        "Faster than this share of the usual time (%)",
        5,
        95,
        50,
        5,
        key="fast_share",
        bind="query-params",
        help="A rater's median seconds per rating against the median of all raters' medians.",
    )


def how_many(raters: NDArray[np.int64]) -> int:
    """Return how many of the lowest go."""
    return int(st.number_input("How many", 1, max(len(raters) - 1, 1), 1, key="worst", bind="query-params"))


def limit() -> float:
    """Below which raters go."""
    return float(st.slider("Limit", -1.0, 1.0, 0.5, 0.05, key="limit", bind="query-params"))


def _worst(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.worst(study, by, how_many(rater_results.raters(study)))


def _worst_units(study: Study, pyramid: Dataset) -> Scenario:
    keep_contributors_in_address(study)
    lowest = how_many(rater_results.raters(study))
    with told_in_words():
        return exclusion_rules.lowest_units(study, pyramid, lowest)


def _below_alpha(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.below_alpha(study, by, limit() if ranks_by_texts(study, by) else 0.0)


def _below_others(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.below_others(study, by, limit())


def _bt500(study: Study) -> Scenario:
    by = _by_measure(study)
    divided = st.selectbox(
        "An item's SD divides by",
        list(DIVISORS),
        key="bt500_divisor",
        bind="query-params",
        help="ITU-R BT.500 divides the squares by n − 1. The package sureal divides by n: its SD is smaller, so more "
        "scores lie far from the others', and raters are rejected whom the standard keeps.",
    )
    return exclusion_rules.bt500(study, by, DIVISORS[divided])


def _p913(study: Study) -> Scenario:
    return exclusion_rules.p913(study, _by_measure(study))


def _failed_checks(study: Study) -> Scenario:
    failed = st.slider(
        "Failed more than this share of checks (%)",
        0,
        95,
        20,
        5,
        key="failed_share",
        bind="query-params",
        help="Trap and gold questions answered otherwise than expected.",
    )
    off = st.number_input(
        "An answer may be off by",
        0.0,
        step=1.0,
        key="check_tolerance",
        bind="query-params",
        help="How far an answer may lie from the expected one and still pass, in score points. ITU-T P.808 allows 1 "
        "for gold questions, 0 for traps.",
    )
    return exclusion_rules.failed_checks(study, failed, off)


def _too_fast(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.too_fast(study, by, speed_limit())


def _by_measure(study: Study) -> str:
    if len(study.all_measures) < 2:
        return next(iter(study.all_measures), "")
    return choose_one("Judged on", study.all_measures, key="judged_on")


def rules_for_choices(study: Study) -> Rules:
    """Every rule that the columns of the study allow; none where raters did not choose between options."""
    if not study.holds_choices:
        return {}
    return {
        WORST: lambda: _worst(study),
        BELOW_OTHERS: lambda: _below_others(study),
        **({FAST: lambda: _too_fast(study)} if study.whole.has("seconds") else {}),
    }
