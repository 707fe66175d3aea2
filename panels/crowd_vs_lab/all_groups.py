"""All groups against the reference in one picture, and each two of them, where there are more than two to compare."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import Estimate
from analysis.values.names import distinct_label, shorten
from features.study import Study
from features.tables import DASH
from findings.crowd_vs_lab.all_groups import (
    PAIRS_NOTE,
    ByGroup,
    candidates,
    cells_with_intervals,
    finding,
    matrix,
)
from findings.crowd_vs_lab.comparisons import QUICK
from findings.crowd_vs_lab.every_group import at_hand, correlation_dots, level_dots, of_all, of_pairs
from ui.conclusions import show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.words import note

_PAIRS = "pairs of groups"
MOST_GROUPS = 12
"""Groups up to which each two of them are shown: their pairs grow with the square."""
MOST_WITH_INTERVALS = 6
"""Groups up to which each pair's interval is drawn, which takes long."""


def show(study: Study, spec: ComparisonSpec, place: DeltaGenerator) -> Callable[[], None]:
    """Says and draws all groups with what is known, each two of them below, and the heading of the pair in detail.

    What comes back draws the intervals, one group after the other; of one pair alone nothing is shown.
    """
    if len(candidates(study)) < 2:
        return lambda: None
    with place:
        told = st.empty()
        left, right = (column.empty() for column in st.columns(2))
        waiting = st.container()
        known = at_hand(study, spec)
        if known is None:
            return lambda: None
        _say_and_draw(study, known, (told, left, right), "at hand")
        if 2 < len(study.groups) <= MOST_GROUPS:
            sharpen_pairs = _show_pairs(study, replace(spec, permutations=0))
        else:
            sharpen_pairs = None
        st.header("The chosen pair")

    def sharpen() -> None:
        with waiting:
            compared = of_all(study, spec)
        if compared is not None and compared != known:
            _say_and_draw(study, compared, (told, left, right), "with intervals")
        if sharpen_pairs is not None and len(study.groups) <= MOST_WITH_INTERVALS:
            sharpen_pairs()

    return sharpen


def _say_and_draw(
    study: Study, by_group: ByGroup, places: tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator], stage: str
) -> None:
    told, left, right = places
    with told:
        show_finding(finding(study, by_group))
    draw(
        left,
        correlation_dots(study, by_group, look()),
        key=f"all_groups_order {stage}",
        alt=f"Correlation with {study.reference_name} per measure and group",
    )
    levels = level_dots(study, by_group, look())
    if levels is not None:
        draw(
            right,
            levels,
            key=f"all_groups_level {stage}",
            alt=f"Mean difference from {study.reference_name} per measure and group",
        )


def _show_pairs(study: Study, spec: ComparisonSpec) -> Callable[[], None]:
    """The matrix of each two groups on a measure; a cell chosen makes them candidate and reference.

    What comes back draws it again with intervals.
    """
    st.header("Each two groups")
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = choose_one("Measure", study.measures, key="pairs_measure", width=320)
    note(*PAIRS_NOTE)
    place, waiting = st.empty(), st.container()
    known = of_pairs(study, measure, QUICK)
    if known is not None:
        _draw_pairs(study, measure, known, place, "at hand")

    def sharpen() -> None:
        with waiting:
            drawn = of_pairs(study, measure, spec)
        if drawn is not None:
            _draw_pairs(study, measure, drawn, place, "with intervals")

    return sharpen


def _draw_pairs(
    study: Study, measure: str, rho: dict[tuple[str, str], Estimate], place: DeltaGenerator, stage: str
) -> None:
    labels = [distinct_label(group) for group in study.groups]
    table = matrix(study.groups, rho).rename(index=distinct_label, columns=distinct_label)
    styled = table.style.format(precision=2, na_rep=DASH)
    told = cells_with_intervals(study.groups, rho)
    for row, column, text in told:
        styled = styled.format(partial(_told, text), subset=([labels[row]], [labels[column]]), na_rep=DASH)
    key = f"{_PAIRS} {stage}"
    place.dataframe(
        styled,
        key=key,
        on_select=partial(choose_pair, study.groups, key),
        selection_mode="single-cell",
        placeholder=DASH,
        width="stretch" if told else "content",
        alt=f"Spearman's rho of each two groups on {shorten(measure)}" + (", with intervals" if told else ""),
    )


def _told(text: str, _: object) -> str:
    return text


def choose_pair(groups: tuple[str, ...], key: str) -> None:
    """Takes the row of the cell chosen in the table of that key as candidate and its column as reference."""
    by_label = {distinct_label(group): group for group in groups}
    for row, label in st.session_state[key]["selection"]["cells"]:
        column = by_label.get(label)
        if column is not None and groups[row] != column:
            st.session_state["candidate"], st.session_state["reference"] = groups[row], column
