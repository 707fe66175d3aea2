"""Filters and exclusions in the sidebar: the ratings that every page looks at, and the raters that it excludes.

All are bound to the address. It holds a rule, not the raters that it finds, and a text to look for where a column has
too many names to choose from.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from data.dataset import Dataset, Filter, is_compared
from data.kinds.definitions import KINDS, columns_to_filter
from features.assessments import controls_of, questions_of, without_controls
from features.notices import (
    COLUMNS,
    LONGEST_NAME,
    NOBODY_LEFT,
    column_name,
    controls_note,
    exclusion_in_words,
    nothing_passes,
    selectable_names,
    subset_in_words,
    weights_note,
)
from features.plotting.theme import count
from features.raters import rater_results
from features.raters.attributes_results import UNKNOWN, attributes_of
from features.raters.exclusion_rules import (
    ATTRIBUTE,
    BT500,
    DIVISORS,
    HOW_MANY,
    QUALIFICATION,
    RULES,
    WORST_UNITS,
    Rule,
    RuleNumber,
)
from features.study import (
    CHECK_QUESTIONS,
    Scenario,
    Study,
    combine_exclusions,
    key_of,
    known_ratings,
    query,
    result,
)
from ui.controls import choose_one, choose_some, choose_value
from ui.elements import show_note, show_sentence, show_user_errors, show_warning
from ui.visit.study import contributors_of, keep_contributors_in_address

MOST_BY_HAND = 2000
"""Raters up to which they can be picked by name: the browser gets the whole list."""
NO_RULE = "no rule"
_OF_COLUMNS = ("only_", "with_")
_OF_ATTRIBUTES = tuple(f"{how}rater_" for how in _OF_COLUMNS)


Rules = Mapping[str, Callable[[], Scenario]]
"""Rules that a study offers, by name: each draws its controls and finds the raters to exclude."""


def scenario() -> Scenario:
    """Return the scenario that the frame read from the sidebar for this run."""
    chosen: Scenario = st.session_state["scenario chosen"]
    return chosen


def choose_scenario(study: Study, always: bool) -> Study:
    """Draw the exclusion part of the sidebar, and return the study as the page is to see it."""
    here = _filtered_group(study)
    if st.session_state.get("scenario of", here) != here:  # another study's choice
        st.session_state["rule"] = NO_RULE
        st.session_state["without"] = []
    if study.whole.rater_column is None or not study.raters_are_persons:
        st.session_state["scenario of"] = _filtered_group(study)
        st.session_state["scenario chosen"] = Scenario()
        return study
    offered = _rules_for(study)
    with st.sidebar:
        picked = _choose_raters(study)
        find: Callable[[], Scenario] = Scenario
        if offered:
            help = "Raters that the rule finds are excluded together with those chosen by name."
            find = choose_value("Exclude by a rule", {NO_RULE: Scenario, **offered}, key="rule", help=help)
        ruled = find()
        chosen = combine_exclusions(study, picked, ruled)
        if chosen.reason:
            show_note("The rule excludes nobody: {reason}.", reason=chosen.reason)
        if chosen.excludes and not always:
            applied = st.toggle(
                "Figures of this page without them", key="applied", bind="query-params", value=True
            )
            chosen = replace(chosen, applied=applied)
    st.session_state["scenario is elsewhere"] = not (always or chosen.applied)
    # only now: a run that is interrupted earlier leaves the last study's choice in the browser
    st.session_state["scenario of"] = _filtered_group(study)
    st.session_state["scenario chosen"] = chosen
    if not chosen.applied:
        return study
    return replace(study, dataset=study.whole.leaving_out(chosen.names))


def show_use_of_weights(used: str) -> None:
    """Show which figures of a page use the weights of ratings, and stop a page without ratings."""
    study: Study = st.session_state["study"]
    stop_if_empty(query(study.dataset, "overview")["rows"][0])
    if study.dataset.is_weighted:
        show_note(*weights_note(study, used))


def stop_if_empty(number: int) -> None:
    """Stop a page on which no raters are left."""
    if not number:
        show_sentence(*NOBODY_LEFT)
        st.stop()


def rater_names(study: Study) -> NDArray[np.str_]:
    names: NDArray[np.str_] = query(study.whole, "rater_names")["name"]
    return names


def can_pick_by_hand(study: Study) -> bool:
    return len(rater_names(study)) <= MOST_BY_HAND


def _filtered_group(study: Study) -> tuple[str, str]:
    return study.whole.id, study.candidate


def _choose_raters(study: Study) -> Sequence[str]:
    """Draw the choice of raters by name: those of every group, whatever is filtered, so that a choice stays."""
    known = rater_names(study)
    if len(known) > MOST_BY_HAND:
        show_note("With more than {most} raters, exclude some by a rule.", most=count(MOST_BY_HAND))
        return []
    help = (
        "The Raters page compares the ranking with and without these raters. Other pages show their figures without "
        "them. Nothing is deleted."
    )
    return choose_some("Exclude raters", known.tolist(), "Nobody", key="without", help=help)


TIMES = ("since", "until")
CONTROLS = "rank_controls"
"""Key of the switch that includes hidden references and anchors; older addresses rank them with it."""
OF_SYSTEMS = "Comparisons of these systems with each other; of one alone, with any other."
OF_RATERS = (
    "Keeps ratings by raters with these values, of every group. Raters of whom it is not known are left out. The rule "
    "on attributes excludes raters of the candidate group only."
)


def choose_filters(study: Study) -> Study:
    """Draw the filters of the sidebar, and return the study of what passes them; all of it where nothing does."""
    dataset, kind = study.whole, KINDS[study.whole.kind]
    if st.session_state.get("filters of", dataset.id) != dataset.id:
        _clear_filters()
    of = int(query(dataset, "overview")["rows"][0])
    with st.sidebar:
        fold = st.expander("Filter", key="filters fold", type="compact", on_change="rerun")
        filters: tuple[Filter, ...] = ()
        if fold.open or _has_filters():  # controls that nobody sees would be sent in every run
            with fold:
                filters = (
                    *(one for column in columns_to_filter(dataset) for one in _of_column(dataset, column)),
                    *_of_time(dataset),
                )
                if controls_of(dataset):
                    help = (
                        "By default they are left out of every figure, as their scores are known beforehand."
                    )
                    st.toggle(
                        "Include hidden references and anchors",
                        key="rank_controls",
                        bind="query-params",
                        help=help,
                    )
    # only now: a run that is interrupted earlier leaves the last data set's filters in the browser
    st.session_state["filters of"] = dataset.id
    view = dataset.keeping(filters)
    if not st.session_state.get(CONTROLS):
        view = without_controls(view)
    kept = int(query(view, "overview")["rows"][0])
    st.session_state["filters chosen"] = view.only, kept, of, kind.rows
    return replace(study, whole=view, dataset=view) if kept else study


def _has_filters() -> bool:
    """Return True where the address or an earlier run holds a filter."""
    names = {*st.query_params, *map(str, st.session_state)}
    filters = [name for name in names if name in (*TIMES, CONTROLS) or name.startswith(_OF_COLUMNS)]
    return any(name in st.query_params or st.session_state[name] for name in filters)


def show_filters() -> None:
    """Say who is excluded and on which part of the data set a page rests; the page ends here if on nothing."""
    with st.container():
        if scenario().excludes:
            show_warning(*exclusion_in_words(scenario(), st.session_state["scenario is elsewhere"]))
    filters, kept, of, rows = st.session_state["filters chosen"]
    place = st.container()  # without filters, too: rows of controls that move lose their tie to the address
    if filters and filters[-1].excludes:
        with place:
            show_note(*controls_note(filters, "<b>Filter</b> in the sidebar can include them."))
        if kept and len(filters) == 1:
            return
    if not filters:
        return
    with place.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            show_warning(*(subset_in_words(filters, kept, of, rows))) if kept else show_sentence(
                *nothing_passes(filters, rows)
            )
        st.button(
            f"All {rows}",
            key="no filters",
            on_click=_clear_filters,
            type="tertiary",
            icon=":material/filter_alt_off:",
        )
    if not kept:
        st.stop()


def _of_column(dataset: Dataset, column: str) -> list[Filter]:
    called, key = column_name(column), column.removesuffix("_id")
    is_known = column in dataset.named("rater attribute")
    names = selectable_names(dataset, column)
    if names is not None:
        help = OF_SYSTEMS if is_compared(dataset, column) else OF_RATERS if is_known else None
        chosen = choose_some(called, names, "All", key=f"only_{key}", help=help)
        return [Filter(column, chosen)] if chosen else []
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


def _clear_filters() -> None:
    known = {str(key).split("_", 1)[1] for key in st.session_state if str(key).startswith(_OF_ATTRIBUTES)}
    for key in (*known, *(column.removesuffix("_id") for column in COLUMNS)):
        st.session_state[f"only_{key}"] = []
        st.session_state[f"with_{key}"] = ""
    for end in TIMES:
        st.session_state[end] = None
    st.session_state[CONTROLS] = False


def _rules_for(study: Study) -> Rules:
    """Return every rule that the columns of the study allow; none for kinds without groups of raters."""
    if study.whole.kind == "ratings":
        study = replace(study, contributors=contributors_of(study))
    known = (study.candidate, study.reference, study.reference_column, study.contributors is not None)
    offered = result(
        key_of(study.whole, "rules to exclude by", *known),
        lambda: [name for name, rule in RULES.items() if rule.fits(study)],
    )
    return {name: partial(_choose_rule, study, name) for name in offered}


def _choose_rule(study: Study, name: str) -> Scenario:
    """Draw the controls of a rule, and return the raters that it finds."""
    kind, rule = RULES[name], Rule(name)
    if name == WORST_UNITS:
        keep_contributors_in_address(study)
    if name == ATTRIBUTE:
        every = {one.called: one for one in attributes_of(study.unfiltered)}
        called = choose_one("Attribute", list(every), key="excluded_attribute")
        offered = [value or UNKNOWN for value in every[called].ordered][:MOST_BY_HAND]
        help = "Raters of the candidate group. Numbers are grouped into bands between their quartiles."
        values = choose_some("Exclude raters with", offered, "Nobody", key="excluded_values", help=help)
        rule = replace(rule, whom=called, values=values)
    if name == QUALIFICATION:
        rule = replace(rule, whom=choose_one("Compared with", known_ratings(study), key="qualified_by"))
    if kind.by_measure:
        is_of_checks = name == QUALIFICATION and rule.whom == CHECK_QUESTIONS
        rule = replace(rule, on=study.all_measures[0] if is_of_checks else _by_measure(study))
    if name == BT500:
        help = (
            "ITU-R BT.500 divides the squares by n − 1. The package sureal divides by n: its SD is smaller, so more "
            "scores lie far from the others', and raters are rejected whom the standard keeps."
        )
        divisor = choose_value("An item's SD divides by", DIVISORS, key="bt500_divisor", help=help)
        rule = replace(rule, divisor=divisor)
    rule = replace(rule, numbers={one.key: _choose_number(study, one) for one in kind.numbers})
    with show_user_errors():
        return kind.find(study, rule)


def _choose_number(study: Study, asked: RuleNumber) -> float:
    most = max(len(rater_results.raters(study)) - 1, 1) if asked == HOW_MANY else asked.most
    limits = asked.least, most, asked.usual, asked.step
    drawn = {"key": asked.key, "bind": "query-params", "format": asked.format, "help": asked.help or None}
    draw: Callable[..., float] = st.slider if asked.is_slider else st.number_input
    return draw(asked.label, *limits, **drawn)


def _by_measure(study: Study) -> str:
    there = questions_of(study) if study.holds_label_sets else study.all_measures
    if len(there) < 2:
        return next(iter(there), "")
    return choose_one("Judged on", there, key="judged_on")
