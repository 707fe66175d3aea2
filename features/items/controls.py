"""Controls of "Items": the item or rater looked at, or the measure whose items are listed and their order."""

from typing import Any

import streamlit as st

from analysis.values.estimate import LONGEST_SHOWN, distinct_label, shorten
from features.items.results import ItemsSpec, Order, search_is_long
from features.plotting.theme import count
from features.study import Study, query
from ui.controls import MOST_TO_CHOOSE, choose_measure, choose_segment_in_row, migrate_value

ASKED = {"item": "item asked for", "rater": "rater asked for"}
OTHER = {"item": "rater", "rater": "item"}
ORDERS: dict[str, Order] = {"Raters disagree most": "disagreement", "Possibly faulty": "faults"}
RENAMED = {"May be broken": "Possibly faulty"}
"""Orders that saved addresses call by another name."""
LARGEST = 1e9
"""A MOS that somebody may ask for."""
LONGEST_TEXT = 20_000
"""Characters of an item's text that the page shows; files of the data set have all."""
_SHORT = 600
"""Characters of a text that is shown without scrolling."""
_END: dict[str, Any] = {
    "min_value": -LARGEST,
    "max_value": LARGEST,
    "value": None,
    "placeholder": "any",
    "width": 130,
}


def choose_item_and_rater(study: Study) -> tuple[str | None, str | None]:
    """Draw both choices; return the item and the rater looked at, None where none is."""
    is_new = st.session_state.get("items of", study.whole.id) != study.whole.id
    names = {what: query(study.whole, f"{what}_names")["name"].tolist() for what in ASKED}
    for what, asked in ASKED.items():
        if is_new:
            st.session_state[what] = None
        if asked in st.session_state:
            name = st.session_state.pop(asked)
            st.session_state[what] = name if len(names[what]) <= MOST_TO_CHOOSE else distinct_label(name)
            st.session_state[OTHER[what]] = None
    st.session_state["items of"] = study.whole.id
    item = _choose_name("item", names["item"])
    return item, _choose_name("rater", names["rater"]) if study.raters_are_persons else None


def _choose_name(what: str, names: list[str]) -> str | None:
    """Draw the choice of one of the names, typed where they are many."""
    label = what.capitalize()
    bound: dict[str, Any] = {"key": what, "bind": "query-params"}
    if len(names) > MOST_TO_CHOOSE:
        return _named(st.text_input(label, None, placeholder="Its whole name", width=260, **bound), names)
    every = f"All {count(len(names))}"
    drawn: dict[str, Any] = {"format_func": distinct_label, "placeholder": every, "width": 170, **bound}
    return st.selectbox(label, names, None, **drawn) or None


def _named(typed: str | None, names: list[str]) -> str | None:
    """Return the name that was typed, or whose label was."""
    if not typed or len(typed) < LONGEST_SHOWN:
        return typed or None
    return next((name for name in names if typed in (name, distinct_label(name))), typed)


def select_for_next_run(what: str, name: str) -> None:
    """Show an item or a rater on this page, from the next run on."""
    st.session_state[ASKED[what]] = name
    st.rerun()


def choose_spec(study: Study) -> ItemsSpec:
    measure = choose_measure(study, key="item_measure", width=190)
    migrate_value("items_by", RENAMED)
    order: Order = "disagreement"
    if study.raters_are_persons:
        order = choose_segment_in_row("Sort by", ORDERS, key="items_by")
    with st.popover("Settings"):
        low = st.number_input("MOS from", key="mos_from", bind="query-params", **_END)
        high = st.number_input("MOS below", key="mos_below", bind="query-params", **_END)
    return ItemsSpec(measure, order, low, high, order == "faults" or not search_is_long(study, measure))


def show_texts(study: Study, item: str) -> None:
    """Show the item's text and the text that it was compared with, where the data hold them."""
    about = query(study.dataset, "about_item", item=item)
    for column, title in (("text", "Its text"), ("reference_text", "The text it was compared with")):
        if len(about[column]) and about[column][0]:
            text = shorten(about[column][0], LONGEST_TEXT)
            with st.expander(title, expanded=column == "text"):
                st.container(height=160 if len(text) > _SHORT else "content", border=False).text(text)
