"""Controls that several pages share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from analysis.values.estimate import SCOPES, Scope, default_scope
from analysis.values.names import distinct_label

T = TypeVar("T")
MOST_VALUES = 12
"""Values of an attribute shown, the most frequent first."""


def usually(key: str, usual: T) -> T:
    """What to draw a control with whose usual value comes from the data: it moves there with the data, unless the
    address says where it stands.

    Without it a sender would go on seeing what was usual before she left somebody out, and her reader what is usual
    now.
    """
    before = st.session_state.get(f"usual {key}", usual)
    if before != usual and key not in st.query_params and st.session_state.get(key) == before:
        st.session_state[key] = usual  # the browser still holds it
    st.session_state[f"usual {key}"] = usual
    return usual


def choose_one(label: str, options: Sequence[T], *, key: str, usual: T | None = None, **drawn: Any) -> T:
    """One of options that come from the data, usually the first: in the address, as `usually` moves it; long names are
    cut there and in the list."""
    at = options.index(usually(key, options[0] if usual is None else usual))
    chosen: T = st.selectbox(
        label, options, at, format_func=distinct_label, key=key, bind="query-params", **drawn
    )
    return chosen


def choose_value(label: str, options: Mapping[str, T], *, key: str, **drawn: Any) -> T:
    """Draw the choice of one of several named values, the first by default, and return the value."""
    return options[st.selectbox(label, list(options), key=key, bind="query-params", **drawn)]


def choose_some(label: str, names: Sequence[str], none: str, *, key: str, **drawn: Any) -> tuple[str, ...]:
    """Draw the choice of some names from the data and return them in order; `none` says what none of them means."""
    if not names:
        return ()
    chosen = st.multiselect(
        label, names, format_func=distinct_label, key=key, bind="query-params", placeholder=none, **drawn
    )
    return tuple(name for name in names if name in chosen)


def choose_number(
    label: str, least: int, most: int, usual: int, step: int = 1, *, key: str, help: str
) -> int:
    """Draw the choice of a whole number."""
    return int(st.number_input(label, least, most, usual, step, key=key, bind="query-params", help=help))


def choose_scope(raters: int, raters_are_persons: bool) -> Scope:
    """Draw the choice of the raters that intervals and comparisons generalize to; none where rater ids are slots."""
    usual = default_scope(raters, raters_are_persons)
    if not raters_are_persons:
        return usual
    return choose_one(
        "Generalize to",
        SCOPES,
        key="generalize",
        usual=usual,
        width=180,
        help="These raters: other items or topics rated by the same raters. Raters like these: other raters, too, "
        "which needs more of them. From 6 raters on, raters like these is the default.",
    )


def measures_on_show(measures: Sequence[str], most: int) -> Sequence[str]:
    """At most that many measures at a time; a choice of which appears only where there are more."""
    if len(measures) <= most:
        return measures
    starts = range(0, len(measures), most)
    pages = [f"{start + 1} to {min(start + most, len(measures))}" for start in starts]
    chosen = choose_one(f"Panels (of {len(measures)})", pages, key="panels", width=160)
    start = starts[pages.index(chosen)]
    return measures[start : start + most]


def attribute_values(
    attributes: Mapping[str, Any], measures: Sequence[str]
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """The chosen measure, and (attribute, value) for each value of the chosen rater attribute."""
    names = list(dict.fromkeys(attributes["attribute"].tolist()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Rater attribute", ["none", *names], key="attribute", width=260)
        if name not in names:
            return None
        measure = choose_one("Measure", measures, key="by_measure", width=260)
    values = attributes["value"][attributes["attribute"] == name].tolist()
    return measure, tuple((name, value) for value in values[:MOST_VALUES])
