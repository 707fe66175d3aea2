"""The exclusion scenario: which raters are left out, by hand or by a rule, and whether this page applies it.

Chosen in the sidebar on every page and bound to the address, so that a copied address carries it. A rule is
carried as the rule, not as the raters it finds: names of thousands do not fit into an address.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.values.names import distinct_label
from features.notices import NOBODY_LEFT, who_is_left_out
from features.plotting.numbers import count
from features.raters.exclusion_rules import together
from features.results import query
from features.study import Scenario, Study
from ui.words import note, say, warn

MOST_BY_HAND = 2000
"""Raters up to which they can be picked by name: the browser gets the whole list."""
NO_RULE = "no rule"


Rules = Mapping[str, Callable[[], Scenario]]
"""Rules that a study offers, by name: each draws its controls and finds the raters to exclude."""


def scenario() -> Scenario:
    """The scenario that the frame read from the sidebar for this run."""
    chosen: Scenario = st.session_state["scenario chosen"]
    return chosen


def choose_scenario(study: Study, rules: Callable[[Study], Rules], always: bool) -> Study:
    """Draw the sidebar's exclusion part and returns the study as the page is to see it."""
    _forget_other_studies_choice(study)
    if study.whole.rater_column is None:
        st.session_state["scenario of"] = _seen(study)
        st.session_state["scenario chosen"] = Scenario()
        return study
    offered = rules(study)
    with st.sidebar:
        picked = _picked(study)
        rule = st.selectbox(
            "Exclude by a rule",
            [NO_RULE, *offered],
            key="rule",
            bind="query-params",
            help="Raters that the rule finds are excluded together with those chosen by name.",
        )
        ruled = offered[rule]() if rule != NO_RULE else Scenario()
        chosen = together(study, picked, ruled)
        if chosen.excludes or ruled.reason:
            _say_who(chosen)
        if chosen.excludes and not always:
            applied = st.toggle(
                "Figures of this page without them", key="applied", bind="query-params", value=True
            )
            chosen = replace(chosen, applied=applied)
    # only now: a run that is interrupted earlier leaves the last study's choice in the browser
    st.session_state["scenario of"] = _seen(study)
    st.session_state["scenario chosen"] = chosen
    if not chosen.applied:
        return study
    return replace(study, dataset=study.whole.leaving_out(chosen.names))


def stop_where_nobody_is_left() -> None:
    """End a page that would look at nothing."""
    study: Study = st.session_state["study"]
    if not query(study.dataset, "overview")["rows"][0]:
        say(*NOBODY_LEFT)
        st.stop()


def rater_names(study: Study) -> NDArray[np.str_]:
    """The raters' names by code."""
    names: NDArray[np.str_] = query(study.whole, "rater_names")["name"]
    return names


def can_pick_by_hand(study: Study) -> bool:
    """Return True where raters can be picked by name."""
    return len(rater_names(study)) <= MOST_BY_HAND


def _forget_other_studies_choice(study: Study) -> None:
    if st.session_state.get("scenario of", _seen(study)) != _seen(study):
        st.session_state["rule"] = NO_RULE
        st.session_state["without"] = []


def _seen(study: Study) -> tuple[str, str]:
    return study.whole.id, study.candidate


def _picked(study: Study) -> list[str]:
    """Draw the choice of raters by name: those of every group, whatever is filtered, so that a choice stays."""
    known = rater_names(study)
    if len(known) > MOST_BY_HAND:
        note("With more than {most} raters, exclude some by a rule.", most=count(MOST_BY_HAND))
        return []
    return st.multiselect(
        "Exclude raters",
        known.tolist(),
        format_func=distinct_label,
        key="without",
        bind="query-params",
        placeholder="Nobody",
        help="The Raters page compares the ranking with and without these raters. Other pages show their figures "
        "without them. Nothing is deleted.",
    )


def _say_who(chosen: Scenario) -> None:
    if chosen.reason:
        note("The rule excludes nobody: {reason}.", reason=chosen.reason)
    if chosen.excludes:
        warn(*who_is_left_out(chosen))
