"""The controls of Standing in: for whom, on what, by which nearness, and how much worse a candidate may be."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.comparison.comparison import ComparisonSpec
from analysis.replacing_raters.alternative_annotator import Score
from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from features.plotting.numbers import count
from features.study import Study
from findings.standing_in.candidates import Asked, usual_epsilon
from findings.standing_in.reference import few_values, raters_of_others, reference_of
from findings.standing_in.standings import count_raters
from ui.controls import choose_scope, usually
from ui.item_links import MOST_TO_CHOOSE
from ui.sampling_controls import draws_control, seed_control

NEARNESS: dict[str, Score] = {"distance": "negative rmse", "equal answers": "accuracy"}


def settings(study: Study, row: DeltaGenerator) -> Asked:
    """Draws the controls in a row of the page and returns what they say."""
    reference, measure = reference_of(study), ""
    with row:
        if study.holds_choices and len(study.groups) > 1:
            reference = st.selectbox(
                "Reference group",
                study.groups,
                index=study.groups.index(reference),
                format_func=distinct_label,
                key="stand_in_for",
                bind="query-params",
                width=170,
                help="The group whose raters might be replaced.",
            )
        elif not study.holds_choices:
            measure = study.measures[0]
        if len(study.measures) > 1:
            measure = st.selectbox(
                "Measure",
                study.measures,
                format_func=distinct_label,
                key="stand_in_measure",
                bind="query-params",
                width=200,
            )
        rater = _rater(study, measure, reference)
        epsilon = st.slider(
            "ε: how much worse it may be",
            0.0,
            0.5,
            usually("epsilon", usual_epsilon(reference)),
            0.05,
            key="epsilon",
            bind="query-params",
            width=190,
            help="A candidate costs less, so it may lose to a rater on this share of the items more than it wins on. "
            "0.1 is usual where the reference are crowd workers, 0.15 for skilled raters, 0.2 for experts; it "
            "starts at 0.1 where the reference's name says crowd, else at 0.2.",
        )
        scope = choose_scope(count_raters(study, reference), study.raters_are_persons)
        nearness = "equal answers" if study.holds_choices else "distance"
        if not study.holds_choices and few_values(study, measure, reference):
            nearness = st.selectbox(
                "Nearness by",
                list(NEARNESS),
                key="nearness",
                bind="query-params",
                width=140,
                help="Who is nearer to the other raters: by the distance of the scores (root mean square), or by how "
                "many of them gave just that score. By equal answers a group counts with its commonest.",
            )
        with st.popover("More"):
            fewest = int(
                st.number_input(
                    "Fewest items",
                    2,
                    1000,
                    30,
                    key="fewest_shared",
                    bind="query-params",
                    help="A reference rater is tested who shares so many items with another rater and the candidate.",
                )
            )
            q = st.number_input(
                "Wrong replacements, share",
                0.001,
                0.5,
                0.05,
                0.01,
                format="%.3f",
                key="false_replacements",
                bind="query-params",
                help="At most this share of the raters named as replaced are so by chance (false discovery rate).",
            )
            rescaled, draws, seed = False, BootstrapSpec().draws, 0
            if not study.holds_choices:
                rescaled = st.toggle(
                    "Put numbers on another scale on that of the ratings",
                    key="rescaled",
                    bind="query-params",
                    help="By a straight line, drawn for each item without that item. Otherwise such numbers are not "
                    "tested, but their order and worth are told.",
                )
                draws, seed = draws_control(), seed_control()
    return Asked(
        reference,
        measure,
        len(study.measures) > 1,
        NEARNESS[nearness],
        float(epsilon),
        float(q),
        fewest,
        rater,
        rescaled,
        ComparisonSpec(
            bootstrap=BootstrapSpec(draws, seed), raters_are_persons=study.raters_are_persons, scope=scope
        ),
        len(study.groups) == 1,
        scope,
    )


def _rater(study: Study, measure: str, reference: str) -> str | None:
    """One rater of another group as a candidate; None where nobody is chosen."""
    names = list(raters_of_others(study, measure, reference))
    if not names:
        return None
    if len(names) > MOST_TO_CHOOSE:
        typed = st.text_input(
            "One rater, too",
            value=None,
            key="stand_in_rater",
            bind="query-params",
            placeholder="A whole name",
            width=170,
        )
        return typed if typed in names else None
    chosen: str | None = st.selectbox(
        "One rater, too",
        names,
        index=None,
        format_func=distinct_label,
        key="stand_in_rater",
        bind="query-params",
        placeholder=f"None of {count(len(names))}",
        width=170,
        help="A single rater of another group as a candidate, beside the groups' means and the numbers of the items.",
    )
    return chosen
