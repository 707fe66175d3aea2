"""Controls of "Ranking systems": what the visitor chooses becomes a spec."""

import streamlit as st

from analysis.assessors.exclusion import Method
from analysis.values.estimate import BootstrapSpec
from features.polls import is_pairs
from features.study import Study
from features.systems.scale_results import count_compared_systems
from features.systems.specs import ALL_SYSTEMS, CLASSES, KNOWN_ANSWERS, TWO_SYSTEMS, ScoresSpec
from ui.controls import choose_one
from ui.sampling_controls import draws_control, seed_control

ORDERS = {"as its name says": None, "the highest": False, "the lowest": True}
METHODS: dict[str, Method] = {
    "the additive model where cells are missing": "automatic",
    "the additive model": "additive",
    "the plain mean over topics": "plain",
}


def choose_question(study: Study) -> str:
    """Draw the choice of the question, where a study of choices can be asked several; the first is the default."""
    questions = list_questions(study)
    if len(questions) == 1:
        return questions[0]
    return st.segmented_control(
        "Question", questions, default=questions[0], required=True, key="about", bind="query-params"
    )


def list_questions(study: Study) -> list[str]:
    """Return the questions that a study of choices can be asked."""
    if not is_pairs(study):
        return [CLASSES, KNOWN_ANSWERS]
    several = [ALL_SYSTEMS] if count_compared_systems(study) > 2 else []
    has_known = study.whole.has("gold") or study.whole.has("expert")
    return [*several, TWO_SYSTEMS, *([KNOWN_ANSWERS] if has_known else [])]


def choose_scores(study: Study) -> ScoresSpec:
    """Draw the controls of the ranking by scores."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = choose_one("Ranked by", study.measures, key="ranked_by", width=320)
        order = st.selectbox(
            "First comes",
            list(ORDERS),
            key="first",
            bind="query-params",
            width=170,
            help="By default the name of the measure decides: the lowest of penalties and errors comes first, the "
            "highest of all else.",
        )
        with st.popover("Settings"):
            method = st.selectbox(
                "A system's score is",
                list(METHODS),
                key="method",
                bind="query-params",
                help="Without some raters, systems may miss different topics; a plain mean then mixes the topics' "
                "difficulty into the systems. The model (system + topic) does not.",
            )
            draws = draws_control()
            seed = seed_control()
    return ScoresSpec(measure, ORDERS[order], METHODS[method], BootstrapSpec(draws, seed))
