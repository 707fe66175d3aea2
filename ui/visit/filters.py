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

from analysis.screening.rating_behavior import PASS_MARK
from data.dataset import Dataset, Filter, is_compared
from data.kinds.definitions import KINDS, columns_to_filter
from features.assessments import controls_of, without_controls
from features.label_sets import questions_of
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
from features.raters import exclusion_rules, rater_results
from features.raters.attributes_results import UNKNOWN, attributes_of
from features.raters.exclusion_rules import (
    ATTRIBUTE,
    BELOW_ALPHA,
    BELOW_GOLD,
    BELOW_OTHERS,
    BT500,
    CHECKS,
    DIVISORS,
    FAST,
    MODELS,
    P913,
    POSITION,
    QUALIFICATION,
    WORST,
    WORST_UNITS,
)
from features.raters.rater_results import REFERENCE, ranks_by_texts
from features.study import (
    CHECK_QUESTIONS,
    WITH_GROUPS,
    QualificationRule,
    Scenario,
    Study,
    combine_exclusions,
    known_ratings,
    models_among,
    query,
)
from ui.controls import choose_decimal, choose_number, choose_one, choose_some, choose_value
from ui.elements import show_note, show_sentence, show_user_errors, show_warning
from ui.visit.study import contributors_of, keep_contributors_in_address

MOST_BY_HAND = 2000
"""Raters up to which they can be picked by name: the browser gets the whole list."""
NO_RULE = "no rule"
_OF_ATTRIBUTES = ("only_rater_", "with_rater_")


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
        if fold.open or _has_filters(dataset):  # controls that nobody sees would be sent in every run
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


def _has_filters(dataset: Dataset) -> bool:
    """Return True where the address or an earlier run holds a filter of the data set."""
    named = {column.removesuffix("_id") for column in columns_to_filter(dataset)}
    keys = (*TIMES, CONTROLS, *(f"{how}_{name}" for how in ("only", "with") for name in named))
    return any(key in st.query_params or st.session_state.get(key) for key in keys)


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
    whole, offered = study.whole, dict[str, Callable[[], Scenario]]()
    if whole.kind not in WITH_GROUPS:
        return offered
    of_ratings = whole.kind == "ratings"
    pyramid = contributors_of(study) if of_ratings else None
    offered[WORST] = lambda: exclusion_rules.worst(study, _by_measure(study), _choose_number(study))
    if of_ratings:
        offered[BELOW_ALPHA] = lambda: _below_alpha(study)
    offered[BELOW_OTHERS] = lambda: exclusion_rules.below_others(study, _by_measure(study), _limit())
    if pyramid is not None:
        offered[WORST_UNITS] = partial(_worst_units, study, pyramid)
    if study.holds_label_sets and whole.has("gold"):
        offered[BELOW_GOLD] = lambda: exclusion_rules.below_gold(study, _by_measure(study), _limit())
    if study.holds_rankings and whole.has("position"):
        offered[POSITION] = lambda: exclusion_rules.by_position(study, _limit())
    if of_ratings:
        offered[BT500] = lambda: _bt500(study)
        offered[P913] = lambda: exclusion_rules.p913(study, _by_measure(study))
    if whole.has("check") and of_ratings:
        offered[CHECKS] = lambda: _failed_checks(study)
    if of_ratings and any(rater_results.has_hidden_reference(study, one) for one in study.all_measures):
        offered[REFERENCE] = lambda: _failed_references(study)
    if len(models_among(study)):
        offered[MODELS] = lambda: exclusion_rules.models(study)
    if not study.holds_label_sets and study.whole.named("rater attribute"):
        offered[ATTRIBUTE] = lambda: _with_attribute(study)
    if of_ratings and (known := known_ratings(study)):
        offered[QUALIFICATION] = lambda: _unqualified(study, known)
    if whole.has("seconds") and (of_ratings or study.holds_choices):
        offered[FAST] = lambda: exclusion_rules.too_fast(study, _by_measure(study), _speed_limit())
    return offered


def _choose_percent(label: str, least: int, most: int, usual: int, *, key: str, help: str) -> int:
    return st.slider(label, least, most, usual, 5, key=key, bind="query-params", help=help)


def _speed_limit() -> int:
    """Draw the limit of the rule on speed, in percent of the usual time."""
    help = "A rater's median seconds per rating against the median of all raters' medians."
    label = "Faster than this share of the usual time (%)"
    return _choose_percent(label, 5, 95, 50, key="fast_share", help=help)


