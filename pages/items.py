"""Items: those on which raters disagree, those possibly faulty, and every rating of one item or by one rater."""

from functools import partial

import streamlit as st

from features.items.controls import choose_item_and_rater, choose_spec, select_for_next_run, show_texts
from features.items.results import ItemsSpec, describe_item, list_items, ratings_by
from features.items.section import (
    ITEMS,
    LIST,
    RATINGS,
    RATINGS_OF_RATER,
    item_section,
    items_section,
    rater_section,
)
from features.study import Study
from ui.render import render_section
from ui.visit.study import study


def _open_item(study: Study, spec: ItemsSpec, place: int) -> None:
    select_for_next_run("item", str(list_items(study, spec).names[place]))


def _open_row(study: Study, spec: ItemsSpec, row: int) -> None:
    _open_item(study, spec, int(list_items(study, spec).rows[row]))


def _open_rater(study: Study, item: str, row: int) -> None:
    select_for_next_run("rater", str(describe_item(study, item).rows["rater"][row]))


def _open_rated(study: Study, rater: str, row: int) -> None:
    select_for_next_run("item", str(ratings_by(study, rater)["item"][row]))


opened, finding = study(), st.container()
with st.container(horizontal=True, vertical_alignment="bottom"):
    item, rater = choose_item_and_rater(opened)
    spec = choose_spec(opened) if item is None and rater is None else None
if item is not None:
    show_texts(opened, item)
    chosen = {RATINGS: partial(_open_rater, opened, item)} if opened.raters_are_persons else {}
    render_section("item", item_section, opened, item, finding=finding, chosen=chosen)
elif rater is not None:
    open_rated = partial(_open_rated, opened, rater)
    chosen = {RATINGS_OF_RATER: open_rated, RATINGS: open_rated}
    render_section("rater", rater_section, opened, rater, finding=finding, chosen=chosen)
elif spec is not None:
    chosen = {ITEMS: partial(_open_item, opened, spec), LIST: partial(_open_row, opened, spec)}
    render_section("items", items_section, opened, spec, finding=finding, chosen=chosen)
