"""The list of all items: on which raters disagree most, and which look broken."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from analysis.items.disagreement import Disagreement
from charts.items.points import points
from features.results import query
from features.study import Study
from findings.code import items as program
from findings.items import figures
from findings.items.all_items import (
    RATERS_LIKEWISE,
    between,
    broken_finding,
    broken_if_asked,
    disagreement_finding,
    disputed,
    few_columns,
    part_shown,
    table,
)
from findings.leaving_out import NOBODY_LEFT
from panels.items.choose import ask_for
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import clicked, look
from ui.tables import show_table
from ui.words import note, say

LARGEST = 1e9
"""A MOS that somebody may ask for."""
_END: dict[str, Any] = {
    "min_value": -LARGEST,
    "max_value": LARGEST,
    "value": None,
    "placeholder": "any",
    "width": 130,
}
DISPUTED, BROKEN = "Raters disagree most", "May be broken"


def show(study: Study) -> None:
    """Findings, picture and table of one measure's items; a click or a ticked row leads to the item."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = _measure(study)
        by = st.segmented_control(
            "First", [DISPUTED, BROKEN], default=DISPUTED, required=True, key="items_by", bind="query-params"
        )
        low = st.number_input("MOS from", key="mos_from", bind="query-params", **_END)
        high = st.number_input("MOS below", key="mos_below", bind="query-params", **_END)
    spread = figures.spread(study, measure)
    if not len(spread.items):
        say(*NOBODY_LEFT)
        return
    names = query(study.dataset, "item_names")["name"][np.asarray(spread.items, dtype=np.int64)]
    broken = by == BROKEN
    told = [st.empty(), st.empty()]
    with told[1 if broken else 0]:
        show_finding(disagreement_finding(spread, names, measure))
    shown = between(spread, low, high)
    if not shown.all():
        note(*part_shown(shown, low, high))
    picture = st.container()
    at: list[int] = []
    if not broken:
        at = _draw(picture, spread, shown, spread.sd, disputed(spread), names, "SD of its ratings", by)
    looked_for = broken or not figures.takes_long(study, measure)
    found = figures.all_items(study, measure) if looked_for else figures.without_broken(study, measure)
    if found is None:
        return
    with told[0 if broken else 1]:
        if looked_for:
            show_finding(broken_finding(found, names))
        else:
            note(*broken_if_asked(spread, BROKEN))
    if broken:
        at = _draw(picture, spread, shown, found.broken.r, found.looks_broken, names, "r with agreement", by)
    for place in at:
        ask_for("item", str(names[place]))
    note("A click on a point or a ticked row leads to the item's ratings.")
    rows, written = table(found, names, broken, shown)
    ticked = show_table(rows, written, alt="Items", most=12, key="all items", first=few_columns(broken))
    note(*RATERS_LIKEWISE)
    show_code(lambda: program.code(study, measure))
    for row in ticked:
        ask_for("item", str(names[int(rows.index[row])]))


def _draw(
    place: DeltaGenerator,
    spread: Disagreement,
    shown: NDArray[np.bool_],
    y: NDArray[np.float64],
    stands_out: NDArray[np.bool_],
    names: NDArray[np.str_],
    title: str,
    by: str,
) -> list[int]:
    """The picture of the items shown, where there is anything to draw; the places of those clicked."""
    figure = points(
        np.where(shown, spread.mean, np.nan), y, names.tolist(), stands_out, ("MOS", title), look()
    )
    return clicked(place, figure, key="items", alt=f"Items by MOS; {by.lower()}") if figure["data"] else []


def _measure(study: Study) -> str:
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one("Measure", study.measures, key="item_measure", width=260)
