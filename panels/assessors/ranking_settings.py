"""What a ranking is made from: the measure, how scores are made, and how chance is drawn."""

import streamlit as st

from analysis.assessors.exclusion import ExclusionSpec, Method
from features.study import Study
from ui.controls import choose_one
from ui.sampling_controls import draws_control, seed_control

METHODS: dict[str, Method] = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}


def choose_measure(study: Study) -> str:
    """The measure that ranks, chosen where there are several."""
    if len(study.measures) == 1:
        return study.measures[0]
    return choose_one("Ranked by", study.measures, key="ranked_by", width=320)


def choose_spec() -> ExclusionSpec:
    """How scores are made and chance is drawn, under More."""
    with st.popover("More"):
        method = st.selectbox(
            "A system's score is",
            list(METHODS),
            key="method",
            bind="query-params",
            help="Without some raters, systems may miss different topics; a plain mean then mixes the topics' "
            "difficulty into the systems. The model (system + topic) does not.",
        )
        draws = draws_control()
        random = st.number_input(
            "Random exclusions", 20, 5000, 200, 20, key="random", bind="query-params",
            help="How often equally many raters are left out at random, to hold this exclusion against.",
        )  # fmt: skip
        seed = seed_control()
    return ExclusionSpec(METHODS[method], int(random), draws, seed)