def _choose_number(study: Study) -> int:
    most = max(len(rater_results.raters(study)) - 1, 1)
    return int(st.number_input("How many", 1, most, 1, key="worst", bind="query-params"))


def _limit() -> float:
    return float(st.slider("Limit", -1.0, 1.0, 0.5, 0.05, key="limit", bind="query-params"))


def _worst_units(study: Study, pyramid: Dataset) -> Scenario:
    keep_contributors_in_address(study)
    lowest = _choose_number(study)
    with show_user_errors():
        return exclusion_rules.lowest_units(study, pyramid, lowest)


def _below_alpha(study: Study) -> Scenario:
    by = _by_measure(study)
    return exclusion_rules.below_alpha(study, by, _limit() if ranks_by_texts(study, by) else 0.0)


def _bt500(study: Study) -> Scenario:
    by, help = (
        _by_measure(study),
        "ITU-R BT.500 divides the squares by n − 1. The package sureal divides by n: its SD is smaller, so more "
        "scores lie far from the others', and raters are rejected whom the standard keeps.",
    )
    divisor = choose_value("An item's SD divides by", DIVISORS, key="bt500_divisor", help=help)
    return exclusion_rules.bt500(study, by, divisor)


def _failed_checks(study: Study) -> Scenario:
    help = "Trap and gold questions answered otherwise than expected."
    failed = _choose_percent(
        "Failed more than this share of checks (%)", 0, 95, 20, key="failed_share", help=help
    )
    help = (
        "How far an answer may lie from the expected one and still pass, in score points. ITU-T P.808 allows 1 for "
        "gold questions, 0 for traps."
    )
    off = choose_decimal("An answer may be off by", 0.0, None, 0.0, 1.0, key="check_tolerance", help=help)
    return exclusion_rules.failed_checks(study, failed, off)


def _failed_references(study: Study) -> Scenario:
    by = _by_measure(study)
    help = (
        "ITU-R BS.1534 excludes whoever rates the hidden reference below 90 for more than 15% of the items."
    )
    lowest = choose_decimal("Hidden reference below", 0.0, 100.0, 90.0, 1.0, key="reference_limit", help=help)
    label = "For more than this share of the items (%)"
    most = _choose_percent(label, 0, 95, 15, key="reference_share", help=help)
    return exclusion_rules.failed_references(study, by, most, lowest)


def _with_attribute(study: Study) -> Scenario:
    every = {one.called: one for one in attributes_of(study.unfiltered)}
    called = choose_one("Attribute", list(every), key="excluded_attribute")
    offered = [value or UNKNOWN for value in every[called].ordered][:MOST_BY_HAND]
    help = "Raters of the candidate group. Numbers are grouped into bands between their quartiles."
    values = choose_some("Exclude raters with", offered, "Nobody", key="excluded_values", help=help)
    return exclusion_rules.having_attribute(study, called, values)


def _unqualified(study: Study, known: list[str]) -> Scenario:
    whom = choose_one("Compared with", known, key="qualified_by")
    help = (
        "A rating that matches gets all points, each point of deviation costs one: on a scale from 1 to 5 these are 4 "
        "points, and 0.625 of them passed in Iskender et al. 2020."
    )
    mark = choose_decimal(
        "Share of points to pass", 0.0, 1.0, PASS_MARK, 0.025, format="%.3f", key="pass_mark", help=help
    )
    help = "Raters with fewer ratings of items that are known are not judged, and stay."
    fewest = choose_number("Fewest known ratings", 1, 1000, 4, key="fewest_known", help=help)
    help = "Points of an equal rating. With 0, the difference between the highest and the lowest score that occur."
    span = choose_decimal("Width of the scale", 0.0, None, 0.0, 1.0, key="scale_width", help=help)
    on = "" if whom == CHECK_QUESTIONS else _by_measure(study)
    on = on or next(iter(study.all_measures), "")
    return exclusion_rules.unqualified(study, QualificationRule(whom, on, mark, fewest, span))


def _by_measure(study: Study) -> str:
    there = questions_of(study) if study.holds_label_sets else study.all_measures
    if len(there) < 2:
        return next(iter(there), "")
    return choose_one("Judged on", there, key="judged_on")
