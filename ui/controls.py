"""Controls that several pages share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from analysis.assessors.exclusion import Method
from analysis.values.estimate import SCOPES, BootstrapSpec, Scope, default_scope, distinct_label
from features.assessments import questions_of
from features.study import Study
from ui.elements import show_note

T = TypeVar("T")
MOST_VALUES = 12
"""Values of an attribute shown, the most frequent first."""


def control_default(key: str, usual: T) -> T:
    """Return the default of a control, and reset the control when the data change the default.

    Without it, a sender would see what was usual before an exclusion, and the reader what is usual now.
    """
    before = st.session_state.get(f"usual {key}", usual)
    if before != usual and key not in st.query_params and st.session_state.get(key) == before:
        st.session_state[key] = usual  # the browser still holds it
    st.session_state[f"usual {key}"] = usual
    return usual


def migrate_value(key: str, renamed: Mapping[str, str]) -> None:
    """Translate the former name of a value in an old address."""
    if (new := renamed.get(st.query_params.get(key, ""))) is not None:
        st.session_state[key] = new


def migrate_values(key: str, renamed: Mapping[str, str]) -> None:
    """Translate former names of values in an old address of a control with several values."""
    held = st.query_params.get_all(key)
    if not renamed.keys().isdisjoint(held):
        st.query_params[key] = list(dict.fromkeys(renamed.get(value, value) for value in held))
        st.rerun()


def choose_one(label: str, options: Sequence[T], *, key: str, usual: T | None = None, **drawn: Any) -> T:
    """Draw the choice of one of several options from the data, the first by default, and return it.

    A choice that is no option any more, such as under a filter, gives way to the default, also in the address.
    """
    default = control_default(key, options[0] if usual is None else usual)
    if st.session_state.get(key, default) not in options:
        st.session_state[key] = default
    at = options.index(default)
    chosen: T = st.selectbox(
        label, options, at, format_func=distinct_label, key=key, bind="query-params", **drawn
    )
    return chosen


def choose_value(label: str, options: Mapping[str, T], *, key: str, **drawn: Any) -> T:
    """Draw the choice of one of several named values, the first by default, and return the value."""
    return options[st.selectbox(label, list(options), key=key, bind="query-params", **drawn)]


def choose_segment(label: str, options: Mapping[str, T], *, key: str, **drawn: Any) -> T:
    """Draw the choice of one of a few named values as buttons, the first by default, and return the value."""
    first, *_ = options
    chosen = st.segmented_control(
        label, list(options), default=first, required=True, key=key, bind="query-params", **drawn
    )
    return options[chosen]


LOWER_BUTTONS = 8
"""Pixels by which buttons of a segmented control are lower than a field."""


def choose_segment_in_row(label: str, options: Mapping[str, T], *, key: str, **drawn: Any) -> T:
    """Draw a segmented control in a row of fields, with its label at the height of theirs."""
    with st.container(width="content", gap=None):
        chosen = choose_segment(label, options, key=key, **drawn)
        st.space(LOWER_BUTTONS)
    return chosen


def choose_some(label: str, names: Sequence[str], none: str, *, key: str, **drawn: Any) -> tuple[str, ...]:
    """Draw the choice of some names from the data and return them in order; `none` says what none of them means."""
    if not names:
        return ()
    chosen = st.multiselect(
        label, names, format_func=distinct_label, key=key, bind="query-params", placeholder=none, **drawn
    )
    return tuple(name for name in names if name in chosen)


def choose_number(
    label: str, least: int, most: int, usual: int, step: int = 1, *, key: str, **drawn: Any
) -> int:
    return int(st.number_input(label, least, most, usual, step, key=key, bind="query-params", **drawn))


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


def choose_label_question(study: Study) -> str:
    """Draw the choice of the question that was answered by sets of labels, where there are several."""
    there = questions_of(study)
    return choose_one("Question", there, key="label_question", width=320) if len(there) > 1 else there[0]


def choose_shown_measures(measures: Sequence[str], most: int) -> Sequence[str]:
    """Return at most `most` measures; draw a choice where there are more."""
    if len(measures) <= most:
        return measures
    starts = range(0, len(measures), most)
    pages = [f"{start + 1} to {min(start + most, len(measures))}" for start in starts]
    chosen = choose_one(f"Panels (of {len(measures)})", pages, key="panels", width=160)
    start = starts[pages.index(chosen)]
    return measures[start : start + most]


def choose_attribute(
    attributes: Mapping[str, Any], measures: Sequence[str]
) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Draw the choice of a rater attribute, and return the measure and (attribute, value) of each value."""
    names = list(dict.fromkeys(attributes["attribute"].tolist()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Rater attribute", ["none", *names], key="attribute", width=260)
        if name not in names:
            return None
        measure = choose_one("Measure", measures, key="by_measure", width=260)
    values = attributes["value"][attributes["attribute"] == name].tolist()
    return measure, tuple((name, value) for value in values[:MOST_VALUES])


METHODS: dict[str, Method] = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}


def choose_measure(study: Study, *, key: str, label: str = "Measure", width: int = 320) -> str:
    """Draw the choice of a measure, where there are several."""
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one(label, study.measures, key=key, width=width)


def choose_method() -> Method:
    """Draw the choice of how a system's score is made from its cells."""
    help = (
        "Without some raters, systems may miss different topics; a plain mean then mixes the topics' difficulty into "
        "the systems. The model (system + topic) does not."
    )
    return choose_value("A system's score is", METHODS, key="method", help=help)


FEWEST, MOST = 20, 20_000
LARGEST_SEED = 2**31 - 1
MORE_DRAWS = "More draws make intervals steadier, not narrower."


def choose_bootstrap_samples(
    name: str = "draws",
    usual: int | None = None,
    *,
    fewest: int = FEWEST,
    label: str = "Draws per interval",
    help: str = MORE_DRAWS,
) -> int:
    """Draw the number of bootstrap samples; `name` is the parameter of the address, 0 means no intervals."""
    usual = BootstrapSpec().draws if usual is None else usual
    return int(st.number_input(label, fewest, MOST, usual, FEWEST, key=name, bind="query-params", help=help))


def choose_seed(name: str = "seed") -> int:
    return int(st.number_input("Seed", 0, LARGEST_SEED, 0, key=name, bind="query-params"))


def choose_bootstrap(prefix: str = "", *, fewest: int = FEWEST, help: str = MORE_DRAWS) -> BootstrapSpec:
    """Draw both controls, whose parameters of the address begin with the prefix."""
    draws = choose_bootstrap_samples(f"{prefix}draws", fewest=fewest, help=help)
    return BootstrapSpec(draws, choose_seed(f"{prefix}seed"))


AT_FIRST = 4
"""Metrics compared by default."""
ONE_METRIC = "With a second metric, both can be compared on the same scores."


def choose_compared_metrics(name: str, offered: Sequence[str], rows: str) -> list[str]:
    """Draw the control, and return two metrics or more, or none and a note why.

    `name` is the parameter of the address, `rows` what they are compared on.
    """
    if len(offered) < 2:
        show_note(ONE_METRIC)
        return []
    chosen = st.multiselect(
        "Metrics compared",
        offered,
        control_default(name, list(offered[:AT_FIRST])),
        format_func=distinct_label,
        key=name,
        bind="query-params",
        help=f"Each pair of them, on the {rows}.",
    )
    if len(chosen) < 2:
        show_note("Choose two metrics or more.")
        return []
    return chosen


MOST_TO_CHOOSE = 2000
"""Names up to which a list offers them: the browser gets all of them."""
BETWEEN = ("mos_from", "mos_below")
"""Parameters of Items: both ends of the MOS of its items."""


def show_link_to_ratings(what: str, name: str) -> None:
    """Show which item or rater was chosen, with a link to its ratings that keeps the sidebar."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            show_note("Chosen: <b>{name}</b>", name=name)
        st.page_link(
            "items.py",
            label="Its ratings" if what == "item" else "All ratings by this rater",
            icon=":material/list_alt:",
            query_params={"d": st.session_state["d"], what: distinct_label(name)},
        )


def show_link_to_items(study: Study, measure: str, group: str, *between: float) -> None:
    """Name a measure of a group, and both ends of a MOS where given, with a link to its items."""
    template = "Chosen: <b>{measure}</b>, {group}" + (", MOS from {low} to below {high}" if between else "")
    ends = {f"{end}": f"{at:.12g}" for end, at in zip(("low", "high"), between, strict=bool(between))}
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            show_note(template, measure=measure, group=group, **ends)
        if st.button(
            "Its items",
            type="tertiary",
            icon=":material/list_alt:",
            key=f"items of {distinct_label(measure)} {distinct_label(group)} {between}",
            on_click=_select_group,
            args=(study, group),
        ):
            asked = dict(zip(BETWEEN, ends.values(), strict=bool(between)))
            asked |= {"d": st.session_state["d"], "item_measure": distinct_label(measure)}
            st.switch_page("items.py", query_params=asked)


def _select_group(study: Study, group: str) -> None:
    """Make the group the candidate and the other one the reference."""
    if group == study.reference:
        st.session_state["candidate"], st.session_state["reference"] = group, study.candidate
