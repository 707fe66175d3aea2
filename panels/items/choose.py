"""Which item or rater a page is about: chosen by name, or clicked in a picture or a table of any page."""

from typing import Any

import streamlit as st

from analysis.values.names import LONGEST_SHOWN, distinct_label
from features.plotting.numbers import count
from features.results import query
from features.study import Study
from ui.words import note

MOST_TO_CHOOSE = 2000
"""Names up to which they are chosen from a list: the browser gets all of them."""
ASKED = {"item": "item asked for", "rater": "rater asked for"}
OTHER = {"item": "rater", "rater": "item"}
BETWEEN = ("mos_from", "mos_below")
"""In the address of the page Items: the ends of the MOS of the items that it shows."""
_TYPED: dict[str, Any] = {"value": None, "placeholder": "Its whole name", "width": 260}


def choose(study: Study) -> tuple[str | None, str | None]:
    """Draws both choices; the item and the rater looked at, None where none is."""
    seen = st.session_state.get("items of", study.whole.id)
    names = {what: query(study.whole, f"{what}_names")["name"].tolist() for what in ASKED}
    for what, asked in ASKED.items():
        if seen != study.whole.id:
            st.session_state[what] = None
        if asked in st.session_state:
            name = st.session_state.pop(asked)
            st.session_state[what] = name if len(names[what]) <= MOST_TO_CHOOSE else distinct_label(name)
            st.session_state[OTHER[what]] = None
    st.session_state["items of"] = study.whole.id
    items, raters = names["item"], names["rater"]
    item: str | None
    rater: str | None
    if len(items) <= MOST_TO_CHOOSE:
        item = st.selectbox("Item", items, key="item", bind="query-params", **_listed(items))
    else:
        item = _named(st.text_input("Item", key="item", bind="query-params", **_TYPED), items)
    if len(raters) <= MOST_TO_CHOOSE:
        rater = st.selectbox("Rater", raters, key="rater", bind="query-params", **_listed(raters))
    else:
        rater = _named(st.text_input("Rater", key="rater", bind="query-params", **_TYPED), raters)
    return item or None, rater or None


def _named(typed: str | None, names: list[str]) -> str | None:
    """The name that was typed, or whose label was."""
    if typed is None or len(typed) < LONGEST_SHOWN:
        return typed
    return next((name for name in names if typed in (name, distinct_label(name))), typed)


def ask_for(what: str, name: str) -> None:
    """Has the page Items, which this is, look at this one."""
    st.session_state[ASKED[what]] = name
    st.rerun()


def offer(what: str, name: str) -> None:
    """Names an item or a rater chosen in a picture or a table of any page, with a link to its ratings; the sidebar
    stays."""
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
    """Names a measure of a group, and two ends of MOS where given, with a way to its items."""
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
    """Makes the group the candidate, whose items that page shows; the reference takes the other's place."""
    if group == study.reference:
        st.session_state["candidate"], st.session_state["reference"] = group, study.candidate


def _listed(names: list[str]) -> dict[str, Any]:
    return {
        "index": None,
        "format_func": distinct_label,
        "placeholder": f"All {count(len(names))}",
        "width": 260,
    }
