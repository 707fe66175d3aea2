"""Controls of groups compared: the picture, the scope and the settings of intervals and tests become a spec."""

from collections.abc import Sequence

import streamlit as st

from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import Alternative, BootstrapSpec
from features.assessments import fewest_raters
from features.comparison.results import MOST_GROUPS, GroupsSpec, Picture, Row, measures_of, unshared_pair
from features.plotting.panels import MOST
from features.study import Study, query
from ui.controls import (
    choose_attribute,
    choose_bootstrap_samples,
    choose_number,
    choose_one,
    choose_scope,
    choose_seed,
    choose_segment_in_row,
    choose_shown_measures,
    choose_value,
)

PICTURES: dict[str, Picture] = {"Scatter": "scatter", "Differences": "differences"}
TAILS: dict[str, Alternative] = {
    "differs either way": "two-sided",
    "candidate lower": "less",
    "candidate higher": "greater",
}
EACH_WITH_ITSELF = "each with itself"


def choose_spec(study: Study) -> GroupsSpec:
    pair: Row | None = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if unshared_pair(study) is not None:
            pair = _choose_pair(study)
        scope = choose_scope(fewest_raters(study, study.candidate, study.reference), study.raters_are_persons)
        help = (
            "Scatter: do items keep their order? Differences (Bland-Altman): where on the scale do both sides differ, "
            "and by how much?"
        )
        picture = choose_segment_in_row("Items", PICTURES, key="picture", help=help)
        panels = choose_shown_measures(study.measures, MOST)
        matrix_measure = _choose_matrix(study)
        with st.popover("Settings"):
            help = "Tail of the tests. Either way (two-sided) is right unless one direction was predicted."
            alternative = choose_value("A difference counts when the candidate", TAILS, key="tail", help=help)
            draws = choose_bootstrap_samples()
            help = "Where every rater rated every item. All ways to label the raters where they are fewer."
            permutations = choose_number(
                "Exchanges of raters' labels", 99, 20_000, 1999, 100, key="permutations", help=help
            )
            help = (
                "Levels closer than this count as equal. 0: a quarter of the SD of single reference ratings."
            )
            label = "Margin of equality, in scale points"
            margin = st.number_input(
                label, 0.0, None, 0.0, 0.05, key="margin", bind="query-params", help=help
            )
            seed = choose_seed()
            chosen = _choose_kinds(study)
            if unshared_pair(study) is None and study.reference is not None:
                pair = _choose_pair(study)  # last: it comes and goes with the measures
    kinds_measure, kinds = chosen or ("", ())
    comparison = ComparisonSpec(
        alternative=alternative,
        bootstrap=BootstrapSpec(draws, seed),
        permutations=permutations,
        raters_are_persons=study.raters_are_persons,
        margin=margin or None,
        scope=scope,
    )
    return GroupsSpec(comparison, pair, picture, tuple(panels), kinds, kinds_measure, matrix_measure)


def _choose_pair(study: Study) -> Row | None:
    """Draw the choice of a measure of the candidate and one of the reference."""
    ours, theirs = measures_of(study, study.candidate), measures_of(study, study.reference)
    if not ours or not theirs or len({*ours, *theirs}) < 2:
        return None
    one = choose_one(
        "Measure of the candidate",
        [EACH_WITH_ITSELF, *ours],
        key="candidate_measure",
        width=220,
        help="Compare a measure of the candidate with another measure of the reference.",
    )
    if one not in ours:
        return None
    return one, choose_one("Measure of the reference", theirs, key="reference_measure", width=220)


def _choose_matrix(study: Study) -> str | None:
    """Draw the choice of the measure on which every two groups are compared, where there are several of both."""
    if not 2 < len(study.groups) <= MOST_GROUPS:
        return None
    if len(study.measures) < 2:
        return study.measures[0]
    return choose_one("Every two groups on", study.measures, key="pairs_measure", width=220)


def _choose_kinds(study: Study) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    attributes = query(study.dataset, "rater_attributes")
    return choose_attribute(attributes, study.measures) if len(attributes["attribute"]) else None


def choose_pair_of_groups(groups: Sequence[str], cell: Sequence[int]) -> None:
    """Make the row of a clicked cell the candidate, and its column the reference."""
    row, column = cell
    if row != column:
        st.session_state["candidate"], st.session_state["reference"] = groups[row], groups[column]
