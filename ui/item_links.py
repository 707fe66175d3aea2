"""Links to the ratings of an item or rater that was chosen in a figure or table of any page."""

import streamlit as st

from analysis.values.names import distinct_label
from features.study import Study
from ui.words import note

MOST_TO_CHOOSE = 2000
"""Names up to which they are chosen from a list: the browser gets all of them."""
BETWEEN = ("mos_from", "mos_below")
"""Parameters of Items: both ends of the MOS of the items that it shows."""


def offer(what: str, name: str) -> None:
    """Name an item or rater that was chosen, with a link to its ratings; the sidebar stays as it is."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            note("Chosen: <b>{name}</b>", name=name)
        st.page_link(
            "items.py",
            label="Its ratings" if what == "item" else "All ratings by this rater",
            icon=":material/list_alt:",
            query_params={"d": st.session_state["d"], what: distinct_label(name)},
        )


def offer_items(study: Study, measure: str, group: str, *between: float) -> None:
    """Name a measure of a group, and both ends of a MOS where given, with a link to its items."""
    told = "Chosen: <b>{measure}</b>, {group}" + (", MOS from {low} to below {high}" if between else "")
    ends = {f"{end}": f"{at:.12g}" for end, at in zip(("low", "high"), between, strict=bool(between))}
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(width="content"):
            note(told, measure=measure, group=group, **ends)
        if st.button(
            "Its items",
            type="tertiary",
            icon=":material/list_alt:",
            key=f"items of {distinct_label(measure)} {distinct_label(group)} {between}",
            on_click=_look_at_group,
            args=(study, group),
        ):
            asked = dict(zip(BETWEEN, ends.values(), strict=bool(between)))
            asked |= {"d": st.session_state["d"], "item_measure": distinct_label(measure)}
            st.switch_page("items.py", query_params=asked)


def _look_at_group(study: Study, group: str) -> None:
    """Make the group the candidate, whose items that page shows, and the other one the reference."""
    if group == study.reference:
        st.session_state["candidate"], st.session_state["reference"] = group, study.candidate
